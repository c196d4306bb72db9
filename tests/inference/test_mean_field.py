"""Mean field: leaf probabilities are exact under the product, and the fixed point is one of the slow map."""

import math

import numpy as np
import pytest
from hypothesis import given

from depnet import ConditionalTable, ConstantSource, DecisionGraph, Domain, Network, Node, RandomScan, Split
from depnet.inference.mean_field import ReadOnce, mean_field, read_once
from depnet.model import Evidence
from tests.inference.cases import random_evidence, random_scan
from tests.reference.inference import joint_states, mean_field_map
from tests.strategies import cardinalities, networks, random_source, seeds


def leaf_law(graph: ReadOnce, q: list[np.ndarray]) -> dict[int, float]:
    """Probability pushed down from the root, vertex by vertex."""
    weight = {0: 1.0}
    waiting = list(graph.edges)
    while waiting:  # an edge is ready when no edge into its vertex is left
        ready = [edge for edge in waiting if edge[0] not in {other[3] for other in waiting}]
        for v, j, code, w in ready:
            weight[w] = weight.get(w, 0.0) + weight[v] * q[j][code]
        waiting = [edge for edge in waiting if edge not in ready]
    law: dict[int, float] = {}
    for v, leaf in graph.leaves:
        law[leaf] = law.get(leaf, 0.0) + weight[v]
    return law


@given(cardinalities(min_variables=2, max_states=150), seeds)
def test_leaf_probabilities_are_exact_under_a_product(cards: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    source = random_source(rng, cards, (0,))
    q = [rng.dirichlet(np.ones(k)) for k in cards]
    expected: dict[int, float] = {}
    for row in joint_states(cards):
        leaf = int(source([row])[0])
        expected[leaf] = expected.get(leaf, 0.0) + math.prod(q[j][x] for j, x in enumerate(row))
    found = leaf_law(read_once(source, cards), q)
    for leaf in range(source.size):
        assert math.isclose(found.get(leaf, 0.0), expected.get(leaf, 0.0), abs_tol=1e-12)


def twice_tested() -> DecisionGraph:
    """X1, then X2 where X1 = 0, then X1 again: its branch X1 = 1 cannot be taken there."""
    return DecisionGraph((Split(0, 1), Split(0, 2), Split(1, 1)), (2, 2, 2))


def test_a_variable_tested_twice_is_decided_by_the_first_test() -> None:
    q = [np.array([0.5, 0.5]), np.array([0.3, 0.7]), np.array([0.6, 0.4])]
    graph = read_once(twice_tested(), (2, 2, 2))
    found = leaf_law(graph, q)
    expected = {0: 0.7, 1: 0.3 * 0.4, 2: 0.3 * 0.6}
    assert {leaf: round(p, 12) for leaf, p in found.items()} == {k: round(p, 12) for k, p in expected.items()}
    variable, begin, children = (part.tolist() for part in twice_tested().compiled)
    edges = [
        (v, j, code, children[begin[v] + code]) for v, j in enumerate(variable) if j >= 0 for code in range(2)
    ]
    leaves = [(v, begin[v]) for v, j in enumerate(variable) if j < 0]
    mutant = leaf_law(ReadOnce(len(variable), edges, leaves), q)  # second tests taken as new ones
    with pytest.raises(AssertionError):
        np.testing.assert_allclose([mutant[y] for y in range(3)], [expected[y] for y in range(3)], atol=1e-6)


@given(networks(max_variables=4, max_states=60, blocks=True), seeds)
def test_the_fixed_point_is_one_of_the_slow_map(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence, scan = random_evidence(rng, network), random_scan(rng, network)
    found = mean_field(network, evidence, scan)
    assert found.converged, found.change
    q = dict(enumerate(found.marginals))
    for i, made in mean_field_map(network, q, evidence, scan).items():
        np.testing.assert_allclose(made, q[i], atol=1e-8)


def test_independent_variables_are_exact() -> None:
    tables = [[0.2, 0.8], [0.5, 0.3, 0.2]]
    nodes = tuple(
        Node((i,), ConstantSource(), ConditionalTable.from_probabilities([row]))
        for i, row in enumerate(tables)
    )
    network = Network(Domain.from_cardinalities([2, 3]), nodes)
    found = mean_field(network, Evidence({}, {1: np.array([1.0, 1.0, 0.0])}), RandomScan())
    np.testing.assert_allclose(found.marginals[0], tables[0], atol=1e-9)
    np.testing.assert_allclose(found.marginals[1], [0.625, 0.375, 0.0], atol=1e-9)


def test_a_source_that_would_explode_is_named() -> None:
    with pytest.raises(ValueError, match='method="sample"'):
        read_once(twice_tested(), (2, 2, 2), most=2)
