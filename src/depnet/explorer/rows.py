"""Rows of the table with their scores, filtered, sorted and filled. The network says how odd rows and cells are."""

import csv
import io
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet.data import Holed, Variable
from depnet.data.files.fill import filled_cells
from depnet.data.table.cells import about, cell_values, value_text
from depnet.errors import DepnetError
from depnet.explorer.known import Held, condition_of, held_by
from depnet.explorer.loaded import Loaded
from depnet.inference.imputation import ChunkedImputation, open_holes
from depnet.inference.judge.cells import Order as Order
from depnet.inference.judge.cells import RowList, RowScores, cell_laws, row_list, row_scores
from depnet.inference.judge.odd import how_odd
from depnet.inference.kept import keep_filled
from depnet.model.conditions import KNOWN, MISSING
from depnet.model.evidence import Evidence, Given

MAX_SCORED = 40_000_000
"""Cells that are scored: rows times variables. Of larger tables, the first rows."""

MAX_FILLED = 20_000_000
"""Cells of a table that is filled as a whole; larger ones are for `depnet impute`."""

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
    column, that it is one has a tail mass and a probability, too. `filled` is what the model would fill it with.
    """

    value: str
    tail: float
    probability: float
    expected: str = ""
    expected_probability: float = math.nan
    hole: bool = False
    filled: str = ""

    @property
    def level(self) -> int:
        """How odd it is: how many of `LEVELS` its tail mass is below."""
        return sum(self.tail < level for level in LEVELS)

    @property
    def said(self) -> str:
        """How odd it is in words, its probability, and what was expected instead."""
        said = ["missing"] if self.hole else []
        if self.filled:
            said.append(f"filled in: {self.filled}")
        if self.level:
            said.append(f"so odd is {how_odd(self.tail)}")
        if not math.isnan(self.probability):
            share = f"{self.probability:.3f}" if self.probability >= 0.0005 else f"{self.probability:.1e}"
            said.append(f"probability {share}")
            if self.expected and self.expected != ("missing" if self.hole else self.value):
                said.append(f"expected {self.expected}, {self.expected_probability:.2f}")
        return "; ".join(said)


@dataclass(frozen=True, slots=True)
class ListedRow:
    """A row of the table: its number from 1 on, how many rows are like it, how many are odder, its score and its cells.

    `why` says in words which of its cells surprises most.
    """

    number: int
    alike: int
    score: float
    odder: str
    cells: tuple[Cell, ...]
    why: str


def listed_rows(
    loaded: Loaded, scores: RowScores, found: RowList, first: int, count: int, *, fill: bool = False
) -> list[ListedRow]:
    """`count` of the rows that were found, from the `first` on; `fill`: with what their holes would be filled with."""
    data = loaded.data
    assert data is not None
    rows = found.rows[first : first + count]
    if not len(rows):
        return []
    cells = _cells(loaded, rows, fill)
    names, each = loaded.domain.names, scores.each[rows]
    ascending = scores.each[scores.order]
    odder = np.searchsorted(ascending, each - 1e-9).tolist()
    return [
        ListedRow(row + 1, alike, score, _share(k, len(ascending)), own, _describe_oddest(names, own))
        for row, alike, score, k, own in zip(
            rows.tolist(),
            found.alike[first : first + count].tolist(),
            each.tolist(),
            odder,
            cells,
            strict=True,
        )
    ]


def one_row(loaded: Loaded, scores: RowScores, number: int) -> ListedRow:
    """The row of this number, from 1 on, with what its holes would be filled with."""
    only = RowList(np.array([number - 1]), np.array([1]), 1)
    (row,) = listed_rows(loaded, scores, only, 0, 1, fill=True)
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


def _share(odder: int, rows: int) -> str:
    return (
        "none" if not odder else f"1 in {rows / odder:,.0f}" if rows > 10 * odder else f"{odder / rows:.0%}"
    )


def _describe_oddest(names: Sequence[str], cells: Sequence[Cell]) -> str:
    """The cell that surprises most, and what was expected there."""
    name, cell = min(zip(names, cells, strict=True), key=lambda one: _tail(one[1]))
    if not cell.level:
        return "nothing odd"
    value = "missing" if cell.hole else cell.value
    expected = f", expected {cell.expected}" if cell.expected and cell.expected != value else ""
    return f"{name} = {value}{expected}; {how_odd(cell.tail)}"


def _tail(cell: Cell) -> float:
    return math.inf if math.isnan(cell.tail) else cell.tail


def _cells(loaded: Loaded, rows: Any, fill: bool) -> list[tuple[Cell, ...]]:
    """The cells of rows by their places in the table."""
    assert loaded.data is not None
    some, variables = loaded.data.rows_at(rows), loaded.network.domain.variables
    values = [cell_values(loaded.data, i, rows) for i in range(len(variables))]
    laws = cell_laws(loaded.network, some)
    tails = np.where(laws.known, laws.tails, np.nan).tolist()
    best, best_theta, each = laws.best.tolist(), laws.best_theta.tolist(), laws.theta.tolist()
    filled: dict[int, dict[int, str]] = {}
    if fill:
        for chunk in _fillings(loaded, some):
            filled.update(chunk)
    return [
        tuple(
            Cell(
                "" if values[k][r] is None else value_text(variable, values[k][r]),
                tails[r][k],
                each[r][k],
                "" if best[r][k] < 0 else _describe_expected(variable, best[r][k]),
                best_theta[r][k],
                values[k][r] is None,
                filled.get(r, {}).get(k, ""),
            )
            for k, variable in enumerate(variables)
        )
        for r in range(some.rows)
    ]


def _fillings(loaded: Loaded, table: Holed) -> Iterator[dict[int, dict[int, str]]]:
    """By rows, what their holes are filled with, as `depnet impute` fills them; a chunk of rows after the other."""
    filling = ChunkedImputation(loaded.asked, rng=np.random.default_rng(0))
    for rows, found in filling.chunks(table.codes, open_holes(table)):
        laws = found.cells.probabilities
        values = None if table.values is None else table.values.rows_of(rows)
        codes, numbers = keep_filled(loaded.asked, found.codes, found.cells.hidden, values, laws=laws)
        yield filled_cells(rows, codes, found.cells.hidden, table.domain, laws=laws, numbers=numbers)


def filled_table(loaded: Loaded, stop: Callable[[], bool], progress: Callable[[float], object]) -> str:
    """The model's columns of the whole table as CSV: cells as they came, and holes filled."""
    data = loaded.data
    assert data is not None
    if data.codes.size > MAX_FILLED:
        raise DepnetError(
            f"the table has {data.codes.size:,} cells; the page fills {MAX_FILLED:,} at most. Use depnet impute for it."
        )
    columns = [cell_values(data, i, np.arange(data.rows)) for i in range(len(data.domain))]
    for chunk in _fillings(loaded, data):
        for row, cells in chunk.items():
            for i, text in cells.items():
                columns[i][row] = text
            progress(row / data.rows)
        if stop():
            raise StoppedError("stopped; nothing was filled.")
    return csv_text(data.domain.names, zip(*columns, strict=True))


