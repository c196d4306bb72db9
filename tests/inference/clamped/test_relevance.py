"""The closure holds all that matters, and the reduced network has the same law."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from depnet import (
    ConditionalTable,
    ConstantSource,
    DecisionGraph,
    Domain,
    Merge,
    Network,
    RandomScan,
    SequentialScan,
    Split,
    TableNode,
)
from depnet.inference.clamped.answer import exact_law, marginal
from depnet.inference.clamped.relevance import closure, reduce
from depnet.model import Evidence
from depnet.model.sources.restrict import KeptVariables, find_reached, restrict
from tests.inference.cases import random_evidence, random_question, random_targets
from tests.law.cases import given_tables
from tests.narrowed import there
from tests.reference.inference import query_law, relevant
from tests.strategies import mixed_networks, networks, random_source, seeds


@given(networks(min_variables=2, max_states=100), seeds)
def test_a_restricted_source_is_the_source_with_its_variables_fixed(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = network.domain.cardinalities
    source = random_source(rng, cards, (0,))
    kept = sorted(rng.permutation(len(cards))[: int(rng.integers(1, len(cards) + 1))].tolist())
    fixed = {j: int(rng.integers(k)) for j, k in enumerate(cards) if j not in kept}
    new, leaf_of = restrict(source, fixed, KeptVariables.of(kept, cards))
    _, possible = find_reached(source, {j: (code,) for j, code in fixed.items()})
    for values in itertools.product(*(range(cards[j]) for j in kept)):
        row = [fixed.get(j, 0) for j in range(len(cards))]
        for j, x in zip(kept, values, strict=True):
            row[j] = x
        leaf = source([row])[0]
        assert leaf_of[new([values])[0]] == leaf
        assert possible is None or leaf in possible


@given(networks(max_states=60) | mixed_networks(max_states=60), seeds)
def test_the_closure_holds_all_that_is_relevant(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence, targets = random_evidence(rng, network), random_targets(rng, network)
    inside = set(closure(network, targets, evidence).variables)
    assert relevant(network, targets, evidence) <= inside
    assert not inside & evidence.clamped.keys()


@given(networks(max_states=100) | mixed_networks(max_states=100), seeds)
def test_the_reduced_network_has_the_same_law(network: Network, seed: int) -> None:
    evidence, scan, targets = random_question(network, seed)
    if not targets:
        return
    reduced = reduce(network, targets, evidence, scan)
    law = marginal(exact_law(reduced), [reduced.place(i) for i in targets])
    np.testing.assert_allclose(law, query_law(network, targets, evidence, scan), atol=1e-9)


def chain_of_three() -> Network:
    """X0 reads X1, X1 reads X0, and X2, which reads X1, is read by nobody."""
    tables = [[[0.9, 0.1], [0.2, 0.8]], [[0.7, 0.3], [0.4, 0.6]], [[0.6, 0.4], [0.1, 0.9]]]
    return given_tables(*zip([[1], [0], [1]], tables, strict=True), in_order=False)


def test_phases_keep_their_steps_in_the_full_order() -> None:
    network, nothing = chain_of_three(), Evidence({}, {})
    scan = SequentialScan((0, 2, 1))
    reduced = reduce(network, [0, 1], nothing, scan)
    assert reduced.variables == (0, 1)
    np.testing.assert_allclose(there(reduced.phases), [1 / 3, 2 / 3])
    expected = query_law(network, [0, 1], nothing, scan)
    np.testing.assert_allclose(exact_law(reduced), expected, atol=1e-12)
    mutant = replace(reduced, phases=np.array([0.5, 0.5]))
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(exact_law(mutant), expected, atol=1e-12)


def test_relevance_is_found_after_substitution() -> None:
    graph = DecisionGraph((Split(0, 1), Split(0, 2)), (2, 2, 2))  # X2 is read only where X1 = 0
    three = ConditionalTable.from_probabilities([[0.9, 0.1], [0.5, 0.5], [0.3, 0.7]])
    coin = ConditionalTable.from_probabilities([[0.5, 0.5]])
    nodes = (
        TableNode(0, graph, three),
        TableNode(1, ConstantSource(), coin),
        TableNode(2, ConstantSource(), coin),
    )
    network = Network(Domain.from_cardinalities([2, 2, 2]), nodes)
    assert closure(network, [0], Evidence({1: 0}, {})).variables == (0, 2)
    assert closure(network, [0], Evidence({1: 1}, {})).variables == (0,)
    assert closure(network, [0], Evidence({}, {})).variables == (0, 1, 2)


def test_a_split_that_was_merged_back_is_not_read() -> None:
    graph = DecisionGraph((Split(0, 1), Merge(0, 1)), (2, 2))
    coin = ConditionalTable.from_probabilities([[0.25, 0.75]])
    network = Network(
        Domain.from_cardinalities([2, 2]), (TableNode(0, graph, coin), TableNode(1, ConstantSource(), coin))
    )
    reduced = reduce(network, [0], Evidence({}, {}), RandomScan())
    assert reduced.variables == (0,)
    assert reduced.network.nodes[0].source.size == 1
