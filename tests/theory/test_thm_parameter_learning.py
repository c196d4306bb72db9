"""Theorem 4: theta^min = p^D(X_i | Y_i), by its proof's identity, which holds for any theta."""

import numpy as np
import pytest
from hypothesis import given

from depnet import ConditionalTable, Dataset, Node, TableNode, certificate, empirical, learn_parameters
from depnet.geometry import conditional_entropy, fc_limit, kl
from tests.strategies import datasets, random_source, seeds
from tests.theory.learned import any_node, kl_of, learned


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
    entropies = conditional_entropy(p, node.variable, node.source) - conditional_entropy(p, node.variable)
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
def test_the_certificate_is_the_fc_limit_of_the_geometry(dataset: Dataset, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = dataset.domain.cardinalities
    sources = [random_source(rng, cards, (i,)) for i in range(len(cards))]
    network = learn_parameters(dataset, sources, smoothing=0.5)
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
    moved = TableNode(
        best.variable,
        best.source,
        ConditionalTable.from_probabilities(0.99 * best.table.probabilities + 0.01 / best.table.states),
    )
    with pytest.raises(AssertionError):
        assert_identity(
            node, TableNode(best.variable, best.source, learned(node, dataset, 0.5).table), dataset
        )
    with pytest.raises(AssertionError):
        assert kl_of(moved, dataset) <= kl_of(best, dataset) + 1e-12
