"""Theorem 3 (thm:FC, Eq. FC-limit): FC(p || pi) <= sum of c_i KL(p || E(theta_i)), pi the law of the random scan.

Drawn with positive tables, as the paper assumes an ergodic chain.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Dataset, Network, RandomScan, SequentialScan, geometry
from depnet.arrays import FloatArray
from tests.strategies import networks, random_joint, random_network, random_weights, seeds
from tests.theory.drawing import dense_stationary


def assert_within_fc_limit(p: FloatArray, pi: FloatArray, network: Network, c: Sequence[float]) -> None:
    divergence = geometry.full_conditional_divergence(p, pi, c)
    assert divergence <= geometry.fc_limit(p, network, c) * (1 + 1e-9) + 1e-9  # pi is good to about 1e-10


def random_case(
    rng: np.random.Generator, max_variables: int = 4
) -> tuple[Network, tuple[float, ...], FloatArray]:
    """A network of 2 to 4 variables of 2 to 4 states, weights, and a joint with zeros or without."""
    cards = tuple(rng.integers(2, 5, size=int(rng.integers(2, max_variables + 1))).tolist())
    while np.prod(cards) > 48:
        cards = cards[:-1]
    network = random_network(rng, cards)
    p = random_joint(rng, cards, zeros=float(rng.choice([0.0, 0.0, 0.5])))
    return network, random_weights(rng, len(network)), p


def hardest_state(pi: FloatArray, network: Network, c: Sequence[float]) -> FloatArray:
    """The law p for which the bound has least to spare.

    FC_lim(p) - FC(p || pi) is linear in p, <sum of c_i log pi(X_i | X_-i) / theta_i(X_i | X_-i)>_p, so that
    it is least at a single state; where the bound holds there, it holds for every p.
    """
    spare = np.zeros(pi.shape)
    for weight, manifold in zip(c, geometry.manifolds(network), strict=True):
        spare += weight * np.log(geometry.full_conditional(pi, manifold.variable) / manifold.theta)
    p = np.zeros(pi.shape)
    p.flat[int(spare.argmin())] = 1.0
    return p


def check_network(network: Network, seed: int) -> None:
    """The bound, with weights of the scan at random, for the hardest state and for random laws."""
    rng = np.random.default_rng(seed)
    c = random_weights(rng, len(network))
    pi = depnet.stationary(network, RandomScan(c))
    assert_within_fc_limit(hardest_state(pi, network, c), pi, network, c)
    for zeros in (0.0, 0.5):
        assert_within_fc_limit(random_joint(rng, network.domain.cardinalities, zeros), pi, network, c)


@given(networks(max_states=200), seeds)
def test_fc_limit_bounds_the_random_scan(network: Network, seed: int) -> None:
    check_network(network, seed)


def check_random_networks(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    for k in range(count):
        network, c, p = random_case(rng)
        pi = depnet.stationary(network, RandomScan(c))
        assert_within_fc_limit(hardest_state(pi, network, c), pi, network, c)
        if k % 4 == 0:  # the hardest state speaks for every p; some others, all the same
            assert_within_fc_limit(p, pi, network, c)


def test_fc_limit_bounds_hundreds_of_random_networks() -> None:
    check_random_networks(0, 300)


@pytest.mark.long
def test_fc_limit_bounds_thousands_of_random_networks() -> None:
    check_random_networks(1, 10_000)


def test_the_bound_is_attained_by_consistent_tables() -> None:
    rng = np.random.default_rng(11)
    q, p = random_joint(rng, (2, 3)), random_joint(rng, (2, 3))
    limit = geometry.fc_limit(p, Network.from_joint(q))
    assert geometry.full_conditional_divergence(p, q) == pytest.approx(limit, rel=1e-12)


def test_where_a_state_of_p_is_transient_the_theorem_does_not_apply() -> None:
    """Zeros in learned tables; with a pseudo-count in each cell the chain is ergodic and the bound holds again."""
    rows = [[0, 0, 0]] * 22 + [[0, 1, 1]] * 8 + [[1, 0, 0]] * 2 + [[1, 1, 0]] * 8
    dataset = Dataset.from_codes(rows, [2, 2, 2])
    network, p, c = depnet.learn(dataset), depnet.empirical(dataset), (1 / 3,) * 3
    pi = depnet.stationary(network, RandomScan())
    assert pi[0, 1, 1] == 0
    assert geometry.full_conditional_divergence(p, pi) == np.inf
    assert geometry.fc_limit(p, network) == pytest.approx(0.0156, abs=1e-4)
    with pytest.raises(AssertionError):
        assert_within_fc_limit(p, pi, network, c)
    smoothed = network.smoothed(0.5)
    assert_within_fc_limit(p, depnet.stationary(smoothed, RandomScan()), smoothed, c)


def broken_by(wrong_law: Callable[[Network, tuple[float, ...], np.random.Generator], FloatArray]) -> int:
    """How many of 40 random networks break the bound when pi is replaced by another law."""
    rng = np.random.default_rng(12)
    broken = 0
    for _ in range(40):
        network, _, _ = random_case(rng, max_variables=3)
        c = (1 / len(network),) * len(network)
        wrong = wrong_law(network, c, rng)
        try:
            assert_within_fc_limit(hardest_state(wrong, network, c), wrong, network, c)
        except AssertionError:
            broken += 1
    return broken


def test_mutant_the_law_of_other_weights() -> None:
    assert broken_by(lambda network, c, rng: dense_stationary(network, random_weights(rng, len(c)))) > 0


def test_mutant_the_law_mixed_with_a_little_uniform() -> None:
    def mixed(network: Network, c: tuple[float, ...], rng: np.random.Generator) -> FloatArray:
        pi = dense_stationary(network, c)
        return geometry.m_geodesic(pi, np.full(pi.shape, 1 / pi.size), 0.05)

    assert broken_by(mixed) > 0


def test_mutant_the_sequential_scan_breaks_the_bound() -> None:
    """Theorem 3 is about the random scan; the centroid of the sequential scan often breaks its bound."""
    assert broken_by(lambda network, c, rng: depnet.stationary(network, SequentialScan())) > 10
