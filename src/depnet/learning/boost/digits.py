"""A number's node boosted digit by digit: each vertex of its tree (`depnet.model.digits`) from the rows that reach it.

A row takes part in as many binary boosts as its word has digits, and deep vertices have few rows: all of them together
cost little more than one boost of two states. Where held-out rows gain nothing, a vertex has no stages, and says what the
rows' counts say.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from depnet._native import boost as native
from depnet.arrays import CodeArray, IntArray
from depnet.data.table.variable import Variable
from depnet.learning.boost.choose import ChosenNode, TrialPart
from depnet.learning.boost.node import Grown, StageRows, Until, grow_stages, joined_node, seconds_left
from depnet.learning.boost.rows import BoostRows
from depnet.learning.boost.settings import Boost
from depnet.model.boosted import BoostedNode
from depnet.model.digits import DigitTree, Vertex
from depnet.model.stages import UNIT

SETTINGS = Boost(stages=400, leaves=8, rate=0.1, share=0.7, shrinkage=1.0, least_curvature=0.5)
"""Of a vertex. Other leaves, rates, shares and shrinkages that were tried moved held-out scores by less than 0.02 nats."""
PATIENCE = 2.0
"""Steps that sum to this (stages times their rate) without a better held-out score end a vertex."""
MORE = 1.1
"""Stages of all rows for each stage that held-out rows chose: there are more rows then."""
LEAST_ROWS = 40
"""Vertices that fewer rows reach have no stages."""
LEAST_ONES = 5
"""Nor have those whose digit is nearly always the same."""
ROWS_A_CUT = 6
"""Of an input with an order, cuts are so far apart that some rows lie between two of them."""
HALF = 0.5
"""Pseudo-count of each digit."""


def has_digits(variable: Variable) -> bool:
    """Has the variable an order, and more than two states, so that its states are words of digits?"""
    return variable.has_cuts and variable.cardinality > 2


def tree_of(rows: BoostRows, i: int) -> DigitTree:
    """The tree of variable i that divides these rows evenly."""
    variable = rows.dataset.domain.variables[i]
    counts = np.bincount(rows.own(i), minlength=variable.cardinality)
    return DigitTree.of(counts, missing=variable.missing is not None)


NOTHING = Grown(
    np.zeros(1, np.int32),
    np.zeros(0, np.uint16),
    np.zeros(0, np.int32),
    np.zeros((0, 2), np.int32),
    np.zeros(0),
    np.zeros(1),
    True,
)


@dataclass(frozen=True, eq=False)
class DigitGrower:
    """What the vertices of one variable are grown from."""

    rows: BoostRows
    variable: int
    tree: DigitTree
    readable: Sequence[int]
    settings: Boost = SETTINGS
    ends: float = math.inf
    stop: native.Stop | None = None

    def node(self, stages: Sequence[int], *, seed: int = 0) -> BoostedNode | None:
        """The node with this many stages for each vertex; None where the time did not suffice."""
        grown = self.vertices(stages, seed=seed)
        return None if grown is None else self.joined(grown)

    def vertices(self, stages: Sequence[int], *, seed: int = 0) -> list[Grown] | None:
        """Every vertex with this many stages; None where the time did not suffice."""
        grown = []
        for v, (vertex, count) in enumerate(zip(self.tree.vertices, stages, strict=True)):
            if count and time.monotonic() >= self.ends:
                return None
            one = self._grow(v, vertex, replace(self.settings, stages=count), seed=seed) if count else NOTHING
            grown.append(one)
        return grown

    def grow(self, held: BoostRows) -> list[Grown] | None:
        """Every vertex, with what held-out rows say after each of its stages; None where the time did not suffice."""
        grown = []
        for v, vertex in enumerate(self.tree.vertices):
            if time.monotonic() >= self.ends:
                return None
            grown.append(self._grow(v, vertex, self.settings, held=held))
        return grown

    def _grow(
        self, v: int, vertex: Vertex, settings: Boost, *, held: BoostRows | None = None, seed: int = 0
    ) -> Grown:
        base = np.array([[0, self.base(vertex)]], dtype=np.int32)
        reach = _reaching(self.rows.own(self.variable), vertex)
        kept = self._tests(len(reach))

        def stage_rows(rows: BoostRows) -> StageRows:
            own = rows.own(self.variable)
            place = _reaching(own, vertex)
            return StageRows(_table(rows, place, kept), (own[place] >= vertex.middle).astype(np.uint16), base)

        if len(reach) < LEAST_ROWS:
            return NOTHING
        learned = stage_rows(self.rows)
        ones = int(learned.own.sum())
        if min(ones, len(reach) - ones) < LEAST_ONES:
            return NOTHING
        found = grow_stages(
            learned,
            self.readable,
            settings,
            (self.variable + (v << 20)) ^ (seed << 40),
            held=None if held is None else stage_rows(held),
            until=Until(round(PATIENCE / settings.rate)),
            seconds=seconds_left(self.ends),
            stop=self.stop,
        )
        return found._replace(test=kept[found.test].astype(np.int32))

    def base(self, vertex: Vertex) -> int:
        """The logit of the digit by counts alone, in units of scores."""
        own = self.rows.own(self.variable)
        ones = int(((own >= vertex.middle) & (own < vertex.high)).sum())
        rest = int(((own >= vertex.low) & (own < vertex.middle)).sum())
        return round(math.log((ones + HALF) / (rest + HALF)) / UNIT)

    def _tests(self, rows: int) -> IntArray:
        """The numbers of the tests that a vertex of this many rows uses: few rows need few cuts."""
        variable, low, high = self.rows.arrays
        most = max(rows // ROWS_A_CUT, 4)
        cuts = np.bincount(variable, weights=high > low, minlength=1 + int(variable.max(initial=0)))
        step = np.maximum(np.ceil(cuts / most).astype(np.int64), 1)[variable]
        return np.flatnonzero(((high == low) | (low % step == 0)) & np.isin(variable, self.readable))

    def joined(self, grown: Sequence[Grown]) -> BoostedNode:
        """The node of the stages of all vertices: the logit of each in a column of its own."""
        bases = np.zeros((1, self.tree.states), dtype=np.int32)
        bases[0, :-1] = [self.base(vertex) for vertex in self.tree.vertices]
        every = []
        for v, one in enumerate(grown):
            scores = np.zeros((len(one.scores), self.tree.states), dtype=np.int32)
            scores[:, v] = one.scores[:, 1] - one.scores[:, 0]
            every.append(one._replace(scores=scores))
        return joined_node(self.rows, self.variable, bases, every, self.tree)


@dataclass(frozen=True, slots=True, eq=False)
class DigitTrial:
    """Nodes of digits whose stages are chosen by the held-out rows of all parts."""

    rows: BoostRows
    parts: Sequence[TrialPart]
    readable: Mapping[int, Sequence[int]]
    settings: Boost
    ends: float

    def __call__(self, i: int, stop: native.Stop) -> ChosenNode | None:
        """The node of variable i; None where its graph is better, or the time does not suffice."""
        found = self.tried(i, stop)
        if found is None:
            return None
        growers, grown, best = found
        made = [grower.joined(each) for grower, each in zip(growers, grown, strict=True)]
        gained = sum(
            float(one.log_theta(part.held.dataset).sum()) - part.graph_score(i)
            for one, part in zip(made, self.parts, strict=True)
        )
        if gained <= 0:
            return None
        whole = replace(growers[0], rows=self.rows)
        node = made[0] if self.rows is self.parts[0].rows else whole.node(best)
        return None if node is None else ChosenNode(node, made, gained)

    def tried(
        self, i: int, stop: native.Stop
    ) -> tuple[list[DigitGrower], list[list[Grown]], list[int]] | None:
        """What grows variable i from the rows of each part, the vertices with as many stages as are best, and how many
        stages of all rows that makes; None where the time does not suffice.
        """
        tree = tree_of(self.rows, i)
        growers = [
            DigitGrower(part.rows, i, tree, self.readable[i], self.settings, self.ends, stop)
            for part in self.parts
        ]
        grown = [grower.grow(part.held) for grower, part in zip(growers, self.parts, strict=True)]
        complete = [each for each in grown if each is not None]
        if len(complete) < len(grown):
            return None
        best = choose_stages(tree, complete)
        first = [[one.first(m) for one, m in zip(each, best, strict=True)] for each in complete]
        return growers, first, [round(MORE * m) for m in best]


def choose_stages(tree: DigitTree, parts: Sequence[Sequence[Grown]]) -> list[int]:
    """How many stages each vertex has: as many as score best on the held-out rows of all parts.

    Few held-out rows reach a vertex, and say little: so the mean of what the vertices at its depth gain is added to what
    it gains itself.
    """
    longest = max(len(one.held_scores) for part in parts for one in part)
    gains = np.zeros((len(tree.vertices), longest))
    for part in parts:
        for v, one in enumerate(part):
            curve = one.held_scores - one.held_scores[0]
            gains[v] += np.pad(curve, (0, longest - len(curve)), "edge")
    for depth in np.unique(tree.depths):
        own = tree.depths == depth
        gains[own] += gains[own].mean(axis=0)
    shortest = np.min([[len(one.begin) - 1 for one in part] for part in parts], axis=0)
    return [int(count) for count in np.minimum(np.argmax(gains, axis=1), shortest)]


def _reaching(own: NDArray[np.uint16], vertex: Vertex) -> IntArray:
    return np.flatnonzero((own >= vertex.low) & (own < vertex.high))


def _table(rows: BoostRows, reach: IntArray, tests: IntArray) -> native.BitTable:
    codes: CodeArray = np.asarray(rows.dataset.codes[reach], order="F")  # type: ignore[assignment]
    variable, low, high = rows.arrays
    return native.BitTable(codes, variable[tests], low[tests], high[tests])
