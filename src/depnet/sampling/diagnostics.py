r"""Convergence diagnostics: split R-hat, effective sample size, Monte Carlo standard error.

After Vehtari, Gelman, Simpson, Carpenter, Bürkner (2021), "Rank-normalization, folding, and localization".
Draws are [chains, draws] or, for several quantities at once, [chains, draws, quantities]. With M chains of
N draws, within-chain variance W and between-chain variance B,

.. math:: \hat R = \sqrt{\Bigl(\tfrac{N-1}{N} W + \tfrac{1}{N} B\Bigr) \Big/ W}, \qquad
          \mathrm{ESS} = \frac{MN}{-1 + 2 \sum_k \hat P_k},

where P_k = rho_2k + rho_2k+1 are the sums of neighbouring autocorrelations, up to the last positive one,
made to decrease (Geyer). A state indicator takes two values; ranks of two values are an affine map of
them, so rank-normalisation leaves its R-hat as it is, and there is none.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import CodeArray, FloatArray
from depnet.data import Dataset
from depnet.errors import SamplingError

MOST_INDICATORS = 2**22
"""Numbers that `diagnose` looks at together: those of a variable of many states are taken a few states at a time."""


def split_r_hat(draws: ArrayLike) -> FloatArray:
    """Split R-hat of each quantity: 1 where chains agree with each other and with themselves over time."""
    return _r_hat(_split(_checked(draws)))


def effective_sample_size(draws: ArrayLike) -> FloatArray:
    """How many independent draws would give the mean of each quantity as well as these do."""
    x = _split(_checked(draws))
    return np.asarray(x.shape[0] * x.shape[1] / _autocorrelation_time(x))


def autocorrelation_time(draws: ArrayLike) -> FloatArray:
    """Draws for each effectively independent one, -1 + 2 sum of P_k, of each quantity."""
    return _autocorrelation_time(_checked(draws))


def standard_error(draws: ArrayLike) -> FloatArray:
    """The Monte Carlo standard error of the mean of each quantity: its deviation over sqrt(ESS)."""
    x = _checked(draws)
    deviation = x.reshape(-1, x.shape[2]).std(axis=0, ddof=1)
    return np.asarray(deviation / np.sqrt(effective_sample_size(draws)))


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """Per variable and state: R-hat, effective sample size and standard error of its probability."""

    r_hat: dict[str, FloatArray]
    effective_sample_size: dict[str, FloatArray]
    standard_error: dict[str, FloatArray]


def diagnose(dataset: Dataset, chains: int) -> Diagnostics:
    """Diagnostics of rows that `sample` drew from `chains` chains (rows r and r + chains are of one)."""
    draws = by_chain(dataset, chains)
    r_hat, size, error = {}, {}, {}
    for i, variable in enumerate(dataset.domain.variables):
        states = range(variable.cardinality)
        at_once = max(1, MOST_INDICATORS // draws[:, :, i].size)  # states
        found = []
        for first in states[::at_once]:
            indicators = state_indicators(draws[:, :, i], states[first : first + at_once])
            found.append(
                (split_r_hat(indicators), effective_sample_size(indicators), standard_error(indicators))
            )
        r_hat[variable.name], size[variable.name], error[variable.name] = map(
            np.concatenate, zip(*found, strict=True)
        )
    return Diagnostics(r_hat, size, error)


def by_chain(dataset: Dataset, chains: int) -> CodeArray:
    """The rows of `sample` as [chains, draws, variables]; an unfinished last draw is left out."""
    draws = dataset.rows // chains
    if draws < 4:
        raise SamplingError(
            f"diagnostics need at least 4 draws of each chain; got {dataset.rows} rows from {chains} chains. "
            f"Draw with fewer chains: sample(network, n, chains={max(1, dataset.rows // 100)})."
        )
    codes = dataset.codes[: draws * chains]
    return codes.reshape(draws, chains, len(dataset.domain)).transpose(1, 0, 2)


def state_indicators(codes: NDArray[np.integer], states: range) -> FloatArray:
    """1(X_i = s) for every state s of `states`: codes [chains, draws] as [chains, draws, states]."""
    return np.asarray(codes[:, :, None] == np.asarray(states), dtype=np.float64)


def _checked(draws: ArrayLike) -> FloatArray:
    x = np.asarray(draws, dtype=np.float64)
    x = x[:, :, None] if x.ndim == 2 else x
    if x.ndim != 3 or x.shape[1] < 4:
        raise SamplingError(f"draws are [chains, draws] with at least 4 draws; got the shape {x.shape}.")
    return x


def _split(x: FloatArray) -> FloatArray:
    half = x.shape[1] // 2
    return np.concatenate([x[:, :half], x[:, -half:]])


def _r_hat(x: FloatArray) -> FloatArray:
    draws = x.shape[1]
    within = x.var(axis=1, ddof=1).mean(axis=0)
    between = x.mean(axis=1).var(axis=0, ddof=1)  # B / N
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt((draws - 1) / draws + between / within)
    return np.where(between == 0, np.where(within == 0, 1.0, ratio), ratio)


def _autocorrelation_time(x: FloatArray) -> FloatArray:
    from scipy import fft  # slow to import

    chains, draws, _ = x.shape
    centred = x - x.mean(axis=1, keepdims=True)
    length = fft.next_fast_len(2 * draws, real=True)
    power = np.abs(fft.rfft(centred, length, axis=1)) ** 2
    covariance = fft.irfft(power.mean(axis=0), length, axis=0)[:draws] / draws
    within = covariance[0] * draws / (draws - 1)
    between = x.mean(axis=1).var(axis=0, ddof=1) if chains > 1 else np.zeros_like(within)
    total = covariance[0] + between
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = 1 - (within - covariance) / total
    rho[0] = 1.0
    pairs = rho[: draws // 2 * 2].reshape(-1, 2, x.shape[2]).sum(axis=1)
    positive = np.logical_and.accumulate(pairs > 0, axis=0)
    positive[0] = True
    falling = np.minimum.accumulate(np.where(positive, pairs, 0.0), axis=0)
    time = np.maximum(-1 + 2 * falling.sum(axis=0), 1 / np.log10(max(chains * draws, 10)))
    return np.where(total == 0, 1.0, time)
