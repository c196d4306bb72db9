"""Eq. sum_of_Lcost: the reduced cost is a sum over leaves, the empty ones among them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Aic, Dataset, DecisionGraph, Mdl, NoPenalty, Split
from depnet.arrays import IntArray
from depnet.learning.cost import Penalty, cost_prime, lcost
from depnet.model.table import leaf_counts
from tests.strategies import datasets, seeds
from tests.theory.learned import a_graph, square

penalties = st.sampled_from([Mdl(), Aic(), NoPenalty(), 0.3 * Mdl()])


@given(datasets(max_variables=4, weighted=True), seeds, penalties)
def test_the_cost_is_a_sum_over_leaves(dataset: Dataset, seed: int, penalty: Penalty) -> None:
    """Eq. sum_of_Lcost, for penalties linear in k."""
    graph = a_graph(dataset, seed)
    assert_sum_of_lcost(leaf_counts(graph, 0, dataset), dataset, penalty)


def assert_sum_of_lcost(counts: IntArray, dataset: Dataset, penalty: Penalty) -> None:
    leaves = sum(lcost(leaf, dataset.total, penalty) for leaf in counts)
    np.testing.assert_allclose(cost_prime(counts, dataset.total, penalty), leaves, rtol=1e-9, atol=1e-12)


def test_mutants() -> None:
    """Empty leaves that are not paid for, and a penalty that is not linear in k, break the sum."""
    rng = np.random.default_rng(0)
    dataset = Dataset.from_codes(rng.integers(0, [2, 3, 2], size=(40, 3)), [2, 4, 2])
    graph = DecisionGraph((Split(0, 1), Split(0, 2)), (2, 4, 2))
    counts = leaf_counts(graph, 0, dataset)
    filled = counts[counts.sum(axis=1) > 0]
    assert len(filled) < len(counts), "X1 = 3 never happens"
    assert_sum_of_lcost(counts, dataset, Mdl())
    leaves = sum(lcost(leaf, 40, Mdl()) for leaf in filled)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(cost_prime(counts, 40, Mdl()), leaves, rtol=1e-9, atol=1e-12)
    with pytest.raises(AssertionError):
        assert_sum_of_lcost(counts, dataset, square)
