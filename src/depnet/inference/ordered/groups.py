r"""Answers of an ordered law for many groups at once: Q(T | x_C, x_B) for the joint states x_B of some columns B.

One elimination that keeps B and T has all of them, exactly. Where that is too large, and for where in their bins numbers
lie, rows are drawn of all groups at once: given x_B, from one elimination of the ancestors of B and of what is known
that keeps B, exact and independent, or, where that is too large as well, from passes with x_B clamped, which have weights.

A group's answer is not computed more sharply than it is known. With s' rows' worth of knowledge (`depnet.fitting.worth`) a
share is known to about sqrt(p (1 - p) / (s' + 1)); 25 (s' + 1) draws are five times as sharp, and of s' = 25, the usual one,
their error is .02 at most: `COARSER` times the tolerance of a question. Rows of the table make the answer surer, and the
law's part in it smaller by more. The error is said with the answer, and its interval is wider by it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.errors import EvidenceError
from depnet.inference.answer.part import Part
from depnet.inference.answer.question import Question
from depnet.inference.ordered.levels import ALL, HALF, LevelSums, counted_errors, may_refine
from depnet.inference.ordered.sums import PassSums, part_of_draws
from depnet.inference.ordered.weighted import states_of
from depnet.law import limits
from depnet.law.draw import EXACT_STREAM
from depnet.law.elimination import (
    Elimination,
    EliminationPlan,
    Factor,
    factors_of,
    log_largest_weight,
    network_plan,
)
from depnet.law.limits import BATCHES
from depnet.law.program import Conditional, LevelPlan, certain, law_of, scope_of, words
from depnet.model.evidence import Evidence
from depnet.model.network import Network
from depnet.model.sources.source import product_within

COARSER = 10.0
"""The tolerance of a group, in that of a question."""
FIRST, MOST = 512, 1 << 14
"""Rows of a group before the first look at its errors, and at most."""

_Factors: TypeAlias = dict[tuple[int, ...], list[Factor]]
"""Factors of a variable, by it and by each clamped column that it reads with its state."""


def answer_groups(question: Question, by: Sequence[int], states: IntArray, seed: int) -> list[Part | None]:
    """The part of each group, whose states of the columns `by` are a row of `states`; None: the law has no such group.

    One variable is asked for.
    """
    network = question.alone
    plan = LevelPlan.of(network, question.evidence, question.wanted)
    if plan is not None and not may_refine(question, plan):
        plan = None
    made: _Factors = {}
    found = _exact(question, by, states, made)
    if plan is None and found is not None:
        return found
    cells = sum(network.domain.cardinalities[i] for i in question.free)
    cells += 0 if plan is None else sum(len(each.levels.values) for each in plan.drawers.values())
    each = max(1, limits.CELLS_AT_ONCE // (BATCHES * (cells + 1)))
    parts: list[Part | None] = []
    for first in range(0, len(states), each):
        some = slice(first, first + each)
        draws = _Draws(question, by, states[some], plan, None if found is None else found[some], seed, made)
        parts += draws.run()
    return parts


def within_group(evidence: Evidence, by: Sequence[int], states: Sequence[int]) -> Evidence:
    """The evidence, and the states of the columns of a group."""
    return replace(evidence, clamped={**evidence.clamped, **dict(zip(by, states, strict=True))})


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """An elimination for some of the groups, which keeps some columns; the others have one state in these groups."""

    groups: IntArray
    keep: tuple[int, ...]
    done: Elimination | None
    """None where what is known is impossible in all of these groups."""

    @classmethod
    def every(
        cls,
        question: Question,
        variables: Sequence[int],
        by: Sequence[int],
        states: IntArray,
        target: tuple[int, ...],
        made: _Factors,
    ) -> "list[_Kept] | None":
        """Eliminations of these variables for all groups, which keep the target, too; None where they are too large.

        Some of the columns `by` are kept, and each of the others is clamped to one state after the other: whichever takes
        the fewest cells. Factors that are `made` already are taken, and others join them.
        """
        network, cards = question.alone, question.alone.domain.cardinalities
        best: tuple[tuple[int, ...], tuple[int, ...], EliminationPlan] | None = None
        cells = limits.MOST_CELLS
        for clamped in (some for size in range(len(by) + 1) for some in combinations(by, size)):
            keep = (*(i for i in by if i not in clamped), *target)
            times = math.prod(cards[i] for i in clamped)
            if times * limits.CLUSTER_CELLS * len(variables) >= cells:
                continue
            fixed = within_group(question.evidence, clamped, [0] * len(clamped))
            if product_within([cards[i] for i in keep], limits.LARGEST):
                plan = network_plan(network, variables, fixed, keep, cells // times)
                needed = 0 if plan is None else times * _cells(network, variables, fixed, plan)
                if plan is not None and needed < cells:
                    best, cells = (clamped, keep, plan), needed
        if best is None:
            return None
        clamped, keep, plan = best
        columns = [k for k, i in enumerate(by) if i in clamped]
        codes, which = np.unique(states[:, columns], axis=0, return_inverse=True)

        def factors_for(i: int, each: Sequence[int]) -> list[Factor]:
            read = {i, *network.nodes[i].inputs}
            own = {j: code for j, code in zip(clamped, each, strict=True) if j in read}
            key = (i, *chain.from_iterable(own.items()))
            if key not in made:
                made[key] = factors_of(network, [i], within_group(question.evidence, [*own], [*own.values()]))
            return made[key]

        def eliminate(each: Sequence[int]) -> Elimination | None:
            try:
                done = Elimination(chain.from_iterable(factors_for(i, each) for i in variables), cards, plan)
            except EvidenceError:
                return None
            if target:  # no rows are drawn: the next one may use this memory
                done.products.clear()
            return done

        return [
            cls(np.flatnonzero(which.ravel() == k), keep, eliminate(each))
            for k, each in enumerate(codes.tolist())
        ]

    def tables(self, by: Sequence[int], states: IntArray) -> FloatArray:
        """[group, state of the target]: in proportion to the law, 0 where it has no such group."""
        kept = [k for k, i in enumerate(by) if i in self.keep]
        none = np.zeros((len(self.groups), 1))
        if self.done is None:
            return none
        cards = self.done.cardinalities
        try:
            table, _ = self.done.joint([i for i in self.keep if cards[i] > 1])
        except EvidenceError:
            return none
        table = table.reshape([cards[i] for i in self.keep])
        if not kept:
            return np.repeat(table.reshape(1, -1), len(self.groups), axis=0)
        found: FloatArray = table[tuple(states[self.groups][:, kept].T)]
        return found.reshape(len(self.groups), -1)


def _cells(network: Network, variables: Sequence[int], evidence: Evidence, plan: EliminationPlan) -> int:
    """What an elimination takes, in cells: of its clusters, of its factors, and for each of these some more."""
    cards, fixed = network.domain.cardinalities, certain(network, evidence)
    factors = sum(math.prod(cards[j] for j in scope_of(network, i, fixed)) for i in variables)
    return plan.cells + factors + limits.CLUSTER_CELLS * len(variables)


def _exact(
    question: Question, by: Sequence[int], states: IntArray, made: _Factors
) -> list[Part | None] | None:
    """All groups by elimination; None where that is too large."""
    if not question.free:
        return [Part([], [], "evidence")] * len(states)
    network = question.alone
    one = Conditional(
        network, within_group(question.evidence, by, states[0].tolist()), tuple((i,) for i in question.free)
    )
    every = _Kept.every(question, one.variables, by, states, question.free, made)
    if every is None:
        return None
    found: list[Part | None] = [None] * len(states)
    for some in every:
        for g, law in zip(some.groups.tolist(), some.tables(by, states), strict=True):
            total = float(law.sum())
            if total > 0:
                found[g] = Part([law / total], [np.zeros_like(law)], "exact")
    return found


class _Rows:
    """Rows of the law of every group, with weights where they are not drawn exactly."""

    def __init__(
        self,
        question: Question,
        by: Sequence[int],
        states: IntArray,
        wanted: set[int],
        seed: int,
        made: _Factors,
    ) -> None:
        self._network, self._by, self._states, self._seed = question.alone, list(by), states, seed
        self._law = law_of(question.alone)
        known = Evidence(question.evidence.clamped, question.evidence.tilts)
        one = within_group(known, by, states[0].tolist())
        asked = Conditional(question.alone, one, tuple((i,) for i in sorted(wanted - set(one.clamped))))
        self._known = Evidence(known.clamped, asked.own.tilts)
        self._taking = asked.variables
        self.above = asked.known_ancestors
        """The variables that weights are functions of, or that are drawn given the group and what is known."""
        self._drawn = 0
        above = [i for i in self._taking if i in self.above]
        self._kept = _Kept.every(question, above, by, states, (), made)
        self.largest = np.full(len(states), -np.inf)
        """Of each group, the log of the largest weight that a row may have; -inf: there is no such row."""
        if self._kept is None:
            self.largest = self._bounds()
        for some in self._kept or ():
            self.largest[some.groups[some.tables(by, states)[:, 0] > 0]] = 0.0

    def _bounds(self) -> FloatArray:
        """[group]: the log of a bound on the weights of passes, the product of those of what is known and of each column."""
        network, others = self._network, [i for i in self._taking if i not in self._by]
        bounds = np.full(len(self._states), log_largest_weight(network, others, self._known))
        for k, i in enumerate(self._by):
            if i in self._taking:
                each = [network.nodes[i].largest_mean(one) for one in np.eye(network.domain.cardinalities[i])]
                with np.errstate(divide="ignore"):
                    bounds += np.log(each)[self._states[:, k]]
        return bounds

    def draw(self, groups: IntArray, count: int) -> tuple[CodeArray, FloatArray]:
        """`count` rows of each of these groups, one group's after the other's, and the logs of their weights."""
        law, first = self._law, self._drawn
        rows = len(groups) * count
        self._drawn += rows
        if self._kept is None:
            done = [
                law.passes(
                    count,
                    within_group(self._known, self._by, self._states[g].tolist()),
                    variables=self._taking,
                    seed=self._seed,
                    first=first + k * count,
                )
                for k, g in enumerate(groups.tolist())
            ]
            codes = np.asfortranarray(np.concatenate([each.codes for each in done]))
            return codes, np.concatenate([each.log_weights for each in done])
        codes = np.zeros((rows, len(law.order)), dtype=law.dtype, order="F")
        for i, code in self._known.clamped.items():
            codes[:, i] = code
        codes[:, self._by] = np.repeat(self._states[groups], count, axis=0)
        clusters = max(
            (len(some.done.plan.clusters) for some in self._kept if some.done is not None), default=0
        )
        every = words(
            self._seed, EXACT_STREAM, 0, max(clusters, 1), first, rows
        )  # eliminations have one plan
        for some in self._kept:
            self._draw_above(some, np.repeat(np.isin(groups, some.groups), count), codes, every)
        others = [i for i in self._taking if i not in set(self.above)]
        done_codes = law.passes(rows, variables=others, seed=self._seed, first=first, start=codes).codes
        return done_codes, np.zeros(rows)

    def _draw_above(
        self, some: _Kept, mine: NDArray[np.bool_], codes: CodeArray, every: NDArray[np.uint32]
    ) -> None:
        """The ancestors of what is known, in the rows of an elimination's groups."""
        if some.done is None or not mine.any():
            return
        drawn = np.array(codes[mine], dtype=np.uint16, order="F")
        some.done.draw(np.ascontiguousarray(every[:, mine]), drawn)
        codes[mine] = drawn


