"""One node boosted: stages added to base rates, or to what its decision graph says."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet._native import boost as native
from depnet.arrays import FloatArray
from depnet.data.table.dataset import Dataset
from depnet.learning.boost.rows import BoostRows
from depnet.learning.boost.settings import Boost
from depnet.model.boosted import BoostedNode
from depnet.model.counting import leaves_of
from depnet.model.node import Node
from depnet.model.sources.source import ConstantSource, InformationSource
from depnet.model.stages import Scores, Stages, on_grid

BASE_SMOOTHING = 0.5
"""The pseudo-count of each state in the base rates."""
RUN_STEP = 2**32
"""Between the seeds of two runs: more than there are variables."""


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """What stages are added to: scores [leaf, state] of a source."""

    source: InformationSource
    scores: Scores

    @classmethod
    def of(cls, base: FloatArray, node: Node, graph: float) -> "Start":
        """Base rates, and the share `graph` of what the node's decision graph says beyond them."""
        if graph == 0.0 or not node.inputs:
            return cls(ConstantSource(), on_grid(base[None, :]))
        theta = node.table.probabilities
        floor = np.maximum(theta, np.finfo(np.float64).tiny)
        return cls(node.source, on_grid(base + graph * (np.log(floor) - base)))

    def of_rows(self, dataset: Dataset) -> Scores:
        """[N, states] of every row."""
        return np.ascontiguousarray(self.scores[leaves_of(self.source, dataset)])


@dataclass(frozen=True, slots=True, eq=False)
class Boosted:
    """The stages of one node as they were grown, and what held-out rows said of them."""

    variable: int
    start: Start
    stages: Stages
    """Of all tests that there are."""
    gains: FloatArray
    """[variable]: nats a row."""
    held_scores: FloatArray
    """The sum over held-out rows of log theta at the start and after each stage; empty without such rows."""
    complete: bool

    def node(self, stages: int | None = None) -> BoostedNode:
        """The node of the first `stages` stages (None: all)."""
        kept = self.stages.first(len(self.stages) if stages is None else stages)
        used, test = np.unique(kept.test, return_inverse=True)
        compact = Stages(
            kept.variable[used],
            kept.low[used],
            kept.high[used],
            kept.begin,
            kept.leaf,
            test.astype(np.int32),
            kept.scores,
        )
        inputs = sorted({*self.start.source.inputs, *compact.inputs})
        share = len(kept) / max(len(self.stages), 1)
        gains = self.gains[inputs] * share
        return BoostedNode(self.variable, self.start.source, self.start.scores, compact, gains)


class Until(NamedTuple):
    """When a trial ends: after `patience` stages without a better held-out score, or after `look` below its `rival`'s."""

    patience: int = 1
    look: int = 0
    rival: float = -math.inf


def base_scores(rows: BoostRows, i: int) -> FloatArray:
    """The logs of the base rates of variable i."""
    counts = np.bincount(rows.own(i), minlength=rows.dataset.domain.cardinalities[i])
    return np.asarray(np.log((counts + BASE_SMOOTHING) / (counts.sum() + BASE_SMOOTHING * len(counts))))


def boosted(
    rows: BoostRows,
    node: Node,
    readable: Sequence[int],
    settings: Boost,
    *,
    run: int = 0,
    held: BoostRows | None = None,
    until: Until | None = None,
    seconds: float | None = None,
    stop: native.Stop | None = None,
) -> Boosted:
    """The stages of the node's variable, which may split on `readable`, learned from `rows`.

    `node` has the decision graph that `settings.graph` speaks of. Each `run` has random words of its own. With rows held
    out, growing ends when `until` says. After `seconds` the stages are those grown by then.
    """
    i, until = node.variable, until or Until()
    start = Start.of(base_scores(rows, i), node, settings.graph)
    begin, leaf, test, scores, gains, held_scores, complete = native.boost(
        rows.bits,
        native.Settings(
            stages=settings.stages,
            leaves=settings.leaves,
            patience=until.patience,
            rate=settings.rate,
            shrinkage=settings.shrinkage,
            least_curvature=settings.least_curvature,
            share=settings.share,
            seed=i + run * RUN_STEP,
            look=until.look,
            rival=until.rival,
        ),
        own=rows.own(i),
        start=start.of_rows(rows.dataset),
        readable=list(readable),
        held_table=None if held is None else held.bits,
        held_own=None if held is None else held.own(i),
        held_start=None if held is None else start.of_rows(held.dataset),
        seconds=seconds,
        stop=native.Stop() if stop is None else stop,
    )
    stages = Stages(*rows.arrays, begin, leaf, test, scores.reshape(-1, start.scores.shape[1]))
    total = max(rows.dataset.rows, 1)
    return Boosted(i, start, stages, np.asarray(gains / total), np.asarray(held_scores), complete)


def averaged(runs: Sequence[Boosted]) -> Boosted:
    """The mean of the scores of several runs: their stages one after the other, each with its share of the score.

    So theta is, in proportion, the geometric mean of what the runs say.
    """
    if len(runs) == 1:
        return runs[0]
    splits = np.cumsum([0, *(len(one.stages.leaf) for one in runs)])
    first = runs[0].stages
    joined = Stages(
        first.variable,
        first.low,
        first.high,
        np.concatenate([[0], *(one.stages.begin[1:] + at for one, at in zip(runs, splits, strict=False))]),
        np.concatenate([one.stages.leaf for one in runs]),
        np.concatenate([one.stages.test for one in runs]),
        np.rint(np.concatenate([one.stages.scores for one in runs]) / len(runs)),
    )
    gains = np.mean([one.gains for one in runs], axis=0)
    complete = all(one.complete for one in runs)
    return Boosted(runs[0].variable, runs[0].start, joined, gains, np.empty(0), complete)


def log_theta(one: Boosted, stages: int, held: BoostRows) -> NDArray[np.float64]:
    """Log theta of every held-out row, by the first `stages` stages."""
    return one.node(stages).log_theta(held.dataset)
