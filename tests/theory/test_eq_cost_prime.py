"""Eqs. cost_prime and cost(Y_i^ll): the reduced cost, and what the lossless source costs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Aic, Dataset, DecisionGraph, LosslessSource, Mdl, NoPenalty, Split, empirical
from depnet.geometry import conditional_entropy
from depnet.learning.cost import Penalty, cost_prime
from depnet.model.table import leaf_counts
from tests.strategies import datasets, seeds
from tests.theory.learned import a_graph, reduced

penalties = st.sampled_from([Mdl(), Aic(), NoPenalty(), 0.3 * Mdl()])


def cost(graph: DecisionGraph, dataset: Dataset, penalty: Penalty) -> float:
    """cost_i(Y) of Eq. scost, by the geometry."""
    p = empirical(dataset)
    k = graph.size * (dataset.domain.cardinalities[0] - 1)
    distance = conditional_entropy(p, 0, graph) - conditional_entropy(p, 0)
    return distance + penalty(k, dataset.total)


@given(datasets(max_variables=4, weighted=True), seeds, penalties)
def test_reduced_cost_is_cost_plus_a_constant(dataset: Dataset, seed: int, penalty: Penalty) -> None:
    """Eq. cost_prime: H(X_i | X_-i), which is dropped, does not depend on Y."""
    constant = conditional_entropy(empirical(dataset), 0)
    for more in range(3):
        graph = a_graph(dataset, seed + more)
        np.testing.assert_allclose(
            reduced(graph, dataset, penalty),
            cost(graph, dataset, penalty) + constant,
            rtol=1e-9,
            atol=1e-12,
        )


@given(datasets(max_variables=4, weighted=True), penalties)
def test_the_lossless_source_costs_its_penalty_alone(dataset: Dataset, penalty: Penalty) -> None:
    """Eq. cost(Y_i^ll)."""
    cards = dataset.domain.cardinalities
    lossless = LosslessSource.of_all_but(0, cards)
    counts = leaf_counts(lossless, 0, dataset)
    full = conditional_entropy(empirical(dataset), 0)
    expected = penalty(lossless.size * (cards[0] - 1), dataset.total)
    np.testing.assert_allclose(
        cost_prime(counts, dataset.total, penalty) - full, expected, rtol=1e-9, atol=1e-12
    )


def test_mutants() -> None:
    """A leaf that is not paid for, and a source that is nearly lossless, are caught."""
    rng = np.random.default_rng(0)
    dataset = Dataset.from_codes(rng.integers(0, 2, size=(40, 3)), [2, 2, 2])
    constant = conditional_entropy(empirical(dataset), 0)
    graph = DecisionGraph((Split(0, 1),), (2, 2, 2))
    unpaid = reduced(graph, dataset, Mdl()) - Mdl()(1, 40)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(unpaid, cost(graph, dataset, Mdl()) + constant, rtol=1e-9, atol=1e-12)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(reduced(graph, dataset, Mdl()) - constant, Mdl()(2, 40), rtol=1e-9)
