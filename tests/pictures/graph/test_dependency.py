"""The dependency graph: who tells whom, whichever way it is measured."""

import math

import pytest
from hypothesis import given

from depnet import Network, learn, links, titanic
from depnet.pictures import Arrow, DependencyGraph, dependency_graph
from tests.boosted import random_boosted_network
from tests.mixed import mixed_titanic
from tests.pictures.cases import chain
from tests.strategies import networks


@given(networks())
def test_arrows_are_the_inputs_of_nodes(network: Network) -> None:
    expected = {(j, i) for i, node in enumerate(network.nodes) for j in node.inputs}
    graph = dependency_graph(network)
    assert {(a.source, a.target) for a in graph.arrows} == expected


def test_strengths_are_those_of_the_links() -> None:
    data = titanic()
    network = learn(data)
    for found, graph in (
        (links(network, data), dependency_graph(network, data)),
        (links(network), dependency_graph(network)),
    ):
        assert [(x.variable, x.node, x.strength) for x in found] == [
            (a.source, a.target, a.strength) for a in graph.arrows
        ]
    assert dependency_graph(network, data).measured == "measured on 2,201 rows"
    assert "counts" in dependency_graph(network).measured
    assert dependency_graph(network, data, found=links(network)).arrows == dependency_graph(network).arrows


def test_ties_join_both_ways() -> None:
    graph = DependencyGraph(("a", "b", "c"), (Arrow(1, 0, 0.5), Arrow(0, 1, 0.2), Arrow(2, 1, 0.3)))
    first, second = graph.ties
    assert (first.first, first.second, first.forward, first.backward, first.strength) == (0, 1, 0.2, 0.5, 0.5)
    assert (second.first, second.second, second.forward, second.backward) == (1, 2, None, 0.3)


def test_parts_of_a_graph() -> None:
    network, data = chain(12)
    graph = dependency_graph(network, data)
    assert [a.strength for a in graph.arrows] == sorted((a.strength for a in graph.arrows), reverse=True)
    assert graph.strongest(3).arrows == graph.arrows[:3]
    kept = graph.kept([3, 2, 1])
    assert kept.names == ("X1", "X2", "X3")
    assert {(kept.names[a.source], kept.names[a.target]) for a in kept.arrows} == {
        (graph.names[a.source], graph.names[a.target])
        for a in graph.arrows
        if {a.source, a.target} <= {1, 2, 3}
    }


def test_strengths_of_boosted_nodes_say_what_they_are() -> None:
    graph = dependency_graph(mixed_titanic(), titanic())
    assert graph.measured == "gained while nodes were boosted, or measured on 2,201 rows"
    assert dependency_graph(random_boosted_network(0, [2, 2])).measured == "gained while nodes were boosted"
    told = {(arrow.source, arrow.target): arrow.strength for arrow in graph.arrows}
    assert [told[j, 3] for j in (0, 1, 2)] == pytest.approx(
        [gain / math.log(2) for gain in (0.04, 0.1, 0.003)]
    )
