r"""A number as a word of binary digits (ours, beyond the paper).

The states of a number are the leaves of a binary tree: its first digit says in which half of the rows the number lies, the
second in which half of that half, and so on. With one probability p_v for each vertex v of the tree,

.. math:: \theta(x) = \prod_{v \text{ on the way to } x} p_v^{d_v(x)} (1 - p_v)^{1 - d_v(x)},

a distribution over the states whatever the p_v are. A node of digits has stages for each vertex, learned from the rows that
reach it; what is missing is the first digit of a column whose holes are a state.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import ByFields, IntArray, read_only
from depnet.errors import ModelError

Places = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class DigitTree(ByFields):
    """Vertices of a tree over the states 0, ..., K - 1, each before those below it: K - 1 of them.

    Vertex v is reached by the states `low[v]`, ..., `high[v]` - 1, and its digit is 1 for those from `middle[v]` on.

    >>> tree = DigitTree.of([10, 10, 5, 15])
    >>> [(v.low, v.middle, v.high) for v in tree.vertices]
    [(0, 2, 4), (0, 1, 2), (2, 3, 4)]
    """

    low: Places
    middle: Places
    high: Places

    def __post_init__(self) -> None:
        for name in ("low", "middle", "high"):
            object.__setattr__(
                self, name, read_only(np.ascontiguousarray(getattr(self, name), dtype=np.int32))
            )
        if not len(self.low) == len(self.middle) == len(self.high) > 0:
            raise ModelError("a tree of digits has a vertex, and for each its low, middle and high.")
        open_spans = {(0, len(self.low) + 1)}
        for v, (low, middle, high) in enumerate(zip(*self.arrays, strict=True)):
            span = (int(low), int(high))
            if span not in open_spans or not low < middle < high:
                raise ModelError(
                    f"vertex {v} of a tree of digits divides no span of states above it: {span}."
                )
            open_spans.remove(span)
            open_spans |= {(a, b) for a, b in ((low, middle), (middle, high)) if b - a > 1}

    @property
    def arrays(self) -> tuple[Places, Places, Places]:
        """Low, middle, high: as the kernels take them."""
        return self.low, self.middle, self.high

    @property
    def states(self) -> int:
        """K."""
        return len(self.low) + 1

    @cached_property
    def vertices(self) -> tuple["Vertex", ...]:
        """All vertices."""
        return tuple(Vertex(*map(int, v)) for v in zip(*self.arrays, strict=True))

    @cached_property
    def depths(self) -> IntArray:
        """How many vertices lie above each."""
        found = [
            sum(above.low <= one.low and one.high <= above.high for above in self.vertices[:v])
            for v, one in enumerate(self.vertices)
        ]
        return np.array(found, dtype=np.int64)

    @classmethod
    def of_middles(cls, middles: Sequence[int]) -> "DigitTree":
        """The tree of the middles of its vertices, each before those below it, the lower part first."""
        found: list[tuple[int, int, int]] = []
        waiting = [(0, len(middles) + 1)]
        for v, middle in enumerate(middles):
            low, high = waiting.pop()
            if not low < middle < high:
                raise ModelError(
                    f"vertex {v} of a tree of digits divides the states {low} to {high - 1}; got {middle}."
                )
            found.append((low, middle, high))
            waiting += [(a, b) for a, b in ((middle, high), (low, middle)) if b - a > 1]
        return cls(*np.array(found, dtype=np.int32).reshape(-1, 3).T)

    @classmethod
    def of(cls, counts: Sequence[int] | IntArray, *, missing: bool = False) -> "DigitTree":
        """The tree whose vertices divide their rows most evenly; of two equally even ways the lower one is taken.

        With `missing`, the first digit says whether the state is the last, that of missing values.
        """
        total = np.concatenate([[0], np.cumsum(np.asarray(counts, dtype=np.int64))])
        found: list[tuple[int, int, int]] = []
        last = len(total) - 1
        waiting = [(0, last)]
        while waiting:
            low, high = waiting.pop()
            if high - low < 2:
                continue
            if missing and high == last and low == 0:
                middle = last - 1
            else:
                below = 2 * total[low + 1 : high] - total[low] - total[high]
                middle = low + 1 + int(np.argmin(np.abs(below)))
            found.append((low, middle, high))
            waiting += [(middle, high), (low, middle)]
        return cls(*np.array(found, dtype=np.int32).T)

    def __reduce__(self) -> tuple[Any, ...]:
        return DigitTree, self.arrays


def digit_arrays(tree: DigitTree | None) -> Places:
    """[low, middle, high] of each vertex, as the kernels take them; of no tree, none."""
    return np.zeros((3, 0), dtype=np.int32) if tree is None else np.stack(tree.arrays)


@dataclass(frozen=True, slots=True)
class Vertex:
    """The states `low`, ..., `high` - 1 reach it; its digit is 1 from `middle` on."""

    low: int
    middle: int
    high: int

    def __iter__(self) -> Any:
        return iter((self.low, self.middle, self.high))
