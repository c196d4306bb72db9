"""Errors of answers about raw tables, over those of counting training rows; and of one rule for holes over another's.

An error is |answer - truth|, of means over the column's standard deviation, of categories the total variation distance; a
ratio is one of mean errors on the same questions, ± its standard error over questions (the delta method).
"""

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from benchmarks._frames import SMALL, Frame, splits_of
from benchmarks._questions import PATIENCE, Tally
from benchmarks._raw_questions import KINDS, SHOWN, Drawer, Kind, Question, Rows, given_of
from benchmarks._raw_tables import FULL, HOLED, raw_frame, with_hidden
from benchmarks._reach import at_most, head, line
from benchmarks._timing import timed
from depnet import DependencyNetwork, QueryResult
from depnet.arrays import FloatArray

LEAST, LEAST_SMALL = 50, 15
SPLITS = 3
"""Of a table of 3,000 rows or more; smaller ones are split ten times."""
WAYS = ("law", "combined", "counting")


def least_rows(frame: Frame) -> int:
    """How many held-out rows answer a question at least."""
    return LEAST if len(frame) >= SMALL else LEAST_SMALL


def fitted(train: Frame, seed: int, **options: Any) -> tuple[DependencyNetwork, float]:
    """A model as it is without options, and the CPU seconds that it took."""
    model = DependencyNetwork(random_state=seed, **options)
    _, seconds = timed(partial(model.fit, train))
    return model, seconds


def asked(model: DependencyNetwork, question: Question) -> tuple[QueryResult, float]:
    """The model's answer as a person gets it, and its CPU seconds."""
    return timed(partial(model.query, question.asked, given_of(question.evidence), max_seconds=PATIENCE))


def answers_of(result: QueryResult, question: Question) -> tuple[FloatArray, FloatArray]:
    """The law's answer, and the one that joins it with the rows, in the shape of the question's truth."""
    if question.kind == "means":
        law, both = (result.summary(question.target, of=way) for way in ("probabilities", "combined"))
        assert law is not None
        assert both is not None
        return np.array([law.mean]), np.array([both.mean])
    law_shares, shares = np.asarray(result.probabilities), np.asarray(result.combined)
    if question.kind == "shares":
        return law_shares[1:], shares[1:]
    return np.append(law_shares, 0.0), np.append(shares, 0.0)  # no model knows a value that it has not seen


@dataclass
class Costs:
    """CPU seconds of fits and of answers; answers that did not reach the tolerance in time."""

    fits: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    unsettled: int = 0

    def put(self, model: DependencyNetwork, question: Question) -> QueryResult:
        """An answer, whose cost is kept."""
        result, seconds = asked(model, question)
        self.answers.append(seconds)
        self.unsettled += not result.converged
        return result

    def shown(self) -> list[str]:
        """Seconds of a fit; milliseconds of an answer, median and 95 %."""
        fits = f"{np.mean(self.fits):.1f}" if self.fits else ""
        if not self.answers:
            return [fits, "", ""]
        return [fits, *(f"{1000 * value:.1f}" for value in np.quantile(self.answers, (0.5, 0.95)))]


COSTS = ("fit s", "ms median", "95 %")


def real_holes(options: argparse.Namespace) -> list[bool]:
    """Part 1: law and combined against counting, on tables with real holes."""
    columns = ("questions", "noise", *WAYS, "law / counting", "combined / counting", *COSTS)
    head(["table", "kind", *columns])
    tallies: dict[Kind, dict[str, Tally]] = {kind: {} for kind in KINDS}
    for name in options.tables:
        if name in HOLED:
            _holed_table(name, options, tallies)
    for kind, of_table in tallies.items():
        _mean_line(kind, list(of_table.values()))
    reached = []
    for kind, of_table in tallies.items():
        reached += _judged(SHOWN[kind], list(of_table.values()))
    return reached


def _holed_table(name: str, options: argparse.Namespace, tallies: dict[Kind, dict[str, Tally]]) -> None:
    frame = raw_frame(name)
    found = {kind: Tally() for kind in KINDS}
    costs = {kind: Costs() for kind in KINDS}
    fits = []
    for seed, (train, rest) in enumerate(splits_of(frame, options.seeds, SPLITS)):
        model, seconds = fitted(train, seed)
        fits.append(seconds)
        learned, held_out = Rows(train), Rows(rest)
        drawer = Drawer(learned, held_out, model.domain_, least_rows(frame), np.random.default_rng(seed))
        for kind in KINDS:
            for question in drawer.questions(options.questions, kind):
                law, both = answers_of(costs[kind].put(model, question), question)
                counted = question.by_counting(learned, model.domain_)
                for way, answer in zip(WAYS, (law, both, counted), strict=True):
                    found[kind].each.setdefault(way, []).append(question.error(answer))
                found[kind].noise.append(question.noise)
    costs[KINDS[0]].fits = fits
    for kind, tally in found.items():
        if len(tally.noise) > 1:
            tallies[kind][name] = tally
            line([name, SHOWN[kind], *tally.shown(WAYS), *costs[kind].shown()])
    unsettled = sum(each.unsettled for each in costs.values())
    if unsettled:
        line([name, f"{unsettled} answers did not reach the tolerance in {PATIENCE:.0f} s"])


