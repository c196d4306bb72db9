"""A model asked about all rows of a frame at once: what SQL, HTTP and an assistant's tools have in common.

What a row does not know is unknown, whether its cell is empty or its column is not there, and what it says of the target
is not looked at. Equal rows are answered once. Answers are the law's own: no table stands beside them.
"""

import datetime as dt
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from depnet.arrays import CodeArray, FloatArray
from depnet.data.binning.levels import Levels
from depnet.data.frames.decode import decode, fill
from depnet.data.table.cells import about, cell_values
from depnet.data.table.columns import ColumnLayout, FrameKind, Layout
from depnet.data.table.dataset import Holed
from depnet.data.table.encode import HandleUnknown, encode
from depnet.data.table.open import open_frame
from depnet.data.table.variable import Domain
from depnet.errors import STEADY_SEED, DataError, InferenceError, ModelError, brief
from depnet.inference import impute, query, query_rows
from depnet.inference.answer.question import SECONDS
from depnet.inference.answer.rows import DistinctRows
from depnet.inference.answer.target import Target, targets_of
from depnet.inference.holes import score_holed
from depnet.inference.imputation import open_holes, present_law, split_holes
from depnet.inference.judge.cells import cell_laws
from depnet.inference.kept import keep_filled
from depnet.model.event import columns_of
from depnet.model.evidence import Evidence, Given, draw_holes, narrow_domain
from depnet.model.file import load_model
from depnet.model.given_text import read_event
from depnet.model.mixture import AnyNetwork, Mixture
from depnet.model.model import Model
from depnet.model.network import Network
from depnet.sampling import sample
from depnet.wording import nearest

DAY, SECOND = 86_400.0, 1e-6
"""Seconds of a day, and of a microsecond: dates and durations are seconds where an answer is one number."""
MOST_EVENTS, LEAST_SECONDS = 1_000, 0.01
"""Different rows that an event over several columns is asked of where time is bounded, and the least time of each."""
UNITS = {"date": DAY, "datetime": SECOND, "duration": SECOND}


def model_of(model: object) -> Model:
    """The networks of a fitted estimator, of a network, or of a model file by its name."""
    if isinstance(model, Model):
        return model
    if isinstance(model, (Network, Mixture)):
        return Model.of(model)
    if isinstance(model, (str, os.PathLike)):
        return load_model(model)
    if isinstance(getattr(model, "network_", None), Network):
        return Model(model.network_, model.law_)  # type: ignore[attr-defined]  # both of a fitted estimator
    raise ModelError(
        f"a model is a fitted DependencyNetwork, a Network, or the name of a model file; got {brief(model)}."
    )


def plain_layout(domain: Domain, kind: FrameKind) -> Layout:
    """A layout whose columns of labels, and of numbers that were written as text, are text."""
    columns = []
    for variable, column in zip(domain.variables, Layout.of(domain, kind).columns, strict=True):
        is_text = variable.bins is not None and variable.bins.form is not None
        if column.kind == "label":
            column = replace(column, values=tuple(map(str, variable.present_states)))
        columns.append(ColumnLayout(column.key, "label", form=column.form) if is_text else column)
    return Layout(kind, tuple(columns))


