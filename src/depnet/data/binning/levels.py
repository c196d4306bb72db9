"""Levels: the values that bins keep, all in one row, as a finer code of a number than its bin.

The kept values of bin k are its *places* 0, 1, ..., all as likely; those of all bins, bin after bin, are the *levels* of the
variable. A value that is kept several times is several levels, of which the first stands for all: equal numbers have
equal levels.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import read_only
from depnet.data.binning.bins import Bins, Numbers

LevelArray = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """The levels of some bins: `values[l]` is that of level l."""

    values: Numbers
    first: LevelArray
    """Of each bin, its first level."""
    sizes: LevelArray
    """Of each bin, how many places it has."""
    same: LevelArray
    """Of each level, the first one of its bin with an equal value."""
    cuts: NDArray[np.float64]
    """Where the next level begins: halfway to its value, or at the edge between two bins."""

    @classmethod
    def of(cls, bins: Bins) -> "Levels":
        """The levels of the values that bins keep.

        >>> levels = Levels.of(Bins((0, 18, 65), ((3, 9, 9), (30, 40)), "integer"))
        >>> levels.first.tolist(), levels.sizes.tolist(), levels.same.tolist()
        ([0, 3], [3, 2], [0, 1, 1, 3, 4])
        """
        sizes = np.array([len(kept) for kept in bins.quantiles], dtype=np.int32)
        first = (np.cumsum(sizes) - sizes).astype(np.int32)
        values = bins.every()
        begins = np.ones(len(values), dtype=bool)
        begins[1:] = values[1:] != values[:-1]
        begins[first] = True
        same = np.maximum.accumulate(np.where(begins, np.arange(len(values)), 0)).astype(np.int32)
        plain = values.astype(np.float64)
        cuts = plain[:-1] / 2 + plain[1:] / 2
        cuts[first[1:] - 1] = bins.edges[1:-1]
        return cls(*map(read_only, (values, first, sizes, same, cuts)))

    def locate(self, numbers: Numbers, bins: NDArray[np.integer]) -> LevelArray:
        """The level of every number, the nearest of its bin, which is given; of equal levels, the first.

        >>> levels = Levels.of(Bins((0, 18, 65), ((3, 9, 9), (30, 40)), "integer"))
        >>> levels.locate(np.array([2, 8, 17, 34, 99]), np.array([0, 0, 0, 1, 1])).tolist()
        [0, 1, 1, 3, 4]
        """
        found = np.searchsorted(self.cuts, numbers, side="right")
        first = self.first[bins]
        return self.same[np.clip(found, first, first + self.sizes[bins] - 1)]

    def middle(self, levels: LevelArray) -> LevelArray:
        """Of levels that stand for several equal ones, the one in the middle of these.

        >>> levels = Levels.of(Bins((0, 18), ((3, 9, 9, 9),), "integer"))
        >>> levels.middle(np.array([1, 0, 1], dtype=np.int32)).tolist()
        [2, 0, 2]
        """
        times = np.bincount(self.same, minlength=len(self.same))
        return (levels + (times[levels] - 1) // 2).astype(np.int32)
