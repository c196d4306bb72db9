"""Nodes and networks: parts that fit, parts that do not, and genuine Gibbs sampling."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import (
    ConditionalTable,
    ConstantSource,
    DecisionGraph,
    Domain,
    LosslessSource,
    Network,
    TableNode,
)
from depnet.arrays import FloatArray
from depnet.errors import DataError, ModelError
from depnet.geometry.joint import theta_tensor
from tests.refusals import refuses
from tests.strategies import joints, networks
from tests.wide import of_constants

AB = Domain((depnet.Variable("a", (0, 1)), depnet.Variable("b", ("x", "y", "z"))))


def uniform(leaves: int, states: int) -> ConditionalTable:
    return ConditionalTable.from_probabilities(np.full((leaves, states), 1 / states))


def free(i: int, states: int) -> depnet.Node:
    return TableNode(i, ConstantSource(), uniform(1, states))


@pytest.mark.parametrize("variable", [(), (0,), -1, 0.0, True, "a"])
def test_a_node_updates_one_variable(variable: Any) -> None:
    refuses(ModelError, "a node updates one variable", TableNode, variable, ConstantSource(), uniform(1, 2))


def test_a_source_does_not_read_what_its_node_updates() -> None:
    said = "node 1: its information source reads variable 1, which the node itself"
    refuses(ModelError, said, TableNode, 1, LosslessSource((1,), (3,)), uniform(3, 3))
    with pytest.raises(ModelError, match=r"node 0: .* reads variable 0"):
        TableNode(0, DecisionGraph((depnet.Split(0, 0),), (2, 3)), uniform(2, 2))
    # A test that was merged away reads nothing.
    TableNode(0, DecisionGraph((), (2, 3)), uniform(1, 2))


def test_parts_of_a_node_are_what_they_should_be() -> None:
    said = "node 0: the information source has 3 leaves, the conditional table 2"
    refuses(ModelError, said, TableNode, 0, LosslessSource((1,), (3,)), uniform(2, 2))
    refuses(ModelError, "its source is an InformationSource; got 'all'", TableNode, 0, "all", uniform(1, 2))
    refuses(ModelError, "its table is a ConditionalTable", TableNode, 0, ConstantSource(), [[0.5, 0.5]])


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([free(0, 2)], "one node for each of its 2 variables, in order; got 1 node"),
        ([free(0, 2), free(1, 3), free(0, 2)], "got 3 nodes"),
        (
            [free(0, 2), free(2, 3)],
            "node 1 of a network updates variable 1, 'b'; got one that updates variable 2",
        ),
        ([free(0, 3), free(1, 3)], "node 0: the conditional table has 3 states, a has 2"),
        ([free(0, 2), "b"], "node 1 of a network is a Node; got 'b'"),
        (
            [TableNode(0, LosslessSource((1,), (2,)), uniform(2, 2)), free(1, 3)],
            "node 0: a lossless source takes variable 1 to have 2 states; the domain has 3",
        ),
        (
            [TableNode(0, DecisionGraph((), (2, 2)), uniform(1, 2)), free(1, 3)],
            "node 0: a decision graph was recorded on",
        ),
        (
            [TableNode(0, depnet.FunctionSource(lambda x: x[:, 0], (7,), 2), uniform(2, 2)), free(1, 3)],
            "node 0: a FunctionSource reads variable 7",
        ),
    ],
)
def test_parts_that_do_not_fit_are_named(nodes: list[Any], message: str) -> None:
    refuses(ModelError, message, Network, AB, tuple(nodes))


def test_a_network_shows_who_reads_whom() -> None:
    table = ConditionalTable.from_counts(np.ones((2, 2), dtype=int))
    reader = TableNode(1, LosslessSource((0,), (2,)), table)
    alone = TableNode(0, ConstantSource(), ConditionalTable.from_counts([[1, 2]]))
    assert str(Network(Domain.from_cardinalities([2, 2]), (alone, reader))) == (
        "a dependency network of 2 variables\n  X0 knows nothing (1 leaf)\n  X1 knows X0 (2 leaves)"
    )
    assert str(of_constants([2] * 300)).endswith("and 280 more")


@given(networks())
def test_networks_are_equal_by_their_parts(network: Network) -> None:
    assert network == Network(network.domain, network.nodes)
    assert network != Network.from_joint(np.full((1, 1), 1.0))


@given(joints(zeros=0.3))
def test_genuine_gibbs_has_every_full_conditional(p: FloatArray) -> None:
    network = Network.from_joint(p)
    for i, node in enumerate(network.nodes):
        theta = theta_tensor(node, p.shape)
        totals = p.sum(axis=i, keepdims=True)
        expected = np.where(totals > 0, p / np.where(totals > 0, totals, 1), 1 / p.shape[i])
        np.testing.assert_allclose(theta, expected, rtol=1e-14, atol=0)
        assert node.variable == i
    with pytest.raises(AssertionError):  # of another joint
        np.testing.assert_allclose(theta, expected * (1 - 1e-9), rtol=1e-14, atol=0)


@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([[0.5, 0.6]], r"sum to 1; got shape \(1, 2\), sum 1\.1"),
        ([[1.5, -0.5]], "non-negative"),
        ([[np.nan, 1.0]], "non-negative"),
        ([1e308, 1e308], "sum inf"),
        (1.0, r"shape \(\)"),
        ([], "sum 0"),
        ([["a"]], "tensor of numbers"),
        ([[1.0], [0.0, 0.0]], "tensor of numbers"),
    ],
)
def test_what_is_not_a_joint(p: Any, message: str) -> None:
    refuses(ModelError, message, Network.from_joint, p)


def test_a_joint_with_a_domain_of_its_own() -> None:
    p = np.full((2, 3), 1 / 6)
    assert Network.from_joint(p, AB).domain is AB
    refuses(ModelError, r"the joint has the shape \(3, 2\), the domain \(2, 3\)", Network.from_joint, p.T, AB)
    refuses(DataError, "65,536 states", Network.from_joint, np.full(65_536, 1 / 65_536))