def csv_text(heads: Sequence[str], rows: Any) -> str:
    """A table as CSV; None is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return text.getvalue()


def _describe_expected(variable: Variable, code: int) -> str:
    """A likely state in words: of a number the middle value of its bin."""
    if code >= len(variable.present_states):
        return "missing"
    text = about(variable, code)
    return text if variable.bins is None or len(set(variable.bins.quantiles[code])) == 1 else f"about {text}"


SIGNS = {
    "lessThan": "<",
    "lessThanOrEqual": "<=",
    "greaterThan": ">",
    "greaterThanOrEqual": ">=",
    "notEqual": "!=",
}
"""What the grid calls comparisons."""


def is_number(variable: Variable) -> bool:
    """Are its values compared as numbers? Dates and durations are found by their texts, and sorted by their values."""
    return variable.scale == "number" and (
        variable.bins is None or variable.bins.kind in ("integer", "float")
    )


def read_filters(text: str) -> dict[str, Any]:
    """The filters of the grid's columns, as an address has them; {} where it has none that can be read."""
    try:
        found = json.loads(text) if text else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def conditions(variables: Sequence[Variable], filters: Mapping[str, Any]) -> dict[str, Held]:
    """What a grid's filters ask of columns, by names; () where no value meets it. What cannot be read is left out."""
    found = {}
    for key, asked in filters.items():
        place = int(key[1:]) if key[:1] == "c" and key[1:].isdecimal() else len(variables)
        if place < len(variables) and isinstance(asked, dict):
            held = _condition(variables[place], asked)
            if held is not None:
                found[variables[place].name] = held
    return found


def _condition(variable: Variable, asked: Mapping[str, Any]) -> Held | None:
    kind, value, upto = (asked.get(name) for name in ("type", "filter", "filterTo"))
    if kind in ("blank", "notBlank"):
        texts: tuple[str, ...] = (MISSING if kind == "blank" else KNOWN,)
    elif isinstance(value, (int, float)):
        between = kind == "inRange" and isinstance(upto, (int, float))
        texts = (f"{value:.15g}..{upto:.15g}" if between else f"{SIGNS.get(str(kind), '')}{value:.15g}",)
    elif not isinstance(value, str):
        return None
    elif variable.bins is not None:
        texts = (value,)
    else:
        wanted, states = value.casefold(), map(str, variable.present_states)
        texts = tuple(state for state in states if wanted in state.casefold())
    return held_by(variable, texts) if texts else ()


def find_rows(
    loaded: Loaded,
    scores: RowScores,
    given: Given,
    filters: Mapping[str, Any],
    *,
    by: Order = "score",
    down: bool = False,
    once: bool = True,
    text: str = "",
) -> RowList:
    """The scored rows that match what is given and all filters, and hold `text` in some cell."""
    domain, data = loaded.domain, loaded.data
    assert data is not None
    asked = conditions(domain.variables, filters)
    none = RowList(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), 0)
    if any(held == () for held in asked.values()):
        return none
    both = {name for name in asked if name in given}
    first = {name: condition_of(held) for name, held in asked.items()}
    found = row_list(
        data,
        scores,
        by=by,
        down=down,
        once=once,
        evidence=Evidence.parse(domain, {**first, **given}),
        text=text,
    )
    if both:  # a column that is given and filtered
        second = Evidence.parse(domain, {name: first[name] for name in both})
        kept = row_list(data, scores, once=once, evidence=second)
        keep = np.isin(found.rows, kept.rows)
        alike = found.alike[keep]
        return RowList(found.rows[keep], alike, int(alike.sum()))
    return found
