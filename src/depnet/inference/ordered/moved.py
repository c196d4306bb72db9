r"""Answers where weighted passes alone are too uneven: passes, resampled by their weights, and moved.

A *batch* draws passes of its own, resamples some of them in proportion to their weights and moves these by updates
from the conditionals under Q, which leave Q(. | x_C) as it is. What it answers is the mean of the conditionals that its
updates drew from. Moves do not correct how much weight a mode has, and resampled states share ancestors: so no error is
taken from within a batch. Batches are independent; batch b counts in proportion to the sum W_b of its weights,

.. math:: \hat p = \frac{\sum_b W_b p_b}{\sum_b W_b}, \qquad
          s^2 = \frac{B}{B - 1} \frac{\sum_b W_b^2 (p_b - \hat p)^2}{(\sum_b W_b)^2}.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray
from depnet.law.program import Law
from depnet.model.evidence import Evidence

BATCHES = 32
FEWEST_EFFECTIVE = 50.0
"""Under so many effective passes a batch, passes go on before anything is moved."""
FIRST_PASSES = 1 << 10
FIRST_STATES = 64
FIRST_SWEEPS = 8
LEAD = 2
"""Sweeps before the first that counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """A flat law for each table, with errors between batches."""

    laws: list[FloatArray]
    errors: list[FloatArray]
    passes: int
    effective: float
    converged: bool

    @property
    def error(self) -> float:
        """The largest standard error."""
        return max(float(each.max()) for each in self.errors)


def moved(
    law: Law,
    tables: Sequence[tuple[int, ...]],
    variables: Sequence[int],
    evidence: Evidence,
    *,
    tolerance: float,
    seed: int,
    most_updates: float,
    over: Callable[[], bool],
    n_jobs: int = 1,
) -> Moved | None:
    """The joint law of each table, until errors are under the tolerance, time is over or the updates are used up.

    None where no round of batches came to its end.
    """
    passes, states, sweeps = FIRST_PASSES, FIRST_STATES, FIRST_SWEEPS
    used, found = 0.0, None
    # An update that moves a variable asks every node that reads it, too.
    updates_a_sweep = sum(2 + len(law.inputs[i]) for i in variables)
    attempt = 0
    while True:
        batches = [
            _Batch(law, tables, variables, evidence, seed + 2 * (attempt * BATCHES + b))
            for b in range(BATCHES)
        ]
        for batch in batches:
            batch.draw(passes, n_jobs)
            while batch.effective < FEWEST_EFFECTIVE:
                if over() or used + batch.rows * len(variables) * BATCHES > most_updates:
                    return found
                batch.draw(batch.rows, n_jobs)
            batch.move(states, sweeps, n_jobs)
            if over():
                return found
        used += sum(batch.rows for batch in batches) * len(variables)
        used += BATCHES * states * (LEAD + sweeps) * updates_a_sweep
        found = _joined(batches, tolerance)
        if found.converged or over() or 2 * used > most_updates:
            return found
        passes, states, sweeps = 2 * passes, 2 * states, min(2 * sweeps, 64)
        attempt += 1


