"""Ours: moves. One update of X_i is reversible with respect to Q(. | x_C), in two ways:

X_i from its conditional under Q, theta_i times the tables of the nodes that read X_i; or a proposal of the dependency
network's theta_i, accepted with probability min(1, Q(x') theta_i(x_i | y_i) / (Q(x) theta_i(x_i' | y_i))). So is one
update at a random place. Moves do not correct the weights of modes.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings

from depnet import ConditionalTable, ConstantSource, Domain, LosslessSource, Network, TableNode
from depnet.arrays import FloatArray
from tests.laws import assert_same_law
from tests.reference.ordered import (
    Weights,
    acceptance,
    condition,
    conditional_under_q,
    gibbs_update,
    law,
    theta,
)
from tests.strategies import ordered_networks, random_evidence, random_network, random_weights, seeds
from tests.theory.ordered import everything_read

Row = Callable[[tuple[int, ...], int], list[float]]


def kernel(network: Network, i: int, row: Row) -> FloatArray:
    """K[x, x'], row-major: `row(x, i)` has the probabilities of X_i's next state; the rest is staying where one is."""
    shape = network.domain.cardinalities
    K = np.zeros((network.domain.size, network.domain.size))
    for x in np.ndindex(shape):
        here = np.ravel_multi_index(x, shape)
        chances = row(x, i)
        for state, chance in enumerate(chances):
            K[here, np.ravel_multi_index((*x[:i], state, *x[i + 1 :]), shape)] += chance
        K[here, here] += 1 - sum(chances)
    return K


def gibbs(network: Network, i: int, weights: Weights) -> FloatArray:
    """X_i from its conditional under Q; a state where nothing is possible stays."""
    return kernel(network, i, lambda x, i: conditional_under_q(network, x, i, weights) or [])


def accepted(network: Network, proposer: Network, i: int, weights: Weights) -> FloatArray:
    """The proposer's theta_i proposes, Q accepts."""

    def row(x: tuple[int, ...], i: int) -> list[float]:
        chances = theta(proposer, i, x)
        return [p * acceptance(network, proposer, x, i, to, weights) for to, p in enumerate(chances)]

    return kernel(network, i, row)


def assert_reversible(K: FloatArray, pi: FloatArray) -> None:
    """pi(x) K(x, x') = pi(x') K(x', x)."""
    np.testing.assert_allclose(K.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    flow = pi.ravel()[:, None] * K
    np.testing.assert_allclose(flow, flow.T, rtol=0, atol=1e-12)


def some_evidence(network: Network, seed: int) -> dict[int, tuple[float, ...]]:
    cards = network.domain.cardinalities
    return random_evidence(np.random.default_rng(seed), cards, range(1, len(cards)))


def cases(network: Network, seed: int) -> Iterator[tuple[int, dict[int, tuple[float, ...]], FloatArray]]:
    """Every variable that may move, with evidence and without, and the law it should keep."""
    for weights in ({}, some_evidence(network, seed)):
        pi = condition(law(network), weights)
        for i in range(len(network)):
            if sum(w > 0 for w in weights.get(i, (1.0, 1.0))) > 1:
                yield i, weights, pi


@settings(max_examples=25)
@given(ordered_networks(max_states=32), seeds)
def test_the_conditional_is_that_of_the_product(network: Network, seed: int) -> None:
    """The tables of X_i and of its readers are all that X_i is in: the others divide out."""
    for i, weights, pi in cases(network, seed):
        for x in np.ndindex(pi.shape):
            row = pi[(*x[:i], slice(None), *x[i + 1 :])]
            found = conditional_under_q(network, x, i, weights)
            if row.sum() > 0:
                assert found is not None
                np.testing.assert_allclose(found, row / row.sum(), rtol=0, atol=1e-12)


@settings(max_examples=25)
@given(ordered_networks(max_states=24), seeds)
def test_an_update_from_the_conditional_is_reversible(network: Network, seed: int) -> None:
    for i, weights, pi in cases(network, seed):
        assert_reversible(gibbs(network, i, weights), pi)


@settings(max_examples=25)
@given(ordered_networks(max_states=24), seeds)
def test_an_accepted_proposal_is_reversible(network: Network, seed: int) -> None:
    """Whatever the proposer: its tables need agree with nothing."""
    proposer = random_network(np.random.default_rng(seed), network.domain.cardinalities)
    for i, weights, pi in cases(network, seed):
        assert_reversible(accepted(network, proposer, i, weights), pi)


@settings(max_examples=25)
@given(ordered_networks(max_states=24, zeros=0.2), seeds)
def test_zeros_in_tables_leave_it_reversible(network: Network, seed: int) -> None:
    proposer = random_network(np.random.default_rng(seed), network.domain.cardinalities, zeros=0.2)
    q = law(network)
    for i in range(len(network)):
        assert_reversible(gibbs(network, i, {}), q)
        assert_reversible(accepted(network, proposer, i, {}), q)


@settings(max_examples=25)
@given(ordered_networks(max_states=16), seeds)
def test_one_update_at_a_random_place_is_reversible_and_has_no_other_law(network: Network, seed: int) -> None:
    """The only law on what the evidence allows, where tables are positive; a sweep along a fixed order keeps it, too."""
    rng = np.random.default_rng(seed)
    proposer = random_network(rng, network.domain.cardinalities)
    q = law(network)
    for weights in ({}, some_evidence(network, seed)):
        pi = condition(q, weights)
        free = [
            i for i, states in enumerate(pi.shape) if sum(w > 0 for w in weights.get(i, [1] * states)) > 1
        ]
        if not free:
            continue
        c, allowed = random_weights(rng, len(free)), pi.ravel() > 0
        for updates in (
            [gibbs(network, i, weights) for i in free],
            [accepted(network, proposer, i, weights) for i in free],
        ):
            K = np.asarray(sum(weight * update for weight, update in zip(c, updates, strict=True)))
            assert_reversible(K, pi)
            inside = np.linalg.eigvals(K[allowed][:, allowed])
            assert np.sum(np.abs(inside - 1) < 1e-9) == 1
            swept = pi.ravel()
            for update in updates:
                swept = swept @ update
            np.testing.assert_allclose(swept, pi.ravel(), rtol=0, atol=1e-12)


def test_the_twins_update_draws_the_conditional() -> None:
    rng = np.random.default_rng(0)
    network = everything_read(rng, (3, 2, 2), (0, 1, 2))
    weights = {0: (0.2, 1.0, 1.0)}
    counts = np.zeros(3)
    for word in rng.integers(2**32, size=4000).tolist():
        counts[gibbs_update(network, (1, 0, 1), 0, word, weights)[0]] += 1
    expected = conditional_under_q(network, (1, 0, 1), 0, weights)
    assert expected is not None
    assert_same_law(counts, expected, detects_l1=0.22)


def test_mutants() -> None:
    """Proposals that are always accepted, or by Q's ratio alone; and X_i from theta_i alone, its readers not asked."""
    rng = np.random.default_rng(3)
    network, proposer = everything_read(rng, (2, 3, 2), (0, 1, 2)), random_network(rng, (2, 3, 2))
    q = law(network)
    i = 0

    def by_ratio_alone(x: tuple[int, ...], i: int) -> list[float]:
        there = [(*x[:i], to, *x[i + 1 :]) for to in range(q.shape[i])]
        return [p * min(1.0, q[t] / q[x]) for p, t in zip(theta(proposer, i, x), there, strict=True)]

    for row in (
        lambda x, i: theta(proposer, i, x),
        by_ratio_alone,
        lambda x, i: theta(network, i, x),
    ):
        with pytest.raises(AssertionError):
            assert_reversible(kernel(network, i, row), q)
    evidence = {1: (1.0, 0.0, 0.0), 2: (0.0, 1.0)}
    assert_reversible(gibbs(network, i, evidence), condition(q, evidence))
    with pytest.raises(AssertionError):  # one update at the wrong evidence
        assert_reversible(gibbs(network, i, evidence), condition(q, {0: (0.2, 1.0)}))


def two_modes(slip: float) -> Network:
    """X_0 is 1 in three of ten rows; X_1 and X_2 are copies of it, with a slip now and then."""
    copy = ConditionalTable.from_probabilities([[1 - slip, slip], [slip, 1 - slip]])
    first = TableNode(0, ConstantSource(), ConditionalTable.from_probabilities([[0.7, 0.3]]))
    others = tuple(TableNode(i, LosslessSource((0,), (2,)), copy) for i in (1, 2))
    return Network(Domain.from_cardinalities((2, 2, 2)), (first, *others), order=(0, 1, 2))


def moved(network: Network, p: FloatArray, times: int) -> FloatArray:
    """`p` after so many updates at a random place."""
    K = np.asarray(sum(gibbs(network, i, {}) for i in range(len(network))) / len(network))
    return np.asarray(p.ravel() @ np.linalg.matrix_power(K, times)).reshape(p.shape)


def modes(share: float) -> FloatArray:
    p = np.zeros((2, 2, 2))
    p[0, 0, 0], p[1, 1, 1] = 1 - share, share
    return p


def test_moves_do_not_correct_the_weights_of_modes() -> None:
    exact = two_modes(0.0)
    for share in (0.0, 0.3, 0.9):  # with exact copies every share is kept, and Q's is 0.3
        np.testing.assert_allclose(moved(exact, modes(share), 1000), modes(share), rtol=0, atol=1e-12)
    rare = two_modes(1e-4)  # positive: the law is Q alone, but a thousand moves have not come nearer
    assert moved(rare, modes(0.9), 1000)[1].sum() == pytest.approx(0.9, abs=0.05)
    assert law(rare)[1].sum() == pytest.approx(0.3)


def test_mutant_easy_copies_forget_their_start() -> None:
    """With slips that are not rare the same moves do reach Q: the test above is about modes, not about moves."""
    easy = two_modes(0.2)
    np.testing.assert_allclose(moved(easy, modes(0.9), 1000), law(easy), rtol=0, atol=1e-9)
    with pytest.raises(AssertionError):
        assert moved(easy, modes(0.9), 1000)[1].sum() == pytest.approx(0.9, abs=0.05)
