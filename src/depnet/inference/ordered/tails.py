r"""The tail of importance weights: how far a few draws decide.

The largest weights beyond a threshold are fitted by a generalised Pareto distribution (Zhang and Stephens, 2009), whose
shape k says which moments exist: with k < 1/2 the variance of the weights is finite; above 0.7 means of so few draws
are not to be trusted (Vehtari, Simpson, Gelman, Yao and Gabry: Pareto smoothed importance sampling).
"""

import math

import numpy as np

from depnet.arrays import FloatArray

FEWEST = 5
"""A tail of fewer draws is not fitted."""


def pareto_shape(log_weights: FloatArray) -> float:
    """The shape k of the tail of the weights: of the largest min(N / 5, 3 sqrt(N)) of them; -inf where they are alike.

    >>> rng = np.random.default_rng(0)
    >>> bool(0.4 < pareto_shape(0.5 * rng.exponential(size=100_000)) < 0.6)      # weights u^-0.5 have k = 0.5
    True
    """
    finite = log_weights[np.isfinite(log_weights)]
    count = int(min(len(finite) / 5, 3 * math.sqrt(len(finite))))
    if count < FEWEST:
        return math.inf
    top = np.sort(np.partition(finite, len(finite) - count - 1)[-count - 1 :])
    weights = np.exp(top - top[-1])
    beyond = weights[1:] - weights[0]
    if not beyond[0] > 0:  # ties at the threshold: what is strictly above it
        beyond = beyond[beyond > 0]
        if len(beyond) < FEWEST:  # weights of few different values have no tail
            return -math.inf
    return _shape(beyond)


def _shape(x: FloatArray) -> float:
    """The estimate of Zhang and Stephens of k, from ascending excesses, drawn a little to 1/2 as the authors of PSIS do."""
    n = len(x)
    m = 30 + int(math.sqrt(n))
    quartile = x[int(n / 4 + 0.5) - 1]
    b = 1 / x[-1] + (1 - np.sqrt(m / (np.arange(1, m + 1) - 0.5))) / (3 * quartile)
    k = np.log1p(-b[:, None] * x).mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        likelihood = n * (np.log(-b / k) - k - 1)
        weight = 1 / np.exp(likelihood - likelihood[:, None]).sum(axis=1)
    weight = np.where(np.isfinite(weight), weight, 0.0)
    if not weight.sum() > 0:  # nothing fits: trust it as little as the heaviest tail
        return math.inf
    b_mean = float((b * weight).sum() / weight.sum())
    shape = float(np.log1p(-b_mean * x).mean())
    return (shape * n + 5) / (n + 10)
