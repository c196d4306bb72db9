"""Ours: with theta = p^D(X_i | Y_i), KL(p^D || Q) = sum over i of H(p^D(X_i | Y_i)) - H(p^D).

The paper's reduced cost cost'_i, restricted to earlier variables, so sums to the description length of the table itself,
and learning falls apart into nodes: what one source does to KL(p^D || Q) does not depend on the others.
"""

import dataclasses

import numpy as np
import pytest
from hypothesis import given

from depnet import (
    ConditionalTable,
    ConstantSource,
    Dataset,
    Mdl,
    Network,
    Node,
    TableNode,
    empirical,
    learn_parameters,
)
from depnet.arrays import FloatArray
from depnet.geometry import conditional_entropy, entropy, kl
from depnet.learning.cost import cost_prime
from tests.reference.ordered import law, order_of
from tests.strategies import datasets, seeds
from tests.theory.ordered import before, with_random_sources


def node_entropy(p: FloatArray, node: Node) -> float:
    """H(p(X_i | Y_i))."""
    return conditional_entropy(p, node.variable, node.source)


def assert_cost(network: Network, dataset: Dataset) -> None:
    p = empirical(dataset)
    expected = sum(node_entropy(p, node) for node in network.nodes) - entropy(p)
    np.testing.assert_allclose(kl(p, law(network)), expected, rtol=1e-9, atol=1e-12)


@given(datasets(max_variables=4, max_cardinality=3, weighted=True), seeds)
def test_the_divergence_is_a_sum_over_nodes(dataset: Dataset, seed: int) -> None:
    assert_cost(with_random_sources(dataset, seed), dataset)


@given(datasets(max_variables=4, max_cardinality=3, weighted=True), seeds)
def test_each_node_has_a_term_of_its_own(dataset: Dataset, seed: int) -> None:
    """H(X_i | Y_i) - H(X_i | all earlier variables), none negative: what Y_i leaves out of what it might read."""
    network = with_random_sources(dataset, seed)
    p, order = empirical(dataset), order_of(network)
    terms = [
        node_entropy(p, node) - conditional_entropy(p, node.variable, before(order, i))
        for i, node in enumerate(network.nodes)
    ]
    assert min(terms) >= -1e-12
    assert sum(terms) == pytest.approx(kl(p, law(network)), rel=1e-9, abs=1e-12)


@given(datasets(min_variables=2, max_variables=4, max_cardinality=3), seeds)
def test_what_a_source_does_does_not_depend_on_the_others(dataset: Dataset, seed: int) -> None:
    """With another source for X_i, KL(p^D || Q) + sum of R changes by the change of cost'_i, whatever else is read."""
    first = with_random_sources(dataset, seed)
    p, N = empirical(dataset), dataset.total
    i = seed % len(first)
    sources = [node.source for node in first.nodes]
    sources[i] = ConstantSource()
    second = dataclasses.replace(learn_parameters(dataset, sources), order=first.order)

    def cost(node: Node) -> float:
        assert node.table.counts is not None
        return cost_prime(node.table.counts, N, Mdl())

    def penalised(network: Network) -> float:
        parameters = [node.source.size * (node.table.states - 1) for node in network.nodes]
        return kl(p, law(network)) + sum(Mdl()(k, N) for k in parameters)

    assert penalised(second) - penalised(first) == pytest.approx(
        cost(second.nodes[i]) - cost(first.nodes[i]), rel=1e-9, abs=1e-9
    )


def test_mutants() -> None:
    """A table one per cent beside the data's own; and the paper's own constant, the sum of H(X_i | X_-i)."""
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, size=200)
    dataset = Dataset.from_codes(
        np.stack([x, x ^ (rng.random(200) < 0.2), rng.integers(0, 2, size=200)], 1), [2, 2, 2]
    )
    network = with_random_sources(dataset, 5)
    assert_cost(network, dataset)
    moved = [
        TableNode(
            n.variable, n.source, ConditionalTable.from_probabilities(0.99 * n.table.probabilities + 0.005)
        )
        for n in network.nodes
    ]
    with pytest.raises(AssertionError):
        assert_cost(dataclasses.replace(network, nodes=tuple(moved)), dataset)
    p = empirical(dataset)
    full = sum(node_entropy(p, node) - conditional_entropy(p, node.variable) for node in network.nodes)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(kl(p, law(network)), full, rtol=1e-9, atol=1e-12)
