"""Rows of the table with their scores. The network says how odd rows and cells are."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet.data import Holed, Variable
from depnet.data.table.cells import about, cell_values, value_text
from depnet.errors import DepnetError
from depnet.explorer.known import Held, held_by
from depnet.explorer.loaded import Loaded
from depnet.inference.judge.cells import Order as Order
from depnet.inference.judge.cells import RowList, RowScores, cell_laws, row_scores
from depnet.model.conditions import MISSING
from depnet.model.network import Network

MAX_SCORED = 40_000_000
"""Cells that are scored: rows times variables. Of larger tables, the first rows."""

A_PAGE = 25
"""Rows that are listed at once."""

LEVELS = (1 / 10, 1 / 30, 1 / 100, 1 / 1000)
"""Tail masses of a cell given the rest of its row, below which it has a deeper shade."""


class StoppedError(DepnetError):
    """The reader has stopped the work, or left."""


def scores_of(loaded: Loaded, stop: Callable[[], bool], progress: Callable[[float], object]) -> RowScores:
    """The scores of the rows of the model's table, which are kept with it; `progress(share)` is called as it goes."""
    assert loaded.data is not None

    def tell(share: float) -> None:
        if stop():
            raise StoppedError("stopped; the rows have not all been scored.")
        progress(share)

    if not loaded.scores:
        loaded.scores.append(row_scores(loaded.network, loaded.data, MAX_SCORED, tell))
    return loaded.scores[0]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a row given the rest of it: its value, its tail mass and probability, and what was expected.

    Of a number the probability is that of its bin. A `hole` has no value, and nan for both; where missing is a state of its
    column, that it is one has a tail mass and a probability, too.
    """

    value: str
    tail: float
    probability: float
    expected: str = ""
    expected_probability: float = math.nan
    hole: bool = False

    @property
    def level(self) -> int:
        """How odd it is: how many of `LEVELS` its tail mass is below."""
        return sum(self.tail < level for level in LEVELS)

    @property
    def said(self) -> str:
        """How odd it is in words, its probability, and what was expected instead."""
        said = ["missing"] if self.hole else []
        if self.level:
            odds = f"1 in {1 / self.tail:,.0f}" if self.tail > 1e-9 else "less than 1 in a billion"
            said.append(f"so odd is {odds}")
        if not math.isnan(self.probability):
            share = f"{self.probability:.3f}" if self.probability >= 0.0005 else f"{self.probability:.1e}"
            said.append(f"probability {share}")
            if self.expected and self.expected != ("missing" if self.hole else self.value):
                said.append(f"expected {self.expected}, {self.expected_probability:.2f}")
        return "; ".join(said)


@dataclass(frozen=True, slots=True)
class ListedRow:
    """A row of the table: its number from 1 on, how many rows are like it, the log of its tail mass, and its cells."""

    number: int
    alike: int
    score: float
    cells: tuple[Cell, ...]


def listed_rows(
    loaded: Loaded, scores: RowScores, found: RowList, first: int, columns: Sequence[int], count: int = A_PAGE
) -> list[ListedRow]:
    """`count` of the rows that were found, from the `first` on, with the cells of these columns."""
    data = loaded.data
    assert data is not None
    rows = found.rows[first : first + count]
    if not len(rows):
        return []
    values = [cell_values(data, i, rows) for i in columns]
    cells = _cells(loaded.network, data.rows_at(rows), columns, values)
    return [
        ListedRow(r + 1, n, float(scores.each[r]), each)
        for r, n, each in zip(rows.tolist(), found.alike[first : first + count].tolist(), cells, strict=True)
    ]


def one_row(loaded: Loaded, scores: RowScores, number: int) -> ListedRow:
    """The row of this number, from 1 on, with all its cells."""
    only = RowList(np.array([number - 1]), np.array([1]), 1)
    (row,) = listed_rows(loaded, scores, only, 0, range(len(loaded.domain)))
    return row


def known_by(variables: Sequence[Variable], row: ListedRow) -> dict[str, Held]:
    """The cells of a row as what is known; of a hole nothing is, unless the model has a state for it."""
    found = {}
    for variable, cell in zip(variables, row.cells, strict=True):
        if not cell.hole or variable.missing is not None:
            held = held_by(variable, (MISSING if cell.hole else cell.value,))
            if held is not None:
                found[variable.name] = held
    return found


def _cells(
    network: Network, rows: Holed, columns: Sequence[int], values: Sequence[Sequence[Any]]
) -> list[tuple[Cell, ...]]:
    """Cells with their `values` [column][row], None of a hole."""
    laws = cell_laws(network, rows, columns)
    tails = np.where(laws.known, laws.tails, np.nan).tolist()
    best, best_theta, each = laws.best.tolist(), laws.best_theta.tolist(), laws.theta.tolist()
    variables = [network.domain.variables[i] for i in columns]
    return [
        tuple(
            Cell(
                "" if values[k][r] is None else value_text(variable, values[k][r]),
                tails[r][k],
                each[r][k],
                "" if best[r][k] < 0 else _describe_expected(variable, best[r][k]),
                best_theta[r][k],
                values[k][r] is None,
            )
            for k, variable in enumerate(variables)
        )
        for r in range(rows.rows)
    ]


def _describe_expected(variable: Variable, code: int) -> str:
    """A likely state in words: of a number the middle value of its bin."""
    if code >= len(variable.present_states):
        return "missing"
    text = about(variable, code)
    return text if variable.bins is None or len(set(variable.bins.quantiles[code])) == 1 else f"about {text}"