class _Batch:
    """Passes of one batch, then moved states, then what they say of the tables."""

    def __init__(
        self,
        law: Law,
        tables: Sequence[tuple[int, ...]],
        variables: Sequence[int],
        evidence: Evidence,
        seed: int,
    ) -> None:
        self._law, self._tables, self._variables = law, tables, tuple(variables)
        self._evidence, self._seed = evidence, seed % 2**64
        self._codes: list[np.ndarray] = []
        self._logs: list[FloatArray] = []
        self.rows = 0
        self.laws: list[FloatArray] = []

    def draw(self, rows: int, n_jobs: int) -> None:
        """More passes. Only those that may be resampled are kept: weights far below the largest are not."""
        done = self._law.passes(
            rows, self._evidence, variables=self._variables, seed=self._seed, first=self.rows, n_jobs=n_jobs
        )
        self.rows += rows
        likely = done.log_weights > done.log_weights.max() - 40
        self._codes.append(done.codes[likely])
        self._logs.append(done.log_weights[likely])

    @property
    def effective(self) -> float:
        """(sum W)^2 / sum W^2."""
        logs = np.concatenate(self._logs)
        if not len(logs):
            return 0.0
        weights = np.exp(logs - logs.max())
        return float(weights.sum() ** 2 / (weights**2).sum())

    @property
    def log_weight(self) -> float:
        """The log of the mean weight of its passes."""
        logs = np.concatenate(self._logs)
        return float(np.logaddexp.reduce(logs)) - math.log(self.rows)

    def move(self, states: int, sweeps: int, n_jobs: int) -> None:
        """Resample, move, and take the mean of the conditionals drawn from (of joint tables: of the states)."""
        logs = np.concatenate(self._logs)
        codes = np.concatenate(self._codes)
        ends = np.cumsum(np.exp(logs - logs.max()))
        # Evenly spaced through the weights (systematic resampling), from a place of the batch's own.
        start = np.random.default_rng(self._seed).random()
        at = np.searchsorted(ends, (np.arange(states) + start) / states * ends[-1], side="right")
        chosen = np.ascontiguousarray(codes[np.minimum(at, len(codes) - 1)], dtype=np.uint16)
        cards = self._law.cardinalities
        hidden = np.zeros((1, len(cards)), dtype=bool)
        hidden[0, [i for i in self._variables if i not in self._evidence.clamped]] = True
        single = all(len(table) == 1 for table in self._tables)
        cells = np.zeros(len(cards), dtype=np.int64)
        own = [i for i in self._variables if hidden[0, i]]
        ends_of = np.cumsum([cards[i] for i in own])
        cells[own] = ends_of - [cards[i] for i in own]
        sums = np.zeros((states, int(ends_of[-1]))) if single else None
        seed = (self._seed + 1) % 2**64
        options = {"variables": self._variables, "seed": seed, "n_jobs": n_jobs}
        self._law.moves(chosen, hidden, self._evidence, sweeps=LEAD, **options)  # type: ignore[arg-type]
        if single:
            self._law.moves(
                chosen,
                hidden,
                self._evidence,
                sweeps=sweeps,
                first_sweep=LEAD,
                cells=cells,
                sums=sums,
                **options,  # type: ignore[arg-type]
            )
            assert sums is not None
            mean = sums.sum(axis=0) / (states * sweeps)
            self.laws = [mean[cells[i] : cells[i] + cards[i]] for (i,) in self._tables]
            return
        self.laws = [np.zeros(math.prod(cards[i] for i in table)) for table in self._tables]
        for sweep in range(sweeps):
            self._law.moves(
                chosen,
                hidden,
                self._evidence,
                sweeps=1,
                first_sweep=LEAD + sweep,
                **options,  # type: ignore[arg-type]
            )
            for found, table in zip(self.laws, self._tables, strict=True):
                state = np.zeros(states, dtype=np.int64)
                for i in table:
                    state = state * cards[i] + chosen[:, i]
                found += np.bincount(state, minlength=len(found)) / (states * sweeps)


def _joined(batches: Sequence[_Batch], tolerance: float) -> Moved:
    """The batches in proportion to their weights, and the spread between them."""
    logs = np.array([batch.log_weight for batch in batches])
    share = np.exp(logs - logs.max())
    share /= share.sum()
    laws, errors = [], []
    few = len(batches) / (len(batches) - 1)
    for each in zip(*(batch.laws for batch in batches), strict=True):
        stack = np.stack(each)
        mean = share @ stack
        laws.append(mean / mean.sum())
        errors.append(np.sqrt(few * (share**2 @ (stack - mean) ** 2)))
    effective = float(sum(batch.effective for batch in batches) / (len(batches) * (share**2).sum()))
    rows = sum(batch.rows for batch in batches)
    # A state that no batch met has an error all the same.
    unseen = 1 / (effective + 2)
    errors = [np.maximum(each, unseen * (law < unseen)) for each, law in zip(errors, laws, strict=True)]
    converged = max(float(each.max()) for each in errors) <= tolerance
    return Moved(laws, errors, rows, effective, converged)
