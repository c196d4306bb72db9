"""Rows of a table as they are listed: those that match what is known and hold a text, in an order, equal ones once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.inference.judge.row_scores import RowScores

Order = Literal["score", "row"] | int
"""By score, by place in the table, or by the states of a variable."""


@dataclass(frozen=True, slots=True, eq=False)
class RowList:
    """`rows` are the places of the listed rows in the table, in their order; `alike` how many rows each one stands for."""

    rows: IntArray
    alike: IntArray
    matching: int
    """How many rows of the table are listed, equal ones counted each."""


def row_list(
    data: Dataset,
    scores: RowScores,
    *,
    by: Order = "score",
    down: bool = False,
    once: bool = True,
    weights: Mapping[int, FloatArray] | None = None,
    text: str = "",
) -> RowList:
    """The scored rows that match `weights` (of states, by variable: 0 rules a state out) and hold `text` in some cell.

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
    keep = matching_rows(data, weights or {}, text)[:scored]
    if once:
        rows, alike = scores.order[scores.begins[:-1]], np.diff(scores.begins)
        rows, alike = rows[keep[rows]], alike[keep[rows]]
    else:
        rows = np.flatnonzero(keep)
        alike = np.ones(len(rows), dtype=np.int64)
    place = np.argsort(rows, kind="stable")
    key = (
        rows[place]
        if by == "row"
        else scores.each[rows[place]]
        if by == "score"
        else data.column(by)[rows[place]]
    )
    order = np.argsort(-key.astype(np.float64) if down else key, kind="stable")
    place = place[order]
    return RowList(rows[place], alike[place], int(keep.sum()))


def matching_rows(data: Dataset, weights: Mapping[int, FloatArray], text: str = "") -> NDArray[np.bool_]:
    """[row]: is every cell in a state that `weights` allow, and does some cell's label hold `text`, capitals or not?"""
    keep = np.ones(data.rows, dtype=bool)
    for i, allowed in weights.items():
        keep &= (allowed > 0)[data.column(i)]
    wanted = text.strip().casefold()
    if wanted:
        holds = np.zeros(data.rows, dtype=bool)
        for i, variable in enumerate(data.domain.variables):
            has = np.array([wanted in str(state).casefold() for state in variable.states])
            if has.any():
                holds |= has[data.column(i)]
        keep &= holds
    return keep
