"""Boosted nodes: theta is the twin's, what there is not is refused, and one stage is the paper's node."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Dataset, Domain, Network, Node, TableNode
from depnet.errors import DomainTooLargeError, ModelError
from depnet.model import ConditionalTable, ConstantSource, DecisionGraph, Split
from depnet.model.boosted import BoostedNode
from depnet.model.sources.source import JointStates
from depnet.model.stages import MOST_SCORE, UNIT, on_grid, theta_of
from depnet.model.stages import Test as Within
from tests.boosted import (
    random_boosted_network,
    random_boosted_node,
    random_stages,
    stage_graph,
    stage_of,
    stages_of,
)
from tests.reference import stages as reference
from tests.refusals import refuses
from tests.strategies import cardinalities, random_operations, random_table, seeds

DOMAINS = st.sampled_from([[2, 2, 2], [3, 1, 4, 2], [2, 300, 3]])


def some_rows(rng: np.random.Generator, cards: list[int], rows: int) -> np.ndarray:
    return rng.integers(0, cards, size=(rows, len(cards)))


@given(seeds, DOMAINS, st.integers(0, 70))
def test_theta_is_the_twins(seed: int, cards: list[int], rows: int) -> None:
    network = random_boosted_network(seed, cards)
    codes = some_rows(np.random.default_rng(seed), cards, rows)
    dataset = Dataset.from_codes(codes.reshape(-1, len(cards)), cards)
    for i, node in enumerate(network.nodes):
        assert isinstance(node, BoostedNode)
        expected = [reference.probabilities(node, row) for row in codes.tolist()]
        for given_as in (codes, dataset.codes, codes.astype(np.uint16)):
            assert node.probabilities(given_as).tolist() == expected
        if rows:
            own = np.array(expected)[np.arange(rows), codes[:, i]]
            np.testing.assert_allclose(node.log_theta(dataset), np.log(own), rtol=1e-14)


@given(seeds, DOMAINS)
def test_written_out_it_is_the_same_theta(seed: int, cards: list[int]) -> None:
    rng = np.random.default_rng(seed)
    network = random_boosted_network(seed, cards)
    codes = some_rows(rng, cards, 50)
    allowed = {j: np.unique(rng.integers(0, k, size=2)) for j, k in enumerate(cards)}
    for node in network.nodes:
        plain = node.tabulated(cards)
        assert not plain.boosted
        assert plain.inputs == node.inputs
        np.testing.assert_allclose(plain.probabilities(codes), node.probabilities(codes), rtol=1e-14)
        free = node.inputs[1:]
        fixed = {j: 1 for j in node.inputs[:1] if cards[j] > 1}
        for these in (None, allowed):
            states = JointStates(cards, free, fixed, these)
            rows, theta = node.written_out(states)
            again, table = plain.written_out(states)
            np.testing.assert_allclose(theta[rows], table[again], rtol=1e-14)


@given(cardinalities(min_variables=2, max_variables=4), seeds)
def test_one_stage_with_free_scores_is_the_papers_node(cards: tuple[int, ...], seed: int) -> None:
    """A decision graph with the logarithms of any positive table as scores: theta is the table, up to the scores' grid."""
    rng = np.random.default_rng(seed)
    graph = DecisionGraph(random_operations(rng, cards, (0,), 5), cards)
    paper = TableNode(0, graph, random_table(rng, graph.size, cards[0]))
    scores = on_grid(np.log(paper.table.probabilities))
    none = stages_of([], cards[0])
    boosted = BoostedNode(0, graph, scores, none)
    codes = some_rows(rng, list(cards), 50)
    np.testing.assert_allclose(boosted.probabilities(codes), paper.probabilities(codes), rtol=2 * UNIT)
    assert boosted.inputs == paper.inputs


@given(seeds, DOMAINS)
def test_one_stage_is_a_node_with_its_decision_graph(seed: int, cards: list[int]) -> None:
    """The other way round: the stage's graph in the paper's operations, with theta of its scores as the table."""
    rng = np.random.default_rng(seed)
    others = list(range(1, len(cards)))
    stages = random_stages(rng, others, cards, cards[0], stages=1, leaves=8)
    graph, found = stage_graph(stages, 0, cards)
    table = ConditionalTable.from_probabilities(theta_of(stage_of(stages, 0)[1][found]))
    boosted = BoostedNode(0, ConstantSource(), np.zeros((1, cards[0])), stages)
    codes = some_rows(rng, cards, 80)
    paper = TableNode(0, graph, table)
    np.testing.assert_allclose(paper.probabilities(codes), boosted.probabilities(codes), rtol=1e-15)
    if len(found) > 1 and cards[0] > 1:  # the mutant: leaves in the stage's own numbers
        turned = TableNode(0, graph, ConditionalTable.from_probabilities(table.probabilities[::-1]))
        far = np.abs(turned.probabilities(codes) - boosted.probabilities(codes)).max()
        assert far > 1e-6


