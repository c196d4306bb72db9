"""Links: strengths add up to what a source knows; bootstrap says how often a link comes back."""

import math

import numpy as np
import pytest
from hypothesis import given

from depnet import (
    Dataset,
    DecisionGraph,
    FunctionSource,
    Merge,
    Network,
    Node,
    Split,
    learn,
    learn_parameters,
    links,
)
from depnet.errors import LearningError
from depnet.learning.cost import conditional_entropy
from depnet.learning.links import strengths
from depnet.learning.rows.some_rows import resampled
from depnet.model.counting import leaf_counts
from tests.strategies import datasets, random_operations, seeds


def known_bits(source: DecisionGraph, dataset: Dataset) -> float:
    """I(X_0; Y_0) in bits per row."""
    counts = leaf_counts(source, 0, dataset)
    nats = conditional_entropy(counts.sum(axis=0, keepdims=True), dataset.total)
    return (nats - conditional_entropy(counts, dataset.total)) / math.log(2)


def a_graph(dataset: Dataset, seed: int) -> DecisionGraph:
    cards = dataset.domain.cardinalities
    return DecisionGraph(random_operations(np.random.default_rng(seed), cards, (0,), 12), cards)


def learned(dataset: Dataset, source: DecisionGraph) -> Network:
    rest = [DecisionGraph((), dataset.domain.cardinalities)] * (len(dataset.domain) - 1)
    return learn_parameters(dataset, [source, *rest])


def node_with(source: DecisionGraph, dataset: Dataset) -> Node:
    return learned(dataset, source).nodes[0]


@given(datasets(weighted=True), seeds)
def test_strengths_add_up_to_what_the_source_knows(dataset: Dataset, seed: int) -> None:
    graph = a_graph(dataset, seed)
    found = strengths(node_with(graph, dataset), dataset)
    assert tuple(found) == graph.inputs
    np.testing.assert_allclose(sum(found.values()), known_bits(graph, dataset), rtol=1e-9, atol=1e-10)


def test_a_split_that_was_merged_back_gained_nothing() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, size=(500, 3))
    codes[:, 0] = codes[:, 1] ^ (rng.random(500) < 0.1)
    dataset = Dataset.from_codes(codes, [2, 2, 2])
    once = DecisionGraph((Split(0, 1),), (2, 2, 2))
    undone = DecisionGraph((Split(0, 1), Split(0, 2), Merge(1, 2)), (2, 2, 2))
    assert undone.inputs == (1,)
    expected = strengths(node_with(once, dataset), dataset)
    found = strengths(node_with(undone, dataset), dataset)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)


def test_a_merges_loss_is_charged_to_the_split_that_told_its_leaves_apart() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, [2, 2, 3], size=(900, 3))
    codes[:, 0] = (codes[:, 1] + (codes[:, 2] == 2) + (rng.random(900) < 0.1)) % 2
    dataset = Dataset.from_codes(codes, [2, 2, 3])
    split = DecisionGraph((Split(0, 1), Split(0, 2)), (2, 2, 3))
    merged = DecisionGraph((*split.operations, Merge(1, 3)), (2, 2, 3))  # both under x1 = 0
    before, after = (strengths(node_with(g, dataset), dataset) for g in (split, merged))
    np.testing.assert_allclose(after[1], before[1], rtol=1e-12)
    assert after[2] < before[2]
    across = DecisionGraph((*split.operations, Merge(0, 1)), (2, 2, 3))
    with pytest.raises(AssertionError):  # mutant: leaves of different x1 are told apart by X1
        np.testing.assert_allclose(strengths(node_with(across, dataset), dataset)[1], before[1], rtol=1e-6)


def chain(rows: int = 2000) -> Dataset:
    """X0 -> X1 -> X2, X3 alone."""
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, size=(rows, 4))
    x[:, 1] = x[:, 0] ^ (rng.random(rows) < 0.1)
    x[:, 2] = x[:, 1] ^ (rng.random(rows) < 0.2)
    return Dataset.from_codes(x, [2] * 4)


def test_links_of_a_chain() -> None:
    dataset = chain()
    found = links(learn(dataset), dataset, bootstrap=8, rng=np.random.default_rng(0))
    pairs = {(link.source, link.target): link for link in found}
    assert set(pairs) == {("X1", "X0"), ("X0", "X1"), ("X2", "X1"), ("X1", "X2")}
    assert [link.strength for link in found] == sorted((link.strength for link in found), reverse=True)
    near, far = pairs["X1", "X0"], pairs["X1", "X2"]
    assert near.strength > far.strength
    assert near.mutual_information is not None
    np.testing.assert_allclose(near.strength, near.mutual_information, rtol=1e-9)
    assert near.conditional_information is not None
    np.testing.assert_allclose(near.conditional_information, near.mutual_information, rtol=1e-9)
    assert all(link.frequency == 1.0 for link in found)
    once = links(learn(dataset), dataset, bootstrap=3, rng=np.random.default_rng(7))
    assert once == links(learn(dataset), dataset, bootstrap=3, n_jobs=2, rng=np.random.default_rng(7))


def test_a_chance_link_comes_back_less_often() -> None:
    dataset = chain(300)
    noise = DecisionGraph((Split(0, 3),), (2,) * 4)
    rest = [node.source for node in learn(dataset).nodes[1:]]
    network = learn_parameters(dataset, [noise, *rest])
    (link,) = [x for x in links(network, dataset, bootstrap=20, rng=np.random.default_rng(2)) if x.node == 0]
    assert link.frequency is not None
    assert link.frequency < 0.8, "true links came back every time"
    assert link.strength < 0.02


def test_conditional_information_is_left_out_where_rows_are_few() -> None:
    dataset = chain(30)
    source = DecisionGraph((Split(0, 1), Split(0, 2), Split(0, 3)), (2,) * 4)
    network = learn_parameters(dataset, [source] + [DecisionGraph((), (2,) * 4)] * 3)
    assert all(link.conditional_information is None for link in links(network, dataset))


def test_sources_without_splits_share_what_they_know() -> None:
    dataset = chain()
    both = FunctionSource(lambda x: x[:, 0] * 2 + x[:, 1], inputs=(1, 2), size=4)
    network = learn_parameters(dataset, [both] + [DecisionGraph((), (2,) * 4)] * 3)
    first, second = links(network, dataset)
    assert first.strength == second.strength > 0


def test_resampling_keeps_the_number_of_rows() -> None:
    dataset = Dataset.from_codes([[0], [1], [1]], [2], weights=[5, 0, 3])
    drawn = resampled(dataset, np.random.default_rng(0))
    assert drawn.total == 8
    assert drawn.rows <= 2


def test_bad_input() -> None:
    dataset = chain(20)
    with pytest.raises(LearningError, match="bootstrap is a whole number of at least 0"):
        links(learn(dataset), dataset, bootstrap=-1)
    with pytest.raises(LearningError, match="other variables"):
        links(learn(dataset), dataset, bootstrap=1, learner=lambda d: learn(Dataset.from_codes([[0]], [2])))
