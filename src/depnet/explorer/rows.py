"""Rows: the table's with their scores, one with its holes filled, and new ones drawn. All bounded.

Fillings and draws are of the law, where the model has one; how odd rows and cells are, of the network.
"""

import csv
import io
import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from depnet.arrays import IntArray
from depnet.data import Dataset, Holed, Label, Variable
from depnet.data.binning.bins import Bins, Number
from depnet.data.files.spreadsheet import guarded
from depnet.data.frames.decode import decode
from depnet.data.table.cells import about, cell_values, value_text
from depnet.data.table.layout import Layout
from depnet.data.table.values import Values
from depnet.errors import DepnetError, MixingWarning
from depnet.explorer.loaded import Loaded
from depnet.inference.ask.query import query
from depnet.inference.judge.cells import cell_laws
from depnet.inference.judge.rows import Order as Order
from depnet.inference.judge.rows import RowList, RowScores, row_scores
from depnet.model.evidence import Evidence, narrowed_domain
from depnet.model.network import Network
from depnet.model.score import drawn_holes
from depnet.sampling import Sampler
from depnet.sampling.sampler import MOST_CHAINS

MAX_SCORED = 40_000_000
"""Cells that are scored: rows times variables. Of larger tables, the first rows."""

MAX_DRAWN = 4_000_000
"""Cells of the rows that are drawn at once."""

FILL_SECONDS = 5.0

SELDOM = 0.02
"""A cell that is known with less than this probability, given the rest of its row, is left empty."""

A_PAGE = 25
"""Rows that are listed at once."""

LEVELS = (1 / 10, 1 / 30, 1 / 100, 1 / 1000)
"""Tail masses of a cell given the rest of its row, below which it has a deeper shade."""

UNSETTLED = "The chains mix slowly, and the pilot run did not settle: the rows may not follow the model's law closely."


class StoppedError(DepnetError):
    """The reader has stopped the work, or left."""


def scores_of(loaded: Loaded, stop: Callable[[], bool], progress: Callable[[float], object]) -> RowScores:
    """The scores of the rows of the model's table, which are kept with it; `progress(share)` is called as it goes."""
    assert loaded.data is not None

    def told(share: float) -> None:
        if stop():
            raise StoppedError("stopped; the rows have not all been scored.")
        progress(share)

    if not loaded.scores:
        loaded.scores.append(row_scores(loaded.network, loaded.data, MAX_SCORED, told))
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
                "" if best[r][k] < 0 else _expected(variable, best[r][k]),
                best_theta[r][k],
                values[k][r] is None,
            )
            for k, variable in enumerate(variables)
        )
        for r in range(rows.rows)
    ]


def _expected(variable: Variable, code: int) -> str:
    """A likely state in words: of a number the middle value of its bin."""
    if code >= len(variable.present_states):
        return "missing"
    text = about(variable, code)
    return text if variable.bins is None or len(set(variable.bins.quantiles[code])) == 1 else f"about {text}"


@dataclass(frozen=True, slots=True)
class Judged:
    """A row that is being edited: the log of its tail mass, and its given cells by name."""

    score: float
    cells: dict[str, Cell]
    complete: bool


Given = Mapping[str, Label | None]
"""Cells of a row that is edited: states, numbers and dates as text; None: missing, where that is a state of the model."""


def _codes(network: Network, known: Given) -> IntArray:
    """Of each variable its code; -1 where it is not given, or missing without a state for that."""
    found = np.full(len(network.domain), -1)
    for i, variable in enumerate(network.domain.variables):
        value = known.get(variable.name)
        if value is not None:
            found[i] = variable.code(value)
        elif variable.name in known and variable.missing is not None:
            found[i] = variable.cardinality - 1
    return found


def judged(loaded: Loaded, known: Given) -> Judged:
    """How odd a row is of which `known` is given, and each given cell given the others, as in the table of rows.

    A number is itself, and the label of a bin the middle one of its values.
    """
    variables = loaded.domain.variables
    codes = _codes(loaded.network, known)
    hidden = codes < 0
    numbers = {
        i: np.array([_number(v.bins, known.get(v.name), v.states, int(codes[i]))])
        for i, v in enumerate(variables)
        if v.bins is not None
    }
    table = Dataset.from_codes(np.maximum(codes, 0)[None, :], domain=loaded.domain)
    row = Holed(table.domain, table.codes, hidden[None, :], values=Values(numbers))
    given = np.flatnonzero(~hidden).tolist()
    (cells,) = _cells(loaded.network, row, given, [[known[variables[i].name]] for i in given])
    score = float(row_scores(loaded.network, row, len(variables)).each[0])
    named = {variables[i].name: cell for i, cell in zip(given, cells, strict=True)}
    return Judged(score, named, not hidden.any())


