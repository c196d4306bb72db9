r"""Answers of an ordered law about numbers, and given evidence that cuts bins: by where in their bins numbers lie.

Elimination and passes answer by codes: P_0(x) of the states of what is asked, where a bin that the evidence cuts counts by
the share of its values inside. Rows of codes are drawn given the same, and the levels of their numbers after them
(`depnet.law.draw`), with weights W where evidence allows some levels only. Then

.. math:: P(x) \propto P_0(x)\, E[W \mid x], \qquad P(level) = P(bin)\, \frac{E[W\, 1(level) \mid bin]}{E[W \mid bin]}:

what is known of codes stays exact, and draws say the rest alone. In place of 1(level) stands the law that the level is drawn
from, wherever no later weight depends on the draw. Errors are those between batches of rows, to first order.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import numpy as np

from depnet.arrays import CodeArray, FloatArray, IntArray, new_seeds
from depnet.data.frames.within import Drawn
from depnet.inference.answer.part import Part, Spread, margins
from depnet.inference.answer.question import Over, Question
from depnet.law import limits
from depnet.law.draw import PIECE, sharpen
from depnet.law.limits import BATCHES
from depnet.law.mixture import rows_of
from depnet.law.program import Conditional, LevelPlan, joint_codes
from depnet.model.evidence import Evidence
from depnet.model.mixture import AnyNetwork

Piece = TypeVar("Piece", bound=tuple[Any, ...])
"""The codes of some rows, and what belongs to them."""

_Asked: TypeAlias = dict[int, list[FloatArray | None]]
"""The wanted numbers, and what is asked of each: itself (None), or a condition, as which of its levels meet it."""

HALF = 0.7
"""Of the tolerance, for the errors of codes and of where in their bins numbers lie: both together are within it."""
ALL = slice(None)
FEW = 8
"""A state that fewer rows have met has an error of its own."""


def refine(
    question: Question, asked: Conditional, plan: LevelPlan, part: Part, seed: int, over: Over
) -> Part:
    """The part with the laws of the levels of the wanted numbers, and reweighted where evidence cuts bins."""
    if not may_refine(question, plan) or any(value.size > limits.LARGEST for value in part.values):
        return part
    sums = LevelSums(asked, plan, asked_levels(question, plan))
    # What is exact leaves all of the tolerance to draws.
    tolerance = question.tolerance * (1.0 if part.diagnostics is None else HALF)
    found, error = part, math.inf
    rows = level_rows(question.network, question.evidence, plan, question.wanted, seed)

    def draw(count: int) -> None:
        for codes, drawn in some_rows(rows, count):
            assert drawn is not None
            sums.add(codes, drawn, np.arange(len(codes)) * BATCHES // len(codes))

    def largest_error() -> float:
        nonlocal found, error
        if not sums.weights.any():  # no row is allowed: codes are all that is known
            return 0.0
        found, error = sums.part(part)
        return error

    if sharpen(draw, largest_error, tolerance, first=PIECE, most=limits.MOST_DRAWS, over=over) or over():
        return found
    return found.stopped(error, question.tolerance)


def may_refine(question: Question, plan: LevelPlan) -> bool:
    """Has where in their bins numbers lie a part in the answer?"""
    return plan.cuts or any(i in plan.drawers for i in question.wanted)


def asked_levels(question: Question, plan: LevelPlan) -> _Asked:
    """What is asked of the wanted numbers."""
    asked: _Asked = {i: [] for i in question.wanted if i in plan.drawers}
    for target in question.targets:
        if target.index in asked and (target.inside is None or target.by_levels):
            own = plan.drawers[target.index].levels
            bins = np.repeat(np.arange(len(own)), own.sizes)
            asked[target.index].append(None if target.inside is None else target.met(own.values, bins))
    return asked


def level_rows(
    network: AnyNetwork, evidence: Evidence, plan: LevelPlan | None, variables: Iterable[int], seed: int
) -> Iterator[tuple[CodeArray, Drawn | None]]:
    """Rows given the evidence as far as it is of codes, and their levels, which may have weights; None without a plan."""
    rng = np.random.default_rng(seed)
    needed = set(variables) if plan is None else plan.variables.union(variables)
    rows = rows_of(network, replace(evidence, levels={}), seed, variables=tuple(needed))
    for codes in rows.pieces(limits.MOST_DRAWS):
        yield codes, None if plan is None else plan.draw(codes, rng)


def some_rows(rows: Iterator[Piece], count: int) -> Iterator[Piece]:
    """The next rows, `count` of them or a few more."""
    while count > 0 and (piece := next(rows, None)) is not None:
        yield piece
        count -= len(piece[0])


def log_allowed(
    network: AnyNetwork, evidence: Evidence, tolerance: float, rng: np.random.Generator | None
) -> tuple[float, float]:
    """The log of the share of values that are allowed in the bins that are, and its standard error (0: exact).

    Evidence in codes leaves it out: the largest weight of a state is 1 there, and a bin that is cut counts by the share of
    its values inside, whatever else is known of them, which E[W] sets right.
    """
    plan = LevelPlan.of(network, evidence, ())
    if plan is None or not plan.cuts:
        return evidence.log_share, 0.0
    (seed,) = new_seeds(rng, 1)
    rows, sums = level_rows(network, evidence, plan, (), seed), np.zeros((2, BATCHES))

    def draw(count: int) -> None:
        for codes, drawn in some_rows(rows, count):
            assert drawn is not None
            batch = np.arange(len(codes)) * BATCHES // len(codes)
            sums[0] += np.bincount(batch, minlength=BATCHES)
            sums[1] += np.bincount(batch, drawn.weights, BATCHES)

    def error() -> float:
        return log_mean(*sums)[1]

    sharpen(draw, error, tolerance, first=PIECE, most=limits.MOST_DRAWS)
    log_weight, standard_error = log_mean(*sums)
    return evidence.log_share + log_weight, standard_error


def log_mean(below: FloatArray, above: FloatArray) -> tuple[float, float]:
    """The log of a ratio of sums [batch], and its standard error between batches."""
    total = float(above.sum())
    if not total > 0:
        return -math.inf, 0.0
    moved = above / total - below / below.sum()
    return math.log(total / below.sum()), math.sqrt(BATCHES / (BATCHES - 1) * float(moved @ moved))


class LevelSums:
    """Weighted rows of one group or several, summed in batches."""

    def __init__(self, asked: Conditional, plan: LevelPlan, numbers: _Asked, groups: int = 1) -> None:
        self._asked, self._plan, self._numbers = asked, plan, numbers
        self.groups = groups
        self.weights = np.zeros((groups, BATCHES))
        self.counts = [np.zeros((groups, BATCHES, k)) for k in asked.cells]
        """[group, batch, cell] of each table: the weights that rows come with, and beside it those of their levels, too."""
        self.weighted = [np.zeros((groups, BATCHES, k)) for k in asked.cells]
        self.levels = {i: np.zeros((groups, BATCHES, len(plan.drawers[i].levels.values))) for i in numbers}
        """[group, batch, level] of each number."""

    def scale(self, groups: IntArray, factors: FloatArray) -> None:
        if (factors == 1).all():
            return
        for sums in (self.weights, *self.counts, *self.weighted, *self.levels.values()):
            sums[groups] *= factors.reshape(-1, *[1] * (sums.ndim - 1))

    def add(
        self,
        codes: CodeArray,
        drawn: Drawn,
        batch: IntArray,
        given: FloatArray | None = None,
        groups: IntArray | slice = ALL,
    ) -> None:
        """More rows, each of a `batch` of all batches of these groups, with the weights that they come with (None: 1)."""
        weights = drawn.weights if given is None else given * drawn.weights
        shape = self.weights[groups].shape
        self.weights[groups] += _sums_of(batch, weights, shape)
        cards = self._asked.network.domain.cardinalities
        for at, table in enumerate(self._asked.tables):
            counts, weighted = self.counts[at], self.weighted[at]
            cell = batch * counts.shape[2] + joint_codes(codes, table, cards)
            counts[groups] += _sums_of(cell, given, (*shape, counts.shape[2]))
            weighted[groups] += _sums_of(cell, weights, (*shape, counts.shape[2]))
        for i, sums in self.levels.items():
            drawer, there = self._plan.drawers[i], drawn.laws[i] >= 0
            by_draw = i in self._plan.weighing
            place = drawn.places[i] if by_draw else drawn.laws[i]
            cells = sums.shape[2] if by_draw else len(drawer.laws)
            found = _sums_of(batch[there] * cells + place[there], weights[there], (*shape, cells))
            if by_draw:
                sums[groups] += found
            else:
                drawer.add_over_levels(sums, groups, found)

    def part(self, by_codes: Part, group: int = 0) -> tuple[Part, float]:
        """A group's part, and the largest error that draws of rows have in it: of a state, or of P(X <= c) for any c."""
        values, errors, deviations, largest = [], [], [], [0.0]
        before = by_codes.deviations or [()] * len(by_codes.values)
        for at, value in enumerate(by_codes.values):
            if not self._plan.cuts:
                values.append(value)
                errors.append(by_codes.errors[at])
                deviations.append(before[at])
                continue
            law, own, ratio = self._reweight(value.ravel(), at, group)
            moved = np.sqrt((own**2).sum(axis=0))
            few = self.counts[at][group].sum(axis=0) < FEW
            moved = np.where(few, np.maximum(moved, law), moved)
            largest.append(float(moved.max()))
            values.append(law.reshape(value.shape))
            kept = ratio.reshape(value.shape) * by_codes.errors[at]
            errors.append(np.hypot(kept, moved.reshape(value.shape)))
            own_margins = margins(own.reshape(-1, *value.shape))
            both = zip(before[at], own_margins, strict=True)
            deviations.append([np.concatenate(each) for each in both] if before[at] else own_margins)
        diagnostics = by_codes.diagnostics
        if diagnostics is not None:
            diagnostics = replace(diagnostics, largest_error=max(float(each.max()) for each in errors))
        found = replace(
            by_codes,
            values=values,
            errors=errors,
            deviations=deviations if any(map(len, deviations)) else (),
            diagnostics=diagnostics,
            method=by_codes.method if not self._plan.cuts else f"{by_codes.method}, draws within bins",
        )
        levels, spreads = {}, {}
        for i in self._numbers:
            levels[i], spreads[i], error = self._level_law(i, found, group)
            largest.append(error)
        return replace(found, levels=levels, level_spreads=spreads), max(largest)

    def _reweight(self, law: FloatArray, at: int, group: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """P_0(x) E[W | x], normalised, what each batch adds to its errors, and the ratio of both laws."""
        counts, weighted = self.counts[at][group], self.weighted[at][group]
        rows = counts.sum(axis=0)
        mean = self.weights[group].sum() / rows.sum()
        means = np.divide(weighted.sum(axis=0), rows, out=np.full(len(rows), mean), where=rows > 0)
        total = float(law @ means)
        if not total > 0:
            return law, np.zeros_like(counts), np.ones_like(law)
        moved = (
            (weighted - means * counts) * np.divide(law, rows, out=np.zeros_like(law), where=rows > 0) / total
        )
        found = law * means / total
        moved -= found * moved.sum(axis=1, keepdims=True)
        return found, math.sqrt(BATCHES / (BATCHES - 1)) * moved, means / total

    def _states(self, i: int, found: Part) -> tuple[FloatArray, FloatArray | None]:
        """The law of a variable's states, and what batches add to its errors, if anything."""
        law = np.zeros(self._asked.network.domain.cardinalities[i])
        if i in self._asked.evidence.clamped:
            law[self._asked.evidence.clamped[i]] = 1.0
            return law, None
        at = next(at for at, table in enumerate(self._asked.tables) if i in table)
        axis = self._asked.tables[at].index(i)
        others = tuple(a for a in range(found.values[at].ndim) if a != axis)
        moved = found.deviations[at][axis] if found.deviations and len(found.deviations[at]) else None
        law = found.values[at].sum(axis=others)
        return law, None if others or moved is None else Spread.of(found.errors[at], moved).deviations

    def _level_law(self, i: int, found: Part, group: int) -> tuple[FloatArray, Spread, float]:
        """The law of a number's levels, given that it is there, its spread, and the largest error of what is asked of it."""
        drawer, sums = self._plan.drawers[i], self.levels[i][group]
        levels = drawer.levels
        count = len(levels.sizes)
        bins = np.repeat(np.arange(count), levels.sizes)
        states, moved = self._states(i, found)
        present = float(states[:count].sum()) or 1.0
        of_bin = states[:count] / present
        in_bin = np.add.reduceat(sums, levels.first, axis=1)
        totals = in_bin.sum(axis=0)
        alike = drawer.laws[-count:][np.arange(drawer.laws.shape[1]) < levels.sizes[:, None]]
        inside = np.divide(sums.sum(axis=0), totals[bins], out=alike, where=totals[bins] > 0)
        scale = np.divide(of_bin, totals, out=np.zeros(count), where=totals > 0)
        own = np.repeat(in_bin, levels.sizes, axis=1)
        own *= -inside
        own += sums
        own *= math.sqrt(BATCHES / (BATCHES - 1)) * scale[bins]
        law, error = of_bin[bins] * inside, 0.0
        for met in self._numbers[i]:
            if met is None:  # at each quarter of a bin
                starts = np.unique(levels.first[:, None] + levels.sizes[:, None] * np.arange(4) // 4)
                upto = np.cumsum(np.add.reduceat(own, starts, axis=1), axis=1)
                error = max(error, limits.UNASKED * math.sqrt(np.einsum("bl,bl->l", upto, upto).max()))
            else:
                error = max(error, float(np.linalg.norm(own @ (met - met @ law))))
        if moved is not None:
            of_codes = moved[:, :count] / present
            of_codes = of_codes - of_bin * of_codes.sum(axis=1, keepdims=True)
            own = np.concatenate([own, of_codes[:, bins] * inside])
        return law, Spread(np.sqrt(np.einsum("bl,bl->l", own, own)), own), error


def _sums_of(cell: IntArray, weights: FloatArray | None, shape: tuple[int, ...]) -> FloatArray:
    """The weights of all rows by their cells, in this shape; None: how many rows there are."""
    found: FloatArray = np.bincount(cell, weights, math.prod(shape)).astype(np.float64)
    return found.reshape(shape)
