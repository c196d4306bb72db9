"""Rows: their scores, the holes of one filled, and new ones drawn. All bounded.

Scores, fillings and draws are of the law, where the model has one; the cells that make a row odd, of the network.
"""

import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data import Dataset, Label
from depnet.data.frames.decode import decode
from depnet.data.table.layout import Layout
from depnet.errors import DepnetError, MixingWarning
from depnet.explorer.csv_text import csv_text
from depnet.inference.judge.odd_cells import OddCell, odd_cells
from depnet.inference.rows.impute import impute
from depnet.model.network import Network
from depnet.model.score import score_samples
from depnet.sampling import Sampler
from depnet.sampling.run.sampler import CHAINS

MAX_SCORED = 40_000_000
"""Cells that are scored: rows times variables. Of larger tables, the first rows."""

MAX_DRAWN = 4_000_000
"""Cells of the rows that are drawn at once."""

CHUNK = 1_000_000
"""Cells scored between two looks at the stop button."""

FILL_SECONDS = 5.0

UNSETTLED = "The chains mix slowly, and the pilot run did not settle: the rows may not follow the model's law closely."


class StoppedError(DepnetError):
    """The reader has stopped the work, or left."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """`each[r]` is the score of row r, in nats, of the first rows of a table; `order` has the lowest first.

    Equal rows stand together in `order`: `begins` has the place of the first of each kind, and the end.
    """

    each: FloatArray
    order: IntArray
    begins: IntArray
    rows: int

    @property
    def kinds(self) -> int:
        """How many different rows there are."""
        return len(self.begins) - 1


@dataclass(frozen=True, slots=True)
class Filled:
    """A cell of a completed row: given, or its most probable state with its probability and standard error."""

    name: str
    state: Label
    given: bool
    probability: float
    error: float


class KeptScores:
    """The scores of the tables asked for last."""

    def __init__(self, most: int = 4) -> None:
        self._kept: OrderedDict[tuple[int, int], tuple[Network, Dataset, Scores]] = OrderedDict()
        self._most, self._lock = most, threading.Lock()

    def of(
        self,
        network: Network,
        data: Dataset,
        stop: Callable[[], bool],
        progress: Callable[[float], object],
    ) -> Scores:
        """The scores of the rows of `data`; `progress(share)` is called as it goes."""
        with self._lock:
            known = self._kept.get((id(network), id(data)))
        if known is not None:
            return known[2]
        rows = min(data.rows, max(1, MAX_SCORED // len(network)))
        size = max(1, CHUNK // len(network))
        parts = []
        for first in range(0, rows, size):
            if stop():
                raise StoppedError("stopped; the rows have not all been scored.")
            parts.append(score_samples(network, rows_of(data, range(first, min(first + size, rows)))))
            progress(min(first + size, rows) / rows)
        each = np.concatenate(parts) if parts else np.zeros(0)
        order = np.argsort(each, kind="stable")
        made = Scores(each, order, _begins(data, order), data.rows)
        with self._lock:
            self._kept[id(network), id(data)] = (network, data, made)  # which keeps the ids their own
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made


SCORES = KeptScores()


def rows_of(data: Dataset, chosen: Sequence[int]) -> Dataset:
    """Some of the rows."""
    at = slice(chosen.start, chosen.stop) if isinstance(chosen, range) else np.asarray(chosen, dtype=np.int64)
    return Dataset.from_codes(data.codes[at], domain=data.domain)


def _begins(data: Dataset, order: IntArray) -> IntArray:
    """The places of `order` where a row differs from the one before, and the end."""
    new = np.ones(len(order) + 1, dtype=bool)
    if len(order):
        new[1:-1] = False
    for i in range(len(data.domain)):
        column = data.column(i)[order]
        new[1:-1] |= column[1:] != column[:-1]
    return np.flatnonzero(new)


@dataclass(frozen=True, slots=True)
class OddRow:
    """A row of the table, how many rows are like it, its score, and the cells that make it surprising."""

    number: int
    alike: int
    score: float
    cells: tuple[OddCell, ...]


def odd_rows(network: Network, data: Dataset, scores: Scores, first: int, count: int) -> list[OddRow]:
    """`count` different rows, from the `first` most surprising on."""
    begins = scores.begins[first : first + count + 1]
    numbers = scores.order[begins[:-1]].tolist()
    cells = odd_cells(network, rows_of(data, numbers)) if numbers else []
    alike = np.diff(begins).tolist()
    return [OddRow(r, n, float(scores.each[r]), odd) for r, n, odd in zip(numbers, alike, cells, strict=True)]


def filled(
    network: Network, known: Mapping[str, Label], *, max_seconds: float = FILL_SECONDS
) -> list[Filled]:
    """A row of which `known` is given, every other cell at its most probable state."""
    domain = network.domain
    codes = np.full((1, len(domain)), -1, dtype=np.int64)
    for name, label in known.items():
        i = domain.index(name)
        codes[0, i] = domain.variables[i].code(label)
    completed = impute(network, codes, max_seconds=max_seconds)
    found = []
    for i, variable in enumerate(domain.variables):
        code = int(completed.codes[0, i])
        p = completed.cells.probabilities[variable.name][0]
        error = completed.cells.standard_errors[variable.name][0]
        found.append(
            Filled(
                variable.name,
                variable.states[code],
                bool(codes[0, i] >= 0),
                float(p[code]),
                float(error[code]),
            )
        )
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
        chains: int | Literal["auto"] = "auto" if network.order is not None else min(count, CHAINS)
        sampler = Sampler(network, evidence=dict(known) or None, chains=chains, rng=rng)
    rows = sampler.draw(count, progress=told)
    records = decode(rows.codes, network.domain, Layout.of(network.domain, "dicts"), rng=rng)
    names = network.domain.names
    values = tuple(tuple(_plain(record[name]) for name in names) for record in records)
    mixing = sampler.report.mixing
    return Drawn(names, values, "" if mixing is None or mixing.settled else UNSETTLED)


def scores_csv(network: Network, data: Dataset, scores: Scores) -> str:
    """Every scored row with its score, the most surprising first: its number, its score, its states."""
    states = [variable.states for variable in network.domain.variables]
    codes = data.codes[: len(scores.each)][scores.order].tolist()
    lines = (
        (r, round(score, 6), *(labels[code] for labels, code in zip(states, row, strict=True)))
        for r, score, row in zip(
            scores.order.tolist(), scores.each[scores.order].tolist(), codes, strict=True
        )
    )
    return csv_text(("row", "score", *network.domain.names), lines)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
