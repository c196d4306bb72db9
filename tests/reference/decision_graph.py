"""Eqs. newYsplit and newYmerge, one row at a time."""

from collections.abc import Sequence

from depnet import Merge, Split


def leaf_of(row: Sequence[int], operations: Sequence[Split | Merge], cardinalities: Sequence[int]) -> int:
    """Y(x): start at 0 and apply every recorded operation."""
    y, size = 0, 1
    for operation in operations:
        if isinstance(operation, Split):
            if y == operation.leaf:
                y = size - 1 + row[operation.variable]
            elif y > operation.leaf:
                y = y - 1
            size = size - 1 + cardinalities[operation.variable]
        else:
            if y == operation.second:
                y = operation.first
            elif y > operation.second:
                y = y - 1
            size = size - 1
    return y
