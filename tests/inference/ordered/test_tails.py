"""The shape of the tail of weights: the estimate of the slow twin, near the truth where that is known."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet.inference.ordered.weighted import pareto_shape
from tests.reference import tails
from tests.strategies import seeds


@given(seeds, st.floats(0.05, 2.0), st.integers(60, 3000))
def test_the_slow_estimate(seed: int, k: float, draws: int) -> None:
    """Weights u^-k; the threshold is the largest of those that are not of the tail."""
    logs = k * np.random.default_rng(seed).exponential(size=draws)
    count = int(min(draws / 5, 3 * math.sqrt(draws)))
    weights = sorted(math.exp(each - logs.max()) for each in logs)
    excesses = [each - weights[-count - 1] for each in weights[-count:]]
    assert math.isclose(pareto_shape(logs), tails.shape(excesses), rel_tol=1e-6, abs_tol=1e-6)


@pytest.mark.parametrize("k", [0.1, 0.3, 0.5, 0.7, 1.0])
def test_known_shapes(k: float) -> None:
    """950 draws of the tail have k to (1 + k) / sqrt(950): .065 at most, of which four are allowed."""
    logs = k * np.random.default_rng(1).exponential(size=100_000)
    assert abs(pareto_shape(logs) - k) < 0.26
    assert pareto_shape(logs + 700.0) == pytest.approx(pareto_shape(logs))
    wrong = (k + 1.0) * np.random.default_rng(1).exponential(size=100_000)
    assert not abs(pareto_shape(wrong) - k) < 0.26  # mutant: another shape


def test_weights_without_a_tail() -> None:
    assert pareto_shape(np.zeros(1000)) == -math.inf
    assert pareto_shape(np.where(np.arange(1000) % 3 == 0, 0.0, -1.0)) == -math.inf
    assert pareto_shape(np.full(1000, -math.inf)) == math.inf
    assert pareto_shape(np.zeros(10)) == math.inf
    bounded = np.log(np.random.default_rng(2).random(10_000))  # uniform weights have k = -1
    assert pareto_shape(bounded) < 0
