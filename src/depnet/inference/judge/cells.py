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

Which cells make a row odd: what the rest of the row says of each, and how far the cell is from it.

The law of a cell is theta_i(. | Y_i(x)), its node's. Where the node reads holes of the row, it is the mean of this over
completions of the row, drawn by its clamped chain given all that the row knows. That is the cell itself, too, which so
has the benefit of the doubt: weights that take it back (`depnet.inference.rows.query`) vary so much that several
times as many cells of ordinary rows come out odd, and errors no sooner. Completions are never shown, and a hole is
never odd.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.binning.bins import Numbers
from depnet.data.binning.tails import log_shares
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.variable import Variable
from depnet.inference.answer.rows import pieces
from depnet.inference.clamped.chains import COMPLETION_CHAINS, completions
from depnet.model.boosted import PIECE_CELLS
from depnet.model.network import Network, check_same_domain
from depnet.model.node import Node
from depnet.model.table import leaves_of
from depnet.sampling.chains import ChainProgram

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


RECORDS = 4
"""Completions of a row: so many of each chain."""
COMPLETED_CELLS = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class CellLaws:
    """[row, variable]: what the rest of a row says of each cell. Of a hole: nan, -1, nan, and a tail of 1."""

    theta: FloatArray
    """The probability of its state."""
    best: IntArray
    """The likeliest state."""
    best_theta: FloatArray
    tails: FloatArray
    """Its tail mass (`depnet.inference.judge.cells`): the less, the odder."""
    known: NDArray[np.bool_]
    columns: tuple[int, ...]
    """The variables, by their numbers."""

    @property
    def row_tails(self) -> FloatArray:
        """[row]: the harmonic mean of the tails of the cells that are known."""
        return joined(self.tails, self.known)


def cell_laws(network: Network, rows: Holed, variables: Sequence[int] | None = None) -> CellLaws:
    """What each cell's own node says of it; of the columns of `variables` alone where they are given."""
    check_same_domain("cell_laws", network.domain, rows)
    chosen = list(range(len(network)) if variables is None else variables)
    shape = (rows.rows, len(chosen))
    hidden = None if rows.complete else rows.hidden
    known = np.ones(shape, dtype=bool) if hidden is None else ~hidden[:, chosen]
    theta, best_theta = np.full((2, *shape), np.nan)
    found = CellLaws(theta, np.full(shape, -1), best_theta, np.ones(shape), known, tuple(chosen))
    told: list[NDArray[np.bool_]] = []
    """Of each column, the rows in which it is known and its node reads a hole."""
    if hidden is not None:
        told = [~hidden[:, i] & hidden[:, list(network.nodes[i].inputs)].any(axis=1) for i in chosen]
    for place, i in enumerate(chosen):
        node, column = network.nodes[i], Column.of(network, i)
        whole = np.flatnonzero(known[:, place] & ~told[place]) if told else np.arange(rows.rows)
        for at, law, which in _laws(node, rows, whole):
            _store(found, place, at, law, which, rows, column)
    if hidden is not None:
        holed = np.flatnonzero(np.any(told, axis=0))
        for at, completed in _completions(network, rows.codes, hidden, holed):
            for place, i in enumerate(chosen):
                own = np.flatnonzero(told[place][at])
                node, column = network.nodes[i], Column.of(network, i)
                for part in pieces(own, COMPLETION_CHAINS * RECORDS * node.states, PIECE_CELLS):
                    each = node.probabilities(completed[:, part].reshape(-1, len(network)))
                    law = np.asarray(each.reshape(len(completed), len(part), -1).mean(axis=0))
                    _store(found, place, at[part], law, np.arange(len(part)), rows, column)
    return found


def _laws(
    node: Node, rows: Holed, wanted: IntArray
) -> Iterator[tuple[IntArray | slice, FloatArray, NDArray[np.integer]]]:
    """Some of the wanted rows, laws [law, state] of the node, and the number of each row's: equal laws are there once."""
    if node.boosted or node.source.size > min(len(wanted), PIECE_CELLS // node.states):
        for at in pieces(wanted, node.states, PIECE_CELLS):
            yield at, node.probabilities(rows.codes[at]), np.arange(len(at))
        return
    whole = len(wanted) == rows.rows
    some: CodeArray = rows.codes if whole else np.asfortranarray(rows.codes[wanted])  # type: ignore[assignment]  # of either
    leaves = leaves_of(node.source, Dataset.of_checked(rows.domain, some))
    yield slice(None) if whole else wanted, node.table.probabilities, leaves


def _store(
    found: CellLaws,
    place: int,
    at: IntArray | slice,
    laws: FloatArray,
    which: NDArray[np.integer],
    rows: Holed,
    column: Column,
) -> None:
    """What is said of the cells of a column in the rows `at`, of which each has the law number `which`."""
    i = found.columns[place]
    codes, numbers = rows.column(i)[at], rows.numbers(i)
    flat = np.multiply(which, laws.shape[1], dtype=np.int64)
    flat += codes
    found.tails[at, place] = column.tails(laws, flat, codes, None if numbers is None else numbers[at])
    found.theta[at, place] = laws.ravel()[flat]
    best = laws.argmax(axis=1)
    found.best[at, place] = best[which]
    found.best_theta[at, place] = laws[np.arange(len(laws)), best][which]


def _completions(
    network: Network, codes: CodeArray, hidden: NDArray[np.bool_], rows: IntArray
) -> Iterator[tuple[IntArray, NDArray[np.uint16]]]:
    """Rows, and their completions [completion, row, variable]; the same ones always."""
    rng = np.random.default_rng(0)
    program = ChainProgram(network) if len(rows) else None
    for at in pieces(rows, COMPLETION_CHAINS * RECORDS * codes.shape[1], COMPLETED_CELLS):
        assert program is not None
        drawn = completions(program, codes[at].astype(np.uint16), hidden[at], RECORDS, rng)
        shaped = [states.reshape(len(at), COMPLETION_CHAINS, -1).swapaxes(0, 1).copy() for states in drawn]
        yield at, np.concatenate(shaped)
