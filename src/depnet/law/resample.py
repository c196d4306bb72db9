"""Weighted passes, kept so that some can be taken in proportion to their weights and then moved."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray
from depnet.law.program import Law
from depnet.law.sharpen import sharpen
from depnet.model.evidence import Evidence

NEGLIGIBLE = 40.0
"""A pass whose log-weight is further than this below the largest is never taken, and is not kept."""


class WeightedPasses:
    """Passes of some variables given evidence, drawn piece by piece."""

    def __init__(
        self, law: Law, variables: Sequence[int], evidence: Evidence, seed: int, n_jobs: int = 1
    ) -> None:
        self.law, self.variables, self.evidence = law, tuple(variables), evidence
        self.seed, self.n_jobs = seed % 2**64, n_jobs
        self._codes: list[CodeArray] = []
        self._logs: list[FloatArray] = []
        self.rows = 0
        """The number of passes that were drawn."""

    def draw(self, rows: int) -> None:
        """More passes."""
        done = self.law.passes(
            rows,
            self.evidence,
            variables=self.variables,
            seed=self.seed,
            first=self.rows,
            n_jobs=self.n_jobs,
        )
        self.rows += rows
        likely = done.log_weights > done.log_weights.max() - NEGLIGIBLE
        self._codes.append(done.codes[likely])
        self._logs.append(done.log_weights[likely])

    @property
    def effective(self) -> float:
        """The number of passes without weights that would be as good: (sum W)^2 / sum W^2."""
        logs = np.concatenate(self._logs)
        if not len(logs):
            return 0.0
        weights = np.exp(logs - logs.max())
        return float(weights.sum() ** 2 / (weights**2).sum())

    def draw_effective(
        self, wanted: float, *, first: int, most: float = math.inf, over: Callable[[], bool] = bool
    ) -> bool:
        """Passes until they are worth `wanted` without weights; False where `most` are not, or where it is `over`."""

        def error() -> float:
            effective = self.effective
            return 1 / math.sqrt(effective) if effective else math.inf

        return sharpen(self.draw, error, 1 / math.sqrt(wanted), first=first, most=most, over=over)

    @property
    def log_mean_weight(self) -> float:
        """The log of the mean weight: an estimate of the probability of the evidence."""
        return float(np.logaddexp.reduce(np.concatenate(self._logs))) - math.log(self.rows)

    def taken(self, places: FloatArray) -> NDArray[np.uint16]:
        """A pass for each of the places in [0, 1) of the cumulated weights."""
        logs, codes = np.concatenate(self._logs), np.concatenate(self._codes)
        ends = np.cumsum(np.exp(logs - logs.max()))
        at = np.searchsorted(ends, places * ends[-1], side="right")
        return np.ascontiguousarray(codes[np.minimum(at, len(ends) - 1)], dtype=np.uint16)

    @property
    def open(self) -> list[int]:
        """The variables that moves change: those that take part and are not known for certain."""
        return [i for i in self.variables if i not in self.evidence.clamped]

    def move(
        self,
        states: NDArray[np.uint16],
        sweeps: int,
        *,
        seed: int,
        first_sweep: int = 0,
        cells: NDArray[np.int64] | None = None,
        sums: FloatArray | None = None,
    ) -> None:
        """Sweeps of moves of all open variables, in place; `cells` and `sums` are those of `Law.moves`."""
        hidden = np.zeros((1, len(self.law.order)), dtype=bool)
        hidden[0, self.open] = True
        self.law.moves(
            states,
            hidden,
            self.evidence,
            variables=self.variables,
            sweeps=sweeps,
            seed=seed % 2**64,
            first_sweep=first_sweep,
            cells=cells,
            sums=sums,
            n_jobs=self.n_jobs,
        )
