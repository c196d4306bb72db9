"""R-hat and autocorrelation times: known laws, a slow twin, and ArviZ's own numbers; the pilot run.

Its memory does not grow with the states of a variable, and groups of states still show what is slow.
"""

import math
from typing import Any

import numpy as np
import pytest
from arviz_stats import base as arviz_base_stats

from depnet import RandomScan, sample
from depnet.arrays import FloatArray
from depnet.law import limits
from depnet.sampling import mixing
from depnet.sampling.mixing import autocorrelation_time, estimate_mixing, group_states, split_r_hat
from depnet.sampling.plan import chain_plan
from tests.wide import most_memory, of_constants, of_two_blocks

arviz: Any = vars(arviz_base_stats)["array_stats"]  # it has no types


def autoregressive(rho: float, chains: int, draws: int, seed: int = 0) -> FloatArray:
    """x_t = rho x_{t-1} + noise, stationary: its autocorrelation time is (1 + rho) / (1 - rho)."""
    rng = np.random.default_rng(seed)
    x = np.empty((chains, draws))
    x[:, 0] = rng.normal(size=chains)
    for t in range(1, draws):
        x[:, t] = rho * x[:, t - 1] + math.sqrt(1 - rho**2) * rng.normal(size=chains)
    return x[:, :, None]


def slow_autocorrelation_time(x: FloatArray) -> float:
    """By the definition, one lag at a time."""
    x = x[:, :, 0]
    chains, draws = x.shape
    means = x.mean(axis=1)
    covariances = [
        np.mean([sum((x[c, : draws - t] - means[c]) * (x[c, t:] - means[c])) / draws for c in range(chains)])
        for t in range(draws)
    ]
    within = covariances[0] * draws / (draws - 1)
    total = covariances[0] + means.var(ddof=1)
    rho = [1.0] + [1 - (within - covariance) / total for covariance in covariances[1:]]
    time, least = -1.0, math.inf
    for k in range(draws // 2):
        pair = rho[2 * k] + rho[2 * k + 1]
        if pair <= 0:
            break
        least = min(least, pair)
        time += 2 * least
    return time


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_autocorrelation_time_of_an_autoregression(rho: float) -> None:
    x = autoregressive(rho, chains=64, draws=2000)
    assert autocorrelation_time(x)[0] == pytest.approx((1 + rho) / (1 - rho), rel=0.1)


def test_autocorrelation_time_equals_the_slow_twin() -> None:
    for seed in range(5):
        x = autoregressive(0.7, chains=3, draws=60, seed=seed)
        assert autocorrelation_time(x)[0] == pytest.approx(slow_autocorrelation_time(x), rel=1e-9)


def test_r_hat_of_chains_that_agree_and_that_do_not() -> None:
    x = autoregressive(0.3, chains=4, draws=1000)
    assert split_r_hat(x)[0] == pytest.approx(1, abs=0.01)
    assert split_r_hat(x + np.arange(4)[:, None, None])[0] > 1.5
    assert split_r_hat(x + np.linspace(0, 3, 1000)[:, None])[0] > 1.2, "a drift within chains"


def test_constants() -> None:
    assert split_r_hat(np.ones((4, 10, 1)))[0] == 1
    assert autocorrelation_time(np.ones((4, 10, 1)))[0] == 1
    stuck = np.repeat(np.array([0.0, 1.0, 0.0, 1.0])[:, None, None], 10, axis=1)
    assert split_r_hat(stuck)[0] == math.inf
    assert autocorrelation_time(stuck)[0] > 4


def test_rank_normalisation_leaves_indicators_alone() -> None:
    x = (autoregressive(0.5, 4, 500) > 1).astype(float)
    z = np.where(x == 0, -0.3, 1.7)
    assert split_r_hat(z)[0] == pytest.approx(split_r_hat(x)[0], rel=1e-12)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_numbers_agree_with_arviz(rho: float) -> None:
    x = autoregressive(rho, chains=4, draws=500, seed=1)
    axes = {"chain_axis": 0, "draw_axis": 1}
    halves = np.concatenate([x[:, :250], x[:, 250:]])
    size = x.size / autocorrelation_time(halves)[0]
    assert size == pytest.approx(arviz.ess(x[:, :, 0], method="mean", **axes), rel=0.02)
    assert split_r_hat(x)[0] == pytest.approx(arviz.rhat(x[:, :, 0], method="split", **axes), rel=1e-6)


def test_a_variable_of_very_many_states_takes_little_memory() -> None:
    network = of_constants([5000, 5000])
    taken = most_memory(lambda: sample(network, 3, rng=np.random.default_rng(0)))
    assert taken < 60e6, f"{taken / 1e6:.0f} MB"


def test_many_variables_take_fewer_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixing, "MOST_CELLS", 2**18)
    found = estimate_mixing(chain_plan(of_constants([2] * 64), RandomScan()), 1)
    assert found.chains == 2**18 // (limits.ROUNDS * limits.FIRST_SWEEPS * 64)


def test_groups_are_of_neighbours_and_drawn_about_equally_often() -> None:
    codes = np.minimum(np.random.default_rng(1).geometric(0.004, size=(8, 4000)), 4999).astype(np.uint16)
    found = group_states(codes, 5000)
    assert found.max() < limits.MOST_GROUPS
    order = np.argsort(codes, axis=None, kind="stable")
    assert (np.diff(found.reshape(-1)[order]) >= 0).all()
    assert np.bincount(found.reshape(-1)).max() < 2 * codes.size / limits.MOST_GROUPS


def test_groups_show_a_slow_variable_of_many_states() -> None:
    slow = estimate_mixing(chain_plan(of_two_blocks(100, leave=0.05), RandomScan()), 1)
    quick = estimate_mixing(chain_plan(of_two_blocks(100, leave=0.5), RandomScan()), 1)
    assert slow.time > 3 * quick.time
