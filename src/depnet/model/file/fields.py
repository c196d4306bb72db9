"""Fields of a document, checked one by one. `at` is the place in the file, such as nodes[3].table.counts[2]."""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.errors import DataError, ModelError, ModelFileError, brief
from depnet.wording import nearest

CHANGED = "The file is damaged, or was changed after it was written; get it again, or save the network again."


def fault(at: str, what: str) -> ModelFileError:
    """The error that says where and what."""
    return ModelFileError(f"{at}: {what}")


@contextlib.contextmanager
def located(at: str) -> Iterator[None]:
    """What the library finds wrong with a value of the file is said with its place."""
    try:
        yield
    except ModelFileError:
        raise
    except (DataError, ModelError) as error:
        raise fault(at, str(error)) from None


def fields_of(
    value: object, at: str, names: tuple[str, ...], optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    """An object that has the fields `names`, perhaps the `optional` ones, and no others."""
    if isinstance(value, dict):
        names += tuple(name for name in optional if name in value)
    if not isinstance(value, dict):
        raise fault(at, f"expected an object with {_list(names)}; got {brief(value)}.")
    for name in names:
        if name not in value:
            raise fault(at, f"the field {name!r} is missing.")
    for name in value:
        if name not in names:
            raise fault(at, f"there is no field {brief(name)} here. {nearest(name, names)}")
    return value


def items_of(value: object, at: str, length: int | None = None) -> list[Any]:
    """A list, of a given length."""
    if not isinstance(value, list):
        raise fault(at, f"expected a list; got {brief(value)}.")
    if length is not None and len(value) != length:
        raise fault(at, f"expected {length:,} entries; got {len(value):,}.")
    return value


def whole_of(value: object, at: str, low: int, high: int) -> int:
    """A whole number from `low` to `high`; neither a boolean nor a float is one."""
    if type(value) is not int:
        raise fault(at, f"expected a whole number; got {brief(value)}.")
    if not low <= value <= high:
        raise fault(at, f"expected a whole number from {low:,} to {high:,}; got {brief(value)}.")
    return value


def wholes_of(value: object, at: str, low: int, high: int, length: int | None = None) -> list[int]:
    """A list of whole numbers from `low` to `high`."""
    numbers = items_of(value, at, length)
    if numbers and not (set(map(type, numbers)) == {int} and low <= min(numbers) and max(numbers) <= high):
        for k, number in enumerate(numbers):
            whole_of(number, f"{at}[{k}]", low, high)
    return numbers


def whole_array(value: object, low: int, high: int, length: int | None, at: str) -> NDArray[np.int32]:
    """A given number of whole numbers from `low` to `high`; already an array where the text had nothing else."""
    if (
        isinstance(value, np.ndarray)
        and (length is None or len(value) == length)
        and (value.min() >= low and value.max() <= high)
    ):
        return value
    numbers = value.tolist() if isinstance(value, np.ndarray) else value
    return np.array(wholes_of(numbers, at, low, high, length), dtype=np.int32)


def check_each(fine: NDArray[np.bool_], at: str, what: str) -> None:
    """The error of the first entry that is not fine."""
    if not fine.all():
        raise fault(f"{at}[{int(np.argmin(fine))}]", what)


def number_of(value: object, at: str) -> float:
    """A number; its size is for the caller to judge."""
    if type(value) not in (int, float):
        raise fault(at, f"expected a number; got {brief(value)}.")
    assert isinstance(value, (int, float))
    return value


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(map(repr, names))
