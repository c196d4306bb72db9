"""Ours: Theorem 3 asks nothing of theta but that it is a conditional distribution; so it holds with boosted nodes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Network, RandomScan, SequentialScan
from depnet.geometry import full_conditional_divergence, m_geodesic
from tests.boosted import random_boosted_network
from tests.strategies import mixed_networks, random_joint, random_weights, seeds
from tests.theory.drawing import dense_stationary
from tests.theory.test_thm_fc import assert_within_fc_limit, check_network, hardest_state


@given(mixed_networks(max_states=100), seeds)
def test_fc_limit_bounds_the_random_scan(network: Network, seed: int) -> None:
    check_network(network, seed)


@given(seeds)
def test_where_all_nodes_are_boosted_every_state_is_recurrent(seed: int) -> None:
    network = random_boosted_network(seed, [2, 3, 2])
    pi = depnet.stationary(network, RandomScan())
    assert (pi > 0).all()
    assert np.isfinite(full_conditional_divergence(random_joint(np.random.default_rng(seed), (2, 3, 2)), pi))


@pytest.mark.parametrize("mutant", ["weights", "uniform", "sequential", "stage"])
def test_mutants_another_law_than_pi(mutant: str) -> None:
    """Of 20 networks with each wrong law some break the bound, where its slack is least; with the right one none does."""
    rng = np.random.default_rng(3)
    broken = 0
    for seed in range(20):
        network = random_boosted_network(seed, [2, 3, 2])
        c = (1 / 3,) * 3
        pi = dense_stationary(network, c)
        assert_within_fc_limit(hardest_state(pi, network, c), pi, network, c)
        if mutant == "weights":
            pi = dense_stationary(network, random_weights(rng, 3))
        elif mutant == "uniform":
            pi = m_geodesic(pi, np.full(pi.shape, 1 / pi.size), 0.05)
        elif mutant == "sequential":
            pi = depnet.stationary(network, SequentialScan())
        else:  # the law of a network whose first node is another
            other = random_boosted_network(seed + 100, [2, 3, 2]).nodes[0]
            pi = dense_stationary(replace(network, nodes=(other, *network.nodes[1:])), c)
        try:
            assert_within_fc_limit(hardest_state(pi, network, c), pi, network, c)
        except AssertionError:
            broken += 1
    assert broken > 0
