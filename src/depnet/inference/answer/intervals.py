r"""How sure an answer is: its interval has the share, or the mean, of the population that the rows come from 9 times in 10.

A question's matching rows are n, and the law's answer counts as s' rows more: what is known of the population is a
Dirichlet law around the combined answer a, with the weight of n + s' rows. A share is then Beta, with half a row more of
each kind (Jeffreys'), and a mean is nearly Student's,

.. math:: p \sim Beta\big((n + s') a + \tfrac12,\; (n + s') (1 - a) + \tfrac12\big), \qquad
          \mu \approx m \pm t_{n + s'} \frac{\sigma}{\sqrt{n + s' + 1}},

m and sigma being the mean and standard deviation of the combined law of the number. s' of shares and s' of means are chosen
by rows that the law has not seen (`depnet.fitting.worth`); they are not s, by which answers are joined. Where no rows are
at hand, the law stands for those that it was learned from: if n of them match, which the model's own counts know of
evidence on one variable or two, they count n L / (n + L), L = `LAW_ROWS` at most. Else, and where counts are hidden, n is
0. The error of computing, where there is one, widens an interval by the root of the sum of squares. An interval always has
its answer.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from depnet.arrays import FloatArray, read_only

LEVEL = 0.9
"""How often an interval has the population's value."""

SURE_SHARES, SURE_MEANS = 25.0, 12.0
"""s' of shares and of means, where held-out rows did not choose them."""

Z = 1.6448536269514722
"""The 95 % quantile of a standard normal variable."""

POINTS, CHUNK = 512, 64
"""Points at which a density is summed up, and laws at a time: 256 KB of numbers stay in the cache (answers --by)."""

REACH, TAIL = 5.5, 14.0
"""Where the density of a Beta law's logit is summed up: in standard deviations, and e^-TAIL beyond them."""

Quantiles: TypeAlias = Callable[[FloatArray, FloatArray, Sequence[float]], Sequence[FloatArray]]
"""Of Beta laws with these parameters, at these levels."""

HALF = 0.5
"""Jeffreys' prior: how much a state that was never met may yet be."""


def ends(shares: FloatArray, errors: FloatArray, rows: FloatArray | float) -> FloatArray:
    """[..., 2]: low and high of shares that have an error of computing, and are known as from so many rows."""
    low, high = share_ends(shares, rows)
    moved = Z * np.nan_to_num(errors)
    below, above = np.hypot(shares - low, moved), np.hypot(high - shares, moved)
    return read_only(np.clip(np.stack([shares - below, shares + above], axis=-1), 0.0, 1.0))


def share_ends(
    shares: FloatArray, rows: FloatArray | float, quantiles: Quantiles | None = None
) -> tuple[FloatArray, FloatArray]:
    """Low and high of shares that are known as from so many rows.

    >>> low, high = share_ends(np.array([0.0, 0.5]), 30.0)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.354], [0.062, 0.646])
    """
    inside = np.clip(shares, 0.0, 1.0)
    a, b = np.broadcast_arrays(rows * inside + HALF, rows * (1 - inside) + HALF)
    low, high = (quantiles or beta_quantiles)(a, b, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return np.minimum(low, inside), np.maximum(high, inside)


def mean_ends(
    means: FloatArray, deviations: FloatArray, errors: FloatArray, rows: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Low and high of means that are known as from so many rows, with their errors of computing."""
    reach = np.hypot(student(rows) * deviations / np.sqrt(rows + 1), Z * errors)
    return means - reach, means + reach


def student(freedom: FloatArray) -> FloatArray:
    """The 95 % quantiles of Student's t: f / (f + t^2) is Beta(f / 2, 1 / 2)."""
    (logits,) = _logits(freedom / 2, np.full(len(freedom), 0.5), [1 - LEVEL])
    return np.asarray(np.sqrt(freedom * np.exp(-logits)))


def beta_quantiles(a: FloatArray, b: FloatArray, levels: Sequence[float]) -> FloatArray:
    """[level, ...]: of Beta laws. To import scipy's, which is quicker for very many, takes longer than an answer."""
    first, second = a.ravel(), b.ravel()
    found = [
        _logits(first[at : at + CHUNK], second[at : at + CHUNK], levels) for at in range(0, a.size, CHUNK)
    ]
    logits = np.concatenate(found, axis=1) if found else np.zeros(0)
    return np.asarray(1 / (1 + np.exp(-logits))).reshape(len(levels), *a.shape)


def _logits(a: FloatArray, b: FloatArray, levels: Sequence[float]) -> FloatArray:
    """[level, law]: the logits of the quantiles of Beta laws, whose density is summed up at `POINTS`.

    That of a logit u is x^a (1 - x)^b, x = 1 / (1 + e^-u): concave in logarithms, with tails e^(a u) and e^(-b u).
    """
    middle, wide = np.log(a / b), REACH * np.sqrt(1 / a + 1 / b)
    low, high = middle - wide - TAIL / a, middle + wide + TAIL / b
    step = (high - low) / (POINTS - 1)
    u = low[:, None] + step[:, None] * np.arange(POINTS)
    below = np.log(1 + np.exp(-np.abs(u))) + np.maximum(-u, 0.0)  # -log x; -log (1 - x) is u more
    logs = -(a + b)[:, None] * below - b[:, None] * u
    density = np.exp(logs - logs.max(axis=1, keepdims=True))
    upto = np.cumsum((density[:, 1:] + density[:, :-1]) / 2, axis=1)
    each, found = np.arange(len(a)), np.empty((len(levels), len(a)))
    for k, level in enumerate(levels):
        wanted = level * upto[:, -1]
        at = np.minimum((upto < wanted[:, None]).sum(axis=1), POINTS - 2)
        before = np.where(at > 0, upto[each, at - 1], 0.0)
        found[k] = u[each, at] + step * (wanted - before) / (upto[each, at] - before)
    return found
