"""How odd a cell is given the rest of its row: its tail mass, the probability of a value that fits no better.

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

The law of a cell is theta_i(. | Y_i(x)), its node's. Where the node reads holes of the row, it is the mean of this over
completions of the row, drawn by its clamped chain given all that the row knows. That is the cell itself, too, which so
has the benefit of the doubt: weights that take it back vary so much that several times as many cells of ordinary rows come
out odd, and errors no sooner. Completions are never shown, and a hole is never odd.

Rows of a table are listed the oddest first, or in another order: those that match what is known and hold a text, equal ones
once.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.binning.bins import Numbers
from depnet.data.binning.tails import log_shares
from depnet.data.table.cells import known_cells
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.variable import Variable
from depnet.inference.answer.observed import matching
from depnet.inference.answer.rows import pieces
from depnet.inference.clamped.chains import completions
from depnet.law import limits
from depnet.model.evidence import Evidence
from depnet.model.network import Network, check_same_domain
from depnet.model.node import Node
from depnet.model.table import leaves_of
from depnet.sampling.chains import ChainProgram

WAYS = 3
SLACK = 1e-9
"""Probabilities that differ by no more than this part are equally likely: sums of floats are not exact."""


LEAST = 1e-280
"""No tail is less: what is further out, or impossible, is no odder."""


RECORDS = 4
"""Completions of a row: so many of each chain."""
MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without a pattern in its bits."""
HOLE = 0x7FF8_0000_DEAD_0001
"""Stands for a hole: no number that a table has, since as a float it would be none."""
CHUNK = 1_000_000
"""Cells that are scored between two reports of progress."""
Order = Literal["score", "row"] | int
"""By score, by place in the table, or by the values of a variable; its holes come last."""
IN_NUMBERS = frozenset("0123456789.-+e: ")
"""What the texts of numbers and dates are made of."""


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
                for part in pieces(own, limits.FEWEST_CHAINS * RECORDS * node.states, limits.CELLS_AT_ONCE):
                    each = node.probabilities(completed[:, part].reshape(-1, len(network)))
                    law = np.asarray(each.reshape(len(completed), len(part), -1).mean(axis=0))
                    _store(found, place, at[part], law, np.arange(len(part)), rows, column)
    return found


