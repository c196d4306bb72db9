"""Rows: the table's with their scores, one with its holes filled, and new ones drawn. All bounded.

Scores, fillings and draws are of the law, where the model has one; the cells that make a row odd, of the network.
"""

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from depnet.data import Dataset, Label
from depnet.data.frames.decode import decode
from depnet.data.table.layout import Layout
from depnet.errors import DepnetError, MixingWarning
from depnet.explorer.csv_text import csv_text
from depnet.explorer.loaded import Loaded
from depnet.inference.judge.cell_laws import cell_laws
from depnet.inference.judge.row_list import Order as Order
from depnet.inference.judge.row_list import RowList
from depnet.inference.judge.row_scores import RowScores, row_scores
from depnet.inference.rows.holed_score import score_holed
from depnet.inference.rows.impute import impute
from depnet.model.network import Network
from depnet.model.score import score_samples
from depnet.sampling import Sampler
from depnet.sampling.run.sampler import MOST_CHAINS

MAX_SCORED = 40_000_000
"""Cells that are scored: rows times variables. Of larger tables, the first rows."""

MAX_DRAWN = 4_000_000
"""Cells of the rows that are drawn at once."""

FILL_SECONDS = 5.0

A_PAGE = 25
"""Rows that are listed at once."""

LEVELS = (1 / 10, 1 / 30, 1 / 100, 1 / 1000)
"""Probabilities of a cell given the rest of its row, below which it has a deeper shade."""

MOST_JUDGED = 40
MOST_VARIABLES = 200
"""Given cells of a row with holes, and variables of the model, up to which they are judged while the reader edits."""

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
        loaded.scores.append(row_scores(loaded.asked, loaded.data, MAX_SCORED, told))
    return loaded.scores[0]


