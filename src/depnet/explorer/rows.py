"""Rows: the table's with their scores, one with its holes filled, and new ones drawn. All bounded.

Scores, fillings and draws are of the law, where the model has one; the cells that make a row odd, of the network.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from depnet.data import Label
from depnet.data.frames.decode import decode
from depnet.data.table.layout import Layout
from depnet.errors import DepnetError, MixingWarning
from depnet.explorer.csv_text import csv_text
from depnet.explorer.loaded import Loaded
from depnet.inference.judge.odd_rows import RowScores, row_scores
from depnet.inference.rows.impute import impute
from depnet.model.network import Network
from depnet.sampling import Sampler
from depnet.sampling.run.sampler import MOST_CHAINS

MAX_SCORED = 40_000_000
"""Cells that are scored: rows times variables. Of larger tables, the first rows."""

MAX_DRAWN = 4_000_000
"""Cells of the rows that are drawn at once."""

FILL_SECONDS = 5.0

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
    """Every scored row with its score, the most surprising first: its number, its score, its states."""
    assert loaded.data is not None
    domain = loaded.data.domain
    order = scores.order
    columns = [
        [variable.states[code] for code in loaded.data.column(i)[order].tolist()]
        for i, variable in enumerate(domain.variables)
    ]
    numbers, each = order.tolist(), scores.each[order].round(6).tolist()
    return csv_text(("row", "score", *domain.names), zip(numbers, each, *columns, strict=True))


@dataclass(frozen=True, slots=True)
class Filled:
    """A cell of a completed row: given, or its most probable state with its probability and standard error."""

    name: str
    state: Label
    given: bool
    probability: float
    error: float


def filled(
    network: Network, known: Mapping[str, Label], *, max_seconds: float = FILL_SECONDS
) -> list[Filled]:
    """A row of which `known` is given, every other cell at its most probable state."""
    variables = network.domain.variables
    codes = np.array([[v.code(known[v.name]) if v.name in known else -1 for v in variables]])
    completed = impute(network, codes, max_seconds=max_seconds)
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
