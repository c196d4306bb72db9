r"""Weighted draws, summed in independent batches: what they say of tables, and how sure that is.

With W_b all weight in batch b that a table counts, S_b(x) the part of it in the cell x, and W and S(x) their sums over B
batches,

.. math:: \hat p(x) = \frac{S(x)}{W}, \qquad d_{bx} = \sqrt{\tfrac{B}{B - 1}}\, \frac{S_b(x) - \hat p(x) W_b}{W}, \qquad
          s^2(x) = \sum_b d_{bx}^2 .

A state that no draw has met shows in no spread: where draws are worth n without weights, its error is 1 / (n + 2) at least.
Weights of passes are bounded; of these, one more draw of the largest possible weight is counted into every error instead.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.inference.answer.part import Part, PassDiagnostics, margins
from depnet.inference.answer.question import RESOLUTION
from depnet.law import limits


class BatchSums:
    """W_b, and of each table S_b(x): [batch, cell]. Mutable: draws are added."""

    def __init__(self, cells: Sequence[int], batches: int = limits.BATCHES) -> None:
        self.rows, self.squares = 0, 0.0
        self.weights = np.zeros(batches)
        self.tables = [np.zeros((batches, k)) for k in cells]

    def add(self, weights: FloatArray, states: Sequence[NDArray[np.int64] | FloatArray]) -> None:
        """More draws: of each table, the cell of each (below 0 it has none), or the probabilities of its cells."""
        batches = len(self.weights)
        size = len(weights) // batches
        even = size * batches  # the last batch has what is left over
        batch = np.minimum(np.arange(len(weights)) // max(size, 1), batches - 1)
        self.rows += len(weights)
        self.squares += float(weights @ weights)
        self.weights += np.bincount(batch, weights, minlength=batches)
        in_batches = weights[:even].reshape(batches, 1, size)
        for table, state in zip(self.tables, states, strict=True):
            if state.ndim == 2:
                table += (in_batches @ state[:even].reshape(batches, size, state.shape[1]))[:, 0]
                table[-1] += weights[even:] @ state[even:]
            else:
                own = np.where(state < 0, 0.0, weights)
                cells = batch * table.shape[1] + np.maximum(state, 0)
                table += np.bincount(cells, own, minlength=table.size).reshape(table.shape)

    @property
    def total(self) -> float:
        return float(self.weights.sum())

    @property
    def effective(self) -> float:
        """The number of draws without weights that would be as good: (sum W)^2 / sum W^2."""
        return self.total**2 / self.squares if self.squares > 0 else 0.0

    def laws(self) -> list[FloatArray]:
        return [table.sum(axis=0) / (float(table.sum()) or 1.0) for table in self.tables]

    def deviations(self) -> list[FloatArray]:
        """d: what each batch adds to the errors."""
        batches = len(self.weights)
        few = math.sqrt(batches / (batches - 1))
        return [
            few * (table - law * table.sum(axis=1, keepdims=True)) / (float(table.sum()) or 1.0)
            for table, law in zip(self.tables, self.laws(), strict=True)
        ]

    def errors(self, effective: float | None = None) -> list[FloatArray]:
        """The standard errors of the estimates; what no draw has met counts as among `effective` ones, if they are given."""
        unseen = 0.0 if effective is None else 1 / (effective + 2)
        return [
            np.maximum(np.sqrt((moved**2).sum(axis=0)), unseen * (law < unseen))
            for moved, law in zip(self.deviations(), self.laws(), strict=True)
        ]


class PassSums(BatchSums):
    """The same of passes by the logs of their weights, of which none is above `largest`."""

    def __init__(self, cells: Sequence[int], batches: int, largest: float) -> None:
        super().__init__(cells, batches)
        self.largest = largest
        self._top = -math.inf

    def add_logs(
        self, logs: FloatArray, states: Sequence[NDArray[np.int64] | FloatArray]
    ) -> tuple[FloatArray, float]:
        """More passes: their weights over the largest so far, and by what those before them were multiplied for that."""
        top, scale = max(float(logs.max()), self._top), 1.0
        if top > self._top > -math.inf:
            scale = math.exp(self._top - top)
            for sums in (self.weights, *self.tables):
                sums *= scale
            self.squares *= scale**2
        self._top = top
        weights = np.zeros(len(logs)) if top == -math.inf else np.exp(logs - top)
        self.add(weights, states)
        return weights, scale

    @property
    def log_mean(self) -> tuple[float, float]:
        """The log of the mean weight, which is the probability of the evidence, and its standard error."""
        if self.total == 0:
            return -math.inf, math.inf
        mean = self.total / self.rows
        spread = max(self.squares / self.rows - mean**2, 0.0)
        return math.log(mean) + self._top, math.sqrt(spread / self.rows) / mean

    @property
    def unseen(self) -> float:
        """The share that one more draw of the largest possible weight would have."""
        if self.total == 0:
            return 1.0
        largest = math.exp(min(self.largest - self._top, 700.0))
        return largest / (self.total + 2 * largest)

    def errors(self, effective: float | None = None) -> list[FloatArray]:
        """The standard errors, one more draw of the largest possible weight counted in."""
        return [limits.CAUTION * np.hypot(each, self.unseen) for each in super().errors(effective)]

    def error(self, tolerance: float) -> float:
        """The largest; infinite where nothing is known, and above the tolerance where one more pass would matter."""
        if self.total == 0:
            return math.inf
        # Weights are bounded: errors are to be trusted where one more of the largest would not matter.
        return max(largest_of(self.errors()), math.sqrt(2 * self.unseen * tolerance))


def largest_of(errors: Sequence[FloatArray]) -> float:
    """The largest of all errors; 0 of none."""
    return max((float(each.max(initial=0.0)) for each in errors), default=0.0)


def part_of_draws(
    sums: BatchSums,
    errors: Sequence[FloatArray],
    shapes: Sequence[tuple[int, ...]],
    tolerance: float,
    method: str,
    moved: bool = False,
) -> Part:
    """What draws say of the first tables, which have these shapes and errors."""
    each = [*zip(shapes, sums.laws(), errors, sums.deviations(), strict=False)]
    told = [np.maximum(error, RESOLUTION * tolerance).reshape(shape) for shape, _, error, _ in each]
    largest = largest_of(told) or 0.5 / math.sqrt(sums.effective)  # where nothing is asked for, of a share
    return Part(
        [law.reshape(shape) for shape, law, _, _ in each],
        told,
        method,
        diagnostics=PassDiagnostics(sums.rows, sums.effective, moved, largest),
        deviations=[margins(d.reshape(-1, *shape)) for shape, _, _, d in each],
    )
