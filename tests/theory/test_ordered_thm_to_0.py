"""Ours: Theorem 5 for ordered networks. With the source of all earlier variables among the candidates, KL(p^D || Q) -> 0.

As in the paper the proof rests on a line that holds at every N and is asserted as it stands: the cost of each node
is at most R(k_i, N) of that source, so that KL(p^D || Q) is at most their sum. A penalty in proportion to k makes
that R(|X| - 1, N) in every order.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet import Aic, Dataset, Mdl, Network, NoPenalty, empirical
from depnet.geometry import conditional_entropy, kl
from depnet.learning.cost import Penalty
from tests.reference.ordered import law, order_of
from tests.strategies import cardinalities, datasets, random_joint, random_order, seeds
from tests.theory.drawing import parity
from tests.theory.learned import GROWING, growing_samples
from tests.theory.ordered import before, learned_in_order, lossless_parameters


def assert_below_lossless(network: Network, dataset: Dataset, penalty: Penalty) -> None:
    """0 <= KL term <= cost_i <= R(k_i^ll, N) for each node, and KL(p^D || Q) <= sum of R(k_i^ll, N)."""
    p, N = empirical(dataset), dataset.total
    cards, order = dataset.domain.cardinalities, order_of(network)
    bound = 0.0
    for i, node in enumerate(network.nodes):
        term = conditional_entropy(p, i, node.source) - conditional_entropy(p, i, before(order, i))
        own = penalty(node.source.size * (node.table.states - 1), N)
        least = penalty(lossless_parameters(cards, order, i), N)
        assert -1e-12 <= term <= term + own <= least + 1e-9
        bound += least
    assert kl(p, law(network)) <= bound + 1e-9


@settings(max_examples=30)
@given(datasets(max_variables=4, max_cardinality=3), seeds, st.sampled_from([Mdl(), Aic(), NoPenalty()]))
def test_the_bound_at_every_N_in_any_order(dataset: Dataset, seed: int, penalty: Penalty) -> None:
    order = random_order(np.random.default_rng(seed), len(dataset.domain))
    assert_below_lossless(learned_in_order(dataset, order, penalty), dataset, penalty)


@given(cardinalities(), seeds)
def test_the_parameters_are_those_of_the_whole_table_in_every_order(
    cards: tuple[int, ...], seed: int
) -> None:
    """Sum over i of (|X_i| - 1) times the joint states before it = |X| - 1: the sum telescopes."""
    order = random_order(np.random.default_rng(seed), len(cards))
    parameters = sum(lossless_parameters(cards, order, i) for i in range(len(cards)))
    assert parameters == math.prod(cards) - 1


@pytest.mark.parametrize("seed", range(3))
def test_the_divergence_vanishes_as_rows_grow(seed: int) -> None:
    shape = (2, 3, 2)
    rng = np.random.default_rng(seed)
    p, order = random_joint(rng, shape, zeros=0.3), random_order(rng, 3)
    found = [
        kl(empirical(dataset), law(learned_in_order(dataset, order, Mdl())))
        for dataset in growing_samples(p, seed)
    ]
    for N, divergence in zip(GROWING, found, strict=True):
        assert divergence <= Mdl()(math.prod(shape) - 1, N) + 1e-9
    assert found[-1] < 1e-4


def test_mutants() -> None:
    """Without the lossless candidate, or where R(k^ll, N) does not vanish, the divergence stays."""
    (*_, many) = growing_samples(parity(0.01), 0)  # no first split pays, however many the rows
    order = (0, 1, 2)
    assert_below_lossless(learned_in_order(many, order, Mdl()), many, Mdl())
    with pytest.raises(AssertionError):
        assert_below_lossless(learned_in_order(many, order, Mdl(), lossless=False), many, Mdl())

    def never_vanishing(parameters: int, rows: int) -> float:
        return 0.3 * parameters

    held_back = learned_in_order(many, order, never_vanishing)
    with pytest.raises(AssertionError):
        assert kl(empirical(many), law(held_back)) < 1e-4
