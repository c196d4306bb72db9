r"""Split R-hat, the autocorrelation time of chains, and the pilot run that sets burn-in and thinning by them.

After Vehtari, Gelman, Simpson, Carpenter, Bürkner (2021), "Rank-normalization, folding, and localization".
Draws are [chains, draws, quantities]. With M chains of N draws, within-chain variance W and between-chain variance B,

.. math:: \hat R = \sqrt{\Bigl(\tfrac{N-1}{N} W + \tfrac{1}{N} B\Bigr) \Big/ W}, \qquad
          \tau = -1 + 2 \sum_k \hat P_k,

where P_k = rho_2k + rho_2k+1 are the sums of neighbouring autocorrelations, up to the last positive one,
made to decrease (Geyer). A state indicator takes two values; ranks of two values are an affine map of
them, so rank-normalisation leaves its R-hat as it is, and there is none.

An estimate of the mixing time: a pilot run whose autocorrelation sets burn-in and thinning.

64 chains start at random states and run until the second half of the run is ten times longer
than the slowest state indicator's integrated autocorrelation time tau (in sweeps), and no indicator's split
R-hat is larger than tau explains; a run that never gets there is given tau of at least a tenth of its
second half. A chain forgets its start like exp(-2t / tau) or faster: burn-in is 10 tau, thinning 2 tau.
What no single variable shows (a slow joint move, a mode that no chain has met) stays hidden.

A variable of many states is looked at by the quantiles of its codes, 1(X_i >= q) of `MOST_GROUPS` groups of neighbouring
states that are drawn about equally often: an indicator takes a number for every draw, those of 5,000 states would take
gigabytes, and each of them alone hardly shows that a chain stays among one half of the states.
"""

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray, code_type
from depnet.errors import MixingWarning, outside
from depnet.law import limits
from depnet.sampling.chains import ChainRows
from depnet.sampling.plan import ChainPlan


def state_indicators(codes: NDArray[np.integer], states: range) -> FloatArray:
    """1(X_i = s) for every state s of `states`: codes [chains, draws] as [chains, draws, states]."""
    return np.asarray(codes[:, :, None] == np.asarray(states), dtype=np.float64)


def split_r_hat(x: FloatArray) -> FloatArray:
    """Split R-hat of each quantity: 1 where chains agree with each other and with themselves over time."""
    half = x.shape[1] // 2
    x = np.concatenate([x[:, :half], x[:, -half:]])
    within = x.var(axis=1, ddof=1).mean(axis=0)
    between = x.mean(axis=1).var(axis=0, ddof=1)  # B / N
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt((half - 1) / half + between / within)
    return np.where(between == 0, np.where(within == 0, 1.0, ratio), ratio)


def autocorrelation_time(x: FloatArray) -> FloatArray:
    """Draws for each effectively independent one, -1 + 2 sum of P_k, of each quantity."""
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


MOST_CELLS = 2**27
"""Codes that a pilot run keeps."""


@dataclass(frozen=True, slots=True)
class Mixing:
    """The pilot's result. `time` is tau in sweeps, that of the slowest `variable`; `r_hat` the largest of all."""

    time: float
    variable: str
    r_hat: float
    sweeps: int
    chains: int
    settled: bool

    @property
    def burn_in(self) -> int:
        """Sweeps after which a chain has forgotten its start."""
        return math.ceil(limits.LONGER * self.time)

    @property
    def thin(self) -> int:
        """Sweeps between rows that are nearly independent."""
        return math.ceil(2 * self.time)


def estimate_mixing(plan: ChainPlan, seed: int) -> Mixing:
    """Run the pilot; a run that does not settle is reported, and warned of."""
    first = limits.ROUNDS * limits.FIRST_SWEEPS
    # Fewer chains where even the first sweeps of all of them would take more than `MOST_CELLS` codes.
    chains = max(limits.FEWEST_CHAINS, min(limits.CHAINS, MOST_CELLS // (first * plan.variables)))
    most = min(limits.MOST_SWEEPS, max(first, MOST_CELLS // (chains * plan.variables)))
    pilot = ChainRows(plan, chains, burn_in=0, thin=1, seed=seed)
    rows: CodeArray = np.empty(
        (plan.variables, most, chains), dtype=code_type(plan.network.domain.cardinalities)
    )
    done, wanted = 0, first
    while True:
        while done < wanted:
            part = pilot.record(wanted - done).reshape(plan.variables, -1, chains)
            rows[:, done : done + part.shape[1]] = part
            done += part.shape[1]
        mixing = _measure(plan, rows[:, done // 2 : done], done)
        if mixing.settled or done == most:
            break
        wanted = min(2 * done, most)
    if not mixing.settled:
        warnings.warn(
            f"the pilot run did not settle in {done} sweeps: {mixing.variable!r} has an autocorrelation time of "
            f"{mixing.time:.3g} sweeps (R-hat {mixing.r_hat:.3g}). Rows may depend on where the chains started; "
            "give burn_in and thin yourself, smooth the tables, or learn an ordered law, which needs no chains: "
            'learn(dataset, order="auto").',
            MixingWarning,
            stacklevel=outside(),
        )
    return mixing


def group_states(codes: CodeArray, states: int) -> IntArray:
    """Codes of `MOST_GROUPS` groups of neighbouring states, each drawn about equally often.

    >>> np.bincount(group_states(np.arange(1000)[None, :], 1000)[0]).tolist()[:3]
    [16, 16, 15]
    """
    drawn = np.bincount(codes.reshape(-1), minlength=states)
    before = np.cumsum(drawn) - drawn
    # Of each state: the quantile at which it begins.
    group: IntArray = before * limits.MOST_GROUPS // codes.size
    group = np.minimum(group, limits.MOST_GROUPS - 1)  # states after the last that was drawn
    return group[codes]


def _measure(plan: ChainPlan, rows: CodeArray, sweeps: int) -> Mixing:
    slowest, time, r_hat, agree = plan.order[0], 1.0, 1.0, True
    kept = rows.shape[1]
    for i in sorted(plan.order):
        states = plan.network.domain.cardinalities[i]
        if states > limits.MOST_GROUPS:
            draws = np.asarray(
                group_states(rows[i].T, states)[:, :, None] >= np.arange(1, limits.MOST_GROUPS),
                dtype=np.float64,
            )
        else:
            draws = state_indicators(rows[i].T, range(states))
        draws = draws[:, :, 1:] if draws.shape[2] == 2 else draws  # the other state mirrors it
        own = autocorrelation_time(draws)
        disagreement = split_r_hat(draws)
        agree &= bool((disagreement**2 <= 1 + limits.R_HAT_MARGIN * np.maximum(own, 1) / (kept // 2)).all())
        r_hat = max(r_hat, float(disagreement.max()))
        if own.max() > time:
            slowest, time = i, float(own.max())
    settled = limits.LONGER * time <= kept and agree
    if not settled:
        time = max(time, kept / limits.LONGER)
    return Mixing(time, plan.network.domain.variables[slowest].name, r_hat, sweeps, rows.shape[2], settled)
