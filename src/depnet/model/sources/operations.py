"""Split and Merge: the two operations that grow an information source (Sec. 4.5)."""

from typing import NamedTuple, TypeAlias


class Split(NamedTuple):
    """Split(y, j): leaf y is replaced by one leaf for each state of X_j (Eq. newYsplit).

    A pair of numbers, and equal to it, but not to a merge of the same numbers.

    Args:
        leaf: y.
        variable: j.

    >>> Split(0, 1) == Split(0, 1), Split(0, 1) == Merge(0, 1)
    (True, False)
    """

    leaf: int
    variable: int

    def __eq__(self, other: object) -> bool:
        return not isinstance(other, Merge) and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:  # a tuple has its own
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)


class Merge(NamedTuple):
    """Merge(y_0, y_1), y_0 < y_1: leaf y_1 joins leaf y_0 (Eq. newYmerge).

    Args:
        first: y_0.
        second: y_1.

    >>> Merge(0, 1).second
    1
    """

    first: int
    second: int

    def __eq__(self, other: object) -> bool:
        return not isinstance(other, Split) and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)


Operation: TypeAlias = Split | Merge
