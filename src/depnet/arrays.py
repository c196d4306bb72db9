"""Array types, and the one way to freeze an array into a value."""

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
CodeArray: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]
LeafArray: TypeAlias = NDArray[np.int32]

AnyArray = TypeVar("AnyArray", bound=NDArray[Any])


def read_only(array: AnyArray) -> AnyArray:
    """`array` itself, from now on not writable."""
    array.flags.writeable = False
    return array
