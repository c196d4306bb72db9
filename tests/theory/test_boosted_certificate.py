"""Ours: KL(p^D || E(theta_i)) = -<log theta_i> - H(p^D(X_i | X_-i)) for any theta, and FC_lim is their sum."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from depnet import Dataset, Network, RandomScan, certificate, empirical, stationary
from depnet.geometry import (
    conditional_entropy,
    fc_limit,
    full_conditional_divergence,
    kl_to_manifold,
    manifolds,
)
from tests.boosted import tabulated
from tests.reference.counting import node_score
from tests.strategies import datasets, random_mixed_network, random_weights, seeds


def network_on(dataset: Dataset, seed: int) -> Network:
    return replace(random_mixed_network(seed, dataset.domain.cardinalities), domain=dataset.domain)


def assert_cross_entropies(network: Network, dataset: Dataset, of: Network) -> None:
    """The certificate's terms, KL of the manifolds, and cross-entropies of `of` by the slow twin."""
    p = empirical(dataset)
    proven = certificate(network, dataset)
    for part, manifold, node in zip(proven.nodes, manifolds(network), of.nodes, strict=True):
        crossed = -node_score(node, dataset) - conditional_entropy(p, node.variable)
        np.testing.assert_allclose(kl_to_manifold(p, manifold), crossed, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(part.kl, crossed, rtol=1e-9, atol=1e-11)


@given(datasets(max_variables=4, max_cardinality=3, weighted=True), seeds)
def test_the_terms_are_cross_entropies_less_entropies(dataset: Dataset, seed: int) -> None:
    network = network_on(dataset, seed)
    assert_cross_entropies(network, dataset, network)
    for part, node in zip(certificate(network, dataset).nodes, network.nodes, strict=True):
        assert part.boosted == node.boosted
        if part.boosted:
            assert (part.leaves, part.parameters, part.penalty, part.misfit) == (0, 0, 0.0, 0.0)
            assert part.cost == part.kl


@given(datasets(min_variables=2, max_variables=4, max_cardinality=3), seeds)
def test_their_sum_is_the_fc_limit_and_bounds_fc(dataset: Dataset, seed: int) -> None:
    network, p = network_on(dataset, seed), empirical(dataset)
    c = random_weights(np.random.default_rng(seed), len(network))
    proven = certificate(network, dataset, c)
    assert proven.no_bound is None
    assert proven.fc_limit == pytest.approx(fc_limit(p, network, c), rel=1e-9, abs=1e-11)
    pi = stationary(network, RandomScan(c))
    assert full_conditional_divergence(p, pi, c) <= proven.fc_limit * (1 + 1e-9) + 1e-9


@given(datasets(max_variables=3, max_cardinality=3), seeds)
def test_the_same_theta_as_a_table_has_the_same_terms(dataset: Dataset, seed: int) -> None:
    """There the cross-entropy falls into H(X_i | Y_i) and the misfit of the table."""
    network = network_on(dataset, seed)
    for boosted, table in zip(
        certificate(network, dataset).nodes, certificate(tabulated(network), dataset).nodes, strict=True
    ):
        assert boosted.kl == pytest.approx(table.kl, rel=1e-9, abs=1e-11)
        assert boosted.one_leaf_kl == pytest.approx(table.one_leaf_kl, rel=1e-12, abs=1e-15)


def test_mutant_the_cross_entropies_of_another_network() -> None:
    dataset = Dataset.from_codes([[0, 1, 2], [1, 0, 0], [1, 1, 1], [0, 1, 2]], [2, 2, 3])
    network, other = network_on(dataset, 1), network_on(dataset, 2)
    assert_cross_entropies(network, dataset, network)
    with pytest.raises(AssertionError):
        assert_cross_entropies(network, dataset, other)
