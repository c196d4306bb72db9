"""Where the random scan leads equals a walk over the transition matrix, state by state."""

import numpy as np
import pytest
from hypothesis import given

from depnet import ConditionalTable, ConstantSource, Domain, Network, Node, RandomScan
from depnet.errors import DomainTooLargeError
from depnet.geometry.reach import Moves, at, leading_to, moves_of, reached_from
from tests.reference.stationary import Chain, reachable
from tests.strategies import networks, random_network, seeds


def assert_reach(network: Network, moves: list[Moves], start: int) -> None:
    chain = Chain(network)
    K = chain.random_matrix(RandomScan())
    cards = network.domain.cardinalities
    first = at(np.array([chain.states[start]]), cards)
    after = {chain.number[tuple(x)] for x in np.argwhere(reached_from(first, moves)).tolist()}
    assert after == reachable(K, start)
    before = {chain.number[tuple(x)] for x in np.argwhere(leading_to(first, moves)).tolist()}
    assert before == reachable(K.T, start)


@given(networks(max_states=60, zeros=0.5), seeds)
def test_what_is_reached_and_what_leads_there(network: Network, seed: int) -> None:
    start = int(np.random.default_rng(seed).integers(network.domain.size))
    assert_reach(network, moves_of(network), start)


def test_mutant_a_move_too_many() -> None:
    rng = np.random.default_rng(1)
    seen = 0
    for _ in range(20):
        network = random_network(rng, (2, 3, 2), zeros=0.7)
        (axis, possible), *rest = moves_of(network)
        try:
            assert_reach(network, [Moves(axis, np.ones_like(possible)), *rest], 0)
        except AssertionError:
            seen += 1
    assert seen > 0


def test_a_large_domain_is_refused() -> None:
    alone = ConditionalTable.from_probabilities([[1.0, 0.0]])
    nodes = tuple(Node((i,), ConstantSource(), alone) for i in range(40))
    with pytest.raises(DomainTooLargeError, match="recurrent classes"):
        moves_of(Network(Domain.from_cardinalities([2] * 40), nodes))
