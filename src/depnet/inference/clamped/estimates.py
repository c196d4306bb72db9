r"""What chains estimate from their rounds, how far that may be off, and whether the chains agree.

An estimate is the average, over the updates of its targets, of what the update would draw (pi = sum of c_i pi K_i, and
only the nodes of T move X_T):

.. math:: \pi(x_T) = \sum_{i \in T} \frac{c_i}{c_T}
    E_\pi\left[\theta_i(x_i \mid Y_i)\, 1(X_{T \setminus i} = x_{T \setminus i})\right]

Each row of evidence has several chains with random streams of their own. Their averages are independent, so
the standard error is that of a mean over chains, whatever the correlation within a chain. A round is a number
of sweeps; the first quarter of the rounds is burn-in; when there are many rounds, neighbours are joined.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.inference.clamped.chains import Chains

ROUNDING = 1e-24
"""Variances below this are rounding: the averages are all equal."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """For each row: the estimates and standard errors [row, cell], and R-hat [row, estimator].

    `drift` [row] is the largest difference, over cells, between the second and the first half of all chains together, in
    its own standard errors. R-hat compares chains one by one; what moves all of them alike, only their mean shows.
    """

    values: FloatArray
    errors: FloatArray
    r_hat: FloatArray
    pooled_r_hat: FloatArray
    drift: FloatArray
    burn_in: int
    deviations: FloatArray
    """[row, chain, cell]: what each chain adds to the error."""

    def chosen(self, rows: IntArray) -> "Estimate":
        """Of some of the rows."""
        names = ("values", "errors", "r_hat", "pooled_r_hat", "drift", "deviations")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})


def estimate(chains: Chains, sizes: Sequence[int], *, one_more: bool = False) -> Estimate:
    r"""The estimates of all rounds but the first quarter; `sizes` are the estimators' numbers of cells.

    With C chains of weights w_c and sums s_c, the estimate is p = sum s_c / W, W = sum w_c, the residuals are
    r_c = s_c - p w_c, and the standard error is that of a ratio of means,

    .. math:: \sqrt{\tfrac{C}{C-1} \textstyle\sum_c r_c^2 \;[\; + \max_c r_c^2 \;]} \Big/ W

    The last term with `one_more`. Where chains seldom come to a part of the states and then stay there for long, a few
    of them decide the sum: it is like a Poisson count, and a run that met little gives too small a probability and too
    small an error at once. So what the farthest chain met is counted once more. Of many chains alike it adds little.
    """
    skipped = len(chains.rounds) // 4
    kept = chains.rounds[skipped:]
    sums = np.stack([s for s, _ in kept])  # [round, row, chain, cell]
    of_cell = np.repeat(np.arange(len(sizes)), sizes)
    weights = np.stack([w for _, w in kept])[..., of_cell]
    chain_sums, chain_weights = sums.sum(axis=0), weights.sum(axis=0)
    totals = chain_weights.sum(axis=1)
    seen = totals > 0
    values = np.divide(chain_sums.sum(axis=1), totals, out=np.zeros_like(totals), where=seen)
    c = chains.per_row
    residuals = chain_sums - values[:, None, :] * chain_weights
    squares = residuals**2
    spread = np.sqrt(squares.sum(axis=1) * c / (c - 1) + (squares.max(axis=1) if one_more else 0.0))
    errors = np.divide(spread, totals, out=np.zeros_like(totals), where=seen)
    r_hat, pooled = split_r_hat(sums, weights, values, of_cell)
    moved = drift(sums - values[:, None, :] * weights)
    few = math.sqrt(c / (c - 1))
    deviations = np.divide(few * residuals, totals[:, None, :], out=residuals, where=seen[:, None, :])
    return Estimate(values, errors, r_hat, pooled, moved, skipped * chains.round_sweeps, deviations)


def drift(residuals: FloatArray) -> FloatArray:
    """The largest standardised difference of the halves of `residuals` [round, row, chain, cell]."""
    half = len(residuals) // 2
    apart = residuals[len(residuals) - half :].sum(axis=0) - residuals[:half].sum(axis=0)
    spread = np.sqrt(apart.var(axis=1, ddof=1) / apart.shape[1])
    moved = np.abs(apart.mean(axis=1))
    largest = np.divide(moved, spread, out=np.zeros_like(moved), where=spread > math.sqrt(ROUNDING))
    return np.asarray(largest.max(axis=1, initial=0.0))


def split_r_hat(
    sums: FloatArray, weights: FloatArray, values: FloatArray, of_cell: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Split R-hat of every estimator, and of all together, on the rounds' averages [round, row, chain, cell].

    The first and the second half of a chain are chains of their own.
    """
    half = len(sums) // 2
    if half < 2:
        nothing = np.full((sums.shape[1], int(of_cell[-1]) + 1), np.nan)
        return nothing, nothing[:, 0]
    # What a round adds to the error of the estimate: not its own share, which means nothing where its weight is small.
    typical = weights.mean(axis=(0, 2))[:, None, :]
    means = (sums - values[:, None, :] * weights) / np.where(typical > 0, typical, 1.0)
    halves = np.concatenate([means[:half], means[-half:]], axis=2)  # [round, row, 2 chains, cell]
    within = halves.var(axis=0, ddof=1).mean(axis=1)
    between = halves.mean(axis=0).var(axis=1, ddof=1)
    first = np.flatnonzero(np.diff(of_cell, prepend=-1))
    w, b = np.add.reduceat(within, first, axis=1), np.add.reduceat(between, first, axis=1)

    def ratio(w: FloatArray, b: FloatArray) -> FloatArray:
        settled = np.where(b > ROUNDING, np.inf, 1.0)  # nothing moves within a chain: do the chains agree?
        squared = np.divide((half - 1) / half * w + b, w, out=settled, where=w > ROUNDING)
        return np.asarray(np.sqrt(squared))

    return ratio(w, b), ratio(w.sum(axis=1), b.sum(axis=1))
