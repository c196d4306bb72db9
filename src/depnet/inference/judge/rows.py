"""How odd the rows of a table are, the oddest first, with equal rows together.

Rows of a table as they are listed: those that match what is known and hold a text, in an order, equal ones once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.binning.bins import Bins, Numbers
from depnet.data.table.cells import known_cells
from depnet.data.table.dataset import Holed
from depnet.inference.answer.observed import matching
from depnet.inference.judge.cells import cell_laws
from depnet.model.evidence import Evidence
from depnet.model.network import Network, check_same_domain

MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without a pattern in its bits."""

HOLE = 0x7FF8_0000_DEAD_0001
"""Stands for a hole: no number that a table has, since as a float it would be none."""

CHUNK = 1_000_000
"""Cells that are scored between two reports of progress."""


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
        """How many different rows there are."""
        return len(self.begins) - 1


def row_scores(
    network: Network,
    data: Holed,
    max_cells: int,
    progress: Callable[[float], object] = lambda share: None,
) -> RowScores:
    """The log tail masses of the rows of `data`, of the first rows where they have more than `max_cells` cells.

    `network` is the one whose nodes judge each cell given the rest (`depnet.inference.judge.cells`). `progress(share)` is
    called before the first and after every chunk; what it raises ends the work.
    """
    check_same_domain("row_scores", network.domain, data)
    rows = min(data.rows, max(1, max_cells // len(network)))
    size = max(1, CHUNK // len(network))
    each = np.empty(rows)
    progress(0.0)
    for first in range(0, rows, size):
        last = min(first + size, rows)
        part = data if last - first == data.rows else data.rows_at(np.arange(first, last))
        each[first:last] = cell_laws(network, part).row_tails
        progress(last / rows)
    each = np.log(each)
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


Order = Literal["score", "row"] | int
"""By score, by place in the table, or by the values of a variable; its holes come last."""

IN_NUMBERS = frozenset("0123456789.-+e: ")
"""What the texts of numbers and dates are made of."""


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
    if variable.bins is not None and numbers is not None:
        has = _number_holding(variable.bins, numbers, wanted)
    else:
        has = np.array([wanted in str(state).casefold() for state in variable.states])[data.column(i)]
    return has & known_cells(data, i, np.arange(data.rows)) if has.any() else has


def _number_holding(bins: Bins, numbers: Numbers, wanted: str) -> NDArray[np.bool_]:
    if bins.kind != "duration" and not IN_NUMBERS.issuperset(wanted):
        return np.zeros(len(numbers), dtype=bool)
    values, places = np.unique(numbers, return_inverse=True)
    return np.array([wanted in bins.text(value).casefold() for value in values.tolist()])[places]
