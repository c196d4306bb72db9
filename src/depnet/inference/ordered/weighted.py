r"""Answers of an ordered law by weighted passes, where elimination is too large.

Passes are drawn and weighted by the tables of the known variables, until

.. math:: \hat p(x) = \frac{\sum_r W_r 1(X_r = x)}{\sum_r W_r}, \qquad
          s^2 = \frac{\sum_r W_r^2 (1(X_r = x) - \hat p(x))^2}{(\sum_r W_r)^2}

has s under the tolerance for every state. Where no weight depends on a target, since nothing known reads it or what
comes of it, theta(x | Y_r) takes the place of 1(X_r = x), whose mean it is and which varies more. A state that draws
seldom come to, and then with a large weight, shows in no spread before one has come: so one more draw of the largest
possible weight is counted into every error, and passes go on until that is less than half of the tolerance. Sums of each
batch of passes are kept as well: how errors of states hang together shows between them (`depnet.inference.answer.part`).

Where weighted passes are too uneven, they are resampled and moved. A *batch* draws passes of its own, resamples some of them
in proportion to their weights and moves these by updates from the conditionals under Q, which leave Q(. | x_C) as it is.
What it answers is the mean of the conditionals that its updates drew from. Moves do not correct how much weight a mode has,
and resampled states share ancestors: so no error is taken from within a batch. Batches are independent; batch b counts in
proportion to the sum W_b of its weights,

.. math:: \hat p = \frac{\sum_b W_b p_b}{\sum_b W_b}, \qquad
          s^2 = \frac{B}{B - 1} \frac{\sum_b W_b^2 (p_b - \hat p)^2}{(\sum_b W_b)^2}.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.errors import EvidenceError
from depnet.inference.effort import Over
from depnet.law.draw import WeightedPasses
from depnet.law.elimination import Conditional, log_largest_weight
from depnet.law.factors import IMPOSSIBLE
from depnet.law.program import joint_codes, law_of
from depnet.law.sharpen import BATCHES, FEWEST_EFFECTIVE, FIRST_DRAWS, MOST_DRAWS, UNEVEN, sharpen

CHUNK = 1 << 16
CHUNK_CELLS = 1 << 23
"""How many passes are summed at a time; fewer where a row's probabilities of all states are many numbers."""
MOST_UPDATES = 1 << 28
"""No answer takes more updates than this, unless time is given: some ten seconds."""
FIRST_PASSES = 1 << 10
FIRST_STATES = 64
FIRST_SWEEPS, MOST_SWEEPS = 8, 64
MOST_SUMS = 1 << 25
"""Conditionals are added up for every moved state, up to this many numbers; past it, states are counted."""
LEAD = 2
"""Sweeps before the first that counts."""
CAUTION = 1.1
"""Errors of passes are told larger by this factor: passes end when the errors that they estimate themselves are small."""


