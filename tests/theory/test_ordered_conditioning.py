"""Ours: weighted passes. X_j is drawn in proportion to theta_j w_j, and multiplies the weight by its sum.

(probability of drawing x) times (weight of x) = Q(x) product of w_j(x_j), state by state. So weighted draws have the law
Q(. | x_C), soft evidence and sets alike, and the mean weight is the probability of the evidence.
"""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings

from depnet import Network
from depnet.arrays import FloatArray
from depnet.sampling.chains import thresholds_of
from tests.laws import assert_same_law
from tests.reference.ordered import Weights, condition, interval_ends, law, one_pass, order_of, theta
from tests.strategies import ordered_networks, random_evidence, random_table, seeds
from tests.theory.ordered import everything_read


def pass_law(network: Network, weights: Weights) -> tuple[FloatArray, FloatArray]:
    """The probability that a pass draws x, and the weight it then has, for every x."""
    drawn, weight = np.ones(network.domain.cardinalities), np.ones(network.domain.cardinalities)
    for x in np.ndindex(drawn.shape):
        for i in order_of(network):
            row = [p * w for p, w in zip(theta(network, i, x), known(network, i, weights), strict=True)]
            weight[x] *= sum(row)
            drawn[x] *= row[x[i]] / sum(row) if sum(row) > 0 else 0.0
    return drawn, weight


def known(network: Network, i: int, weights: Weights) -> Sequence[float]:
    return weights.get(i, [1.0] * network.domain.cardinalities[i])


def weighted(q: FloatArray, weights: Weights) -> FloatArray:
    """Q(x) product of w_j(x_j), not normalised."""
    product = q.copy()
    for j, w in weights.items():
        product *= np.asarray(w).reshape([-1 if axis == j else 1 for axis in range(q.ndim)])
    return product


def assert_conditioned(found: FloatArray, q: FloatArray, weights: Weights) -> None:
    np.testing.assert_allclose(found / found.sum(), condition(q, weights), rtol=0, atol=1e-12)


@given(ordered_networks(zeros=0.2), seeds)
def test_probability_times_weight_state_by_state(network: Network, seed: int) -> None:
    cards = network.domain.cardinalities
    weights = random_evidence(np.random.default_rng(seed), cards, range(len(cards)))
    drawn, weight = pass_law(network, weights)
    np.testing.assert_allclose(drawn * weight, weighted(law(network), weights), rtol=0, atol=1e-12)


@given(ordered_networks(), seeds)
def test_weighted_passes_have_the_conditioned_law(network: Network, seed: int) -> None:
    cards = network.domain.cardinalities
    weights = random_evidence(np.random.default_rng(seed), cards, range(len(cards)))
    drawn, weight = pass_law(network, weights)
    q = law(network)
    assert_conditioned(drawn * weight, q, weights)
    assert float((drawn * weight).sum()) == pytest.approx(float(weighted(q, weights).sum()), rel=1e-12)


@given(ordered_networks(), seeds)
def test_the_spread_of_weights_is_chi_square(network: Network, seed: int) -> None:
    """E[W^2] / E[W]^2 = 1 + chi-square of the conditioned law from the law of the passes."""
    cards = network.domain.cardinalities
    weights = random_evidence(np.random.default_rng(seed), cards, range(len(cards)))
    drawn, weight = pass_law(network, weights)
    spread = float((drawn * weight**2).sum() / (drawn * weight).sum() ** 2)
    pi, here = condition(law(network), weights), drawn > 0
    chi_square = float(((pi - drawn)[here] ** 2 / drawn[here]).sum())
    assert spread == pytest.approx(1 + chi_square, rel=1e-9)


@given(seeds)
def test_the_twins_intervals_are_the_samplers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = random_table(rng, 5, int(rng.integers(1, 6)), zeros=0.3).probabilities * rng.random()
    for row, expected in zip(rows, thresholds_of(rows), strict=True):
        assert interval_ends(row.tolist()) == expected.tolist()


@settings(max_examples=20)
@given(ordered_networks(zeros=0.2), seeds)
def test_a_pass_has_the_weight_of_its_state(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = network.domain.cardinalities
    weights = random_evidence(rng, cards, range(len(cards)))
    drawn, weight = pass_law(network, weights)
    for _ in range(20):
        x, own = one_pass(network, rng.integers(2**32, size=len(cards)).tolist(), weights)
        assert own == pytest.approx(weight[x], rel=1e-12)
        assert own == 0 or drawn[x] > 0


def test_passes_draw_their_law() -> None:
    rng = np.random.default_rng(0)
    network = everything_read(rng, (2, 2, 2), (1, 2, 0))
    weights = {0: (0.0, 1.0), 2: (0.3, 1.0)}
    counts = np.zeros((2, 2, 2))
    for _ in range(5000):
        counts[one_pass(network, rng.integers(2**32, size=3).tolist(), weights)[0]] += 1
    assert_same_law(counts, pass_law(network, weights)[0], detects_l1=0.21)


def test_mutants() -> None:
    """Draws without their weights, which is how a tilted chain begins; and X_j drawn from theta_j, then weighed away."""
    network = everything_read(np.random.default_rng(1), (2, 3, 2), (0, 1, 2))
    q = law(network)
    soft = {1: (0.2, 1.0, 0.5)}
    drawn, weight = pass_law(network, soft)
    assert_conditioned(drawn * weight, q, soft)
    with pytest.raises(AssertionError):
        assert_conditioned(drawn, q, soft)
    with pytest.raises(AssertionError):
        assert_conditioned(q * weight, q, soft)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(
            drawn * weight, condition(q, soft), rtol=0, atol=1e-12
        )  # P(evidence) is lost
