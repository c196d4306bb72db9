"""What learning says of boosted nodes: certificates, links; and what it refuses, with what to do instead."""

import math
from dataclasses import replace

import numpy as np
import pytest

from depnet import Dataset, Network, NoPenalty, certificate, learn, learn_parameters, links
from depnet.errors import LearningError, ModelError
from depnet.learning.certificate import hub_leads_to, why_no_bound
from depnet.model import ConditionalTable, ConstantSource, TableNode
from depnet.model.boosted import BoostedNode
from depnet.pictures.graph.dependency import dependency_graph
from tests.boosted import random_boosted_network
from tests.refusals import refuses
from tests.strategies import random_mixed_network

CARDS = [2, 3, 2]


def rows(seed: int = 0, count: int = 40) -> Dataset:
    return Dataset.from_codes(np.random.default_rng(seed).integers(0, CARDS, size=(count, 3)), CARDS)


def with_gains(network: Network) -> Network:
    """Every node has told what its inputs gained, as a learned one has."""
    nodes = [
        BoostedNode(
            node.variable, node.start, node.start_scores, node.stages, np.arange(1, 1 + len(node.inputs)) / 8
        )
        for node in network.nodes
        if isinstance(node, BoostedNode)
    ]
    return replace(network, nodes=tuple(nodes))


def test_a_certificate_is_printed_with_boosted_nodes() -> None:
    text = str(certificate(random_mixed_network(1, CARDS), rows()))
    assert "X0  " in text
    assert " boosted " in text
    assert "boosted nodes: H(X|Y) is the cross-entropy -<log theta>, and they have no R" in text
    assert "boosted" not in str(certificate(learn(rows(), smoothing=0.5), rows()))


def test_zeros_beside_boosted_nodes_are_searched_for() -> None:
    """X2 is always 0: its node forbids 1, and a row that has it is out of the bound; boosted nodes allow everything."""
    network = random_boosted_network(2, CARDS)
    never = TableNode(2, ConstantSource(), ConditionalTable.from_probabilities([[1.0, 0.0]]))
    network = replace(network, nodes=(*network.nodes[:2], never))
    inside = Dataset.from_codes([[0, 1, 0], [1, 2, 0]], CARDS)
    outside = Dataset.from_codes([[0, 1, 1]], CARDS)
    assert why_no_bound(network, inside) is None
    assert "leaves" in str(why_no_bound(network, outside))
    assert hub_leads_to(network, inside.codes)
    assert not hub_leads_to(network, outside.codes)
    assert why_no_bound(random_boosted_network(2, CARDS), outside) is None


def test_links_are_the_gains_in_bits() -> None:
    network = with_gains(random_boosted_network(3, CARDS))
    for dataset in (None, rows()):
        found = links(network, dataset)
        assert {(link.variable, link.node) for link in found} == {
            (j, i) for i, node in enumerate(network.nodes) for j in node.inputs
        }
        for link in found:
            node = network.nodes[link.node]
            assert isinstance(node, BoostedNode)
            assert link.strength == node.gains[node.inputs.index(link.variable)] / math.log(2)
            assert (link.mutual_information is None) == (dataset is None)
        assert [link.strength for link in found] == sorted((link.strength for link in found), reverse=True)


def test_links_of_nodes_of_either_kind_stand_side_by_side() -> None:
    learned = learn(rows(), smoothing=0.5, penalty=NoPenalty())
    network = replace(
        learned, nodes=(with_gains(random_boosted_network(3, CARDS)).nodes[0], *learned.nodes[1:])
    )
    for dataset in (None, rows()):
        assert {link.node for link in links(network, dataset)} == {0, 1, 2}
    counts = "gained while nodes were boosted, or from the counts that the network keeps"
    assert dependency_graph(network).measured == counts
    boosted = dependency_graph(random_boosted_network(3, CARDS))
    assert boosted.measured == "gained while nodes were boosted"


def test_no_counts_to_add_to_to_smooth_or_to_learn_parameters_from() -> None:
    network = random_boosted_network(4, CARDS)
    with pytest.raises(
        ModelError,
        match=r"new rows are added to counts, and boosted nodes, such as that of .X0., have none. Fit again",
    ):
        network.updated(rows())
    refuses(ModelError, "node 0 is boosted: it has no counts to smooth", network.smoothed, 0.5)
    with pytest.raises(ModelError, match="no single information source"):
        learn_parameters(rows(), [node.source for node in network.nodes])
    with pytest.raises(LearningError, match=r"for 'X0' there is a node.*fit it again"):
        learn_parameters(rows(), list(network.nodes))  # type: ignore[arg-type]  # which is the point
    assert network.with_counts(rows()).counts is not None