def _mean_line(kind: Kind, tallies: Sequence[Tally]) -> None:
    if not tallies:
        return
    ratios = [f"{np.mean([tally.ratio(way) for tally in tallies]):.3f}" for way in WAYS[:2]]
    means = [f"{np.mean([tally.mean(way) for tally in tallies]):.4f}" for way in WAYS]
    noise = f"{np.mean([np.mean(tally.noise) for tally in tallies]):.4f}"
    number = f"{sum(len(tally.noise) for tally in tallies)}"
    line(["mean over tables", SHOWN[kind], number, noise, *means, *ratios, "", "", ""])


def _judged(kind: str, tallies: Sequence[Tally]) -> list[bool]:
    if not tallies:
        return []
    mean = {way: float(np.mean([tally.ratio(way) for tally in tallies])) for way in WAYS[:2]}
    surely = max(tally.ratio("combined") - 2 * tally.spread("combined") for tally in tallies)
    return [
        at_most(f"{kind}: combined over counting, mean over tables", mean["combined"], 1.0),
        at_most(f"{kind}: combined over counting less 2 s.e., the worst table", surely, 1.1),
        at_most(f"{kind}: law over counting, mean over tables", mean["law"], 1.2),
        at_most(f"{kind}: law over counting, the worst table", max(t.ratio("law") for t in tallies), 1.6),
    ]


RULES = ("auto", "complete")
PAIRS = ("law", "combined")


def hidden_at_random(options: argparse.Namespace) -> list[bool]:
    """Part 2: the rule that chooses against completion, where holes mean nothing."""
    columns = [f"{way}, {rule}" for way in PAIRS for rule in RULES]
    head(
        [
            "table",
            "kind",
            "questions",
            "noise",
            *columns,
            "law, ratio",
            "combined, ratio",
            "fit s",
            *RULES[1:],
        ]
    )
    ratios: dict[tuple[Kind, str], list[float]] = {}
    for name in options.tables:
        if name in FULL:
            _hidden_table(name, options, ratios)
    reached = []
    for (kind, way), each in ratios.items():
        said = f"{SHOWN[kind]}, 20 % hidden at random: {way}, {RULES[0]} over {RULES[1]}, mean over tables"
        reached.append(at_most(said, float(np.mean(each)), 1.03))
    return reached


def _hidden_table(
    name: str, options: argparse.Namespace, ratios: dict[tuple[Kind, str], list[float]]
) -> None:
    frame = raw_frame(name)
    errors: dict[tuple[Kind, str, str], list[float]] = {}
    noise: dict[Kind, list[float]] = {kind: [] for kind in KINDS}
    fits: dict[str, list[float]] = {rule: [] for rule in RULES}
    for seed, (train, rest) in enumerate(splits_of(frame, options.seeds, SPLITS)):
        holed = with_hidden(train, seed)
        models = {}
        for rule in RULES:
            models[rule], seconds = fitted(holed, seed, missing=rule)
            fits[rule].append(seconds)
        domain = models["complete"].domain_
        rng = np.random.default_rng(seed)
        drawer = Drawer(Rows(holed), Rows(rest), domain, least_rows(frame), rng)
        for kind in KINDS:
            for question in drawer.questions(options.questions, kind):
                noise[kind].append(question.noise)
                for rule, model in models.items():
                    both = answers_of(asked(model, question)[0], question)
                    for way, answer in zip(PAIRS, both, strict=True):
                        errors.setdefault((kind, way, rule), []).append(question.error(answer))
    for kind in KINDS:
        pairs = [
            (np.array(errors[kind, way, RULES[0]]), np.array(errors[kind, way, RULES[1]])) for way in PAIRS
        ]
        means = [f"{each.mean():.4f}" for pair in pairs for each in pair]
        for way, (ours, theirs) in zip(PAIRS, pairs, strict=True):
            ratios.setdefault((kind, way), []).append(float(ours.mean() / theirs.mean()))
        seconds_of = [f"{np.mean(fits[rule]):.1f}" for rule in RULES]
        cells = [
            f"{len(noise[kind])}",
            f"{np.mean(noise[kind]):.4f}",
            *means,
            *(_ratio(*pair) for pair in pairs),
        ]
        line([name, SHOWN[kind], *cells, *seconds_of])


def _ratio(ours: FloatArray, theirs: FloatArray) -> str:
    """Of the means, ± its standard error."""
    ratio = ours.mean() / theirs.mean()
    left = ours - ratio * theirs
    return f"{ratio:.3f} ± {left.std(ddof=1) / math.sqrt(len(left)) / theirs.mean():.3f}"
