"""Eqs. HtoKL and scost: the least distance to the data is a difference of entropies; with R it is the cost."""

import numpy as np
import pytest
from hypothesis import given

from depnet import ConditionalTable, Dataset, Mdl, Node, TableNode, certificate, empirical
from depnet.geometry import conditional_entropy
from tests.strategies import datasets, seeds
from tests.theory.learned import any_node, kl_of, network_with


def difference_of_entropies(node: Node, dataset: Dataset) -> float:
    """H(p^D(X_i | Y_i)) - H(p^D(X_i | X_-i))."""
    p = empirical(dataset)
    return conditional_entropy(p, node.variable, node.source) - conditional_entropy(p, node.variable)


def assert_htokl(node: Node, dataset: Dataset) -> None:
    expected = difference_of_entropies(node, dataset)
    np.testing.assert_allclose(kl_of(node, dataset), expected, rtol=1e-9, atol=1e-12)


@given(datasets(max_variables=4, weighted=True), seeds)
def test_the_least_distance_is_a_difference_of_entropies(dataset: Dataset, seed: int) -> None:
    assert_htokl(network_with(any_node(dataset, seed), dataset).nodes[0], dataset)


@given(datasets(max_variables=4, weighted=True), seeds)
def test_with_the_penalty_it_is_the_cost(dataset: Dataset, seed: int) -> None:
    """Eq. scost; the certificate reads it from rows alone."""
    network = network_with(any_node(dataset, seed), dataset)
    node, part = network.nodes[0], certificate(network, dataset).nodes[0]
    k = node.source.size * (node.table.states - 1)
    expected = difference_of_entropies(node, dataset) + Mdl()(k, dataset.total)
    np.testing.assert_allclose(part.cost, expected, rtol=1e-9, atol=1e-12)


def test_mutant() -> None:
    """A table one per cent beside the data's own is further away than the entropies say."""
    rng = np.random.default_rng(1)
    dataset = Dataset.from_codes(rng.integers(0, 2, size=(50, 3)), [2, 2, 2])
    best = network_with(any_node(dataset, 3), dataset).nodes[0]
    moved = ConditionalTable.from_probabilities(0.99 * best.table.probabilities + 0.01 / best.table.states)
    assert_htokl(best, dataset)
    with pytest.raises(AssertionError):
        assert_htokl(TableNode(best.variable, best.source, moved), dataset)
