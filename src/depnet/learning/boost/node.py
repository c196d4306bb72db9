"""One node boosted: stages added to base rates."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from depnet._native import boost as native
from depnet.arrays import FloatArray
from depnet.learning.boost.rows import BoostRows
from depnet.learning.boost.settings import Boost
from depnet.model.boosted import BoostedNode
from depnet.model.sources.source import ConstantSource
from depnet.model.stages import Scores, Stages, on_grid

BASE_SMOOTHING = 0.5
"""The pseudo-count of each state in the base rates."""
RUN_STEP = 2**32
"""Between the seeds of two runs: more than there are variables."""


@dataclass(frozen=True, slots=True, eq=False)
class Boosted:
    """The stages of one node as they were grown, and what held-out rows said of them."""

    variable: int
    base: Scores
    """[1, states]: what stages are added to."""
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
        gains = self.gains[list(compact.inputs)] * (len(kept) / max(len(self.stages), 1))
        return BoostedNode(self.variable, ConstantSource(), self.base, compact, gains)


class Until(NamedTuple):
    """When a trial ends: after `patience` stages without a better held-out score, or after `look` below its `rival`'s."""

    patience: int = 1
    look: int = 0
    rival: float = -math.inf


def seconds_left(ends: float) -> float | None:
    """Until a time of `time.monotonic`; None where there is no end."""
    return None if math.isinf(ends) else max(ends - time.monotonic(), 0.0)


def base_scores(rows: BoostRows, i: int) -> Scores:
    """The logs of the base rates of variable i, [1, states]."""
    counts = np.bincount(rows.own(i), minlength=rows.dataset.domain.cardinalities[i])
    rates = (counts + BASE_SMOOTHING) / (counts.sum() + BASE_SMOOTHING * len(counts))
    return on_grid(np.log(rates)[None, :])


def boosted(
    rows: BoostRows,
    i: int,
    readable: Sequence[int],
    settings: Boost,
    *,
    run: int = 0,
    held: BoostRows | None = None,
    until: Until | None = None,
    seconds: float | None = None,
    stop: native.Stop | None = None,
) -> Boosted:
    """The stages of variable i, which may split on `readable`, learned from `rows`.

    Each `run` has random words of its own. With rows held out, growing ends when `until` says. After `seconds` the stages
    are those grown by then.
    """
    until = until or Until()
    base = base_scores(rows, i)
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
        start=np.repeat(base, rows.dataset.rows, axis=0),
        readable=list(readable),
        held_table=None if held is None else held.bits,
        held_own=None if held is None else held.own(i),
        held_start=None if held is None else np.repeat(base, held.dataset.rows, axis=0),
        seconds=seconds,
        stop=native.Stop() if stop is None else stop,
    )
    stages = Stages(*rows.arrays, begin, leaf, test, scores.reshape(-1, base.shape[1]))
    total = max(rows.dataset.rows, 1)
    return Boosted(i, base, stages, np.asarray(gains / total), np.asarray(held_scores), complete)


def averaged_node(
    rows: BoostRows, i: int, readable: Sequence[int], settings: Boost, ends: float, stop: native.Stop
) -> BoostedNode | None:
    """The node of the mean of all runs; None where the time does not suffice, or nothing is split."""
    grown = []
    for run in range(settings.runs):
        one = boosted(rows, i, readable, settings, run=run, seconds=seconds_left(ends), stop=stop)
        if not (one.complete and len(one.stages)):
            return None
        grown.append(one)
    return averaged(grown).node()


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
    return Boosted(runs[0].variable, runs[0].base, joined, gains, np.empty(0), complete)
