"""The game of Sec. 3.2: (pi, {pi_i}) is a Nash equilibrium; neither kind of player can lower its cost.

player p_i:  KL(pi || q), q in E(theta_i)            its best answer is pi_i, the m-projection of pi
player p:    sum of c_i KL(pi_i || q), q any law     its best answer is sum of c_i pi_i, which is pi
"""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Network, RandomScan, geometry
from depnet.arrays import FloatArray
from tests.strategies import networks, random_joint, random_network, random_weights, seeds
from tests.theory.drawing import neighbours, point_of


def assert_equilibrium(
    pi: FloatArray, network: Network, c: Sequence[float], rng: np.random.Generator
) -> None:
    manifolds = geometry.manifolds(network)
    answers = [geometry.m_projection(pi, manifold) for manifold in manifolds]
    for manifold, answer in zip(manifolds, answers, strict=True):
        contexts = neighbours(pi.sum(axis=manifold.variable, keepdims=True), rng)
        deviations = [point_of(manifold, pi.shape, rng), *(context * manifold.theta for context in contexts)]
        for q in deviations:
            assert geometry.kl(pi, answer) <= geometry.kl(pi, q) + 1e-9

    def cost(q: FloatArray) -> float:
        return sum(w * geometry.kl(answer, q) for w, answer in zip(c, answers, strict=True))

    for q in [random_joint(rng, pi.shape), *neighbours(pi, rng), *answers]:
        assert cost(pi) <= cost(q) + 1e-9
        # what a deviation costs the player p, exactly: the answers' centroid is pi
        assert cost(q) - cost(pi) == pytest.approx(geometry.kl(pi, q), rel=1e-6, abs=1e-8)


@given(networks(max_states=200), seeds)
def test_the_stationary_law_and_its_projections(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    c = random_weights(rng, len(network))
    assert_equilibrium(depnet.stationary(network, RandomScan(c)), network, c, rng)


def test_mutants_another_law_and_other_weights() -> None:
    rng = np.random.default_rng(18)
    network = random_network(rng, (2, 3, 2))
    c = (0.2, 0.3, 0.5)
    pi = depnet.stationary(network, RandomScan(c))
    assert_equilibrium(pi, network, c, rng)
    with pytest.raises(AssertionError):
        assert_equilibrium(geometry.m_geodesic(pi, random_joint(rng, pi.shape), 0.05), network, c, rng)
    with pytest.raises(AssertionError):
        assert_equilibrium(pi, network, (0.3, 0.2, 0.5), rng)
