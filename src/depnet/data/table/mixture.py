"""Numbers from the probabilities of bins: means, spreads, quantiles and shares.

The law of a number is the mixture, over its bins, of the values that they keep: each of the n_k values of bin k has the
probability p_k / n_k. A variable whose states are numbers is the same with one value a state.
"""

from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data.binning.bins import Bins, Kind, Numbers
from depnet.data.table.variable import Variable

SLACK = 1e-12
"""A cumulated probability that is less than a level by no more than this has reached it: sums of floats are not exact."""


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """`values` ascend; the first `sizes[0]` are those of state 0, and so on.

    Probabilities are [row, state]; a column after these states, that of missing values, is left out.
    """

    values: Numbers
    sizes: IntArray
    kind: Kind

    @classmethod
    def of_bins(cls, bins: Bins) -> "Mixture":
        """The values that the bins keep."""
        kept = [value for values in bins.quantiles for value in values]
        sizes = np.array([len(values) for values in bins.quantiles])
        return cls(np.array(kept, dtype=np.float64 if bins.kind == "float" else np.int64), sizes, bins.kind)

    @classmethod
    def of(cls, variable: Variable) -> "Mixture | None":
        """Of a number; None of any other variable.

        >>> from depnet.data import Variable
        >>> Mixture.of(Variable("rooms", (1, 2, 5))).values.tolist(), Mixture.of(Variable("sex", ("f", "m")))
        ([1, 2, 5], None)
        """
        if variable.bins is not None:
            return cls.of_bins(variable.bins)
        if variable.scale != "number":
            return None
        states = variable.present_states
        whole = all(isinstance(state, int) and -(2**63) <= state < 2**63 for state in states)
        values = np.array(states, dtype=np.int64 if whole else np.float64)
        return cls(values, np.ones(len(states), dtype=np.int64), "integer" if whole else "float")

    @property
    def states(self) -> int:
        """How many states are numbers."""
        return len(self.sizes)

    @property
    def first(self) -> IntArray:
        """The place of the first value of each state."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)

    def means(self) -> FloatArray:
        """The mean value of each state."""
        return self.mean_of(self.values.astype(np.float64))

    def mean_of(self, function: FloatArray) -> FloatArray:
        """The mean of a function of the values, in each state."""
        return np.asarray(np.add.reduceat(function, self.first) / self.sizes)

    def share_above(self, number: float) -> FloatArray:
        """The share of each state's values that are larger than a number."""
        return self.mean_of((self.values > number).astype(np.float64))

    def quantiles(self, probabilities: FloatArray, levels: list[float]) -> Numbers:
        """[row, level]: the smallest value up to which the law of a row has at least the level.

        >>> bins = Bins((0, 1, 2), ((0.0, 0.5), (1.0, 1.5)), "float")
        >>> Mixture.of_bins(bins).quantiles(np.array([[0.5, 0.5], [0.0, 1.0]]), [0.5]).tolist()
        [[0.5], [1.0]]
        """
        cumulated = np.cumsum(probabilities[:, : self.states], axis=1)
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

    def expected(self, probabilities: FloatArray) -> Numbers:
        """One number a row for a hole whose state is uncertain: of floats the mean, as regression predicts it, else the
        median; where it is known to be missing, any.
        """
        weights = probabilities[:, : self.states]
        weights = np.where(weights.any(axis=1, keepdims=True), weights, 1.0)
        if self.kind == "float":
            return np.asarray(weights @ self.means() / weights.sum(axis=1))
        return np.asarray(self.quantiles(weights, [0.5])[:, 0])
