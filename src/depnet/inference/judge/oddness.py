r"""How odd a cell is given the rest of its row: its tail mass, the probability of a value that fits no better.

With theta = theta_i(. | the rest of the row), the tail mass T of a cell is

- of a category: the sum of theta(x') over all states x' at most as likely as the one seen. A column of many states, all
  about as likely, is thus never odd, however small each theta is.
- of a number, or of states with an order: there are three ways to be odd, *low*, P(X <= x), *high*, P(X >= x), and
  *unlikely*, the sum of theta(x') over all states with theta(x') / p(x') at most that of x, where p is the column's own
  marginal (a gap between two likely ranges is neither low nor high). T is three times the least of these, and at most 1. The
  bin of x counts whole, but for the outermost ones: there, P(X >= x) is theta times the share of the bin that is at least as
  far out as the number itself, which falls for ever (`depnet.data.binning.tails`).

Under the model no more than a share t of cells has T <= t. T has no unit, and does not change where a column is multiplied.

A row's tail mass is the harmonic mean of those of its known cells: at most that of its oddest cell times the number of
cells, and less where several are odd. (Of the ways to join them that were tried, sums of logs and the law's own likelihood
among them, errors that were put into tables came first most often by it.)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.binning.bins import Numbers
from depnet.data.binning.tails import log_shares
from depnet.data.table.variable import Variable
from depnet.model.network import Network

WAYS = 3
SLACK = 1e-9
"""Probabilities that differ by no more than this part are equally likely: sums of floats are not exact."""


LEAST = 1e-280
"""No tail is less: what is further out, or impossible, is no odder."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A variable with its marginal in the rows that a network was learned from, as far as it is known."""

    variable: Variable
    shares: FloatArray
    rows: int

    @classmethod
    def of(cls, network: Network, i: int) -> "Column":
        """By the counts that the network keeps, else those of its tables; where there are none, all states are alike."""
        variable, node = network.domain.variables[i], network.nodes[i]
        counts: IntArray = np.zeros(variable.cardinality, dtype=np.int64)
        if network.counts is not None:
            counts = network.counts.singles[i]
        elif node.counts is not None:
            counts = node.counts.sum(axis=0)
        rows = int(counts.sum())
        return cls(variable, (counts + 1 / len(counts)) / (rows + 1), rows)

    def state_tails(self, laws: FloatArray) -> FloatArray:
        """[law, state]: T of each state under laws [law, state], the bin of a number counting whole."""
        if not self.variable.has_order:
            return np.clip(_at_most(laws, laws), LEAST, 1.0)
        least = _at_most(laws, laws / self.shares)
        present = len(self.variable.present_states)
        own = laws[:, :present]
        low, high = np.cumsum(own, axis=1), np.cumsum(own[:, ::-1], axis=1)[:, ::-1]
        least[:, :present] = np.minimum(least[:, :present], np.minimum(low, high))
        return np.clip(WAYS * least, LEAST, 1.0)

    def tails(
        self, laws: FloatArray, flat: IntArray, codes: NDArray[np.integer], numbers: Numbers | None
    ) -> FloatArray:
        """[cell]: T of cells by their places in the flat laws [law, state], and by their numbers where these are known."""
        found: FloatArray = self.state_tails(laws).ravel().take(flat)
        bins = self.variable.bins
        if bins is None or numbers is None:
            return found
        outer = np.flatnonzero((codes == 0) | (codes == len(bins) - 1))
        masses = self.shares[: len(bins)] / self.shares[: len(bins)].sum()
        far = np.exp(log_shares(bins, masses, self.rows, numbers[outer], codes[outer]))
        far *= WAYS * laws.ravel().take(flat[outer])
        found[outer] = np.clip(np.minimum(found[outer], far), LEAST, None)
        return found


def joined(tails: FloatArray, known: NDArray[np.bool_] | None = None) -> FloatArray:
    """[row]: the harmonic mean of the tails of its known cells; 1 where none is.

    >>> joined(np.array([[1.0, 0.25], [1.0, 1.0]])).tolist()
    [0.4, 1.0]
    """
    inverse = np.zeros(len(tails))
    for i in range(tails.shape[1]):
        part = 1 / tails[:, i]
        inverse += part if known is None else np.where(known[:, i], part, 0.0)
    cells = tails.shape[1] if known is None else known.sum(axis=1)
    return np.asarray(np.maximum(cells, 1) / np.maximum(inverse, 1.0))


def _at_most(theta: FloatArray, key: FloatArray) -> FloatArray:
    """[law, state]: the sum of theta over the states whose key is at most that of the state."""
    order = np.argsort(key, axis=1)
    ranked = np.take_along_axis(key, order, axis=1)
    sums = np.cumsum(np.take_along_axis(theta, order, axis=1), axis=1)
    last = np.ones(sums.shape, dtype=bool)  # of those that are alike
    last[:, :-1] = ranked[:, 1:] > ranked[:, :-1] * (1 + SLACK)
    sums = np.minimum.accumulate(np.where(last, sums, np.inf)[:, ::-1], axis=1)[:, ::-1]
    found = np.empty_like(sums)
    np.put_along_axis(found, order, sums, axis=1)
    return found
