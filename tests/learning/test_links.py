"""Links: strengths add up to what a source knows, from rows or from the counts that a network keeps."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import (
    Dataset,
    DecisionGraph,
    FunctionSource,
    Merge,
    Network,
    Split,
    learn,
    learn_parameters,
    links,
    titanic,
)
from depnet.errors import LearningError
from depnet.learning import links as measured_links
from depnet.learning.cost import conditional_entropy
from depnet.learning.links import known_nats, marginals_of, strengths
from depnet.model.table import leaf_counts
from tests.narrowed import there
from tests.reference import links as reference
from tests.refusals import refuses
from tests.strategies import datasets, networks, random_operations, seeds


def learned(dataset: Dataset, source: DecisionGraph) -> Network:
    rest = [DecisionGraph((), dataset.domain.cardinalities)] * (len(dataset.domain) - 1)
    return learn_parameters(dataset, [source, *rest])


def own_strengths(network: Network) -> dict[int, float]:
    """Of the first node, without rows."""
    return strengths(network.nodes[:1], marginals_of(network))[0]


@given(datasets(weighted=True), seeds)
def test_they_add_up_to_what_the_source_knows(dataset: Dataset, seed: int) -> None:
    cards = dataset.domain.cardinalities
    graph = DecisionGraph(random_operations(np.random.default_rng(seed), cards, (0,), 12), cards)
    counts = leaf_counts(graph, 0, dataset)
    known = conditional_entropy(counts.sum(axis=0, keepdims=True), 1) - conditional_entropy(counts, 1)
    network = learned(dataset, graph)
    (by_rows,) = strengths(network.nodes[:1], marginals_of(network, dataset), dataset)
    for found in (own_strengths(network), by_rows):
        assert tuple(found) == graph.inputs
        bits = known / (dataset.total * math.log(2))
        np.testing.assert_allclose(sum(found.values()), bits, rtol=1e-9, atol=1e-10)
        assert min(found.values(), default=0.0) >= -1e-12


@given(datasets(weighted=True), seeds, st.sampled_from([1, 30, 1 << 20]))
def test_graphs_are_gone_through_together_as_each_is_alone(dataset: Dataset, seed: int, cells: int) -> None:
    cards, rng = dataset.domain.cardinalities, np.random.default_rng(seed)
    sources = [DecisionGraph(random_operations(rng, cards, (i,), 12), cards) for i in range(len(cards))]
    network = learn_parameters(dataset, sources)
    marginals = marginals_of(network)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(measured_links, "MOST_CELLS", cells)
        found = strengths(network.nodes, marginals)
    expected = [
        reference.strengths(node, source, marginals)
        for node, source in zip(network.nodes, sources, strict=True)
    ]
    for ours, theirs in zip(found, expected, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-10)


@given(datasets(min_variables=3, weighted=True), seeds)
def test_without_merges_they_are_what_the_splits_gained(dataset: Dataset, seed: int) -> None:
    cards, rng = dataset.domain.cardinalities, np.random.default_rng(seed)
    operations: list[Split] = []
    expected, size = {}, 1
    for j in rng.permutation(np.arange(1, len(cards))).tolist():  # each once, so that no test is idle
        before = known_nats(leaf_counts(DecisionGraph(tuple(operations), cards), 0, dataset))
        operations.append(Split(int(rng.integers(size)), j))
        after = known_nats(leaf_counts(DecisionGraph(tuple(operations), cards), 0, dataset))
        expected[j] = (after - before) / (dataset.total * math.log(2))
        size += cards[j] - 1
    found = own_strengths(learned(dataset, DecisionGraph(tuple(operations), cards)))
    for j, bits in found.items():  # but those of one state
        np.testing.assert_allclose(bits, expected[j], rtol=1e-9, atol=1e-10)


def test_mutant_other_marginals_move_strength_between_the_inputs_of_a_merged_leaf() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, size=(4000, 3))
    x[:, 1] = rng.random(4000) < 0.8
    x[:, 0] = (x[:, 1] & x[:, 2]) ^ (rng.random(4000) < 0.05)
    dataset = Dataset.from_codes(x, [2, 2, 2])
    both = DecisionGraph((Split(0, 1), Split(1, 2), Merge(0, 1)), (2, 2, 2))  # X1 and X2, else one leaf
    network = learned(dataset, both)
    assert network.nodes[0].source.size == 2
    (uniform,) = strengths(network.nodes[:1], [np.array([0.5, 0.5])] * 3)
    right = own_strengths(network)
    np.testing.assert_allclose(sum(uniform.values()), sum(right.values()), rtol=1e-9)
    assert abs(uniform[2] - right[2]) > 0.02


def chain(rows: int = 2000) -> Dataset:
    """X0 -> X1 -> X2, X3 alone."""
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, size=(rows, 4))
    x[:, 1] = x[:, 0] ^ (rng.random(rows) < 0.1)
    x[:, 2] = x[:, 1] ^ (rng.random(rows) < 0.2)
    return Dataset.from_codes(x, [2] * 4)


def test_links_of_a_chain() -> None:
    dataset = chain()
    found = links(learn(dataset), dataset)
    pairs = {(link.source, link.target): link for link in found}
    assert set(pairs) == {("X1", "X0"), ("X0", "X1"), ("X2", "X1"), ("X1", "X2")}
    assert [link.strength for link in found] == sorted((link.strength for link in found), reverse=True)
    near, far = pairs["X1", "X0"], pairs["X1", "X2"]
    assert near.strength > far.strength
    for information in (near.mutual_information, near.conditional_information):
        assert near.strength == pytest.approx(information, rel=1e-9)


def test_conditional_information_is_left_out_where_rows_are_few() -> None:
    source = DecisionGraph((Split(0, 1), Split(0, 2), Split(0, 3)), (2,) * 4)
    dataset = chain(30)
    found = links(learned(dataset, source), dataset)
    assert found
    assert all(link.conditional_information is None for link in found)


@pytest.mark.parametrize("rows", [True, False])
def test_sources_without_splits_share_what_they_know(rows: bool) -> None:
    dataset = chain()
    both = FunctionSource(lambda x: x[:, 0] * 2 + x[:, 1], inputs=(1, 2), size=4)
    network = learn_parameters(dataset, [both] + [DecisionGraph((), (2,) * 4)] * 3)
    first, second = links(network, dataset if rows else None)
    assert first.strength == second.strength > 0


def test_links_of_a_network_from_a_file_are_those_of_its_rows(tmp_path: Path) -> None:
    data = titanic()
    network = learn(data).with_counts(data)
    depnet.save(network, tmp_path / "model.json")
    found = links(depnet.load(tmp_path / "model.json"))
    measured = links(network, data)
    assert [(x.node, x.variable) for x in found] == [(x.node, x.variable) for x in measured]
    for link, of_rows in zip(found, measured, strict=True):
        np.testing.assert_allclose(link.strength, of_rows.strength, rtol=1e-9)
        assert there(link.mutual_information) == pytest.approx(there(of_rows.mutual_information), abs=1e-12)


def test_marginals_without_kept_counts_are_the_tables_own() -> None:
    data = titanic()
    network = learn(data)
    each = (marginals_of(network), marginals_of(network.with_counts(data)), marginals_of(network, data))
    for ours, counted, of_rows in zip(*each, strict=True):
        np.testing.assert_allclose(ours, counted, rtol=1e-12)
        np.testing.assert_allclose(ours, of_rows, rtol=1e-12)


@given(networks())
def test_tables_without_counts(network: Network) -> None:
    for link in links(network):
        assert link.strength >= -1e-12
        assert link.mutual_information is None


def test_no_rows_are_refused() -> None:
    refuses(
        LearningError,
        "no rows to measure",
        links,
        learn(chain(20)),
        Dataset(chain(1).domain, chain(1).codes[:0]),
    )
