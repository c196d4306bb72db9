"""What the types of a file's objects have in common: JSON as values of them, and errors that say their place.

One type serves both ways. What msgspec finds wrong on the way in (a field that is missing, unknown or of another type, a
number out of range) is a `ModelFileError` with its place.
"""

import contextlib
import re
from collections.abc import Iterator, Sequence, Sized
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
import numpy as np
from msgspec import Meta, Raw, Struct
from numpy.typing import NDArray

from depnet.errors import DataError, ModelError, ModelFileError
from depnet.model.sources.source import MAX_LEAVES
from depnet.model.table import MAX_COUNT

CHANGED = "The file is damaged, or was changed after it was written; get it again, or save the network again."

Count: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_COUNT)]
Whole: TypeAlias = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Leaf: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_LEAVES)]


class Fields(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """An object of the file: it has its fields and no others."""


Value = TypeVar("Value")
_LONGEST = 400  # a field of the file may have any name
_PLACE = re.compile(r"(?P<what>.*?)(?: - at `(?P<key>key in )?\$(?P<place>.*)`)?", re.S)


def decode(data: bytes | bytearray | Raw, kind: type[Value], at: str = "") -> Value:
    """JSON as a value of a type. `at` is its place in the file, such as nodes[3]."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        found = _PLACE.fullmatch(str(error))
        assert found is not None
        place = (at + (found["place"] or "")).removeprefix(".") or "the file"
        what = found["what"][:1].lower() + found["what"][1:_LONGEST]
        raise fault(place[:_LONGEST], f"{what}.") from None
    except msgspec.DecodeError as error:
        what = f"this is not JSON: {str(error).removeprefix('JSON is malformed: ')}"
        if "truncated" in what:
            what = "the file ends too early: it is not complete"
        raise ModelFileError(f"{what}. {CHANGED}") from None
    except UnicodeDecodeError:
        raise ModelFileError(f"a text in it is not UTF-8. {CHANGED}") from None
    except RecursionError:
        raise ModelFileError(f"lists and objects are nested too deeply. {CHANGED}") from None


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


def check_length(values: Sized, length: int, at: str) -> None:
    """The error of a list that is not as long as it must be."""
    if len(values) != length:
        raise fault(at, f"expected {length:,} entries; got {len(values):,}.")


def whole_array(values: Sequence[int], low: int, high: int, length: int | None, at: str) -> NDArray[np.int32]:
    """A given number of whole numbers from `low` to `high`."""
    if length is not None:
        check_length(values, length, at)
    numbers = np.array(values, dtype=np.int32)
    check_whole(numbers, low, high, at)
    return numbers


def check_whole(numbers: NDArray[Any], low: int, high: int, at: str) -> None:
    """The error of the first number that is not from `low` to `high`."""
    wrong = np.flatnonzero((numbers < low) | (numbers > high))
    if len(wrong):
        k = int(wrong[0])
        raise fault(f"{at}[{k}]", f"expected a whole number from {low:,} to {high:,}; got {numbers[k]}.")


def check_each(fine: NDArray[np.bool_], at: str, what: str) -> None:
    """The error of the first entry that is not fine."""
    if not fine.all():
        raise fault(f"{at}[{int(np.argmin(fine))}]", what)