@dataclass(frozen=True, eq=False)
class RowModel:
    """A model that is asked about rows.

    `handle_unknown`: values that it has never seen are errors, or unknown. What has to be sampled is sampled until standard
    errors are under the `tolerance`, but no longer than `max_seconds`.
    """

    model: Model
    handle_unknown: HandleUnknown = "error"
    tolerance: float = 0.01
    max_seconds: float | None = None
    n_jobs: int = 1
    """Threads of one call; a door has its own ways of doing several things at once."""

    @cached_property
    def law(self) -> AnyNetwork:
        """What answers; a warning says it where the model has no law."""
        return self.model.ask()

    @cached_property
    def _present_law(self) -> AnyNetwork:
        return present_law(self.law)

    @property
    def domain(self) -> Domain:
        return self.model.domain

    def target(self, text: str) -> Target:
        """What is asked for: a column by its name, or a condition."""
        counts = self.law.counts
        rates = None if counts is None or not counts.total else list(counts.missing_rates)
        return targets_of(self.domain, text, rates)[0]

    def ask(
        self, what: str, text: str, rows: Any, count: int, without: Iterable[str] = (), level: float = 0.5
    ) -> Sequence[Any]:
        """[row]: an answer; `rows` is a frame of `count` rows, None where nothing is known.

        The "probability" of a condition; the "most_likely" state, the first of equals; of a number where it is known what is
        "expected", or the "quantile" that it is below with the probability `level`, of dates and durations in seconds.
        """
        target = self.target(text)
        read = _reader(what, target, text, level)
        return read(target.shares(self.laws(target, rows, count, without)))

    def mean(self, target: Target, shares: FloatArray) -> FloatArray | None:
        """[row]: that of a number, from the shares of its states; None where the target is no number."""
        if target.inside is not None or target.event is not None or target.variable.levels() is None:
            return None
        levels, unit = _levels(target)
        return np.asarray(shares @ levels.means()) * unit

    def laws(self, target: Target, rows: Any, count: int, without: Iterable[str] = ()) -> FloatArray:
        """[row, state]: the law of a target's variable, given what each row knows but for it and the columns `without`."""
        own = [target.index] if target.event is None else sorted(columns_of(target.event[0]))
        left = [*own, *(self.domain.index(name) for name in without)]
        if rows is None:
            hidden = np.ones((count, len(self.domain)), dtype=bool)
            codes: CodeArray = np.zeros(hidden.shape, dtype=np.uint16)
        else:
            table = self.encode(self.of_columns(rows, left))
            codes, hidden = table.codes, open_holes(table)
        hidden[:, left] = True
        if target.event is not None:
            return self._of_event(target.variable.name, DistinctRows.of(codes.astype(np.uint16), hidden))
        name = self.domain.names[target.index]
        found = query_rows(
            self.law, codes, hidden, targets=[name], max_seconds=self.max_seconds, **self._effort()
        )
        return found.probabilities[name]

    def _of_event(self, text: str, rows: DistinctRows) -> FloatArray:
        """[row, False or True] of an event over several columns, of which each kind of row is asked by itself."""
        if self.max_seconds is not None and len(rows.codes) > MOST_EVENTS:
            raise InferenceError(
                f"an event over several columns is asked of at most {MOST_EVENTS:,} different rows at once; got "
                f"{len(rows.codes):,}."
            )
        ends = None if self.max_seconds is None else time.monotonic() + self.max_seconds
        found = np.empty((len(rows.codes), 2))
        for kind, (codes, holes) in enumerate(zip(rows.codes, rows.holes, strict=True)):
            known = Evidence({int(i): int(codes[i]) for i in np.flatnonzero(~holes)}, {})
            rng = np.random.default_rng(STEADY_SEED)
            left = None if ends is None else max(ends - time.monotonic(), LEAST_SECONDS)
            asked = query(self.law, text, known, tolerance=self.tolerance, max_seconds=left, rng=rng)
            found[kind] = np.asarray(asked.probabilities)
        return np.asarray(found[rows.which])

    def answer(
        self, what: str, text: str, given: Given | None, without: Iterable[str] = (), level: float = 0.5
    ) -> Any:
        """As `ask`, of one question, with evidence of any kind."""
        left = {self.domain.names[self.domain.index(name)] for name in without}
        for event in (given or {}).keys() - {*self.domain.names} if left else ():
            about = {self.domain.names[i] for i in columns_of(read_event(self.domain, event))}
            if about & left:
                raise InferenceError(f"{event!r} speaks of {min(about & left)!r}, which is to be left out.")
        known = {name: value for name, value in (given or {}).items() if name not in left}
        target = self.target(text)
        limit = SECONDS if self.max_seconds is None else self.max_seconds
        rng = np.random.default_rng(STEADY_SEED)
        found = query(self.law, text, known, max_seconds=limit, rng=rng)
        read = _reader(what, target, text, level)
        if what in ("probability", "most_likely"):
            return read(np.asarray(found.probabilities)[None])[0]
        summary = found.summary(of="probabilities")
        if summary is None:
            return None
        return _seconds(summary.mean if what == "expected" else summary.quantile(level)[0])

    def odd(self, rows: Any) -> FloatArray:
        """[row]: how unusual it is, as one in so many (`depnet.inference.judge.cells`)."""
        return 1 / cell_laws(self.model.network, self.encode(rows, absent="error", values=True)).row_tails

    def why(self, rows: Any) -> list[dict[str, Any] | None]:
        """[row]: the cell that fits the rest of its row worst; None where nothing is known."""
        table = self.encode(rows, absent="error", values=True)
        laws = cell_laws(self.model.network, table)
        oddest = np.where(laws.known, laws.tails, np.inf).argmin(axis=1)
        found: list[dict[str, Any] | None] = [None] * table.rows
        for i in np.unique(oddest).tolist():
            at = np.flatnonzero((oddest == i) & laws.known.any(axis=1))
            variable = self.domain.variables[i]
            for row, value in zip(at.tolist(), cell_values(table, i, at), strict=True):
                found[row] = {
                    "column": variable.name,
                    "value": str(value),
                    "expected": about(variable, int(laws.best[row, i])),
                    "odd": float(1 / laws.tails[row, i]),
                }
        return found

    def score(self, rows: Any) -> FloatArray:
        """[row]: the log-likelihood of what it knows, in nats."""
        table = self.encode(rows, absent="error")
        return score_holed(self.law, table.codes, table.hidden, rng=np.random.default_rng(STEADY_SEED))

    def fill(self, rows: Any, layout: Layout) -> Any:
        """The rows with their holes filled, each by what is most likely; holes that do not apply stay."""
        table = self.encode(rows, values=True)
        holes = open_holes(table)
        codes, filled = split_holes(self.law, table.codes, holes, **self._effort())
        if not filled.any():
            return rows
        done = impute(self._present_law, codes, filled, **self._effort())
        laws = dict(done.cells.probabilities)
        kept, numbers = keep_filled(self.law, done.codes, filled, table.values, laws=laws)
        return fill(rows, kept, self.domain, layout, hidden=filled, laws=laws, numbers=numbers)

    def draw(self, n: int, given: Given | None, layout: Layout, rng: np.random.Generator) -> Any:
        """New rows given evidence, with holes as the table has them."""
        known = Evidence.parse(self.domain, given, events=True)
        rows = sample(self.law, n, evidence=known, rng=rng, n_jobs=self.n_jobs)
        hidden = draw_holes(self.law, known, n, rng)
        narrowed, within = narrow_domain(self.domain, known), self.law.within
        return decode(
            rows.codes, narrowed, layout, rng=rng, within=within, hidden=hidden, numbers=rows.values
        )

    def encode(self, rows: Any, *, absent: HandleUnknown = "missing", values: bool = False) -> Holed:
        if absent == "missing":
            names = open_frame(rows).names
            if not set(names) & set(self.domain.names):
                said = nearest(names[0], self.domain.names) if names else ""
                raise DataError(f"a row has none of the model's columns. {said}".rstrip())
        return encode(rows, self.domain, handle_unknown=self.handle_unknown, absent=absent, values=values)

    def of_columns(self, rows: Any, left: Sequence[int]) -> Any:
        """A frame without the columns that are not looked at, whose values may be anything."""
        names = {self.domain.names[i] for i in left}
        if isinstance(rows, list):
            return [{key: value for key, value in row.items() if key not in names} for row in rows]
        there = [name for name in rows.column_names if name in names]
        return rows.drop_columns(there) if len(there) < len(rows.column_names) else rows

    def _effort(self) -> dict[str, Any]:
        rng = np.random.default_rng(STEADY_SEED)  # an answer is a function of its question
        return {"tolerance": self.tolerance, "rng": rng, "n_jobs": self.n_jobs}


