"""Array types, the one way to freeze an array into a value, and generators of random numbers."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
CodeArray: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]
LeafArray: TypeAlias = NDArray[np.int32]


def code_type(cardinalities: Iterable[int]) -> np.dtype[Any]:
    """What the codes of variables are kept in: a byte, or two where one has more than 256 states."""
    return np.dtype(np.uint16) if max(cardinalities, default=1) > 256 else np.dtype(np.uint8)


AnyArray = TypeVar("AnyArray", bound=NDArray[Any])
AnyValue = TypeVar("AnyValue")


def read_only(array: AnyArray) -> AnyArray:
    """`array` itself, from now on not writable."""
    array.flags.writeable = False
    return array


def set_fields(value: AnyValue, **of: Any) -> AnyValue:
    """A frozen value itself, whose fields are these from now on: while it is made, and never after."""
    for name, each in of.items():
        object.__setattr__(value, name, each)
    return value


class ByFields:
    """A dataclass that holds arrays, and is equal to another one whose fields are."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        pairs = ((getattr(self, each.name), getattr(other, each.name)) for each in fields(self))  # type: ignore[arg-type]  # a dataclass
        return all(
            np.array_equal(a, b) if isinstance(a, np.ndarray) or isinstance(b, np.ndarray) else bool(a == b)
            for a, b in pairs
        )

    __hash__ = None  # type: ignore[assignment]  # as arrays have none


def xlogy(x: FloatArray | IntArray | float, y: FloatArray | IntArray | float) -> Any:
    """X log y, and 0 where x is 0: SciPy's, which is imported when it is first asked for.

    That takes as long as all else that a question to a model needs, and most questions do not need it.
    """
    from scipy.special import xlogy as scipys

    return scipys(x, y)


def new_seeds(rng: np.random.Generator | None, count: int) -> list[int]:
    """Seeds of the counter generator; None: fresh entropy."""
    return [int(seed) for seed in generator(rng).integers(0, 2**64, size=count, dtype=np.uint64)]


def generator(rng: np.random.Generator | None) -> np.random.Generator:
    """`rng` itself, or for None a generator with fresh entropy; anything else is an error."""
    if rng is None:
        return np.random.default_rng()
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"rng is a numpy.random.Generator or None; got {rng!r}. Make one with numpy.random.default_rng(seed)."
        )
    return rng
