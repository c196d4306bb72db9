"""Questions about a table that held-out rows answer: what is likely of one variable, given a few others.

The states that are known are those of a random held-out row, so that they occur; the truth is the frequencies among the
held-out rows that have them, and the error of an answer its total variation distance to the truth. The truth is itself
counted in m rows only: an answer that knew the law exactly would err by about

    noise = 1/2 sum over x of sqrt(2 f(x) (1 - f(x)) / (pi m)),

the mean absolute deviation of a frequency f.
"""

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from benchmarks._coded import Coded, total_variation
from benchmarks._timing import timed
from depnet import DependencyNetwork, Domain
from depnet.arrays import FloatArray
from depnet.data.table.variable import Label

ATTEMPTS = 2000
"""Evidence that is drawn in vain, before a question with that number of known variables is given up."""

MOST_STATES = 64
"""Of a target: a column with more is a name, of which nobody asks for a distribution."""

PATIENCE = 10.0
"""Seconds after which an answer is taken as it is; how many there were is said."""

Evidence = Mapping[int, int]


@dataclass(frozen=True)
class Question:
    """A target, what is known, the truth, and how many rows it was counted in."""

    target: int
    evidence: Evidence
    truth: FloatArray
    rows: int

    @property
    def noise(self) -> float:
        """The error that counting the truth in so few rows alone brings about."""
        return float(np.sqrt(2 * self.truth * (1 - self.truth) / (math.pi * self.rows)).sum()) / 2


Accept = Callable[[Evidence], bool]


def questions(
    held_out: Coded,
    count: int,
    *,
    known: Sequence[int],
    least: int,
    rng: np.random.Generator,
    accept: Accept = lambda evidence: True,
) -> list[Question]:
    """Different questions that at least `least` held-out rows answer; `known` says how many variables, in turn.

    There may be fewer than `count` of them.
    """
    found: dict[object, Question] = {}
    waiting = deque(k for k in known if k < len(held_out.domain))
    while waiting and len(found) < count:
        k = waiting.popleft()
        for _ in range(ATTEMPTS):
            key, question = _drawn(held_out, k, least, rng, accept)
            if question is not None and key not in found:
                found[key] = question
                waiting.append(k)
                break
    return list(found.values())


def _drawn(
    held_out: Coded, k: int, least: int, rng: np.random.Generator, accept: Accept
) -> tuple[object, Question | None]:
    row = int(rng.integers(len(held_out)))
    target, *given = (int(i) for i in rng.choice(len(held_out.domain), k + 1, replace=False))
    if held_out.domain.cardinalities[target] > MOST_STATES or not held_out.known[row, given].all():
        return None, None
    evidence = {j: int(held_out.codes[row, j]) for j in sorted(given)}
    counts = held_out.counts(target, evidence)
    if counts.sum() < least or not accept(evidence):
        return None, None
    question = Question(target, evidence, counts / counts.sum(), int(counts.sum()))
    return (target, *evidence.items()), question


def counted(rows: Coded, question: Question) -> FloatArray:
    """The frequencies among the rows that match, unsmoothed; where none matches, among all rows."""
    counts = rows.counts(question.target, question.evidence)
    if not counts.sum():
        counts = rows.counts(question.target, {})
    frequencies: FloatArray = counts / counts.sum()
    return frequencies


def labels(domain: Domain, evidence: Evidence) -> dict[str, Label]:
    """The evidence as a person gives it: states and bins by their labels."""
    return {domain.variables[j].name: domain.variables[j].states[x] for j, x in evidence.items()}


def errors(asked: Sequence[Question], found: Sequence[FloatArray]) -> list[float]:
    """The total variation distance of each answer to the truth."""
    return [total_variation(answer, q.truth) for q, answer in zip(asked, found, strict=True)]


@dataclass(frozen=True)
class Answered:
    """What a model made of some questions: errors of its law, and joined with the rows that match; CPU seconds."""

    law: list[float]
    combined: list[float]
    seconds: list[float]
    unsettled: int
    """Answers that did not reach the tolerance."""


def answered(model: DependencyNetwork, asked: Sequence[Question], tolerance: float) -> Answered:
    """Every question put to the model."""
    law, combined, seconds, unsettled = [], [], [], 0
    for question in asked:
        name, given = model.domain_.names[question.target], labels(model.domain_, question.evidence)
        ask = partial(model.query, name, given, tolerance=tolerance, max_seconds=PATIENCE)
        result, taken = timed(ask)
        seconds.append(taken)
        law.append(np.asarray(result.probabilities))
        combined.append(np.asarray(result.combined))
        unsettled += not result.converged
    return Answered(errors(asked, law), errors(asked, combined), seconds, unsettled)


@dataclass
class Tally:
    """Errors of every way to answer, question by question, over the splits of a table."""

    each: dict[str, list[float]] = field(default_factory=dict)
    noise: list[float] = field(default_factory=list)
    unsettled: int = 0

    def add(self, asked: Sequence[Question], learned: Coded, found: Answered) -> None:
        """The questions of one split: by the model, and by counting the rows learned from."""
        counting = errors(asked, [counted(learned, question) for question in asked])
        for way, more in (("law", found.law), ("combined", found.combined), ("counting", counting)):
            self.each.setdefault(way, []).extend(more)
        self.noise += [question.noise for question in asked]
        self.unsettled += found.unsettled

    def mean(self, way: str) -> float:
        """The mean error over the questions that were answered in this way; nan where none was."""
        return float(np.mean(self.each[way])) if self.each.get(way) else math.nan

    def ratio(self, way: str) -> float:
        """The mean error over that of counting, on the same questions."""
        return self.mean(way) / float(np.mean(self._counting(way)))

    def spread(self, way: str) -> float:
        """The standard error of the ratio, over questions."""
        counting = self._counting(way)
        left = np.array(self.each[way]) - self.ratio(way) * counting
        return float(left.std(ddof=1) / math.sqrt(len(left)) / counting.mean())

    def _counting(self, way: str) -> FloatArray:
        return np.array(self.each["counting"][: len(self.each.get(way, []))])

    def shown(self, ways: Sequence[str]) -> list[str]:
        """Cells of a table: how many questions, noise, mean errors, and ratios to counting."""
        ratios = [self._ratio(way) for way in ways if way != "counting"]
        means = [f"{self.mean(way):.4f}" for way in ways]
        return [f"{len(self.noise)}", f"{np.mean(self.noise):.4f}", *means, *ratios]

    def _ratio(self, way: str) -> str:
        answered = len(self.each.get(way, []))
        some = "" if answered == len(self.noise) else f" ({answered})"
        return (
            f"{self.ratio(way):.3f} ± {self.spread(way):.3f}{some}" if answered > 1 else "no answer in time"
        )


def columns(ways: Sequence[str]) -> list[str]:
    """The names of those cells."""
    return ["questions", "noise", *ways, *(f"{way} / counting" for way in ways if way != "counting")]
