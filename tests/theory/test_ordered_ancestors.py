"""Ours: only ancestors of targets and evidence take part in an answer.

A is closed when every source of a variable of A reads variables of A alone. Then Q(X_A) is the product of the tables of A:
the others sum to one, the last in the order first.
"""

from collections.abc import Collection

import numpy as np
import pytest
from hypothesis import given, settings

from depnet import Network
from depnet.arrays import FloatArray
from tests.reference.ordered import Weights, ancestors, condition, law, one_pass, order_of, theta
from tests.strategies import ordered_networks, random_evidence, seeds
from tests.theory.ordered import everything_read


def product_of(network: Network, taking_part: Collection[int]) -> FloatArray:
    """The product of the tables of some variables, on the first state of all the others."""
    cards = network.domain.cardinalities
    q = np.zeros([k if i in taking_part else 1 for i, k in enumerate(cards)])
    for x in np.ndindex(q.shape):
        q[x] = 1.0
        for i in order_of(network):
            if i in taking_part:
                q[x] *= theta(network, i, x)[x[i]]
    return q


def answer(q: FloatArray, targets: Collection[int], weights: Weights) -> FloatArray:
    """Q(T | x_C)."""
    others = tuple(i for i in range(q.ndim) if i not in targets)
    return np.asarray(condition(q, weights).sum(axis=others))


def assert_answered_by(network: Network, taking_part: Collection[int], t: int, weights: Weights) -> None:
    """The tables of `taking_part` answer as the whole network does."""
    part = product_of(network, taking_part)
    inside = {j: w for j, w in weights.items() if j in taking_part}
    np.testing.assert_allclose(
        answer(part / part.sum(), [t], inside), answer(law(network), [t], weights), rtol=0, atol=1e-12
    )


@given(ordered_networks(zeros=0.2), seeds)
def test_the_law_of_ancestors_is_the_product_of_their_tables(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    some = rng.permutation(len(network))[: int(rng.integers(1, len(network) + 1))].tolist()
    inside = ancestors(network, some)
    assert set(some) <= inside
    rest = tuple(i for i in range(len(network)) if i not in inside)
    summed = law(network).sum(axis=rest, keepdims=True)
    np.testing.assert_allclose(product_of(network, inside), summed, rtol=0, atol=1e-12)


@given(ordered_networks(), seeds)
def test_answers_need_ancestors_of_targets_and_evidence_only(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = network.domain.cardinalities
    weights = random_evidence(rng, cards, range(len(cards)))
    t = int(rng.integers(len(cards)))
    assert_answered_by(network, ancestors(network, [t, *weights]), t, weights)


@settings(max_examples=20)
@given(ordered_networks(), seeds)
def test_a_pass_over_ancestors_is_the_pass_over_all(network: Network, seed: int) -> None:
    """Variable by variable and weight by weight, with the same words."""
    rng = np.random.default_rng(seed)
    cards = network.domain.cardinalities
    weights = random_evidence(rng, cards, range(len(cards)))
    inside = ancestors(network, [int(rng.integers(len(cards))), *weights])
    words = rng.integers(2**32, size=len(cards)).tolist()
    (whole, weight), (part, same) = (
        one_pass(network, words, weights),
        one_pass(network, words, weights, inside),
    )
    assert weight == same
    assert all(whole[i] == part[i] for i in inside)


def test_mutants() -> None:
    """The ancestors of the target alone forget the evidence below it; a set that is not closed has no law of its own."""
    network = everything_read(np.random.default_rng(2), (2, 2, 2), (0, 1, 2))
    weights = {1: (0.0, 1.0)}
    assert_answered_by(network, ancestors(network, [0, 1]), 0, weights)
    assert 2 not in ancestors(network, [0, 1])
    with pytest.raises(AssertionError):
        assert_answered_by(network, ancestors(network, [0]), 0, weights)
    with pytest.raises(AssertionError):
        assert_answered_by(network, {1, 2}, 2, weights)  # 2 reads 0, which was left out
