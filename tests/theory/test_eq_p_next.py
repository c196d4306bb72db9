"""Eq. p^(t+1): under the random scan the law moves to the mixture of its m-projections, and on to pi.

Under the sequential scan it moves to one m-projection after another (Sec. 3.1). Both are held against
the transition matrix of Algorithm 1 itself, K_i[x, x'] = theta_i(x'_i | x_-i) where x' = x outside i.
"""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Network, RandomScan, SequentialScan, geometry
from depnet.arrays import FloatArray
from tests.strategies import networks, random_joint, random_network, random_weights, seeds
from tests.theory.drawing import dense_stationary, transition_matrix


def assert_next_is_the_mixture(
    p: FloatArray, after: FloatArray, network: Network, c: Sequence[float]
) -> None:
    manifolds = geometry.manifolds(network)
    mixture = sum(w * geometry.m_projection(p, m) for w, m in zip(c, manifolds, strict=True))
    np.testing.assert_allclose(after, mixture, rtol=1e-10, atol=1e-15)
    K = sum(w * transition_matrix(m, p.shape) for w, m in zip(c, manifolds, strict=True))
    np.testing.assert_allclose(after, (p.ravel() @ K).reshape(p.shape), rtol=1e-10, atol=1e-15)


@given(networks(zeros=0.2, max_states=100), seeds)
def test_one_step_of_the_random_scan(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = random_joint(rng, network.domain.cardinalities, zeros=0.3)
    c = random_weights(rng, len(network))
    path = list(depnet.law_path(network, RandomScan(c), p, steps=3))
    for before, after in itertools.pairwise(path):
        assert_next_is_the_mixture(before, after, network, c)


@given(networks(zeros=0.2, max_states=100), seeds)
def test_one_step_of_the_sequential_scan(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = random_joint(rng, network.domain.cardinalities, zeros=0.3)
    order = tuple(rng.permutation(len(network)).tolist())
    path = list(depnet.law_path(network, SequentialScan(order), p, steps=len(order) + 1))
    for t, (before, after) in enumerate(itertools.pairwise(path)):
        only = np.eye(len(order))[order[t % len(order)]].tolist()
        assert_next_is_the_mixture(before, after, network, only)


@given(networks(max_variables=3, max_states=30), seeds)
def test_the_law_of_the_random_scan_is_its_fixed_point_and_limit(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    c = random_weights(rng, len(network))
    pi = depnet.stationary(network, RandomScan(c))
    np.testing.assert_allclose(pi, dense_stationary(network, c), rtol=0, atol=1e-9)
    assert_next_is_the_mixture(dense_stationary(network, c), dense_stationary(network, c), network, c)
    start = np.zeros(pi.shape)
    start.flat[int(rng.integers(pi.size))] = 1.0  # any initial value x^0
    distances = [np.abs(p - pi).sum() for p in depnet.law_path(network, RandomScan(c), start, steps=60)]
    assert np.all(np.diff(distances) <= 1e-9)  # a stochastic matrix never moves two laws apart


def test_mutant_other_weights() -> None:
    rng = np.random.default_rng(15)
    network = random_network(rng, (2, 3, 2))
    p = random_joint(rng, (2, 3, 2))
    _, after = depnet.law_path(network, RandomScan((0.2, 0.3, 0.5)), p, steps=1)
    assert_next_is_the_mixture(p, after, network, (0.2, 0.3, 0.5))
    with pytest.raises(AssertionError):
        assert_next_is_the_mixture(p, after, network, (0.2, 0.301, 0.499))