def _number(bins: Bins, value: Label | None, labels: Sequence[Label], code: int) -> Number:
    if value is not None and value not in labels:
        return bins.number(value)
    middle: Number = bins.middle()[min(max(code, 0), len(bins) - 1)].item()
    return middle


@dataclass(frozen=True, slots=True)
class Filled:
    """A hole of a row, filled as Ask would say it: with the most probable state, of a number with its mean or median.

    `probability` is that of its state, of a number of the bin that it lies in, given that the cell is known, which it is
    with probability `known`. What is almost never known beside the same other cells is left empty: its value is None.
    """

    name: str
    value: Label | None
    probability: float
    error: float
    state: str = ""
    known: float = 1.0


def filled(network: Network, known: Given) -> list[Filled]:
    given: dict[str, Any] = {name: value for name, value in known.items() if value is not None}
    holes = [name for name in network.domain.names if name not in given]
    if not holes:
        return []
    asked = query(network, holes, given, max_seconds=FILL_SECONDS)
    found = []
    for table in asked.tables:
        variable, there = table.variable, 1 - asked.missing.get(table.names[0], 0.0)
        if there < SELDOM:
            found.append(Filled(variable.name, None, math.nan, math.nan, known=there))
            continue
        value, bins = variable.states[int(np.argmax(table.answer))], variable.bins
        if table.number is not None:
            law = table.number.law
            number = law.moments()[0][0] if law.kind == "float" else law.quantile(0.5)[0]
            value = (
                number
                if bins is None
                else bins.text(float(f"{number:.6g}") if law.kind == "float" else number)
            )
        code = variable.code(value)
        state = "" if bins is None else str(variable.states[code])
        shares = float(table.answer[code]), float(table.error[code])
        found.append(Filled(variable.name, value, *shares, state, there))
    return found


@dataclass(frozen=True, slots=True)
class Drawn:
    """Drawn rows as values: binned ones drawn within their bin."""

    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    warning: str = ""

    def csv(self) -> str:
        return csv_text(self.names, self.rows)


def drawn(network: Network, count: int, known: Given, stop: Callable[[], bool]) -> Drawn:
    most = max(1, MAX_DRAWN // len(network.domain))
    if not 1 <= count <= most:
        raise DepnetError(f"between 1 and {most:,} rows are drawn at once; got {count:,}.")

    def told(done: int, of: int) -> None:
        if stop():
            raise StoppedError("stopped; no rows were drawn.")

    told(0, count)
    rng = np.random.default_rng()
    evidence: dict[str, Any] = dict(known)
    with warnings.catch_warnings():  # said on the page instead
        warnings.simplefilter("ignore", MixingWarning)
        chains: int | Literal["auto"] = "auto" if network.order is not None else min(count, MOST_CHAINS)
        sampler = Sampler(network, evidence=evidence or None, chains=chains, rng=rng)
    rows = sampler.draw(count, progress=told)
    narrowed = narrowed_domain(network.domain, evidence)
    layout = Layout.of(network.domain, "dicts")
    holes = drawn_holes(network, Evidence.parse(network.domain, evidence), count, rng)
    records = decode(rows.codes, narrowed, layout, rng=rng, within=network.within, hidden=holes)
    names = network.domain.names
    exact = {
        v.name: known[v.name]
        for v in network.domain.variables
        if v.name in known and v.bins is not None and known[v.name] not in v.states
    }
    values = tuple(
        tuple(exact[name] if name in exact else _plain(record[name]) for name in names) for record in records
    )
    mixing = sampler.report.mixing
    return Drawn(names, values, "" if mixing is None or mixing.settled else UNSETTLED)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([guarded(name) for name in header])
    writer.writerows([guarded(value) for value in row] for row in rows)
    return file.getvalue()
