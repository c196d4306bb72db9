"""Theorem 4: theta^min = p^D(X_i | Y_i); its proof's identity for any theta; Eqs. HtoKL and scost."""

import math

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
    certificate,
    empirical,
    learn_parameters,
)
from depnet.geometry import FullConditionalManifold, conditional_entropy, fc_limit, kl, kl_to_manifold
from tests.strategies import datasets, random_blocks, random_source, random_table, seeds


def any_node(dataset: Dataset, seed: int) -> Node:
    """A node over random variables with a random source and any table."""
    rng = np.random.default_rng(seed)
    cards = dataset.domain.cardinalities
    variables = random_blocks(rng, len(cards))[0]
    source = random_source(rng, cards, variables)
    return Node(variables, source, random_table(rng, source.size, math.prod(cards[i] for i in variables)))


def network_with(node: Node, dataset: Dataset, smoothing: float = 0.0) -> Network:
    """A network whose node 0 has the node's source and the table of Theorem 4, or a smoothed one."""
    others = [(i, ConstantSource()) for i in range(len(dataset.domain))]
    return learn_parameters(dataset, [(node.variables, node.source), *others], smoothing=smoothing)


def learned(node: Node, dataset: Dataset, smoothing: float = 0.0) -> Node:
    return network_with(node, dataset, smoothing).nodes[0]


def kl_of(node: Node, dataset: Dataset) -> float:
    """KL(p^D || E(theta)), by the geometry: the m-projection on the joint tensor."""
    manifold = FullConditionalManifold.of_node(node, dataset.domain.cardinalities)
    return kl_to_manifold(empirical(dataset), manifold)


def sum_over_leaves(node: Node, best: Node, dataset: Dataset) -> float:
    """Sum over y of p(y) KL(p(X_i | y) || theta_i(X_i | y))."""
    counts = best.table.counts
    assert counts is not None
    leaves = range(node.source.size)
    weight = counts.sum(axis=1) / dataset.total
    rows = zip(best.table.probabilities, node.table.probabilities, strict=True)
    return sum(
        float(weight[y]) * kl(p, theta) for y, (p, theta) in zip(leaves, rows, strict=True) if weight[y] > 0
    )


def assert_identity(node: Node, best: Node, dataset: Dataset) -> None:
    p = empirical(dataset)
    entropies = conditional_entropy(p, node.variables, node.source) - conditional_entropy(p, node.variables)
    expected = sum_over_leaves(node, best, dataset) + entropies
    np.testing.assert_allclose(kl_of(node, dataset), expected, rtol=1e-9, atol=1e-12)


@given(datasets(max_variables=4, weighted=True), seeds)
def test_the_proofs_identity_for_any_theta(dataset: Dataset, seed: int) -> None:
    node = any_node(dataset, seed)
    assert_identity(node, learned(node, dataset), dataset)
    assert_identity(learned(node, dataset, 0.5), learned(node, dataset), dataset)


@given(datasets(max_variables=4, weighted=True), seeds)
def test_the_datas_own_table_is_nearest(dataset: Dataset, seed: int) -> None:
    node = any_node(dataset, seed)
    best = learned(node, dataset)
    assert kl_of(best, dataset) <= kl_of(node, dataset) + 1e-12
    assert kl_of(best, dataset) <= kl_of(learned(node, dataset, 0.5), dataset) + 1e-12


@given(datasets(max_variables=4, weighted=True), seeds)
def test_the_least_distance_is_a_difference_of_entropies(dataset: Dataset, seed: int) -> None:
    """Eq. HtoKL, and with R(k, N) added Eq. scost; the certificate reads both from rows alone."""
    network = network_with(any_node(dataset, seed), dataset)
    best = network.nodes[0]
    p = empirical(dataset)
    distance = conditional_entropy(p, best.variables, best.source) - conditional_entropy(p, best.variables)
    np.testing.assert_allclose(kl_of(best, dataset), distance, rtol=1e-9, atol=1e-12)
    part = certificate(network, dataset).nodes[0]
    k = best.source.size * (best.table.states - 1)
    np.testing.assert_allclose(part.cost, distance + Mdl()(k, dataset.total), rtol=1e-9, atol=1e-12)


@given(datasets(max_variables=4, weighted=True), seeds)
def test_the_certificate_is_the_fc_limit_of_the_geometry(dataset: Dataset, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = dataset.domain.cardinalities
    pairs = [(block, random_source(rng, cards, block)) for block in random_blocks(rng, len(cards))]
    network = learn_parameters(dataset, pairs, smoothing=0.5)
    weights = tuple(rng.dirichlet(np.full(len(network), 3.0)))
    expected = fc_limit(empirical(dataset), network, weights)
    np.testing.assert_allclose(
        certificate(network, dataset, weights).fc_limit, expected, rtol=1e-9, atol=1e-12
    )


def test_mutants() -> None:
    """The identity without its first term, and a table beside the data's own, are caught."""
    rng = np.random.default_rng(1)
    dataset = Dataset.from_codes(rng.integers(0, 2, size=(50, 3)), [2, 2, 2])
    node = any_node(dataset, 3)
    best = learned(node, dataset)
    moved = Node(
        best.variables,
        best.source,
        ConditionalTable.from_probabilities(0.99 * best.table.probabilities + 0.01 / best.table.states),
    )
    with pytest.raises(AssertionError):
        assert_identity(node, Node(best.variables, best.source, learned(node, dataset, 0.5).table), dataset)
    with pytest.raises(AssertionError):
        assert kl_of(moved, dataset) <= kl_of(best, dataset) + 1e-12
    p = empirical(dataset)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(
            kl_of(moved, dataset),
            conditional_entropy(p, best.variables, best.source) - conditional_entropy(p, best.variables),
            rtol=1e-9,
            atol=1e-12,
        )
