"""One node boosted: stages added to base rates, from rows as bits.

The rows are put in an order of their own, that of their hashes, equal rows one after the other, and a row of weight w stands
there w times. The random words of the rounding belong to places in this order: so neither the order of the rows in
the table matters, nor whether they come as weights or as repetitions.

A test is low <= x <= high of a variable. A variable of two states has one. Of one with an order, numbers or ordered labels,
they are its cuts: the states from each on. Of any other they are its states, each against all others; of very many, those
that rows have most often.

A category is boosted in one part, all states together. A number, or a category with an order, is a word of digits
(`depnet.model.stages`), and each vertex of its tree is a part, boosted from the rows that reach it. A row takes part in as
many binary boosts as its word has digits, and deep vertices have few rows: all of them together cost little more than one
boost of two states. A vertex of too few rows has no stages, and says what the rows' counts say.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet._native import boost as native
from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Variable
from depnet.data.table.weights import repetitions
from depnet.errors import LearningError
from depnet.learning import limits
from depnet.learning.options import Boost
from depnet.learning.rows import codes_of, distinct_rows, some_rows
from depnet.model.boosted import BoostedNode
from depnet.model.node import Node
from depnet.model.sources.source import ConstantSource, InformationSource, LosslessSource
from depnet.model.stages import UNIT, DigitTree, Scores, Stages, Test, on_grid
from depnet.model.table import leaves_of

LEAVES = (8, 32)
GRAPHS = (1.0, 0.5)


def candidates_for(rows: int) -> tuple[Boost, ...]:
    """Stages of few or of more leaves, added to base rates; and of few, added to the node's graph, whole or half.

    Their `stages` are the most that are tried.
    """
    rate = 0.05 if rows <= limits.SMALL_STEP_ROWS else 0.1
    stages = round(200 / rate)
    alone = [Boost(stages, leaves, rate) for leaves in LEAVES]
    return (*alone, *(Boost(stages, LEAVES[0], rate, graph=graph) for graph in GRAPHS))


DIGITS = Boost(stages=400, leaves=8, rate=0.1, share=0.7, shrinkage=1.0, least_curvature=0.5)
"""Of a digit. Other leaves, rates, shares and shrinkages that were tried moved held-out scores by less than 0.02 nats."""


MOST_TESTS = 255
"""Of a variable: all cuts between as many bins as codes of one byte have, but one for what is missing."""
BASE_SMOOTHING = 0.5
"""The pseudo-count of each state, or digit, in the base rates."""
ROWS_A_CUT = 6
"""Of an input with an order, cuts are so far apart that some rows of a vertex lie between two of them."""
PATIENCE = 2.0
"""Steps that sum to this (stages times their rate) without a better score of the rows held out end a trial; more of them
for nodes of many states, each of which is looked at in turn,"""
MOST_TURNS = 5
"""as many times as this at most."""
PART_STEP, RUN_STEP = 2**20, 2**32
"""Between the seeds of two parts: more than there are variables; and of two runs."""


def tests_of(variable: Variable, i: int, counts: IntArray) -> list[Test]:
    """The tests of variable i, whose states are in the rows as often as `counts` says.

    >>> tests_of(Variable("class", ("1st", "2nd", "3rd")), 4, np.array([5, 0, 9]))
    [Test(variable=4, low=0, high=0), Test(variable=4, low=2, high=2)]
    >>> tests_of(Variable("rooms", (1, 2, 3)), 0, np.array([5, 2, 9]))
    [Test(variable=0, low=1, high=2), Test(variable=0, low=2, high=2)]
    """
    k = len(variable.present_states)
    missing = [] if variable.missing is None else [Test(i, k, k)]
    if variable.has_cuts:
        cuts = np.unique(np.rint(np.linspace(0, k, min(MOST_TESTS, k - 1) + 2)[1:-1]).astype(int))
        return [*(Test(i, cut, k - 1) for cut in cuts.tolist()), *missing]
    if variable.cardinality == 2:
        return [Test(i, 1, 1)]
    most = np.argsort(-counts[:k], kind="stable")[:MOST_TESTS]
    return [*(Test(i, code, code) for code in np.sort(most[counts[most] > 0]).tolist()), *missing]


def all_tests(dataset: Dataset) -> list[Test]:
    """The tests of all variables of a table, in their order."""
    found: list[Test] = []
    for i, variable in enumerate(dataset.domain.variables):
        counts = np.bincount(dataset.column(i), weights=dataset.weights, minlength=variable.cardinality)
        found += tests_of(variable, i, counts.astype(np.int64))
    return found


@dataclass(frozen=True, eq=False)
class BoostRows:
    """Rows in their own order, each once for its weight, and the tests that stages may split on."""

    dataset: Dataset
    tests: Sequence[Test]

    @classmethod
    def of(cls, dataset: Dataset, tests: Sequence[Test]) -> "BoostRows":
        """The rows of a dataset, put in order."""
        if dataset.total > limits.BOOSTED_ROWS:
            raise LearningError(
                f"`boost` takes {limits.BOOSTED_ROWS:,} rows at most, and with its weights the table has {dataset.total:,}. "
                "Learn from a sample of the rows, or leave `boost` out."
            )
        distinct = distinct_rows(dataset)
        order = np.repeat(distinct.rows, repetitions(distinct.counts))
        return cls(some_rows(Dataset(dataset.domain, dataset.codes, None), order), tests)

    @cached_property
    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.uint16], NDArray[np.uint16]]:
        """The tests as arrays: variable, low, high."""
        flat = np.array(self.tests, dtype=np.int64).reshape(-1, 3)
        return flat[:, 0].astype(np.int32), flat[:, 1].astype(np.uint16), flat[:, 2].astype(np.uint16)

    @cached_property
    def bits(self) -> native.BitTable:
        return native.BitTable(self.dataset.codes, *self.arrays)

    def own(self, i: int) -> NDArray[np.uint16]:
        return np.ascontiguousarray(self.dataset.column(i), dtype=np.uint16)


class Grown(NamedTuple):
    """Stages as they were grown, and what held-out rows said of them."""

    begin: NDArray[np.int32]
    leaf: NDArray[np.uint16]
    test: NDArray[np.int32]
    """Numbers of all tests of the rows."""
    scores: Scores
    """[leaf, state]."""
    gains: FloatArray
    """[variable]: nats of all rows."""
    held_scores: FloatArray
    """The sum over held-out rows of log theta at the start and after each stage; empty without such rows."""
    complete: bool

    @property
    def stages(self) -> int:
        return len(self.begin) - 1

    def first(self, stages: int) -> "Grown":
        """The first stages alone, or all where there are not as many."""
        stages = min(stages, self.stages)
        splits, share = int(self.begin[stages]), stages / max(self.stages, 1)
        return self._replace(
            begin=self.begin[: stages + 1],
            leaf=self.leaf[:splits],
            test=self.test[:splits],
            scores=self.scores[: splits + stages],
            gains=self.gains * share,
        )


NOTHING = Grown(
    np.zeros(1, np.int32),
    np.zeros(0, np.uint16),
    np.zeros(0, np.int32),
    np.zeros((0, 2), np.int32),
    np.zeros(0),
    np.zeros(1),
    True,
)


class _PartRows(NamedTuple):
    """Rows of one part: their table of bits, the state or digit of each, and the scores that each starts from."""

    table: native.BitTable
    own: NDArray[np.uint16]
    start: Scores


def has_digits(variable: Variable) -> bool:
    """Has the variable an order, and more than two states, so that its states are words of digits?"""
    return variable.has_cuts and variable.cardinality > 2


def tree_of(rows: BoostRows, i: int) -> DigitTree:
    """The tree of variable i that divides these rows evenly."""
    variable = rows.dataset.domain.variables[i]
    counts = np.bincount(rows.own(i), minlength=variable.cardinality)
    return DigitTree.of(counts, missing=variable.missing is not None)


@dataclass(frozen=True, eq=False)
class NodeGrower:
    """What the node of one variable is grown from; with a `tree`, digit by digit."""

    rows: BoostRows
    variable: int
    tree: DigitTree | None
    readable: Sequence[int]
    """The variables that stages may split on."""
    ends: float = math.inf
    """Of `time.monotonic`."""
    stop: native.Stop | None = None
    first: tuple[int, Scores] | None = None
    """A column of the rows whose states are the leaves of the first source, and their scores; None: base rates."""
    graph: tuple[Node, float] | None = None
    """A node whose decision graph is the first source, and the share that is taken of what it says beyond base rates."""

    def started(self, settings: Boost, node: Node) -> "NodeGrower":
        """The grower that these settings speak of: of stages added to the graph of `node`, or to base rates."""
        if settings.graph == 0.0 or self.tree is not None:
            return self
        return replace(self, graph=(node, settings.graph))

    @property
    def parts(self) -> int:
        """How many are boosted by themselves."""
        return 1 if self.tree is None else len(self.tree.vertices)

    @property
    def source(self) -> InformationSource:
        """The first source, to whose scores the stages' are added."""
        if self.first is not None:
            return LosslessSource((self.first[0],), (len(self.bases),))
        return ConstantSource() if self.graph is None else self.graph[0].source

    @cached_property
    def bases(self) -> Scores:
        """[leaf, state]: what the counts of states say, or in column v those of the digit of vertex v."""
        if self.first is not None:
            return self.first[1]
        if self.graph is not None:
            node, share = self.graph
            rates = replace(self, graph=None).bases * UNIT
            theta = np.log(np.maximum(node.table.probabilities, np.finfo(np.float64).tiny))
            return on_grid(rates + share * (theta - rates))
        states = self.rows.dataset.domain.cardinalities[self.variable]
        counts = np.bincount(self.rows.own(self.variable), minlength=states) + 0.0
        if self.tree is None:
            rates = (counts + BASE_SMOOTHING) / (counts.sum() + BASE_SMOOTHING * states)
            return on_grid(np.log(rates)[None, :])
        found = np.zeros((1, states), dtype=np.int32)
        for v, (low, middle, high) in enumerate(self.tree.vertices):
            ones, rest = (
                counts[span].sum() + BASE_SMOOTHING for span in (np.s_[middle:high], np.s_[low:middle])
            )
            found[0, v] = round(math.log(ones / rest) / UNIT)
        return found

    def grow(
        self,
        settings: Boost,
        stages: Sequence[int] | None = None,
        *,
        held: BoostRows | None = None,
        run: int = 0,
    ) -> list[Grown] | None:
        """The stages of every part: so many (None: as the settings say), or until rows that are `held` out say no more.

        None where the time did not suffice. Each `run` has random words of its own.
        """
        grown = []
        for v in range(self.parts):
            count = settings.stages if stages is None else stages[v]
            one = self._grow(v, replace(settings, stages=count), held, run) if count else NOTHING
            if not one.complete:
                return None
            grown.append(one)
        return grown

    def _grow(self, v: int, settings: Boost, held: BoostRows | None, run: int) -> Grown:
        """The stages of part v."""
        seconds = None if math.isinf(self.ends) else max(self.ends - time.monotonic(), 0.0)
        if seconds == 0.0:
            return NOTHING._replace(complete=False)
        kept, learned = self._part(v, self.rows)
        if self.tree is not None:
            ones = int(learned.own.sum())
            if (
                len(learned.own) < limits.VERTEX_ROWS
                or min(ones, len(learned.own) - ones) < limits.VERTEX_ONES
            ):
                return NOTHING
        states = learned.start.shape[1]
        judge = None if held is None else self._part(v, held, kept)[1]
        begin, leaf, test, scores, gains, held_scores, complete = native.boost(
            learned.table,
            native.Settings(
                stages=settings.stages,
                leaves=settings.leaves,
                patience=max(round(min(states - 1, MOST_TURNS) * PATIENCE / settings.rate), 1),
                rate=settings.rate,
                shrinkage=settings.shrinkage,
                least_curvature=settings.least_curvature,
                share=settings.share,
                seed=self.variable + v * PART_STEP + run * RUN_STEP,
            ),
            own=learned.own,
            start=learned.start,
            readable=list(self.readable),
            held_table=None if judge is None else judge.table,
            held_own=None if judge is None else judge.own,
            held_start=None if judge is None else judge.start,
            seconds=seconds,
            stop=native.Stop() if self.stop is None else self.stop,
        )
        test = test if kept is None else kept[test].astype(np.int32)
        return Grown(begin, leaf, test, scores.reshape(-1, states), gains, held_scores, complete)

    def _part(
        self, v: int, rows: BoostRows, kept: IntArray | None = None
    ) -> tuple[IntArray | None, _PartRows]:
        """The tests that part v uses, `kept` where they are known (None: all); and those of the rows that it is of."""
        own = rows.own(self.variable)
        if self.tree is None:
            leaves = leaves_of(self.source, rows.dataset)
            return None, _PartRows(rows.bits, own, np.ascontiguousarray(self.bases[leaves]))
        low, middle, high = self.tree.vertices[v]
        reach = np.flatnonzero((own >= low) & (own < high))
        kept = self._tests(len(reach)) if kept is None else kept
        variable, first, last = rows.arrays
        table = native.BitTable(codes_of(rows.dataset.codes, reach), variable[kept], first[kept], last[kept])
        start = np.zeros((len(reach), 2), dtype=np.int32)
        start[:, 1] = self.bases[0 if self.first is None else rows.dataset.column(self.first[0])[reach], v]
        return kept, _PartRows(table, (own[reach] >= middle).astype(np.uint16), start)

    def _tests(self, rows: int) -> IntArray:
        """The numbers of the tests that a vertex of this many rows uses: few rows need few cuts."""
        variable, low, high = self.rows.arrays
        most = max(rows // ROWS_A_CUT, 4)
        columns = len(self.rows.dataset.domain)
        cuts = np.bincount(variable, weights=high > low, minlength=columns)
        step = np.maximum(np.ceil(cuts / most).astype(np.int64), 1)[variable]
        read = np.zeros(columns, dtype=np.bool_)
        read[list(self.readable)] = True
        return np.flatnonzero(((high == low) | (low % step == 0)) & read[variable])

    def node(self, *runs: Sequence[Grown]) -> BoostedNode:
        """The node of the stages of all parts; of several runs, with the mean of their scores.

        Theta is then, in proportion, the geometric mean of what the runs say.
        """
        every = []
        for v, one in ((v, one) for grown in runs for v, one in enumerate(grown)):
            scores = one.scores
            if self.tree is not None:  # the logit of each vertex in a column of its own
                scores = np.zeros((len(one.scores), self.tree.states), dtype=np.int32)
                scores[:, v] = one.scores[:, 1] - one.scores[:, 0]
            scores = np.rint(scores / len(runs)).astype(np.int32)
            every.append(one._replace(scores=scores, gains=one.gains / len(runs)))
        splits = np.cumsum([0, *(len(one.leaf) for one in every)])
        used, test = np.unique(np.concatenate([one.test for one in every]), return_inverse=True)
        variable, low, high = self.rows.arrays
        stages = Stages(
            variable[used],
            low[used],
            high[used],
            np.concatenate([[0], *(one.begin[1:] + at for one, at in zip(every, splits, strict=False))]),
            np.concatenate([one.leaf for one in every]),
            test.astype(np.int32),
            np.concatenate([one.scores for one in every]),
        )
        nothing = np.zeros(len(self.rows.dataset.domain))
        total = np.sum([one.gains for one in every if len(one.gains)] or [nothing], axis=0)
        gains = total[sorted({*self.source.inputs, *stages.inputs})] / max(self.rows.dataset.rows, 1)
        return BoostedNode(self.variable, self.source, self.bases, stages, gains, self.tree)

    def averaged_node(self, settings: Boost, stages: Sequence[int] | None = None) -> BoostedNode | None:
        """The node of as many runs as the settings say; None where the time does not suffice, or nothing is split."""
        runs = []
        for run in range(settings.runs):
            grown = self.grow(settings, stages, run=run)
            if grown is None or not any(one.stages for one in grown):
                return None
            runs.append(grown)
        return self.node(*runs)
