"""Links without rows: what a network's own counts say of their strengths."""

import math
from pathlib import Path

import numpy as np
from hypothesis import given

import depnet
from depnet import Dataset, DecisionGraph, LosslessSource, Network, learn, learn_parameters, links, titanic
from depnet.errors import LearningError
from depnet.learning.links import own_marginals, own_strengths, strengths
from depnet.model.sources.decision_graph import Merge, Split
from tests.learning.test_links import a_graph, chain, known_bits, learned, node_with
from tests.refusals import refuses
from tests.strategies import datasets, networks, seeds


@given(datasets(weighted=True), seeds)
def test_they_add_up_to_what_the_source_knows(dataset: Dataset, seed: int) -> None:
    graph = a_graph(dataset, seed)
    network = learned(dataset, graph)
    found = own_strengths(network.nodes[0], own_marginals(network))
    assert tuple(found) == graph.inputs
    np.testing.assert_allclose(sum(found.values()), known_bits(graph, dataset), rtol=1e-9, atol=1e-10)
    assert min(found.values(), default=0.0) >= -1e-12


@given(datasets(min_variables=3, weighted=True), seeds)
def test_without_merges_they_are_those_of_the_rows(dataset: Dataset, seed: int) -> None:
    cards, rng = dataset.domain.cardinalities, np.random.default_rng(seed)
    operations, size = [], 1
    for j in rng.permutation(
        np.arange(1, len(cards))
    ).tolist():  # each variable once, so that no test is idle
        operations.append(Split(int(rng.integers(size)), j))
        size += cards[j] - 1
    graph = DecisionGraph(tuple(operations), cards)
    network = learned(dataset, graph)
    found = own_strengths(network.nodes[0], own_marginals(network))
    expected = strengths(network.nodes[0], dataset)
    for j in graph.inputs:
        np.testing.assert_allclose(found[j], expected[j], rtol=1e-9, atol=1e-10)


def test_mutant_other_marginals_move_strength_between_the_inputs_of_a_merged_leaf() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, size=(4000, 3))
    x[:, 1] = rng.random(4000) < 0.8
    x[:, 0] = (x[:, 1] & x[:, 2]) ^ (rng.random(4000) < 0.05)
    dataset = Dataset.from_codes(x, [2, 2, 2])
    both = DecisionGraph(
        (Split(0, 1), Split(1, 2), Merge(0, 1)), (2, 2, 2)
    )  # X1 and X2, else one shared leaf
    node = node_with(both, dataset)
    assert node.source.size == 2
    marginals = own_marginals(learned(dataset, both))
    right, rows = own_strengths(node, marginals), strengths(node, dataset)
    uniform = own_strengths(node, [np.array([0.5, 0.5])] * 3)
    np.testing.assert_allclose(sum(uniform.values()), sum(right.values()), rtol=1e-9)
    assert abs(uniform[2] - right[2]) > 0.02
    assert abs(right[2] - rows[2]) < 0.1, "near what the rows say"


def test_links_of_a_network_from_a_file(tmp_path: Path) -> None:
    data = titanic()
    network = learn(data).with_counts(data)
    depnet.save(network, tmp_path / "model.json")
    found = links(depnet.load(tmp_path / "model.json"))
    measured = {(x.node, x.variable): x for x in links(network, data)}
    assert {(x.node, x.variable) for x in found} == set(measured)
    for link in found:
        there = measured[link.node, link.variable]
        assert link.mutual_information is not None
        assert there.mutual_information is not None
        assert math.isclose(link.mutual_information, there.mutual_information, abs_tol=1e-12)
        assert abs(link.strength - there.strength) < 0.05
    assert [x.strength for x in found] == sorted((x.strength for x in found), reverse=True)


def test_marginals_without_kept_counts_are_the_tables_own() -> None:
    data = titanic()
    network = learn(data)
    for ours, counted in zip(own_marginals(network), own_marginals(network.with_counts(data)), strict=True):
        np.testing.assert_allclose(ours, counted, rtol=1e-12)


@given(networks())
def test_tables_without_counts(network: Network) -> None:
    for link in links(network):
        assert link.strength >= -1e-12
        assert link.mutual_information is None


def test_what_no_test_gained_is_shared_equally() -> None:
    dataset = chain()
    source = LosslessSource((1, 2), (2, 2))
    network = learn_parameters(dataset, [source] + [DecisionGraph((), (2,) * 4)] * 3)
    first, second = links(network)
    expected = strengths(network.nodes[0], dataset)
    assert first.strength == second.strength
    np.testing.assert_allclose(first.strength, expected[1], rtol=1e-9)


def test_bootstrap_needs_rows() -> None:
    refuses(LearningError, "needs the dataset", links, learn(chain(50)), bootstrap=3)
