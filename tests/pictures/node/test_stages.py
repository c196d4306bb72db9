"""The stages of learning: what the first t operations give, and what they cost."""

import itertools
from collections.abc import Callable

import pytest

from depnet import Dataset, DecisionGraph, LosslessSource, Network, learn, learn_parameters, titanic
from depnet.learning.cost import cost_prime
from depnet.learning.penalty import Aic, Mdl
from depnet.model.counting import leaf_counts
from depnet.pictures import Stage, decision, decision_at, decision_mermaid, decision_text, growth
from depnet.pictures.node.decision import Leaf
from tests.pictures.cases import chain, hostile, mixed


@pytest.mark.parametrize("made", [hostile, mixed, lambda: chain(12)])
def test_every_stage_costs_what_its_own_graph_costs(made: Callable[[], tuple[Network, Dataset]]) -> None:
    network, data = made()
    for number, node in enumerate(network.nodes):
        check_stages(network, data, number, growth(network, number, data))
        assert isinstance(node.source, DecisionGraph)


def check_stages(network: Network, data: Dataset, number: int, stages: tuple[Stage, ...]) -> None:
    node = network.nodes[number]
    assert isinstance(node.source, DecisionGraph)
    operations = node.source.operations
    assert [stage.operation for stage in stages] == [None, *operations]
    for t, stage in enumerate(stages):
        part = DecisionGraph(operations[:t], node.source.cardinalities)
        counts = leaf_counts(part, node.variable, data)
        assert stage.leaves == part.size
        assert stage.cost == cost_prime(counts, data.total, Mdl())


def test_mutant_a_stage_too_late_costs_something_else() -> None:
    network, data = hostile()
    number = max(range(len(network)), key=lambda k: network.nodes[k].source.size)
    late = growth(network, number, data)
    with pytest.raises(AssertionError):
        check_stages(network, data, number, (*late[1:], late[-1]))


def test_learning_lowers_the_cost_with_every_operation() -> None:
    data = titanic()
    for penalty in (Mdl(), Aic()):
        network = learn(data, penalty=penalty)
        for number in range(len(network)):
            costs = [stage.cost or 0.0 for stage in growth(network, number, data, penalty)]
            assert all(b < a for a, b in itertools.pairwise(costs))


def test_rows_with_weights_count_as_often() -> None:
    data = titanic()
    once = Dataset.from_codes(data.codes, domain=data.domain, weights=[1] * len(data.codes))
    network = learn(data)
    assert growth(network, "age", once) == growth(network, "age", data)


def test_without_rows_there_are_leaves_but_no_costs() -> None:
    network = learn(titanic())
    with_rows, without = growth(network, "age", titanic()), growth(network, "age")
    assert [s.leaves for s in without] == [s.leaves for s in with_rows]
    assert all(s.cost is None and s.entropy is None for s in without)


def test_the_graph_of_a_stage_has_the_rows_of_its_leaves() -> None:
    data = titanic()
    network = learn(data)
    node = network.nodes[network.domain.index("age")]
    assert isinstance(node.source, DecisionGraph)
    for step in range(len(node.source.operations) + 1):
        drawn = decision_at(network, "age", step, data)
        part = DecisionGraph(node.source.operations[:step], node.source.cardinalities)
        rows = leaf_counts(part, node.variable, data).sum(axis=1)
        assert {v.number: v.rows for v in drawn.vertices if isinstance(v, Leaf)} == dict(
            enumerate(rows.tolist())
        )
    assert decision_at(network, "age", step, data) == decision(network, "age")
    assert decision_at(network, "age", step) == decision(network, "age")


def test_an_earlier_stage_without_rows_says_nothing_of_its_leaves() -> None:
    drawn = decision_at(learn(titanic()), "age", 1)
    leaves = [v for v in drawn.vertices if isinstance(v, Leaf)]
    assert len(leaves) == 4
    assert all(leaf.rows is None and leaf.probabilities == () for leaf in leaves)
    assert '"leaf 3"' in decision_mermaid(drawn)
    assert "class = Crew  (leaf 3)" in decision_text(drawn)


def test_a_source_that_was_not_grown_has_no_stages() -> None:
    data = titanic()
    cards = data.domain.cardinalities
    network = learn_parameters(data, [LosslessSource.of_all_but((i,), cards) for i in range(4)])
    assert growth(network, 0, data) == ()
    assert decision_at(network, 0, 0, data) == decision(network, 0)
