r"""Answers of an ordered law by weighted passes, where elimination is too large.

Passes are drawn and weighted by the tables of the known variables, in *batches* that are independent, until their standard
errors (`depnet.inference.ordered.sums`) are under the tolerance for every state. Where no weight depends on a target, since
nothing known reads it or what comes of it, theta(x | Y_r) takes the place of 1(X_r = x), whose mean it is and which varies
more. A state that draws seldom come to, and then with a large weight, shows in no spread before one has come: so one more
draw of the largest possible weight is counted into every error, and passes go on until that is less than half of the
tolerance. How errors of states hang together shows between batches, too (`depnet.inference.answer.part`).

Where weighted passes are too uneven, they are resampled and moved. A *batch* draws passes of its own, resamples some of them
in proportion to their weights and moves these by updates from the conditionals under Q, which leave Q(. | x_C) as it is.
What it answers is the mean of the conditionals that its updates drew from. Moves do not correct how much weight a mode has,
and resampled states share ancestors: so no error is taken from within a batch. Batches are independent, and joined as
above, S_b(x) being W_b times what batch b answers.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.errors import EvidenceError
from depnet.inference.answer.question import Over
from depnet.inference.answer.rows import pieces
from depnet.inference.ordered.sums import BatchSums, PassSums, largest_of
from depnet.law import limits
from depnet.law.draw import WeightedPasses, sharpen
from depnet.law.elimination import IMPOSSIBLE, log_largest_weight
from depnet.law.program import Conditional, joint_codes, law_of
from depnet.model.network import Network

CHUNK = 1 << 16
"""How many passes are summed at a time; fewer where a row's probabilities of all states are many numbers."""


