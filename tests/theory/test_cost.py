"""The cost of structure learning: Eqs. cost_prime, cost(Y_i^ll), sum_of_Lcost and evaluating_Delta."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Aic, Dataset, DecisionGraph, LosslessSource, Mdl, Merge, NoPenalty, Split, empirical
from depnet.geometry import conditional_entropy
from depnet.learning.cost import cost_prime, delta, lcost
from depnet.learning.penalty import Penalty
from depnet.model.counting import leaf_counts
from tests.strategies import datasets, random_operations, seeds

penalties = st.sampled_from([Mdl(), Aic(), NoPenalty(), 0.3 * Mdl()])


def square(parameters: int, rows: int) -> float:
    """A penalty that is not linear in k."""
    return parameters**2 / (100 * rows)


def a_graph(dataset: Dataset, seed: int, i: int) -> DecisionGraph:
    cards = dataset.domain.cardinalities
    operations = random_operations(np.random.default_rng(seed), cards, (i,), 6)
    return DecisionGraph(operations, cards)


def cost(graph: DecisionGraph, dataset: Dataset, i: int, penalty: Penalty) -> float:
    """cost_i(Y) of Eq. scost, by the geometry."""
    p = empirical(dataset)
    k = graph.size * (dataset.domain.cardinalities[i] - 1)
    distance = conditional_entropy(p, i, graph) - conditional_entropy(p, i)
    return distance + penalty(k, dataset.total)


def reduced(graph: DecisionGraph, dataset: Dataset, i: int, penalty: Penalty) -> float:
    return cost_prime(leaf_counts(graph, (i,), dataset), dataset.total, penalty)


@given(datasets(max_variables=4, weighted=True), seeds, penalties)
def test_reduced_cost_is_cost_plus_a_constant(dataset: Dataset, seed: int, penalty: Penalty) -> None:
    """Eq. cost_prime: H(X_i | X_-i), which is dropped, does not depend on Y."""
    constant = conditional_entropy(empirical(dataset), 0)
    for more in range(3):
        graph = a_graph(dataset, seed + more, 0)
        np.testing.assert_allclose(
            reduced(graph, dataset, 0, penalty),
            cost(graph, dataset, 0, penalty) + constant,
            rtol=1e-9,
            atol=1e-12,
        )


@given(datasets(max_variables=4, weighted=True), penalties)
def test_the_lossless_source_costs_its_penalty_alone(dataset: Dataset, penalty: Penalty) -> None:
    """Eq. cost(Y_i^ll)."""
    cards = dataset.domain.cardinalities
    lossless = LosslessSource.of_all_but((0,), cards)
    counts = leaf_counts(lossless, (0,), dataset)
    full = conditional_entropy(empirical(dataset), 0)
    expected = penalty(lossless.size * (cards[0] - 1), dataset.total)
    np.testing.assert_allclose(
        cost_prime(counts, dataset.total, penalty) - full, expected, rtol=1e-9, atol=1e-12
    )


@given(datasets(max_variables=4, weighted=True), seeds, penalties)
def test_the_cost_is_a_sum_over_leaves(dataset: Dataset, seed: int, penalty: Penalty) -> None:
    """Eq. sum_of_Lcost, for penalties linear in k."""
    graph = a_graph(dataset, seed, 0)
    assert_sum_of_lcost(leaf_counts(graph, (0,), dataset), dataset, penalty)


def assert_sum_of_lcost(counts: np.ndarray, dataset: Dataset, penalty: Penalty) -> None:
    leaves = sum(lcost(leaf, dataset.total, penalty) for leaf in counts)
    np.testing.assert_allclose(cost_prime(counts, dataset.total, penalty), leaves, rtol=1e-9, atol=1e-12)


def local_delta(graph: DecisionGraph, changed: DecisionGraph, dataset: Dataset, penalty: Penalty) -> float:
    """Delta from the leaves that the last operation of `changed` touched, and no others."""
    before, after = leaf_counts(graph, (0,), dataset), leaf_counts(changed, (0,), dataset)
    operation = changed.operations[-1]
    if isinstance(operation, Split):
        k = dataset.domain.cardinalities[operation.variable]
        removed, added = before[[operation.leaf]], after[-k:]
    else:
        removed, added = before[list(operation)], after[[operation.first]]
    return delta(removed, added, graph.size, dataset.total, penalty)


def assert_local_delta(
    graph: DecisionGraph, changed: DecisionGraph, dataset: Dataset, penalty: Penalty
) -> None:
    difference = reduced(changed, dataset, 0, penalty) - reduced(graph, dataset, 0, penalty)
    found = local_delta(graph, changed, dataset, penalty)
    np.testing.assert_allclose(found, difference, rtol=1e-9, atol=1e-12)


@given(
    datasets(min_variables=2, max_variables=4, weighted=True), seeds, st.one_of(penalties, st.just(square))
)
def test_delta_is_local(dataset: Dataset, seed: int, penalty: Penalty) -> None:
    """Eq. evaluating_Delta: every split and every merge, also with a penalty that is not linear in k."""
    graph = a_graph(dataset, seed, 0)
    splits = [Split(y, j) for y in range(graph.size) for j in range(1, len(dataset.domain))]
    merges = [Merge(a, b) for b in range(graph.size) for a in range(b)]
    some: list[Split | Merge] = [*splits[:5], *merges[:5]]
    for operation in some:
        changed = DecisionGraph((*graph.operations, operation), graph.cardinalities)
        assert_local_delta(graph, changed, dataset, penalty)


@given(datasets(min_variables=2, max_variables=4), seeds)
def test_split_and_merge_undo_each_other(dataset: Dataset, seed: int) -> None:
    graph = a_graph(dataset, seed, 0)
    split = DecisionGraph((*graph.operations, Split(0, 1)), graph.cardinalities)
    undone = split
    for _ in range(graph.cardinalities[1] - 1):
        undone = DecisionGraph(
            (*undone.operations, Merge(undone.size - 2, undone.size - 1)), graph.cardinalities
        )
    there = local_delta(graph, split, dataset, Mdl())
    back = reduced(undone, dataset, 0, Mdl()) - reduced(split, dataset, 0, Mdl())
    np.testing.assert_allclose(there, -back, rtol=1e-9, atol=1e-12)


def test_mutants() -> None:
    """Empty leaves not paid for, a sum over leaves of a quadratic R, a Delta with the wrong leaf: all caught."""
    rng = np.random.default_rng(0)
    dataset = Dataset.from_codes(rng.integers(0, [2, 3, 2], size=(40, 3)), [2, 4, 2])
    graph = DecisionGraph((Split(0, 1), Split(0, 2)), (2, 4, 2))
    counts = leaf_counts(graph, (0,), dataset)
    filled = counts[counts.sum(axis=1) > 0]
    assert len(filled) < len(counts), "X1 = 3 never happens"
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(
            cost_prime(counts, 40, Mdl()),
            sum(lcost(leaf, 40, Mdl()) for leaf in filled),
            rtol=1e-9,
            atol=1e-12,
        )
    with pytest.raises(AssertionError):
        assert_sum_of_lcost(counts, dataset, square)
    one, other = (DecisionGraph((*graph.operations, Merge(a, 3)), graph.cardinalities) for a in (0, 1))
    difference = reduced(one, dataset, 0, Mdl()) - reduced(graph, dataset, 0, Mdl())
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(
            local_delta(graph, other, dataset, Mdl()), difference, rtol=1e-9, atol=1e-12
        )
