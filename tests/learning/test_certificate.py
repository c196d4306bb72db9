"""The certificate equals the definitions, on rows, for any table, any source and blocks."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import (
    Aic,
    ConditionalTable,
    ConstantSource,
    Dataset,
    DecisionGraph,
    Merge,
    Network,
    Node,
    Split,
    StructuralMdl,
    certificate,
    learn,
    learn_parameters,
)
from depnet.errors import LearningError, ModelError, ScanError
from depnet.learning.contexts import Contexts
from tests.reference import counting
from tests.strategies import datasets, random_blocks, random_source, random_table, seeds


def network_on(dataset: Dataset, seed: int, zeros: float = 0.0) -> Network:
    """Random blocks, sources and tables over the dataset's domain."""
    rng = np.random.default_rng(seed)
    cards = dataset.domain.cardinalities
    nodes = []
    for variables in random_blocks(rng, len(cards)):
        source = random_source(rng, cards, variables)
        states = math.prod(cards[i] for i in variables)
        nodes.append(Node(variables, source, random_table(rng, source.size, states, zeros)))
    return Network(dataset.domain, tuple(nodes))


@given(datasets(weighted=True), seeds, st.sampled_from([0.0, 0.2]))
def test_every_number_equals_its_definition(dataset: Dataset, seed: int, zeros: float) -> None:
    network = network_on(dataset, seed, zeros)
    proof = certificate(network, dataset, penalty=Aic())
    one_leaf = learn_parameters(dataset, [(node.variables, ConstantSource()) for node in network.nodes])
    for node, part, constant in zip(network.nodes, proof.nodes, one_leaf.nodes, strict=True):
        full = counting.entropy_given_the_others(node.variables, dataset)
        learned = Node(
            node.variables, node.source, ConditionalTable.from_counts(counting.counts_of(node, dataset))
        )
        np.testing.assert_allclose(part.full_entropy, full, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(
            part.source_entropy, -counting.node_score(learned, dataset), rtol=1e-9, atol=1e-12
        )
        np.testing.assert_allclose(part.kl, counting.kl_to_manifold(node, dataset), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(
            part.one_leaf_kl, counting.kl_to_manifold(constant, dataset), rtol=1e-9, atol=1e-12
        )
        k = node.source.size * (node.table.states - 1)
        assert part.parameters == k
        assert part.penalty == k * (1 / dataset.total)
        assert part.cost == part.kl + part.penalty
        assert part.naming == 0.0
    np.testing.assert_allclose(proof.fc_limit, np.mean([part.kl for part in proof.nodes]))
    np.testing.assert_allclose(proof.cost, np.mean([part.cost for part in proof.nodes]))
    np.testing.assert_allclose(proof.one_leaf_limit, np.mean([part.one_leaf_kl for part in proof.nodes]))


@given(datasets(min_variables=2), seeds)
def test_weights_are_those_of_the_random_scan(dataset: Dataset, seed: int) -> None:
    network = network_on(dataset, seed)
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(network)) * 5)
    proof = certificate(network, dataset, tuple(weights))
    np.testing.assert_allclose(proof.fc_limit, weights @ [part.kl for part in proof.nodes])
    with pytest.raises(ScanError, match="weights"):
        certificate(network, dataset, (*weights[:-1], weights[-1] / 2, weights[-1] / 2))


@given(datasets(max_variables=5, max_rows=200, weighted=True))
def test_contexts_equal_the_dictionary(dataset: Dataset) -> None:
    found = Contexts(dataset)
    n = len(dataset.domain)
    for variables in [(i,) for i in range(n)] + [(i, (i + 1) % n) for i in range(n) if n > 1]:
        expected = counting.entropy_given_the_others(variables, dataset)
        np.testing.assert_allclose(
            found.entropy_given_others(variables), expected, rtol=1e-9, atol=1e-13, err_msg=str(variables)
        )