class Weights:
    """Weighted draws, summed: W P(x), W^2 P(x) and W^2 P(x)^2 of each table's cells.

    P is 1 on the cell that a draw is in and 0 elsewhere, or the probabilities of the cells given what the draw is besides.
    """

    def __init__(self, asked: Conditional) -> None:
        self._asked = asked
        self._known_ancestors = asked.known_ancestors
        self._largest = log_largest_weight(asked.network, asked.variables, asked.own)
        self.sums = [np.zeros(k) for k in asked.cells]
        self.squares = [np.zeros((2, k)) for k in asked.cells]
        cards = asked.network.domain.cardinalities
        self.batches = {i: np.zeros((BATCHES, cards[i])) for table in asked.tables for i in table}
        """[batch, state] of each variable that is asked for, the sums of W P(x)."""
        self.batch_totals = np.zeros(BATCHES)
        self.total = self.total_squares = 0.0
        self.rows = 0
        self._top = -math.inf

    def draw(self, count: int, seed: int) -> None:
        """More passes, some at a time: memory does not grow with their number."""
        asked = self._asked
        most = max(1, min(CHUNK, CHUNK_CELLS // max(asked.cells, default=1)))
        while count > 0:
            rows = min(count, most)
            done = law_of(asked.network).passes(
                rows, asked.own, variables=asked.variables, seed=seed, first=self.rows
            )
            states = [self._cells(table, done.codes) for table in asked.tables]
            self.add(done.log_weights, states, done.codes)
            count -= rows

    def _cells(self, table: tuple[int, ...], codes: CodeArray) -> NDArray[np.int64] | FloatArray:
        """The cell of each row, or theta_i(. | y_i), whose mean varies less, where no weight depends on the target X_i."""
        network = self._asked.network
        if len(table) == 1 and table[0] not in self._known_ancestors:
            return network.nodes[table[0]].probabilities(codes)
        return joint_codes(codes, table, network.domain.cardinalities)

    def add(
        self,
        log_weights: FloatArray,
        states: Sequence[NDArray[np.int64] | FloatArray],
        codes: CodeArray,
    ) -> None:
        """More draws: of each table, the cell of each of them, or the probabilities of its cells, [draw, cell]."""
        self.rows += len(log_weights)
        top = float(log_weights.max())
        if top > self._top:  # all weights are divided by the largest so far
            scale = math.exp(self._top - top) if self._top > -math.inf else 0.0
            for sums, squares in zip(self.sums, self.squares, strict=True):
                sums *= scale
                squares *= scale**2
            for batch in (*self.batches.values(), self.batch_totals):
                batch *= scale
            self.total *= scale
            self.total_squares *= scale**2
            self._top = top
        if self._top == -math.inf:
            return
        weights = np.exp(log_weights - self._top)
        for sums, squares, state in zip(self.sums, self.squares, states, strict=True):
            if state.ndim == 2:
                sums += weights @ state
                squares += [weights**2 @ state, weights**2 @ state**2]
            else:
                sums += np.bincount(state, weights, minlength=len(sums))
                squares += np.bincount(state, weights**2, minlength=len(sums))
        self.total += float(weights.sum())
        self.total_squares += float((weights**2).sum())
        self._add_batches(weights, states, codes)

    def _add_batches(
        self, weights: FloatArray, states: Sequence[NDArray[np.int64] | FloatArray], codes: CodeArray
    ) -> None:
        """The draws in as many parts as there are batches, one after the other; a joint table by each of its variables."""
        size = len(weights) // BATCHES
        even = size * BATCHES
        part = np.minimum(
            np.arange(len(weights)) // max(size, 1), BATCHES - 1
        )  # the last has what is left over
        self.batch_totals += np.bincount(part, weights, minlength=BATCHES)
        in_parts = weights[:even].reshape(BATCHES, 1, size)
        for table, state in zip(self._asked.tables, states, strict=True):
            for i in table:
                sums = self.batches[i]
                if state.ndim == 2:
                    sums += (in_parts @ state[:even].reshape(BATCHES, size, state.shape[1]))[:, 0]
                    sums[-1] += weights[even:] @ state[even:]
                else:
                    cells = part * sums.shape[1] + codes[:, i]
                    sums += np.bincount(cells, weights, minlength=sums.size).reshape(sums.shape)

    def deviations(self) -> list[list[FloatArray]]:
        """Of each table, of each of its variables: what each batch adds to the error of each state."""
        few = math.sqrt(BATCHES / (BATCHES - 1)) / self.total
        return [
            [
                few * (sums - sums.sum(axis=0) / self.total * self.batch_totals[:, None])
                for sums in (self.batches[i] for i in table)
            ]
            for table in self._asked.tables
        ]

    @property
    def effective(self) -> float:
        """(sum W)^2 / sum W^2."""
        return self.total**2 / self.total_squares if self.total > 0 else 0.0

    @property
    def log_mean(self) -> tuple[float, float]:
        """The log of the mean weight, which is the probability of the evidence, and its standard error."""
        if self.total == 0:
            return -math.inf, math.inf
        mean = self.total / self.rows
        spread = max(self.total_squares / self.rows - mean**2, 0.0)
        return math.log(mean) + self._top, math.sqrt(spread / self.rows) / mean

    def laws(self) -> list[FloatArray]:
        """The estimates."""
        return [sums / self.total for sums in self.sums]

    @property
    def unseen(self) -> float:
        """The share that one more draw of the largest possible weight would have."""
        if self.total == 0:
            return 1.0
        largest = math.exp(min(self._largest - self._top, 700.0))
        return largest / (self.total + 2 * largest)

    @property
    def possible(self) -> bool:
        """Can any pass have a weight at all?"""
        return self._largest > -math.inf

    @property
    def largest_error(self) -> float:
        """Of all cells; infinite where no pass has a weight."""
        return max(float(each.max()) for each in self.errors()) if self.total > 0 else math.inf

    def errors(self) -> list[FloatArray]:
        """Their standard errors, one more draw of the largest possible weight counted in."""
        found = []
        for sums, squares in zip(self.sums, self.squares, strict=True):
            p = sums / self.total
            variance = (squares[1] - 2 * p * squares[0] + self.total_squares * p**2) / self.total**2
            found.append(CAUTION * np.sqrt(np.maximum(variance, 0.0) + self.unseen**2))
        return found


def weighted_passes(
    asked: Conditional, tolerance: float, seed: int, most_updates: float, over: Over
) -> tuple[Weights, bool, bool]:
    """Passes until errors are under the tolerance or time is over; was the tolerance reached, and are weights uneven?

    Where a few passes have most of the weight and far too many would be needed, passes end early: moving them is better.
    """
    sums = Weights(asked)
    if not sums.possible:
        raise EvidenceError(IMPOSSIBLE)
    last = math.inf

    def error() -> float:
        nonlocal last
        # Weights are bounded: errors are to be trusted where one more of the largest would not matter.
        last = max(sums.largest_error, math.sqrt(2 * sums.unseen * tolerance) if sums.total else 0.0)
        return last

    def is_uneven() -> bool:
        uneven = 0 < sums.effective * UNEVEN < sums.rows and sums.rows >= 8 * FIRST_DRAWS
        return uneven and sums.rows * (last / tolerance) ** 2 > MOST_DRAWS

    def is_vain() -> bool:
        return sums.total == 0 and sums.rows >= MOST_DRAWS and math.isfinite(most_updates)

    most = most_updates / max(len(asked.variables), 1)
    good = sharpen(
        lambda count: sums.draw(count, seed),
        error,
        tolerance,
        first=FIRST_DRAWS,
        most=most,
        over=lambda: over() or is_vain() or is_uneven(),
    )
    return sums, good, not (good or over() or sums.rows >= most) and is_uneven()


def log_mean_weight(asked: Conditional, tolerance: float, seed: int, over: Over) -> tuple[float, float]:
    """The log of the mean weight of passes, until its standard error is under the tolerance, or they are too many."""
    sums = Weights(asked)
    sharpen(lambda count: sums.draw(count, seed), lambda: sums.log_mean[1], tolerance, over=over)
    return sums.log_mean


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
