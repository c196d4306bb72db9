"""Eq. evaluating_Delta: the cost change of a split or a merge needs only the leaves it touches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Aic, Dataset, DecisionGraph, Mdl, Merge, NoPenalty, Split
from depnet.learning.cost import Penalty, delta
from depnet.model.table import leaf_counts
from tests.strategies import datasets, seeds
from tests.theory.learned import a_graph, reduced, square

penalties = st.sampled_from([Mdl(), Aic(), NoPenalty(), 0.3 * Mdl()])


def local_delta(graph: DecisionGraph, changed: DecisionGraph, dataset: Dataset, penalty: Penalty) -> float:
    """Delta from the leaves that the last operation of `changed` touched, and no others."""
    before, after = leaf_counts(graph, 0, dataset), leaf_counts(changed, 0, dataset)
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
    difference = reduced(changed, dataset, penalty) - reduced(graph, dataset, penalty)
    found = local_delta(graph, changed, dataset, penalty)
    np.testing.assert_allclose(found, difference, rtol=1e-9, atol=1e-12)


@given(
    datasets(min_variables=2, max_variables=4, weighted=True), seeds, st.one_of(penalties, st.just(square))
)
def test_delta_is_local(dataset: Dataset, seed: int, penalty: Penalty) -> None:
    """Eq. evaluating_Delta: every split and every merge, also with a penalty that is not linear in k."""
    graph = a_graph(dataset, seed)
    splits = [Split(y, j) for y in range(graph.size) for j in range(1, len(dataset.domain))]
    merges = [Merge(a, b) for b in range(graph.size) for a in range(b)]
    some: list[Split | Merge] = [*splits[:5], *merges[:5]]
    for operation in some:
        changed = DecisionGraph((*graph.operations, operation), graph.cardinalities)
        assert_local_delta(graph, changed, dataset, penalty)


@given(datasets(min_variables=2, max_variables=4), seeds)
def test_split_and_merge_undo_each_other(dataset: Dataset, seed: int) -> None:
    graph = a_graph(dataset, seed)
    split = DecisionGraph((*graph.operations, Split(0, 1)), graph.cardinalities)
    undone = split
    for _ in range(graph.cardinalities[1] - 1):
        undone = DecisionGraph(
            (*undone.operations, Merge(undone.size - 2, undone.size - 1)), graph.cardinalities
        )
    there = local_delta(graph, split, dataset, Mdl())
    back = reduced(undone, dataset, Mdl()) - reduced(split, dataset, Mdl())
    np.testing.assert_allclose(there, -back, rtol=1e-9, atol=1e-12)


def test_mutant() -> None:
    """The Delta of merging another pair is another number."""
    rng = np.random.default_rng(0)
    dataset = Dataset.from_codes(rng.integers(0, [2, 3, 2], size=(40, 3)), [2, 4, 2])
    graph = DecisionGraph((Split(0, 1), Split(0, 2)), (2, 4, 2))
    one, other = (DecisionGraph((*graph.operations, Merge(a, 3)), graph.cardinalities) for a in (0, 1))
    difference = reduced(one, dataset, Mdl()) - reduced(graph, dataset, Mdl())
    np.testing.assert_allclose(local_delta(graph, one, dataset, Mdl()), difference, rtol=1e-9, atol=1e-12)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(
            local_delta(graph, other, dataset, Mdl()), difference, rtol=1e-9, atol=1e-12
        )