def test_a_collision_of_hashes_is_seen_and_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 4-bit words instead of 64 in the first attempts, collisions are certain; the answer is the same."""
    rng = np.random.default_rng(5)
    dataset = Dataset.from_codes(rng.integers(0, 2, size=(300, 10)), [2] * 10)
    default_rng = np.random.default_rng

    class Weak:
        def __init__(self, seed: int) -> None:
            self.rng, self.seed = default_rng(seed), seed

        def integers(self, low: int, high: int, size: tuple[int, int], dtype: type) -> np.ndarray:
            words = self.rng.integers(low, high, size=size, dtype=dtype)
            if self.seed < 3:
                words[0] %= 16
            return words

    monkeypatch.setattr("numpy.random.default_rng", Weak)
    found = Contexts(dataset)
    assert found._seed >= 3, "the weak words were given up"
    expected = counting.entropy_given_the_others((4,), dataset)
    np.testing.assert_allclose(found.entropy_given_others((4,)), expected, rtol=1e-12)


def test_wide_tables_have_distinct_contexts_and_an_empty_bound() -> None:
    rng = np.random.default_rng(0)
    dataset = Dataset.from_codes(rng.integers(0, 2, size=(500, 80)), [2] * 80)
    network = learn_parameters(dataset, [ConstantSource()] * 80)
    proof = certificate(network, dataset)
    assert proof.total("full_entropy") == 0.0
    assert proof.fc_limit == proof.one_leaf_limit
    text = str(proof)
    assert "... and 60 nodes nearer to the data" in text
    assert "FC(data || model) <=" in text


def test_naming_is_reported_beside_r() -> None:
    dataset = Dataset.from_codes([[0, 0, 0], [1, 1, 2], [1, 0, 1]], [2, 2, 3])
    graph = DecisionGraph((Split(0, 2), Merge(0, 2), Split(1, 1)), (2, 2, 3))
    network = learn_parameters(dataset, [graph, ConstantSource(), ConstantSource()])
    proof = certificate(network, dataset, penalty=StructuralMdl(1.0, 0.5))
    named = math.log(1 * 2) + 0.5 * math.log(3) + math.log(2 * 2)
    assert math.isclose(proof.nodes[0].naming, named / 3)
    assert proof.nodes[0].cost == proof.nodes[0].kl + proof.nodes[0].penalty
    assert "naming the operations" in str(proof)


def test_a_zero_where_the_data_has_rows_is_an_infinite_distance() -> None:
    dataset = Dataset.from_codes([[0], [1]], [2])
    node = Node((0,), ConstantSource(), ConditionalTable.from_probabilities([[1.0, 0.0]]))
    assert certificate(Network(dataset.domain, (node,)), dataset).fc_limit == math.inf


def test_bad_input() -> None:
    empty = Dataset.from_codes(np.zeros((0, 1), dtype=int), [2])
    network = learn_parameters(Dataset.from_codes([[0]], [2]), [ConstantSource()])
    with pytest.raises(LearningError, match="no rows"):
        certificate(network, empty)
    with pytest.raises(ModelError, match="other states"):
        certificate(network, Dataset.from_codes([[0]], [3]))


def test_naming_counts_the_variables_that_a_split_could_name() -> None:
    rng = np.random.default_rng(4)
    first = rng.integers(0, 2, (400, 1))
    codes = np.hstack([first, (first + (rng.random((400, 4)) < 0.1)) % 2])
    dataset = Dataset.from_codes(codes, [2] * 5)
    a, b, c, _, _ = dataset.domain.names
    rule = StructuralMdl()
    network = learn(dataset, penalty=rule, roles={b: "target"}, forbidden=[(c, a)])
    proof = certificate(network, dataset, penalty=rule, roles={b: "target"}, forbidden=[(c, a)])
    admissible = [2, 4, 3, 3, 3]  # never b, for a neither c
    for node, part, choices in zip(network.nodes, proof.nodes, admissible, strict=True):
        assert isinstance(node.source, DecisionGraph)
        leaves, nats = 1, 0.0
        for operation in node.source.operations:
            if isinstance(operation, Split):
                nats += math.log(leaves * choices)
                leaves += 1
            else:
                nats += math.log(leaves * (leaves - 1) / 2)
                leaves -= 1
        assert math.isclose(part.naming, nats / 400)
    assert proof.nodes[0].naming < certificate(network, dataset, penalty=rule).nodes[0].naming
