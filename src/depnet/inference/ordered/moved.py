r"""Answers where weighted passes alone are too uneven: passes, resampled by their weights, and moved.

A *batch* draws passes of its own, resamples some of them in proportion to their weights and moves these by updates
from the conditionals under Q, which leave Q(. | x_C) as it is. What it answers is the mean of the conditionals that its
updates drew from. Moves do not correct how much weight a mode has, and resampled states share ancestors: so no error is
taken from within a batch. Batches are independent; batch b counts in proportion to the sum W_b of its weights,

.. math:: \hat p = \frac{\sum_b W_b p_b}{\sum_b W_b}, \qquad
          s^2 = \frac{B}{B - 1} \frac{\sum_b W_b^2 (p_b - \hat p)^2}{(\sum_b W_b)^2}.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.inference.effort import Over
from depnet.law.conditional import Conditional
from depnet.law.program import joint_codes, law_of
from depnet.law.resample import WeightedPasses
from depnet.law.sharpen import BATCHES, FEWEST_EFFECTIVE, sharpen

FIRST_PASSES = 1 << 10
FIRST_STATES = 64
FIRST_SWEEPS, MOST_SWEEPS = 8, 64
MOST_SUMS = 1 << 25
"""Conditionals are added up for every moved state, up to this many numbers; past it, states are counted."""
LEAD = 2
"""Sweeps before the first that counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """A flat law for each table, with errors between batches."""

    laws: list[FloatArray]
    errors: list[FloatArray]
    deviations: list[FloatArray]
    """[batch, cell] of each table: what each batch adds to the error."""
    passes: int
    effective: float
    converged: bool

    @property
    def error(self) -> float:
        """The largest standard error."""
        return max(float(each.max()) for each in self.errors)


def moved(asked: Conditional, tolerance: float, seed: int, most_updates: float, over: Over) -> Moved | None:
    """The joint law of each table, until errors are under the tolerance, time is over or the updates are used up.

    None where no round of batches came to its end.
    """
    law, variables = law_of(asked.network), asked.variables
    used, cut_short = 0.0, False
    found: Moved | None = None
    # An update that moves a variable asks every node that reads it, too.
    updates_a_sweep = sum(2 + len(law.inputs[i]) for i in variables)

    def is_over() -> bool:
        return over() or 4 * used > most_updates

    def draw(passes: int) -> None:
        """A round of batches, each of so many passes; the last whole one counts alone."""
        nonlocal used, found, seed, cut_short
        larger = passes / FIRST_PASSES
        states, sweeps = int(FIRST_STATES * larger), int(min(FIRST_SWEEPS * larger, MOST_SWEEPS))
        most = max(most_updates - used, 0.0) / (len(variables) * BATCHES)
        batches, laws = [], []
        for b in range(BATCHES):
            batch = WeightedPasses(law, variables, asked.own, seed + 2 * b)
            cut_short = not batch.draw_effective(FEWEST_EFFECTIVE, first=passes, most=most, over=over)
            if cut_short:
                return
            batches.append(batch)
            laws.append(_laws(batch, asked.tables, states, sweeps))
            cut_short = over()
            if cut_short:
                return
        used += sum(batch.rows for batch in batches) * len(variables)
        used += BATCHES * states * (LEAD + sweeps) * updates_a_sweep
        seed += 2 * BATCHES
        found = _joined(batches, laws, tolerance)

    def error() -> float:
        return math.inf if found is None else found.error

    sharpen(draw, error, tolerance, first=FIRST_PASSES, most=math.inf, over=lambda: cut_short or is_over())
    return found


def _laws(
    passes: WeightedPasses, tables: Sequence[tuple[int, ...]], states: int, sweeps: int
) -> list[FloatArray]:
    """What moved states of a batch say of each table: the mean of the conditionals drawn from, or of joint states."""
    # Evenly spaced through the weights (systematic resampling), from a place of the batch's own.
    start = np.random.default_rng(passes.seed).random()
    chosen = passes.taken((np.arange(states) + start) / states)
    seed = passes.seed + 1
    passes.move(chosen, LEAD, seed=seed)
    cards = passes.law.cardinalities
    sizes = [cards[i] for i in passes.open]
    if all(len(table) == 1 for table in tables) and states * sum(sizes) <= MOST_SUMS:
        cells: IntArray = np.zeros(len(cards), dtype=np.int64)
        cells[passes.open] = np.cumsum(sizes) - sizes
        sums = np.zeros((states, sum(sizes)))
        passes.move(chosen, sweeps, seed=seed, first_sweep=LEAD, cells=cells, sums=sums)
        mean = sums.sum(axis=0) / (states * sweeps)
        return [mean[cells[i] : cells[i] + cards[i]] for (i,) in tables]
    laws = [np.zeros(math.prod(cards[i] for i in table)) for table in tables]
    for sweep in range(sweeps):
        passes.move(chosen, 1, seed=seed, first_sweep=LEAD + sweep)
        for found, table in zip(laws, tables, strict=True):
            state = joint_codes(chosen, table, cards)
            found += np.bincount(state, minlength=len(found)) / (states * sweeps)
    return laws


def _joined(
    batches: Sequence[WeightedPasses], batch_laws: Sequence[Sequence[FloatArray]], tolerance: float
) -> Moved:
    """The batches in proportion to their weights, and the spread between them."""
    logs = np.array([batch.log_mean_weight for batch in batches])
    share = np.exp(logs - logs.max())
    share /= share.sum()
    laws, errors, deviations = [], [], []
    few = len(batches) / (len(batches) - 1)
    for each in zip(*batch_laws, strict=True):
        stack = np.stack(each)
        mean = share @ stack
        laws.append(mean / mean.sum())
        errors.append(np.sqrt(few * (share**2 @ (stack - mean) ** 2)))
        deviations.append(math.sqrt(few) * share[:, None] * (stack - mean))
    effective = float(sum(batch.effective for batch in batches) / (len(batches) * (share**2).sum()))
    rows = sum(batch.rows for batch in batches)
    # A state that no batch met has an error all the same.
    unseen = 1 / (effective + 2)
    errors = [np.maximum(each, unseen * (law < unseen)) for each, law in zip(errors, laws, strict=True)]
    converged = max(float(each.max()) for each in errors) <= tolerance
    return Moved(laws, errors, deviations, rows, effective, converged)