class Weights(PassSums):
    """Passes given evidence, weighted and summed."""

    def __init__(self, asked: Conditional) -> None:
        largest = max(asked.cells, default=1)
        batches = max(limits.FEWEST_CHAINS, min(limits.PASS_BATCHES, limits.CELLS_AT_ONCE // largest))
        super().__init__(asked.cells, batches, log_largest_weight(asked.network, asked.variables, asked.own))
        self._asked = asked
        self._known_ancestors = asked.known_ancestors

    def draw(self, count: int, seed: int) -> None:
        """More passes, some at a time: memory does not grow with their number."""
        asked = self._asked
        most = max(1, min(CHUNK, limits.CELLS_AT_ONCE // max(asked.cells, default=1)))
        while count > 0:
            rows = min(count, most)
            done = law_of(asked.network).passes(
                rows, asked.own, variables=asked.variables, seed=seed, first=self.rows
            )
            states = [states_of(asked.network, t, done.codes, self._known_ancestors) for t in asked.tables]
            self.add_logs(done.log_weights, states)
            count -= rows


def states_of(
    network: Network, table: tuple[int, ...], codes: CodeArray, known_ancestors: Collection[int]
) -> NDArray[np.int64] | FloatArray:
    """The cell of each row, or theta_i(. | y_i), whose mean varies less, where no weight depends on the target X_i."""
    if len(table) == 1 and table[0] not in known_ancestors:
        return network.nodes[table[0]].probabilities(codes)
    return joint_codes(codes, table, network.domain.cardinalities)


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """What draws say of each table, with its errors."""

    sums: BatchSums
    errors: list[FloatArray]
    converged: bool
    moved: bool = False

    @property
    def error(self) -> float:
        return largest_of(self.errors)


def weighted_passes(
    asked: Conditional, tolerance: float, seed: int, most_updates: float, over: Over
) -> tuple[Estimate, bool]:
    """Passes until errors are under the tolerance or time is over; and are weights uneven?

    Where a few passes have most of the weight and far too many would be needed, passes end early: moving them is better.
    """
    sums = Weights(asked)
    if sums.largest == -math.inf:  # no pass can have a weight
        raise EvidenceError(IMPOSSIBLE)
    last = math.inf

    def error() -> float:
        nonlocal last
        last = sums.error(tolerance)
        return last

    def is_uneven() -> bool:
        uneven = 0 < sums.effective * limits.UNEVEN < sums.rows and sums.rows >= 8 * limits.FIRST_DRAWS
        return uneven and sums.rows * (last / tolerance) ** 2 > limits.MOST_DRAWS

    def is_vain() -> bool:
        return sums.total == 0 and sums.rows >= limits.MOST_DRAWS and math.isfinite(most_updates)

    most = most_updates / max(len(asked.variables), 1)
    good = sharpen(
        lambda count: sums.draw(count, seed),
        error,
        tolerance,
        first=limits.FIRST_DRAWS,
        most=most,
        over=lambda: over() or is_vain() or is_uneven(),
    )
    if sums.total == 0:
        raise EvidenceError(
            "no pass came to a state that matches the evidence: its probability under the law is 0 or very small. "
            "Smooth the tables (learn with a smoothing of 0.5), or give other evidence."
        )
    uneven = not (good or over() or sums.rows >= most) and is_uneven()
    return Estimate(sums, sums.errors(), good), uneven


def log_mean_weight(
    asked: Conditional, tolerance: float, seed: int, over: Over, most: float
) -> tuple[float, float]:
    """The log of the mean weight of passes, until its standard error is under the tolerance, or they are too many."""
    sums = Weights(asked)
    sharpen(lambda count: sums.draw(count, seed), lambda: sums.log_mean[1], tolerance, most=most, over=over)
    return sums.log_mean


def move_passes(
    asked: Conditional, tolerance: float, seed: int, most_updates: float, over: Over
) -> Estimate | None:
    """The joint law of each table, until errors are under the tolerance, time is over or the updates are used up.

    None where no round of batches came to its end.
    """
    law, variables = law_of(asked.network), asked.variables
    used, cut_short = 0.0, False
    found: Estimate | None = None
    # An update that moves a variable asks every node that reads it, too.
    updates_a_sweep = sum(2 + len(law.inputs[i]) for i in variables)

    def is_over() -> bool:
        return over() or 4 * used > most_updates

    def draw(passes: int) -> None:
        """A round of batches, each of so many passes; the last whole one counts alone."""
        nonlocal used, found, seed, cut_short
        larger = passes / limits.FIRST_DRAWS
        states, sweeps = int(limits.CHAINS * larger), int(limits.FIRST_SWEEPS * min(larger, 8))
        most = max(most_updates - used, 0.0) / (len(variables) * limits.BATCHES)
        batches, laws = [], []
        for b in range(limits.BATCHES):
            batch = WeightedPasses(law, variables, asked.own, seed + 2 * b)
            cut_short = not batch.draw_effective(limits.CHAINS, first=passes, most=most, over=over)
            if cut_short:
                return
            batches.append(batch)
            laws.append(_laws(batch, asked.tables, states, sweeps))
            cut_short = over()
            if cut_short:
                return
        used += sum(batch.rows for batch in batches) * len(variables)
        used += limits.BATCHES * states * sweeps * updates_a_sweep
        seed += 2 * limits.BATCHES
        found = _join_batches(batches, laws, asked.cells, tolerance)

    def error() -> float:
        return math.inf if found is None else found.error

    sharpen(
        draw, error, tolerance, first=limits.FIRST_DRAWS, most=math.inf, over=lambda: cut_short or is_over()
    )
    return found


def _laws(
    passes: WeightedPasses, tables: Sequence[tuple[int, ...]], states: int, sweeps: int
) -> list[FloatArray]:
    """What moved states of a batch say of each table: the mean of the conditionals drawn from, or of joint states."""
    # Evenly spaced through the weights (systematic resampling), from a place of the batch's own.
    start = np.random.default_rng(passes.seed).random()
    chosen = passes.take((np.arange(states) + start) / states)
    seed = passes.seed + 1
    cards = passes.law.cardinalities
    sizes = [cards[i] for i in passes.open]
    if all(len(table) == 1 for table in tables):
        cells: IntArray = np.zeros(len(cards), dtype=np.int64)
        cells[passes.open] = np.cumsum(sizes) - sizes
        mean = np.zeros(sum(sizes))
        for at in pieces(np.arange(states), sum(sizes), limits.CELLS_AT_ONCE):
            sums = np.zeros((len(at), sum(sizes)))
            passes.move(chosen[at], sweeps, seed=seed, first_row=int(at[0]), cells=cells, sums=sums)
            mean += sums.sum(axis=0) / (states * sweeps)
        return [mean[cells[i] : cells[i] + cards[i]] for (i,) in tables]
    laws = [np.zeros(math.prod(cards[i] for i in table)) for table in tables]
    for sweep in range(sweeps):
        passes.move(chosen, 1, seed=seed, first_sweep=sweep)
        for found, table in zip(laws, tables, strict=True):
            state = joint_codes(chosen, table, cards)
            found += np.bincount(state, minlength=len(found)) / (states * sweeps)
    return laws


def _join_batches(
    batches: Sequence[WeightedPasses],
    laws: Sequence[Sequence[FloatArray]],
    cells: Sequence[int],
    tolerance: float,
) -> Estimate:
    """The batches in proportion to their weights, and the spread between them."""
    logs = np.array([batch.log_mean_weight for batch in batches])
    sums = BatchSums(cells, len(batches))
    sums.weights[:] = np.exp(logs - logs.max())
    for table, each in zip(sums.tables, zip(*laws, strict=True), strict=True):
        table[:] = sums.weights[:, None] * np.stack(each)
    alike = sums.total**2 / float((sums.weights**2).sum())  # so many batches of equal weights
    effective = float(np.mean([batch.effective for batch in batches])) * alike
    sums.rows, sums.squares = sum(batch.rows for batch in batches), sums.total**2 / effective
    errors = sums.errors(effective)
    return Estimate(sums, errors, largest_of(errors) <= tolerance, moved=True)
