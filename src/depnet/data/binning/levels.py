r"""Levels: the values that bins keep, all in one row, as a finer code of a number than its bin, and as the law of a number.

The kept values of bin k are its *places* 0, 1, ..., all as likely; those of all bins, bin after bin, are the *levels* of the
variable. A value that is kept several times is several levels, of which the first stands for all: equal numbers have
equal levels. Where states are numbers themselves, each has one level.

Given the probabilities p_k of bins, the law of a number is the mixture of its levels: each of the n_k places of bin k has
the probability p_k / n_k.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, read_only
from depnet.data.binning.bins import Bins, Kind, Number, Numbers

LevelArray = NDArray[np.int32]

SLACK = 1e-12
"""A cumulated probability that is less than a level by no more than this has reached it: sums of floats are not exact."""


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """The levels of some bins: `values[l]` is that of level l.

    Probabilities are [row, bin]; a column after these, that of missing values, is left out.
    """

    values: Numbers
    first: LevelArray
    """The first level of each bin."""
    sizes: LevelArray
    """The number of places of each bin."""
    same: LevelArray
    """For each level, the first level of its bin with an equal value."""
    cuts: NDArray[np.float64]
    """Where the next level begins: halfway to its value, or at the edge between two bins."""
    kind: Kind

    def __post_init__(self) -> None:
        for array in (self.values, self.first, self.sizes, self.same, self.cuts):
            read_only(array)

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
        cuts = _halfway(values)
        cuts[first[1:] - 1] = bins.edges[1:-1]
        return cls(values, first, sizes, same, cuts, bins.kind)

    @classmethod
    def of_states(cls, numbers: Sequence[Number]) -> "Levels":
        """The levels of states that are numbers, ascending: one each."""
        whole = all(isinstance(number, int) and -(2**63) <= number < 2**63 for number in numbers)
        values = np.array(numbers, dtype=np.int64 if whole else np.float64)
        each = np.arange(len(values), dtype=np.int32)
        return cls(values, each, np.ones_like(each), each, _halfway(values), "integer" if whole else "float")

    def __len__(self) -> int:
        """How many bins there are."""
        return len(self.sizes)

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
        """The middle one of the equal levels that each level stands for.

        >>> levels = Levels.of(Bins((0, 18), ((3, 9, 9, 9),), "integer"))
        >>> levels.middle(np.array([1, 0, 1], dtype=np.int32)).tolist()
        [2, 0, 2]
        """
        times = np.bincount(self.same, minlength=len(self.same))
        return (levels + (times[levels] - 1) // 2).astype(np.int32)

    def means(self) -> FloatArray:
        return self.mean_of(self.values.astype(np.float64))

    def mean_of(self, function: FloatArray) -> FloatArray:
        """The mean of a function of the values, in each bin."""
        return np.asarray(np.add.reduceat(function, self.first) / self.sizes)

    def quantiles(self, probabilities: FloatArray, levels: Sequence[float]) -> Numbers:
        """[row, level]: the smallest value up to which the law of a row has at least that probability.

        >>> bins = Bins((0, 1, 2), ((0.0, 0.5), (1.0, 1.5)), "float")
        >>> Levels.of(bins).quantiles(np.array([[0.5, 0.5], [0.0, 1.0]]), [0.5]).tolist()
        [[0.5], [1.0]]
        """
        cumulated = np.cumsum(probabilities[:, : len(self)], axis=1)
        cumulated /= cumulated[:, -1:]
        rows = np.arange(len(cumulated))
        found = np.empty((len(rows), len(levels)), dtype=np.int64)
        for at, level in enumerate(levels):
            reached = level - SLACK
            state = (cumulated >= reached).argmax(axis=1)
            below = np.where(state > 0, cumulated[rows, state - 1], 0.0)
            inside = np.maximum(cumulated[rows, state] - below, np.finfo(float).tiny)
            place = np.ceil((reached - below) / inside * self.sizes[state]) - 1
            found[:, at] = self.first[state] + place.clip(0, self.sizes[state] - 1).astype(np.int64)
        return np.asarray(self.values[found])

    def expect(self, probabilities: FloatArray) -> Numbers:
        """One number a row for a hole whose bin is uncertain: for floats the mean, as regression predicts it, else the
        median; where it is known to be missing, any.
        """
        weights = probabilities[:, : len(self)]
        weights = np.where(weights.any(axis=1, keepdims=True), weights, 1.0)
        if self.kind == "float":
            return np.asarray(weights @ self.means() / weights.sum(axis=1))
        return np.asarray(self.quantiles(weights, [0.5])[:, 0])


def _halfway(values: Numbers) -> FloatArray:
    plain = values.astype(np.float64)
    return np.asarray(plain[:-1] / 2 + plain[1:] / 2)
