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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TypeAlias

import numpy as np

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.errors import EvidenceError
from depnet.inference.answer.part import Part
from depnet.inference.answer.question import Question
from depnet.inference.ordered.levels import ALL, HALF, LevelSums, asked_levels, may_refine
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
"""Factors of a variable, by it and by the states of the clamped columns that it reads."""


def answer_groups(question: Question, by: Sequence[int], states: IntArray, seed: int) -> list[Part | None]:
    """The part of each group, whose states of the columns `by` are a row of `states`; None: the law has no such group.

    One variable is asked for.
    """
    network = question.alone
    plan = LevelPlan.of(network, question.evidence, question.wanted)
    if plan is not None and not may_refine(question, plan):
        plan = None
    exact = None
    if question.free:
        one = within_group(question.evidence, by, states[0].tolist())
        asked = Conditional(network, one, (question.free,))
        exact = _Eliminations.of(question, asked.variables, by, states, question.free)
    if plan is None and not (question.free and exact is None):
        return [Part([], [], "evidence")] * len(states) if exact is None else exact.parts()
    cells = sum(network.domain.cardinalities[i] for i in question.free)
    cells += 0 if plan is None else sum(len(each.levels.values) for each in plan.drawers.values())
    each = max(1, limits.CELLS_AT_ONCE // (BATCHES * (cells + 1)))
    parts: list[Part | None] = []
    for first in range(0, len(states), each):
        some = states[first : first + each]
        parts += _Draws(question, by, some, plan, exact and replace(exact, states=some), seed).run()
    return parts


def within_group(evidence: Evidence, by: Sequence[int], states: Sequence[int]) -> Evidence:
    """The evidence, and the states of the columns of a group."""
    return replace(evidence, clamped={**evidence.clamped, **dict(zip(by, states, strict=True))})


@dataclass(frozen=True, slots=True, eq=False)
class _Eliminations:
    """Of some variables, for groups that are rows of `states`: one elimination for all of them that are alike in `clamped`.

    What they take is used again by the next one, which costs less than the elimination itself where it is not.
    """

    question: Question
    variables: Sequence[int]
    by: Sequence[int]
    states: IntArray
    target: tuple[int, ...]
    clamped: tuple[int, ...]
    """Those of the columns `by` that have one state in an elimination; the others are kept."""
    plan: EliminationPlan
    done: dict[tuple[int, ...], "tuple[FloatArray, Elimination] | None"] = field(default_factory=dict)
    """Those that are kept, by the states of what is clamped."""

    @classmethod
    def of(
        cls,
        question: Question,
        variables: Sequence[int],
        by: Sequence[int],
        states: IntArray,
        target: tuple[int, ...],
    ) -> "_Eliminations | None":
        """None where they are too large. Clamped is what makes the fewest cells."""
        network, cards = question.alone, question.alone.domain.cardinalities
        best, cells = None, limits.MOST_CELLS
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
                    best, cells = cls(question, variables, by, states, target, clamped, plan), needed
        return best

    def each(
        self, groups: IntArray, *, keep: bool = False
    ) -> Iterator[tuple[IntArray, FloatArray, Elimination | None]]:
        """Groups that share an elimination; [group, state of the target] in proportion to the law; the elimination.

        Of a group that the law does not have all is 0; None: it has none of these. `keep`: for later calls.
        """
        own = [self.by.index(i) for i in self.clamped]
        codes, which = np.unique(self.states[groups][:, own], axis=0, return_inverse=True)
        made: _Factors = {}
        for k, each in enumerate(map(tuple, codes.tolist())):
            mine = groups[which.ravel() == k]
            found = self.done[each] if each in self.done else self._eliminated(each, made)
            if keep:
                self.done[each] = found
            if found is None:
                yield mine, np.zeros((len(mine), 1)), None
                continue
            at = self.states[mine][:, [self.by.index(i) for i in self._kept]]
            yield mine, found[0][(slice(None), *at.T)].T.reshape(len(mine), -1), found[1]

    @property
    def _kept(self) -> list[int]:
        cards = self.question.alone.domain.cardinalities
        return [i for i in self.by if i not in self.clamped and cards[i] > 1]

    def _eliminated(self, each: tuple[int, ...], made: _Factors) -> tuple[FloatArray, Elimination] | None:
        """The law of the target, and of the columns that are kept, and what rows are drawn from; None: impossible."""
        network = self.question.alone
        factors: list[Factor] = []
        for i in self.variables:
            read = {i, *network.nodes[i].inputs}
            own = {j: code for j, code in zip(self.clamped, each, strict=True) if j in read}
            key = (i, *own.values())
            if key not in made:
                known = within_group(self.question.evidence, [*own], [*own.values()])
                made[key] = factors_of(network, [i], known)
            factors += made[key] if len(own) < len(each) else made.pop(key)  # those are of one elimination
        try:
            done = Elimination(factors, network.domain.cardinalities, self.plan)
            if not self.target:
                return done.joint(self._kept)[0][None], done
            return done.sum_out(*self.target, *self._kept), done
        except EvidenceError:
            return None

    def parts(self) -> list[Part | None]:
        """What the law says of the target in each group; None: it has no such group."""
        found: list[Part | None] = [None] * len(self.states)
        for mine, laws, _ in self.each(np.arange(len(self.states))):
            for g, law in zip(mine.tolist(), laws, strict=True):
                found[g] = _exact_part(law)
        return found


def _exact_part(law: FloatArray) -> Part | None:
    total = float(law.sum())
    return Part([law / total], [np.zeros_like(law)], "exact") if total > 0 else None


def _cells(network: Network, variables: Sequence[int], evidence: Evidence, plan: EliminationPlan) -> int:
    """What an elimination takes, in cells: of its clusters, of its factors, and for each of these some more."""
    cards, fixed = network.domain.cardinalities, certain(network, evidence)
    factors = sum(math.prod(cards[j] for j in scope_of(network, i, fixed)) for i in variables)
    return plan.cells + factors + limits.CLUSTER_CELLS * len(variables)


class _Rows:
    """Rows of the law of every group, with weights where they are not drawn exactly."""

    def __init__(
        self,
        question: Question,
        by: Sequence[int],
        states: IntArray,
        wanted: set[int],
        exact: _Eliminations | None,
        seed: int,
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
        self.parts: list[Part | None] | None = None
        """What eliminations that rows are drawn from say of the target, as far as rows were drawn."""
        if exact is not None and set(above) <= set(exact.variables):
            self._eliminations: _Eliminations | None = exact
            self.parts = [None] * len(states)
        else:
            self._eliminations = _Eliminations.of(question, above, by, states, ())
        self.largest = np.zeros(len(states)) if self._eliminations is not None else self._bounds()
        """Of each group, the log of the largest weight that a row may have; -inf: there is no such row."""

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

    def draw(self, groups: IntArray, count: int) -> tuple[IntArray, CodeArray, FloatArray]:
        """`count` rows of each of these groups that there are: these, all rows in their order, the logs of their weights."""
        law, first = self._law, self._drawn
        rows = len(groups) * count
        self._drawn += rows
        if self._eliminations is None:
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
            return groups, codes, np.concatenate([each.log_weights for each in done])
        codes = np.zeros((rows, len(law.order)), dtype=law.dtype, order="F")
        for i, code in self._known.clamped.items():
            codes[:, i] = code
        codes[:, self._by] = np.repeat(self._states[groups], count, axis=0)
        clusters = len(self._eliminations.plan.clusters) + len(self._eliminations.target)
        every = words(self._seed, EXACT_STREAM, 0, max(clusters, 1), first, rows)
        possible = np.zeros(len(groups), dtype=bool)
        keep = self.parts is None or first > 0  # of one round of rows it costs more than to make them again
        for mine, laws, eliminated in self._eliminations.each(groups, keep=keep):
            places = np.searchsorted(groups, mine)
            possible[places] = laws.any(axis=1)
            if self.parts is not None:
                for g, one in zip(mine.tolist(), laws, strict=True):
                    self.parts[g] = _exact_part(one)
            if eliminated is not None:
                at = (places[:, None] * count + np.arange(count)).ravel()
                drawn = np.array(codes[at], dtype=np.uint16, order="F")
                eliminated.draw(every[:, at], drawn)
                codes[at] = drawn
        if not possible.all():
            codes = np.asfortranarray(codes[np.repeat(possible, count)])
        others = [i for i in self._taking if i not in set(self._eliminations.variables)]
        codes = law.passes(len(codes), variables=others, seed=self._seed, first=first, start=codes).codes
        return groups[possible], codes, np.zeros(len(codes))


class _Draws:
    """Rows of some groups, drawn until the errors of each group's answer are small. Mutable; owned by one call."""

    def __init__(
        self,
        question: Question,
        by: Sequence[int],
        states: IntArray,
        plan: LevelPlan | None,
        exact: _Eliminations | None,
        seed: int,
    ) -> None:
        self._question, self._plan = question, plan
        one = within_group(question.evidence, by, states[0].tolist())
        self._asked = Conditional(question.alone, one, tuple((i,) for i in question.free))
        needed = set(question.wanted) | (set() if plan is None else set(plan.variables))
        self._rows = _Rows(question, by, states, needed, exact, seed)
        self._exact = self._rows.parts
        if not question.free:
            self._exact = [Part([], [], "evidence")] * len(states)
        elif self._exact is None and exact is not None:
            self._exact = exact.parts()
            self._rows.largest[[part is None for part in self._exact]] = -np.inf
        self._rng = np.random.default_rng(seed)
        cells = self._asked.cells if self._exact is None else []
        self._sums = [PassSums(cells, BATCHES, largest) for largest in self._rows.largest.tolist()]
        self._levels = (
            None if plan is None else LevelSums(self._asked, plan, asked_levels(question, plan), len(states))
        )
        of_codes = HALF if plan is not None and self._exact is None else 1.0
        self._tolerance = of_codes * question.tolerance

    def run(self) -> list[Part | None]:
        """The part of each group; None where the law has no such group."""
        found: list[Part | None] = [None] * len(self._sums)
        active, drawn = np.flatnonzero(self._rows.largest > -np.inf), 0
        count = FIRST if self._exact is None else FIRST // 2  # levels alone vary less
        while len(active):
            active, codes, logs = self._rows.draw(active, count)
            self._add(active, codes, logs)
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
