"""Ours: of an ordered network with boosted nodes KL(p^D || Q) = -score - H(p^D), and each node has its part."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from depnet import Dataset, Network, SequentialScan, certificate, empirical, score, stationary_cycle
from depnet.arrays import FloatArray
from depnet.geometry import entropy, full_conditional_divergence, kl
from tests.boosted import random_boosted_network
from tests.reference.stages import node_theta
from tests.strategies import datasets, seeds


def law(network: Network) -> FloatArray:
    """Q(x), state by state."""
    q = np.ones(network.domain.cardinalities)
    for x in np.ndindex(q.shape):
        for node in network.nodes:
            q[x] *= node_theta(node, x)[x[node.variable]]
    return q


def network_on(dataset: Dataset, seed: int) -> Network:
    made = random_boosted_network(seed, list(dataset.domain.cardinalities), ordered=True)
    return replace(made, domain=dataset.domain)


def assert_score(network: Network, q: FloatArray, dataset: Dataset) -> None:
    p = empirical(dataset)
    found = kl(p, q)
    np.testing.assert_allclose(found, -score(network, dataset) - entropy(p), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(found, certificate(network, dataset).kl, rtol=1e-9, atol=1e-11)


@given(datasets(max_variables=4, max_cardinality=3, weighted=True), seeds)
def test_kl_is_minus_the_score_less_the_entropy(dataset: Dataset, seed: int) -> None:
    network = network_on(dataset, seed)
    q = law(network)
    assert q.sum() == pytest.approx(1, abs=1e-12)
    assert_score(network, q, dataset)
    assert all(part.kl >= 0 for part in certificate(network, dataset).nodes)
    assert full_conditional_divergence(empirical(dataset), q) <= certificate(network, dataset).kl + 1e-9


@given(seeds)
def test_one_sweep_in_the_order_draws_from_it(seed: int) -> None:
    network = random_boosted_network(seed, [2, 3, 2], ordered=True)
    assert network.order is not None
    cycle = stationary_cycle(network, SequentialScan(network.order))
    np.testing.assert_allclose(cycle[0], law(network), atol=1e-12)


def test_mutant_the_law_of_another_order() -> None:
    """pi^1 of the same scan has forgotten how the first variable goes with the rest."""
    network = random_boosted_network(5, [2, 3, 2], ordered=True)
    assert network.order is not None
    rng = np.random.default_rng(0)
    dataset = Dataset.from_codes(rng.integers(0, [2, 3, 2], size=(50, 3)), domain=network.domain)
    assert_score(network, law(network), dataset)
    with pytest.raises(AssertionError):
        assert_score(network, stationary_cycle(network, SequentialScan(network.order))[1], dataset)
