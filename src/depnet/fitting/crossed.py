"""The mean of a number given coded inputs, by several fits, each without a part of the rows (ours, beyond the paper).

The rows are divided into five parts, alike in their numbers. Each part is held out once: the others grow stages
(`depnet.learning.boost.mean`), from a constant on or from a linear model, and the parts held out say together of which
kind, and how many. So every row has a mean
that was found without it, and what it lies from that (its residual) is as large as a new row's will be. The mean of a new
row is that of all five fits, which is steadier than one.
"""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from depnet._native import boost as native
from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.table.domain import Domain
from depnet.learning.boost.linear import Design, Effects, ridge
from depnet.learning.boost.mean import MeanBoost, MeanStages, Scale, boosted_mean
from depnet.learning.rows.some_rows import codes_of

PARTS = 5
FEW_ROWS, SURE_ROWS, MANY_ROWS = 10, 5_000, 20_000
"""With fewer rows there is nothing to hold out; from this many on, one part chooses the kind of stages; with more than
many, steps are twice as large."""

Task: TypeAlias = tuple[MeanBoost, Effects | None, int]
"""Settings, what stages are added to, and the part that is held out."""

RIDGES = (1.0, 10.0, 100.0, 1000.0)
"""Rows that say that an effect is 0, beside those that there are."""
MOST_PRODUCTS = 2e9
"""Of the columns of a linear model, summed over rows: of more rows some are taken, evenly by their numbers."""

CANDIDATES = (MeanBoost(least_rows=20), MeanBoost(least_rows=5))


@dataclass(frozen=True, slots=True, eq=False)
class CrossedMean:
    """The fits, of which there may be none; then the mean is `centre`, that of all rows."""

    fits: tuple[MeanStages, ...]
    centre: float
    unseen: FloatArray
    """Of every row it was learned from: its mean by the fit that was made without it."""

    def means(self, codes: CodeArray) -> FloatArray:
        """The mean given every row of codes [N, n]."""
        if not self.fits:
            return np.full(len(codes), self.centre)
        return np.asarray(np.mean([fit.means(codes) for fit in self.fits], axis=0))


def crossed_mean(
    domain: Domain,
    codes: CodeArray,
    numbers: FloatArray,
    *,
    candidates: Sequence[MeanBoost] = CANDIDATES,
    max_seconds: float | None = None,
    n_jobs: int = 1,
) -> CrossedMean:
    """The mean of `numbers` given codes [N, n] of the domain: the same in whatever order the rows are.

    After `max_seconds` stages are those grown by then.
    """
    order = np.lexsort((*np.asarray(codes).T[::-1], numbers))
    codes, numbers = codes_of(codes, order), numbers[order]
    centre = math.fsum(numbers.tolist()) / len(numbers)
    if len(numbers) < FEW_ROWS or numbers[0] == numbers[-1] or not len(domain):
        return CrossedMean((), centre, np.full(len(numbers), centre))
    part, scale = parts_of(len(numbers)), Scale.of(numbers)
    whole = scale.whole(numbers)
    line = crossed_line(domain, codes, whole, part)
    ends = None if max_seconds is None else time.monotonic() + max_seconds
    stop = native.Stop()

    def one(task: Task) -> MeanStages:
        settings, start, k = task
        learned, held = part != k, part == k
        return boosted_mean(
            domain,
            codes[learned],
            whole[learned],
            settings,
            scale=scale,
            start=start,
            held=(codes[held], whole[held]),
            seed=k,
            seconds=None if ends is None else max(ends - time.monotonic(), 0.0),
            stop=stop,
        )

    faster = 1 if len(numbers) <= MANY_ROWS else 2
    kinds = [
        (replace(candidate, rate=faster * candidate.rate), starts)
        for starts in ([None] * PARTS, line)
        for candidate in candidates
    ]
    judges = PARTS if len(numbers) < SURE_ROWS else 1
    tried = [
        _on_threads(one, [(c, starts[k], k) for k in range(judges)], n_jobs, stop) for c, starts in kinds
    ]
    best = min(range(len(kinds)), key=lambda c: _least_loss(tried[c]))
    settings, starts = kinds[best]
    rest = _on_threads(one, [(settings, starts[k], k) for k in range(judges, PARTS)], n_jobs, stop)
    grown = [*tried[best], *rest]
    _, stages = _least_loss(grown)
    fits = tuple(fit.first(stages) for fit in grown)
    unseen = np.empty(len(numbers))
    for k, fit in enumerate(fits):
        unseen[order[part == k]] = fit.means(codes[part == k])
    return CrossedMean(fits, centre, unseen)


def crossed_line(domain: Domain, codes: CodeArray, whole: IntArray, part: IntArray) -> list[Effects]:
    """The linear model without each part, all of the ridge that predicts the parts held out best."""
    design = Design.of(domain, codes)
    every = math.ceil(len(codes) * design.width**2 / MOST_PRODUCTS)  # rows enough for a line
    rows_of = [np.flatnonzero(part == k)[::every] for k in range(PARTS)]
    columns = [design.columns(codes[rows]) for rows in rows_of]
    numbers = [whole[rows] for rows in rows_of]
    products = [z.T @ z for z in columns]
    moments = [z.T @ y for z, y in zip(columns, numbers, strict=True)]
    found = []
    for strength in RIDGES:
        models = [
            design.effects(ridge(sum(products) - products[k], sum(moments) - moments[k], strength))
            for k in range(PARTS)
        ]
        lost = 0.0
        for k, model in enumerate(models):
            rest = np.asarray(numbers[k] - model.sums(codes[rows_of[k]]), dtype=np.float64)
            lost += float((rest * rest).sum())
        found.append((lost, models))
    return min(found, key=lambda each: each[0])[1]


def parts_of(rows: int) -> IntArray:
    """The part of each of `rows` rows in the order of their numbers: of every five in turn each is in another part."""
    rng = np.random.default_rng(0)
    turns = rng.permuted(np.tile(np.arange(PARTS), (math.ceil(rows / PARTS), 1)), axis=1)
    return np.asarray(turns.reshape(-1)[:rows])


def _least_loss(fits: Sequence[MeanStages]) -> tuple[float, int]:
    """The least sum of squares of all rows when held out, and the number of stages that has it."""
    longest = max(len(fit.held_losses) for fit in fits)
    total: FloatArray = np.sum(
        [np.pad(fit.held_losses, (0, longest - len(fit.held_losses)), "edge") for fit in fits], axis=0
    )
    stages = int(np.argmin(total))
    return float(total[stages]), stages


def _on_threads(
    work: Callable[[Task], MeanStages], tasks: Sequence[Task], jobs: int, stop: native.Stop
) -> list[MeanStages]:
    """`work` on all tasks; however this ends, none goes on."""
    if jobs <= 1:
        return [work(task) for task in tasks]
    with ThreadPoolExecutor(jobs) as pool:
        try:
            return list(pool.map(work, tasks))
        except BaseException:
            stop.set()
            raise
