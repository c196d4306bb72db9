r"""How sure an answer is: where the share, or the mean, of the population that the rows come from lies, in 9 of 10 cases.

A question's matching rows are n, and the law's answer counts as s' rows more: what is known of the population is a
Dirichlet law around the combined answer a, with the weight of n + s' rows. A share is then Beta, with half a row more of
each kind (Jeffreys'), and a mean is nearly Student's,

.. math:: p \sim Beta\big((n + s') a + \tfrac12,\; (n + s') (1 - a) + \tfrac12\big), \qquad
          \mu \approx m \pm t_{n + s'} \frac{\sigma}{\sqrt{n + s' + 1}},

m and sigma being the mean and standard deviation of the combined law of the number. s' of shares and s' of means are
chosen by rows that the law has not seen (`depnet.fitting.sure`); they are not s, by which answers are joined. Where no rows
are at hand, or some are hidden, n is 0. The error of computing, where there is one, widens an interval by the root of the
sum of squares. An interval always has its answer.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from depnet.arrays import FloatArray, read_only

if TYPE_CHECKING:  # a result has its intervals
    from depnet.inference.answer.result import Answer, QueryResult

LEVEL = 0.9
"""How often an interval has the population's value."""

SURE_SHARES, SURE_MEANS = 25.0, 12.0
"""s' of shares and of means, where held-out rows did not choose them."""

Z = 1.6448536269514722
"""The 95 % quantile of a standard normal variable."""

HALF = 0.5
"""Jeffreys' prior: how much a state that was never met may yet be."""


def interval_of(result: "QueryResult") -> "Answer":
    """[..., 2]: low and high of each share of `combined`, in its shape."""
    combined, errors = result.combined, result.standard_errors
    if not isinstance(combined, dict):
        assert not isinstance(errors, dict)
        return _of_target(result, result.targets[0], combined, errors)
    assert isinstance(errors, dict)
    return {name: _of_target(result, name, answer, errors[name]) for name, answer in combined.items()}


def _of_target(result: "QueryResult", name: str, answer: FloatArray, errors: FloatArray) -> FloatArray:
    share = result.law_share(name)
    low, high = share_ends(answer, result.rows_joined(name) + result.sure_shares)
    return read_only(np.stack(widened(answer, low, high, share * np.nan_to_num(errors)), axis=-1))


def share_ends(shares: FloatArray, rows: FloatArray | float) -> tuple[FloatArray, FloatArray]:
    """Low and high of shares that are known as from so many rows.

    >>> low, high = share_ends(np.array([0.0, 0.5]), 30.0)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.356], [0.062, 0.644])
    """
    from scipy import special  # slow to import

    inside = np.clip(shares, 0.0, 1.0)
    a, b = rows * inside + HALF, rows * (1 - inside) + HALF
    tail = (1 - LEVEL) / 2
    low, high = special.betaincinv(a, b, tail), special.betaincinv(a, b, 1 - tail)
    return np.minimum(low, inside), np.maximum(high, inside)


def widened(
    answer: FloatArray, low: FloatArray, high: FloatArray, errors: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Ends of shares that have an error of computing, too."""
    below, above = np.hypot(answer - low, Z * errors), np.hypot(high - answer, Z * errors)
    return np.clip(answer - below, 0.0, 1.0), np.clip(answer + above, 0.0, 1.0)


def mean_reach(deviation: FloatArray | float, rows: FloatArray | float) -> FloatArray:
    """How far from its mean the ends are, of a number whose mean is known as from so many rows."""
    from scipy import special

    return np.asarray(special.stdtrit(rows, (1 + LEVEL) / 2) * deviation / np.sqrt(np.add(rows, 1.0)))


def mean_ends(mean: float, deviation: float, error: float, rows: float) -> tuple[float, float]:
    """Low and high of a mean, with its error of computing.

    >>> [round(end, 2) for end in mean_ends(10.0, 2.0, 0.0, 24.0)]
    [9.32, 10.68]
    """
    reach = math.hypot(float(mean_reach(deviation, rows)), Z * error)
    return mean - reach, mean + reach