def _seconds(value: Any) -> float:
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    if isinstance(value, dt.date):
        start = dt.datetime if isinstance(value, dt.datetime) else dt.date
        return (value - start(1970, 1, 1)).total_seconds()
    return float(value)


def _reader(what: str, target: Target, text: str, level: Any) -> Callable[[FloatArray], Sequence[Any]]:
    """What reads answers from the shares of a target's states; an error where it has no such answers."""
    variable = target.variable
    if what == "most_likely":
        return lambda shares: [variable.states[code] for code in shares.argmax(axis=1).tolist()]
    if what == "probability":
        if target.inside is None and target.event is None:
            raise InferenceError(
                f"a probability is asked of a condition, such as '{variable.name} = {variable.states[0]}'; got the column "
                f"{brief(text)}."
            )
        return lambda shares: shares[:, 1].tolist()  # of True
    levels, unit = _levels(target)
    if what == "expected":
        return lambda shares: (shares @ levels.means() * unit).tolist()
    if not (isinstance(level, (int, float)) and 0 <= level <= 1):
        raise InferenceError(f"the level of a quantile is between 0 and 1; got {brief(level)}.")
    return lambda shares: (levels.quantiles(shares, [level])[:, 0] * unit).tolist()


def _levels(target: Target) -> tuple[Levels, float]:
    variable = target.variable
    levels = None if target.inside is not None or target.event is not None else variable.levels()
    if levels is None:
        raise InferenceError(
            f"{variable.name!r} is not a number: it has the values {', '.join(map(str, variable.states[:3]))}"
            f"{', ...' if len(variable.states) > 3 else ''}. Ask for what is most likely, or for a probability."
        )
    return levels, UNITS.get(levels.kind, 1.0)