def scores_csv(loaded: Loaded, scores: RowScores) -> str:
    """Every scored row with its score, the most surprising first: its number from 1 on, its score, its states."""
    assert loaded.data is not None
    domain = loaded.data.domain
    order = scores.order
    columns = [
        [variable.states[code] for code in loaded.data.column(i)[order].tolist()]
        for i, variable in enumerate(domain.variables)
    ]
    numbers = [loaded.number_of(row) for row in order.tolist()]
    each = scores.each[order].round(6).tolist()
    return csv_text(("row", "score", *domain.names), zip(numbers, each, *columns, strict=True))


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a row given the rest of it: its probability, and the state that was expected where one is known."""

    state: str
    probability: float
    expected: str = ""
    expected_probability: float = math.nan

    @property
    def level(self) -> int:
        """How surprising it is: how many of `LEVELS` its probability is below."""
        return sum(self.probability < level for level in LEVELS)

    @property
    def said(self) -> str:
        """Its probability in words, and what was expected instead."""
        share = f"{self.probability:.3f}" if self.probability >= 0.0005 else f"{self.probability:.1e}"
        instead = self.expected and self.expected != self.state
        return f"probability {share}" + (
            f"; expected {self.expected}, {self.expected_probability:.2f}" if instead else ""
        )


@dataclass(frozen=True, slots=True)
class ListedRow:
    """A row of the table: its number from 1 on, how many rows are like it, its score, and its cells."""

    number: int
    alike: int
    score: float
    cells: tuple[Cell, ...]


def listed_rows(
    loaded: Loaded, scores: RowScores, found: RowList, first: int, columns: Sequence[int], count: int = A_PAGE
) -> list[ListedRow]:
    """`count` of the rows that were found, from the `first` on, with the cells of these columns."""
    assert loaded.data is not None
    rows = found.rows[first : first + count]
    if not len(rows):
        return []
    part = Dataset.from_codes(loaded.data.codes[rows], domain=loaded.data.domain)
    cells = _cells(loaded.network, part, columns)
    return [
        ListedRow(loaded.number_of(r), n, float(scores.each[r]), each)
        for r, n, each in zip(rows.tolist(), found.alike[first : first + count].tolist(), cells, strict=True)
    ]


def _cells(network: Network, rows: Dataset, columns: Sequence[int]) -> list[tuple[Cell, ...]]:
    laws = cell_laws(network, rows, columns)
    states = [[str(state) for state in network.domain.variables[i].states] for i in columns]
    codes, theta, best, best_theta = (
        each.tolist() for each in (rows.codes[:, list(columns)], laws.theta, laws.best, laws.best_theta)
    )
    return [
        tuple(
            Cell(of[codes[r][k]], theta[r][k], of[best[r][k]], best_theta[r][k])
            for k, of in enumerate(states)
        )
        for r in range(rows.rows)
    ]


@dataclass(frozen=True, slots=True)
class Judged:
    """A row that is being edited: its score in nats, and its cells by name. None: too large to be worked out at once."""

    score: float | None
    cells: dict[str, Cell]
    complete: bool


def judged(loaded: Loaded, known: Mapping[str, Label]) -> Judged:
    """The score of a row of which `known` is given, and the probability of each given cell given the others.

    Of a complete row, cells are judged by the network, as in the table of rows. With holes, both are of the law:
    log Q(o) of the observed cells o, and Q(o) / Q(o without i) for cell i.
    """
    variables = loaded.network.domain.variables
    codes = np.array([v.code(known[v.name]) if v.name in known else -1 for v in variables])
    hidden = codes < 0
    if not hidden.any():
        row = Dataset.from_codes(codes[None, :], domain=loaded.network.domain)
        (cells,) = _cells(loaded.network, row, range(len(variables)))
        names = [v.name for v in variables]
        return Judged(float(score_samples(loaded.asked, row)[0]), dict(zip(names, cells, strict=True)), True)
    given = np.flatnonzero(~hidden)
    if loaded.law is None or not 1 <= len(given) <= MOST_JUDGED or len(variables) > MOST_VARIABLES:
        return Judged(None, {}, False)
    holes = np.repeat(hidden[None, :], len(given) + 1, axis=0)
    holes[np.arange(len(given)) + 1, given] = True
    scores = score_holed(loaded.law, np.repeat(np.maximum(codes, 0)[None, :], len(holes), axis=0), holes)
    each = np.minimum(np.exp(scores[0] - scores[1:]), 1.0).tolist()
    found = {
        variables[i].name: Cell(str(variables[i].states[codes[i]]), p)
        for i, p in zip(given.tolist(), each, strict=True)
    }
    return Judged(float(scores[0]), found, False)


@dataclass(frozen=True, slots=True)
class Filled:
    """A cell of a completed row: given, or its most probable state with its probability and standard error."""

    name: str
    state: Label
    given: bool
    probability: float
    error: float


def filled(network: Network, known: Mapping[str, Label]) -> list[Filled]:
    """A row of which `known` is given, every other cell at its most probable state."""
    variables = network.domain.variables
    codes = np.array([[v.code(known[v.name]) if v.name in known else -1 for v in variables]])
    completed = impute(network, codes, max_seconds=FILL_SECONDS)
    found = []
    for variable, code in zip(variables, completed.codes[0].tolist(), strict=True):
        cells, name = completed.cells, variable.name
        p, error = float(cells.probabilities[name][0, code]), float(cells.standard_errors[name][0, code])
        found.append(Filled(name, variable.states[code], name in known, p, error))
    return found


@dataclass(frozen=True, slots=True)
class Drawn:
    """Drawn rows as values: binned ones drawn within their bin."""

    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    warning: str = ""

    def csv(self) -> str:
        """The rows as a file to download."""
        return csv_text(self.names, self.rows)


def drawn(network: Network, count: int, known: Mapping[str, Label], stop: Callable[[], bool]) -> Drawn:
    """New rows of the model's law given `known`."""
    most = max(1, MAX_DRAWN // len(network.domain))
    if not 1 <= count <= most:
        raise DepnetError(f"between 1 and {most:,} rows are drawn at once; got {count:,}.")

    def told(done: int, of: int) -> None:
        if stop():
            raise StoppedError("stopped; no rows were drawn.")

    told(0, count)
    rng = np.random.default_rng()
    with warnings.catch_warnings():  # said on the page instead
        warnings.simplefilter("ignore", MixingWarning)
        chains: int | Literal["auto"] = "auto" if network.order is not None else min(count, MOST_CHAINS)
        sampler = Sampler(network, evidence=dict(known) or None, chains=chains, rng=rng)
    rows = sampler.draw(count, progress=told)
    records = decode(
        rows.codes, network.domain, Layout.of(network.domain, "dicts"), rng=rng, within=network.within
    )
    names = network.domain.names
    values = tuple(tuple(_plain(record[name]) for name in names) for record in records)
    mixing = sampler.report.mixing
    return Drawn(names, values, "" if mixing is None or mixing.settled else UNSETTLED)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