def _laws(
    node: Node, rows: Holed, wanted: IntArray
) -> Iterator[tuple[IntArray | slice, FloatArray, NDArray[np.integer]]]:
    """Some of the wanted rows, laws [law, state] of the node, and the number of each row's: equal laws are there once."""
    if node.boosted or node.source.size > min(len(wanted), limits.CELLS_AT_ONCE // node.states):
        for at in pieces(wanted, node.states, limits.CELLS_AT_ONCE):
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
    for at in pieces(rows, limits.FEWEST_CHAINS * RECORDS * codes.shape[1], limits.CELLS_AT_ONCE):
        assert program is not None
        yield at, completions(program, codes[at].astype(np.uint16), hidden[at], RECORDS, rng)


@dataclass(frozen=True, slots=True, eq=False)
class RowScores:
    """`each[r]` is the log of the tail mass of row r, of the first rows of a table of `rows`; `order` has the lowest first.

    Equal rows, whose values and holes are the same, stand together in `order`: `begins` has the place of the first of each
    kind, and the end.
    """

    each: FloatArray
    order: IntArray
    begins: IntArray
    rows: int

    @property
    def kinds(self) -> int:
        return len(self.begins) - 1


def row_scores(
    network: Network, data: Holed, max_cells: int, progress: Callable[[float], object] = lambda share: None
) -> RowScores:
    """The log tail masses of the rows of `data`, of the first rows where they have more than `max_cells` cells.

    `network` is the one whose nodes judge each cell given the rest (`depnet.inference.judge.cells`). `progress(share)` is
    called before the first and after every chunk; what it raises ends the work.
    """
    rows = min(data.rows, max(1, max_cells // len(network)))
    return ranked(data, log_row_tails(network, data, rows, progress))


def log_row_tails(
    network: Network, data: Holed, rows: int, progress: Callable[[float], object] = lambda share: None
) -> FloatArray:
    """The log tail masses of the first `rows`, in chunks; `progress` as above."""
    check_same_domain("row_scores", network.domain, data)
    size = max(1, CHUNK // len(network))
    each = np.empty(rows)
    progress(0.0)
    for first in range(0, rows, size):
        last = min(first + size, rows)
        part = data if last - first == data.rows else data.rows_at(np.arange(first, last))
        each[first:last] = cell_laws(network, part).row_tails
        progress(last / rows)
    return np.log(each)


def ranked(data: Holed, each: FloatArray) -> RowScores:
    """The first rows of `data`, which have these scores, in their order."""
    rows = len(each)
    alike = _alike(data, rows)
    order = np.argsort(each, kind="stable")
    same = each[order[1:]] == each[order[:-1]]
    tied = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
    order[tied] = order[tied][np.lexsort((alike[order[tied]], each[order[tied]]))]
    new = np.ones(rows + 1, dtype=bool)
    new[1:-1] = alike[order[1:]] != alike[order[:-1]]
    return RowScores(each, order, np.flatnonzero(new), data.rows)


def _alike(data: Holed, rows: int) -> NDArray[np.uint64]:
    """A number for each row, the same of rows with equal values and holes; of others, all but surely another one."""
    mixed = np.zeros(rows, dtype=np.uint64)
    for i in range(len(data.domain)):
        numbers, known = data.numbers(i), data.known(i)
        own = data.column(i)[:rows].astype(np.int64)
        if numbers is not None:
            plain = np.asarray(numbers[:rows])
            own = (plain + 0.0).view(np.int64) if plain.dtype.kind == "f" else plain  # -0.0 is 0
        if known is not None:
            own = np.where(known[:rows], own, HOLE)
        mixed = (mixed ^ own.view(np.uint64)) * MIX
        mixed ^= mixed >> np.uint64(29)
    return mixed


@dataclass(frozen=True, slots=True, eq=False)
class RowList:
    """`rows` are the places of the listed rows in the table, in their order; `alike` how many rows each one stands for."""

    rows: IntArray
    alike: IntArray
    matching: int
    """How many rows of the table are listed, equal ones counted each."""


def row_list(
    data: Holed,
    scores: RowScores,
    *,
    by: Order = "score",
    down: bool = False,
    once: bool = True,
    evidence: Evidence | None = None,
    text: str = "",
) -> RowList:
    """The scored rows that match what is known and hold `text` in some cell.

    Ascending, the lowest score first, or `down`; rows that are alike in it keep the table's order. `once`: equal rows are
    one, the first of them.
    """
    scored = len(scores.each)
    keep = matching_rows(data, evidence, text)[:scored]
    if once:
        rows, alike = scores.order[scores.begins[:-1]], np.diff(scores.begins)
        rows, alike = rows[keep[rows]], alike[keep[rows]]
    else:
        rows = np.flatnonzero(keep)
        alike = np.ones(len(rows), dtype=np.int64)
    place = np.argsort(rows, kind="stable")
    key = rows[place].astype(np.float64)
    if by == "score":
        key = scores.each[rows[place]]
    elif by != "row":
        key = _values(data, by, rows[place])
    order = np.argsort(-key if down else key, kind="stable")  # nan, of a hole, comes last
    place = place[order]
    return RowList(rows[place], alike[place], int(keep.sum()))


def _values(data: Holed, i: int, rows: IntArray) -> FloatArray:
    """What the cells of a column are sorted by: their numbers, or the places of their states; nan of a hole."""
    numbers = data.numbers(i)
    found = (data.column(i) if numbers is None else numbers)[rows].astype(np.float64)
    found[~known_cells(data, i, rows)] = np.nan
    return found


def matching_rows(data: Holed, evidence: Evidence | None = None, text: str = "") -> NDArray[np.bool_]:
    """[row]: does it match what is known, and does the text of some known cell hold `text`, capitals or not?"""
    keep = np.ones(data.rows, dtype=bool) if evidence is None else matching(evidence, data) > 0
    wanted = text.strip().casefold()
    if wanted:
        holds = np.zeros(data.rows, dtype=bool)
        for i in range(len(data.domain)):
            holds |= _holding(data, i, wanted)
        keep &= holds
    return keep


def _holding(data: Holed, i: int, wanted: str) -> NDArray[np.bool_]:
    """[row]: is the cell known, and does its text hold what is wanted?"""
    variable, numbers = data.domain.variables[i], data.numbers(i)
    bins = variable.bins
    if bins is not None and numbers is not None:
        if bins.kind != "duration" and not IN_NUMBERS.issuperset(wanted):
            return np.zeros(data.rows, dtype=bool)
        values, places = np.unique(numbers, return_inverse=True)
        has = np.array([wanted in bins.text(value).casefold() for value in values.tolist()])[places]
    else:
        has = np.array([wanted in str(state).casefold() for state in variable.states])[data.column(i)]
    return has & known_cells(data, i, np.arange(data.rows)) if has.any() else has