def test_two_stages_are_no_longer_any_table() -> None:
    """Of two tests each, four joint leaves but three free scores: the log odds add up."""
    apart = [[UNIT**-1, -(UNIT**-1)], [-(UNIT**-1), UNIT**-1]]
    stages = stages_of([([(0, Within(j, 1, 1))], apart) for j in (1, 2)], 2)
    node = BoostedNode(0, ConstantSource(), [[0, 0]], stages)
    theta = node.probabilities(np.array([[0, a, b] for a in (0, 1) for b in (0, 1)]))
    odds = np.log(theta[:, 1] / theta[:, 0])
    assert odds[0] + odds[3] == pytest.approx(odds[1] + odds[2])


def test_pickles_and_equality() -> None:
    node = random_boosted_node(np.random.default_rng(0), 1, [0, 2], [2, 3, 4])
    again = pickle.loads(pickle.dumps(node))
    assert again == node
    assert repr(again) == "BoostedNode(variable=1, inputs=(0, 2), stages=4)"
    gains = BoostedNode(node.variable, node.start, node.start_scores, node.stages, [0.25, 0.5])
    assert gains != node
    assert node != node.tabulated([2, 3, 4])
    network = random_boosted_network(3, [2, 3])
    assert pickle.loads(pickle.dumps(network)) == network
    assert "X0 knows X1 (boosted)" in str(network)


def made(**changed: Any) -> BoostedNode:
    stages = stages_of([([(0, Within(2, 1, 1))], [[1, 2], [3, 4]])], 2)
    parts: dict[str, Any] = {
        "variable": 0,
        "start": ConstantSource(),
        "start_scores": [[0, 0]],
        "stages": stages,
    }
    return BoostedNode(**parts | changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"variable": (0, 1)}, r"updates one variable, by its number 0, 1, ...; got \(0, 1\)"),
        ({"variable": -1}, "updates one variable"),
        ({"variable": "a"}, "updates one variable"),
        (
            {"start_scores": [[0, 0, 0]]},
            r"1 leaves and its stages 2 states; the first scores have the shape \(1, 3\)",
        ),
        ({"start_scores": [0, 0]}, r"the shape \(2,\)"),
        ({"start_scores": [[MOST_SCORE - 4, 0]]}, "sum to more than 1,000 nats"),
        ({"variable": 2}, "it reads variable 2, which the node itself updates"),
        ({"gains": [1.0, 2.0]}, "it has 1 inputs; expected one finite gain each"),
        ({"gains": [np.nan]}, "expected one finite gain each"),
    ],
)
def test_what_is_no_boosted_node_is_refused(changed: dict[str, Any], message: str) -> None:
    made()
    refuses(ModelError, message, made, **changed)


def test_what_there_is_not_is_an_error_that_says_what_there_is() -> None:
    node = made()
    instead = r"Ask node.probabilities\(codes\) and node.inputs.*node.tabulated\(cardinalities\)"
    with pytest.raises(ModelError, match=f"node 0 is boosted: it has no conditional table. {instead}"):
        _ = node.table
    with pytest.raises(
        ModelError, match=f"node 0 is boosted: it has no single information source. {instead}"
    ):
        _ = node.source
    refuses(ModelError, "no counts to smooth", node.smoothed, 0.5)
    with pytest.raises(TypeError):
        hash(node)


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (np.zeros(3, dtype=int), r"rows of codes \[N, n\]; got the shape \(3,\)"),
        (np.zeros((4, 2), dtype=int), r"got the shape \(4, 2\)"),
        (np.zeros((4, 3)), "integer codes; got float64"),
        (np.full((4, 3), -1), r"codes from 0 to 65535; got -1\.\.-1"),
        (np.full((4, 3), 2**16), r"codes from 0 to 65535; got 65536\.\.65536"),
    ],
)
def test_rows_that_are_none(codes: np.ndarray, message: str) -> None:
    refuses(ModelError, message, made().probabilities, codes)


def test_a_domain_that_does_not_fit() -> None:
    with pytest.raises(
        ModelError, match="node 0: a stage tests state 1 of variable 2; the domain has 1 states"
    ):
        Network(Domain.from_cardinalities([2, 1, 1]), (made(), plain(1, 1), plain(2, 1)))
    with pytest.raises(ModelError, match="node 0: its scores are of 2 states, variable 0 has 3"):
        Network(Domain.from_cardinalities([3, 1, 2]), (made(), plain(1, 1), plain(2, 2)))
    graph = DecisionGraph((Split(0, 1),), (2, 2, 2))
    with pytest.raises(ModelError, match="recorded on the cardinalities"):
        made(start=graph, start_scores=np.zeros((2, 2))).check_domain((2, 1, 2))


def plain(i: int, states: int) -> Node:
    return TableNode(i, ConstantSource(), ConditionalTable.from_probabilities([[1 / states] * states]))


def test_too_many_inputs_to_write_out() -> None:
    cards = [2] * 30
    node = random_boosted_node(np.random.default_rng(1), 0, list(range(1, 30)), cards, stages=60)
    assert len(node.inputs) > 22
    said = r"node 0 is boosted: it reads \d+ variables with .* joint states"
    refuses(DomainTooLargeError, said, node.tabulated, cards)
