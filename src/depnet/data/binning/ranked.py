"""The values of a column in their order, x_(0) <= x_(1) <= ... <= x_(N-1): all that states and bins are made from.

An array answers from memory; chunks of a table answer together (`depnet.cluster.ranked_chunks`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from depnet.arrays import IntArray
from depnet.data.binning.bins import Number, Numbers


class Ranked(Protocol):
    """N numbers by their ranks 0, ..., N - 1."""

    def __len__(self) -> int: ...

    def at(self, ranks: Sequence[int]) -> Numbers:
        """The values of these ranks."""

    def before(self, value: Number) -> int:
        """How many values are less than this one."""

    def until(self, value: Number) -> int:
        """How many values are less than this one, or equal."""

    def distinct(self, limit: int) -> Numbers:
        """The different values, ascending, but no more than the `limit` lowest."""

    def all_whole(self) -> bool:
        """Are all values whole numbers, as ints are that pandas made floats beside holes?"""


def are_whole(values: Numbers) -> bool:
    """Are these all whole numbers, none of them too large for a float to tell it from the next?

    >>> are_whole(np.array([1.0, -3.0])), are_whole(np.array([0.5])), are_whole(np.array([1e300]))
    (True, False, False)
    """
    return bool(((np.abs(values) < 2**53) & (values == np.floor(values))).all())


@dataclass(frozen=True, slots=True, eq=False)
class RankedArray:
    """An array, sorted here.

    >>> ranked = RankedArray.of(np.array([7, 3, 3]))
    >>> ranked.at([0, 2]).tolist(), ranked.before(7), ranked.until(3), ranked.distinct(9).tolist()
    ([3, 7], 2, 2, [3, 7])
    """

    ordered: Numbers

    @classmethod
    def of(cls, values: Any) -> "RankedArray":
        """The values in any order."""
        return cls(np.sort(values))

    def __len__(self) -> int:
        return len(self.ordered)

    def at(self, ranks: Sequence[int]) -> Numbers:  # the protocol says it
        return self.ordered[np.asarray(ranks, dtype=np.int64)]

    def before(self, value: Number) -> int:
        return int(np.searchsorted(self.ordered, value, side="left"))

    def until(self, value: Number) -> int:
        return int(np.searchsorted(self.ordered, value, side="right"))

    def distinct(self, limit: int) -> Numbers:
        found: list[Any] = []
        rank = 0
        while rank < len(self.ordered) and len(found) < limit:  # by jumps: there may be very many
            found.append(self.ordered[rank])
            rank = self.until(self.ordered[rank])
        return np.array(found, dtype=self.ordered.dtype)

    def all_whole(self) -> bool:
        return are_whole(self.ordered)


@dataclass(frozen=True, slots=True, eq=False)
class RankedCounts:
    """Different numbers, ascending, and how often each comes.

    >>> ranked = RankedCounts.of(np.array([7, 3]), np.array([1, 2]))
    >>> len(ranked), ranked.at([1, 2]).tolist(), ranked.before(7), ranked.until(3), ranked.distinct(1).tolist()
    (3, [3, 7], 2, 2, [3])
    """

    values: Numbers
    ends: IntArray
    """How many numbers are less than each value, or equal; 0 before the first."""

    @classmethod
    def of(cls, values: Any, counts: Any) -> "RankedCounts":
        """Numbers in any order, some of them equal, and how often each comes."""
        found, where = np.unique(values, return_inverse=True)
        times = np.bincount(where, counts, minlength=len(found)).astype(np.int64)
        return cls(found, np.concatenate(([0], np.cumsum(times))))

    def __len__(self) -> int:
        return int(self.ends[-1])

    def at(self, ranks: Sequence[int]) -> Numbers:  # the protocol says it
        return self.values[np.searchsorted(self.ends, np.asarray(ranks, dtype=np.int64), side="right") - 1]

    def before(self, value: Number) -> int:
        return int(self.ends[np.searchsorted(self.values, value, side="left")])

    def until(self, value: Number) -> int:
        return int(self.ends[np.searchsorted(self.values, value, side="right")])

    def distinct(self, limit: int) -> Numbers:
        return self.values[:limit]

    def all_whole(self) -> bool:
        return are_whole(self.values)
