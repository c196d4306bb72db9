"""One node boosted: stages added to base rates."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet._native import boost as native
from depnet.arrays import FloatArray
from depnet.learning.boost.rows import BoostRows
from depnet.learning.boost.settings import Boost
from depnet.model.boosted import BoostedNode
from depnet.model.digits import DigitTree
from depnet.model.sources.source import ConstantSource
from depnet.model.stages import Scores, Stages, on_grid

BASE_SMOOTHING = 0.5
"""The pseudo-count of each state in the base rates."""
RUN_STEP = 2**32
"""Between the seeds of two runs: more than there are variables."""


class Until(NamedTuple):
    """When a trial ends: after `patience` stages without a better held-out score, or after `look` below its `rival`'s."""

    patience: int = 1
    look: int = 0
    rival: float = -math.inf


ALL = Until()
"""As many stages as the settings say, where no rows are held out."""


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

    def first(self, stages: int) -> "Grown":
        """The first stages alone."""
        splits, share = int(self.begin[stages]), stages / max(len(self.begin) - 1, 1)
        return self._replace(
            begin=self.begin[: stages + 1],
            leaf=self.leaf[:splits],
            test=self.test[:splits],
            scores=self.scores[: splits + stages],
            gains=self.gains * share,
        )


class StageRows(NamedTuple):
    """Rows to learn from, or held out: their table of bits, the states of the variable, and the scores they start from."""

    table: native.BitTable
    own: NDArray[np.uint16]
    base: Scores
    """[1, states]."""

    @property
    def start(self) -> Scores:
        """[row, state]."""
        return np.repeat(self.base, len(self.own), axis=0)


def grow_stages(
    rows: StageRows,
    readable: Sequence[int],
    settings: Boost,
    seed: int,
    *,
    held: StageRows | None = None,
    until: Until = ALL,
    seconds: float | None = None,
    stop: native.Stop | None = None,
) -> Grown:
    """Stages that split on `readable`; with rows held out, until `until` says. After `seconds`, those grown by then."""
    begin, leaf, test, scores, gains, held_scores, complete = native.boost(
        rows.table,
        native.Settings(
            stages=settings.stages,
            leaves=settings.leaves,
            patience=until.patience,
            rate=settings.rate,
            shrinkage=settings.shrinkage,
            least_curvature=settings.least_curvature,
            share=settings.share,
            seed=seed,
            look=until.look,
            rival=until.rival,
        ),
        own=rows.own,
        start=rows.start,
        readable=list(readable),
        held_table=None if held is None else held.table,
        held_own=None if held is None else held.own,
        held_start=None if held is None else held.start,
        seconds=seconds,
        stop=native.Stop() if stop is None else stop,
    )
    return Grown(begin, leaf, test, scores.reshape(-1, rows.base.shape[1]), gains, held_scores, complete)


def joined_node(
    rows: BoostRows, i: int, base: Scores, grown: Sequence[Grown], digits: DigitTree | None = None
) -> BoostedNode:
    """The node of all these stages, one after the other."""
    splits = np.cumsum([0, *(len(one.leaf) for one in grown)])
    used, test = np.unique(np.concatenate([one.test for one in grown]), return_inverse=True)
    variable, low, high = rows.arrays
    stages = Stages(
        variable[used],
        low[used],
        high[used],
        np.concatenate([[0], *(one.begin[1:] + at for one, at in zip(grown, splits, strict=False))]),
        np.concatenate([one.leaf for one in grown]),
        test.astype(np.int32),
        np.concatenate([one.scores for one in grown]),
    )
    total = np.sum(
        [one.gains for one in grown if len(one.gains)] or [np.zeros(len(rows.dataset.domain))], axis=0
    )
    gains = total[list(stages.inputs)] / max(rows.dataset.rows, 1)
    return BoostedNode(i, ConstantSource(), base, stages, gains, digits)


@dataclass(frozen=True, slots=True, eq=False)
class Boosted:
    """The stages of one node of states."""

    rows: BoostRows
    variable: int
    base: Scores
    """[1, states]: what stages are added to."""
    grown: Grown

    def __len__(self) -> int:
        return len(self.grown.begin) - 1

    def node(self, stages: int | None = None) -> BoostedNode:
        """The node of the first `stages` stages (None: all)."""
        kept = self.grown.first(len(self) if stages is None else min(stages, len(self)))
        return joined_node(self.rows, self.variable, self.base, [kept])


def seconds_left(ends: float) -> float | None:
    """Until a time of `time.monotonic`; None where there is no end."""
    return None if math.isinf(ends) else max(ends - time.monotonic(), 0.0)


def boosted(
    rows: BoostRows,
    i: int,
    readable: Sequence[int],
    settings: Boost,
    *,
    run: int = 0,
    held: BoostRows | None = None,
    until: Until = ALL,
    seconds: float | None = None,
    stop: native.Stop | None = None,
) -> Boosted:
    """The stages of variable i, which may split on `readable`; each `run` has random words of its own."""
    counts = np.bincount(rows.own(i), minlength=rows.dataset.domain.cardinalities[i])
    rates = (counts + BASE_SMOOTHING) / (counts.sum() + BASE_SMOOTHING * len(counts))
    base = on_grid(np.log(rates)[None, :])
    grown = grow_stages(
        StageRows(rows.bits, rows.own(i), base),
        readable,
        settings,
        i + run * RUN_STEP,
        held=None if held is None else StageRows(held.bits, held.own(i), base),
        until=until,
        seconds=seconds,
        stop=stop,
    )
    return Boosted(rows, i, base, grown)


def averaged_node(
    rows: BoostRows, i: int, readable: Sequence[int], settings: Boost, ends: float, stop: native.Stop
) -> BoostedNode | None:
    """The node of the mean of the scores of all runs, so that theta is, in proportion, the geometric mean of what they say.

    None where the time does not suffice, or nothing is split.
    """
    runs = []
    for run in range(settings.runs):
        one = boosted(rows, i, readable, settings, run=run, seconds=seconds_left(ends), stop=stop)
        if not (one.grown.complete and len(one)):
            return None
        runs.append(one.grown)
    shares = [
        each._replace(scores=np.rint(each.scores / len(runs)).astype(np.int32), gains=each.gains / len(runs))
        for each in runs
    ]
    return joined_node(rows, i, one.base, shares)
