"""Ours: Theorem 4 for ordered networks. The Q nearest to p^D has the tables p^D(X_i | Y_i), by an identity for any theta:

KL(p^D || Q) = KL(p^D || Q^min) + sum over i and y of p^D(y) KL(p^D(X_i | y) || theta_i(X_i | y)).
"""

import dataclasses

import numpy as np
import pytest
from hypothesis import given

from depnet import (
    ConditionalTable,
    ConstantSource,
    Dataset,
    LosslessSource,
    Network,
    TableNode,
    empirical,
    learn_parameters,
)
from depnet.geometry import kl
from tests.reference.ordered import law
from tests.strategies import datasets, random_table, seeds
from tests.theory.ordered import with_random_sources


def misfit(network: Network, best: Network, dataset: Dataset) -> float:
    """Sum over i and y of p^D(y) KL(p^D(X_i | y) || theta_i(X_i | y))."""
    total = 0.0
    for node, own in zip(network.nodes, best.nodes, strict=True):
        assert own.table.counts is not None
        for y, counts in enumerate(own.table.counts):
            if counts.sum() > 0:
                weight = float(counts.sum()) / dataset.total
                total += weight * kl(counts / counts.sum(), node.table.probabilities[y])
    return total


def assert_identity(network: Network, best: Network, dataset: Dataset) -> None:
    p = empirical(dataset)
    expected = kl(p, law(best)) + misfit(network, best, dataset)
    np.testing.assert_allclose(kl(p, law(network)), expected, rtol=1e-9, atol=1e-12)


def with_tables(network: Network, tables: list[ConditionalTable]) -> Network:
    nodes = [TableNode(n.variable, n.source, table) for n, table in zip(network.nodes, tables, strict=True)]
    return dataclasses.replace(network, nodes=tuple(nodes))


@given(datasets(max_variables=4, max_cardinality=3, weighted=True), seeds)
def test_the_identity_for_any_theta(dataset: Dataset, seed: int) -> None:
    best = with_random_sources(dataset, seed)
    rng = np.random.default_rng(seed)
    others = [random_table(rng, n.table.size, n.table.states) for n in best.nodes]
    assert_identity(with_tables(best, others), best, dataset)
    assert_identity(best.smoothed(0.5), best, dataset)


@given(datasets(max_variables=4, max_cardinality=3, weighted=True), seeds)
def test_the_datas_own_tables_are_nearest(dataset: Dataset, seed: int) -> None:
    best = with_random_sources(dataset, seed)
    p, rng = empirical(dataset), np.random.default_rng(seed)
    least = kl(p, law(best))
    others = [random_table(rng, n.table.size, n.table.states) for n in best.nodes]
    assert least <= kl(p, law(with_tables(best, others))) + 1e-12
    assert least <= kl(p, law(best.smoothed(0.5))) + 1e-12


def assert_smoothing_costs_little(best: Network, smoothing: float, dataset: Dataset) -> None:
    """At most s |X_i| |Y_i| / N a node: in a leaf of n rows, log((n + s |X_i|) / n) <= s |X_i| / n."""
    p = empirical(dataset)
    cost = kl(p, law(best.smoothed(smoothing))) - kl(p, law(best))
    cells = sum(n.table.size * n.table.states for n in best.nodes)
    assert cost <= smoothing * cells / dataset.total + 1e-12


@given(datasets(max_variables=4, max_cardinality=3, weighted=True), seeds)
def test_smoothing_costs_no_more_than_its_pseudo_counts(dataset: Dataset, seed: int) -> None:
    best = with_random_sources(dataset, seed)
    for smoothing in (0.5, 3.0):
        assert_smoothing_costs_little(best, smoothing, dataset)


def test_mutant_smoothing_taken_for_a_hundredth() -> None:
    dataset = Dataset.from_codes([[0, 0], [1, 1]] * 20, [2, 2])
    p = empirical(dataset)
    best = dataclasses.replace(
        learn_parameters(dataset, [ConstantSource(), LosslessSource((0,), (2,))]), order=(0, 1)
    )
    assert_smoothing_costs_little(best, 1.0, dataset)
    with pytest.raises(AssertionError):
        assert kl(p, law(best.smoothed(1.0))) - kl(p, law(best)) <= 0.01 * 6 / dataset.total


def test_mutants() -> None:
    """The identity with the smoothed tables in place of the data's own, and a table beside them, are caught."""
    rng = np.random.default_rng(1)
    dataset = Dataset.from_codes(rng.integers(0, 2, size=(50, 3)), [2, 2, 2])
    best = with_random_sources(dataset, 3)
    other = with_tables(best, [random_table(rng, n.table.size, n.table.states) for n in best.nodes])
    assert_identity(other, best, dataset)
    with pytest.raises(AssertionError):
        assert_identity(other, best.smoothed(5.0), dataset)
    moved = [
        ConditionalTable.from_probabilities(0.99 * n.table.probabilities + 0.01 / n.table.states)
        for n in best.nodes
    ]
    with pytest.raises(AssertionError):
        assert kl(empirical(dataset), law(with_tables(best, moved))) <= kl(empirical(dataset), law(best))
