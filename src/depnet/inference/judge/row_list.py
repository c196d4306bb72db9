"""Rows of a table as they are listed: those that match what is known and hold a text, in an order, equal ones once."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.binning.bins import Bins, Numbers
from depnet.data.table.cells import known_cells
from depnet.data.table.dataset import Dataset, Holed
from depnet.inference.answer.observed import matching
from depnet.inference.judge.row_scores import RowScores
from depnet.model.evidence import Evidence

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
    data: Dataset | Holed,
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

    >>> import depnet
    >>> from depnet.inference.judge.row_scores import row_scores
    >>> people = depnet.titanic()
    >>> scores = row_scores(depnet.learn(people, smoothing=0.5), people, 10**9)
    >>> found = row_list(people, scores, by="row", text="crew")
    >>> len(found.rows), found.matching
    (4, 885)
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


def _values(data: Dataset | Holed, i: int, rows: IntArray) -> FloatArray:
    """What the cells of a column are sorted by: their numbers, or the places of their states; nan of a hole."""
    numbers = data.numbers(i)
    found = (data.column(i) if numbers is None else numbers)[rows].astype(np.float64)
    found[~known_cells(data, i, rows)] = np.nan
    return found


def matching_rows(
    data: Dataset | Holed, evidence: Evidence | None = None, text: str = ""
) -> NDArray[np.bool_]:
    """[row]: does it match what is known, and does the text of some known cell hold `text`, capitals or not?"""
    keep = np.ones(data.rows, dtype=bool) if evidence is None else matching(evidence, data) > 0
    wanted = text.strip().casefold()
    if wanted:
        holds = np.zeros(data.rows, dtype=bool)
        for i in range(len(data.domain)):
            holds |= _holding(data, i, wanted)
        keep &= holds
    return keep


def _holding(data: Dataset | Holed, i: int, wanted: str) -> NDArray[np.bool_]:
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
