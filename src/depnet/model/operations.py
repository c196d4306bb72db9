"""Split and Merge: the two operations that grow an information source (Sec. 4.5)."""

from typing import NamedTuple, TypeAlias


class Split(NamedTuple):
    """Split(y, j): leaf y is replaced by one leaf for each state of X_j (Eq. newYsplit)."""

    leaf: int
    variable: int


class Merge(NamedTuple):
    """Merge(y_0, y_1), y_0 < y_1: leaf y_1 joins leaf y_0 (Eq. newYmerge)."""

    first: int
    second: int


Operation: TypeAlias = Split | Merge