class _Draws:
    """Rows of some groups, drawn until the errors of each group's answer are small. Mutable; owned by one call."""

    def __init__(
        self,
        question: Question,
        by: Sequence[int],
        states: IntArray,
        plan: LevelPlan | None,
        exact_parts: Sequence[Part | None] | None,
        seed: int,
        made: _Factors,
    ) -> None:
        self._question, self._plan, self._exact = question, plan, exact_parts
        one = within_group(question.evidence, by, states[0].tolist())
        self._asked = Conditional(question.alone, one, tuple((i,) for i in question.free))
        needed = set(question.wanted) | (set() if plan is None else set(plan.variables))
        self._rows = _Rows(question, by, states, needed, seed, made)
        self._rng = np.random.default_rng(seed)
        cells = self._asked.cells if exact_parts is None else []
        self._sums = [PassSums(cells, BATCHES, largest) for largest in self._rows.largest.tolist()]
        self._levels = (
            None
            if plan is None
            else LevelSums(self._asked, plan, counted_errors(question, plan), len(states))
        )
        of_codes = HALF if plan is not None and exact_parts is None else 1.0
        self._tolerance = of_codes * question.tolerance

    def run(self) -> list[Part | None]:
        """The part of each group; None where the law has no such group."""
        found: list[Part | None] = [None] * len(self._sums)
        possible = self._rows.largest > -np.inf
        if self._exact is not None:
            possible &= np.array([part is not None for part in self._exact])
        active, drawn = np.flatnonzero(possible), 0
        count = FIRST if self._exact is None else FIRST // 2  # levels alone vary less
        while len(active):
            self._add(active, *self._rows.draw(active, count))
            drawn += count
            left = []
            for g in active.tolist():
                part, error = self._part(g)
                found[g] = part
                if error > self._tolerance:
                    left.append(g)
                    if drawn >= MOST:
                        found[g] = part.stopped(error, self._question.tolerance)
            active, count = np.array(left, dtype=np.int64), drawn
            if drawn >= MOST:
                break
        return found

    def _add(self, groups: IntArray, codes: CodeArray, logs: FloatArray) -> None:
        """More rows of some groups, equally many of each; a batch of a group gets every 32nd part of them."""
        count = len(codes) // len(groups)
        network, states = self._question.alone, []
        if self._exact is None:
            states = [states_of(network, table, codes, self._rows.above) for table in self._asked.tables]
        weights, scale = np.empty(len(codes)), np.empty(len(groups))
        for k, g in enumerate(groups.tolist()):
            own = slice(k * count, (k + 1) * count)
            weights[own], scale[k] = self._sums[g].add_logs(logs[own], [each[own] for each in states])
        if self._levels is not None and self._plan is not None:
            batch = np.repeat(np.arange(len(groups) * BATCHES), count // BATCHES)
            self._levels.scale(groups, scale)
            some = ALL if len(groups) == self._levels.groups else groups
            self._levels.add(codes, self._plan.draw(codes, self._rng), batch, weights, some)

    def _part(self, g: int) -> tuple[Part, float]:
        """What the draws of a group say, and the largest error that they have."""
        if self._exact is not None:
            part, error = self._exact[g], 0.0
            assert part is not None
        else:
            part, error = self._by_draws(self._sums[g])
        if self._levels is not None and self._levels.weights[g].any():
            part, own = self._levels.part(part, g)
            error = max(error, own)
        return part, error

    def _by_draws(self, sums: PassSums) -> tuple[Part, float]:
        if not sums.total > 0:
            (k,) = self._asked.cells
            return Part([np.full(k, 1 / k)], [np.ones(k)], "passes", converged=False), math.inf
        shapes = [(k,) for k in self._asked.cells]
        part = part_of_draws(sums, sums.errors(), shapes, self._tolerance, "passes")
        return part, sums.error(self._tolerance)
