"""Algorithm 3 with any candidates; tables of Theorem 4 for any sources, and new rows added to them."""

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import depnet
from depnet import (
    ConstantSource,
    Dataset,
    DecisionGraph,
    FunctionSource,
    InformationSource,
    LosslessSource,
    Mdl,
    Network,
    learn_parameters,
)
from depnet.errors import EvidenceError, LearningError, ModelError
from depnet.learning.cost import Penalty
from depnet.learning.framework import Candidate, NodeData, SplitMerge, WithLossless, greedy, learn_with
from tests.learning.test_learn import penalties
from tests.narrowed import there
from tests.reference.counting import counts_of
from tests.reference.learning import learn_operations
from tests.refusals import refuses
from tests.strategies import datasets, random_source, seeds


@settings(max_examples=40)
@given(datasets(max_variables=4, max_cardinality=3, max_rows=40, weighted=True), penalties)
def test_split_and_merge_equals_the_twin_and_the_native_learner(dataset: Dataset, penalty: Penalty) -> None:
    network = learn_with(dataset, SplitMerge(), penalty=penalty, smoothing=0.5)
    for i, node in enumerate(network.nodes):
        assert isinstance(node.source, DecisionGraph)
        assert list(node.source.operations) == learn_operations(dataset, (i,), penalty)
    assert network == depnet.learn(dataset, penalty=penalty, smoothing=0.5)


def parity(rows: int = 400) -> Dataset:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, size=(rows, 3))
    codes[:, 2] = codes[:, 0] ^ codes[:, 1]
    return Dataset.from_codes(codes, [2, 2, 2])


def test_the_lossless_candidate_sees_what_no_single_split_sees() -> None:
    dataset = parity()
    stuck = learn_with(dataset, SplitMerge())
    lossless = learn_with(dataset, WithLossless(SplitMerge()))
    assert [node.source.size for node in stuck.nodes] == [1, 1, 1]
    assert [type(node.source) for node in lossless.nodes] == [LosslessSource] * 3


class CountOfOthers:
    """A user's strategy: how many of the other variables are 1."""

    def candidates(
        self, source: InformationSource, data: NodeData
    ) -> Iterable[Candidate | InformationSource]:
        inputs = data.inputs
        yield depnet.FunctionSource(lambda x: x.sum(axis=1), inputs=inputs, size=len(inputs) + 1)


def test_a_users_candidates_run_through_the_same_loop() -> None:
    network = learn_with(parity(), CountOfOthers(), penalty="mdl", smoothing=0.5)
    assert [node.source.size for node in network.nodes] == [3, 3, 3]
    assert network.nodes[0].table.smoothing == 0.5
    held_back = learn_with(parity(), CountOfOthers(), penalty=lambda k, n: 1.0 * k)
    assert [node.source.size for node in held_back.nodes] == [1, 1, 1]


class Proposes:
    def __init__(self, *sources: object) -> None:
        self.sources = sources

    def candidates(self, source: InformationSource, data: NodeData) -> Iterable[InformationSource]:
        return self.sources  # type: ignore[return-value]  # also what is none


def test_of_equal_costs_the_first_proposed_wins() -> None:
    twins = Dataset.from_codes([[0, 0, 0], [1, 1, 1]] * 20, [2, 2, 2])
    graphs = {j: DecisionGraph((depnet.Split(0, j),), (2, 2, 2)) for j in (1, 2)}
    for first, second in ((1, 2), (2, 1)):
        strategy = Proposes(graphs[first], graphs[second])
        data = NodeData(twins, 0, Mdl())
        assert greedy(strategy, data) == graphs[first]


def test_bad_strategies_are_named() -> None:
    dataset = parity(10)
    refuses(LearningError, r"candidates\(source, data\)", learn_with, dataset, object())
    refuses(LearningError, "proposes information sources", learn_with, dataset, Proposes("X1"))
    refuses(ModelError, "cardinalities", learn_with, dataset, Proposes(DecisionGraph((), (2, 2))))
    with pytest.raises(ModelError, match="itself updates"):
        learn_with(dataset, Proposes(LosslessSource((0, 1, 2), (2, 2, 2))), penalty="none")
    with pytest.raises(LearningError, match="no rows"):
        learn_with(Dataset.from_codes(np.zeros((0, 1), dtype=int), [2]), SplitMerge())
    refuses(LearningError, "gave R", learn_with, dataset, SplitMerge(), penalty=lambda k, n: float("nan"))


@given(datasets(weighted=True), seeds, st.sampled_from([0.0, 0.5]))
def test_counts_and_tables_equal_the_slow_twin(dataset: Dataset, seed: int, smoothing: float) -> None:
    rng = np.random.default_rng(seed)
    cards = dataset.domain.cardinalities
    sources = [random_source(rng, cards, (i,)) for i in range(len(cards))]
    network = learn_parameters(dataset, sources, smoothing=smoothing)
    assert [node.source for node in network.nodes] == sources
    for node in network.nodes:
        counts = np.array(counts_of(node, dataset))
        assert np.array_equal(there(node.table.counts), counts)
        cells = counts + smoothing
        totals = cells.sum(axis=1, keepdims=True)
        expected = np.where(totals > 0, cells / np.where(totals > 0, totals, 1), 1 / cells.shape[1])
        np.testing.assert_allclose(node.table.probabilities, expected, rtol=1e-15)


def test_sources_by_name_and_in_order_are_the_same() -> None:
    dataset = Dataset.from_codes([[0, 0], [1, 1], [1, 0]], [2, 2])
    sources: list[depnet.InformationSource] = [LosslessSource((1,), (2,)), ConstantSource()]
    expected = learn_parameters(dataset, sources)
    assert learn_parameters(dataset, {"X0": sources[0], "X1": sources[1]}) == expected


def test_a_users_function_is_a_source() -> None:
    dataset = Dataset.from_codes([[0, 0, 1], [1, 1, 1], [1, 0, 0]], [2, 2, 2])
    ups = FunctionSource(lambda x: x.sum(axis=1), inputs=(0, 1), size=3)
    network = learn_parameters(dataset, [ConstantSource(), ConstantSource(), ups])
    assert there(network.nodes[2].table.counts).tolist() == [[0, 1], [1, 0], [0, 1]]


def test_bad_sources_are_named() -> None:
    dataset = Dataset.from_codes([[0, 0]], [2, 3])
    with pytest.raises(LearningError, match="one source for each of the 2 variables; got 1"):
        learn_parameters(dataset, [ConstantSource()])
    refuses(LearningError, "not an information source: 'X1'", learn_parameters, dataset, ["X1", "X0"])
    with pytest.raises(LearningError, match="one source for each of the 2 variables; 'X1' has none"):
        learn_parameters(dataset, {"X0": ConstantSource()})
    with pytest.raises(EvidenceError, match="no variable 'X7'"):
        learn_parameters(dataset, {"X0": ConstantSource(), "X7": ConstantSource()})
    with pytest.raises(ModelError, match="variable 1 to have 2 states"):
        learn_parameters(dataset, [LosslessSource((1,), (2,)), ConstantSource()])
    wide = Dataset.from_codes([[0] * 30], [2] * 30)
    lossless = [LosslessSource.of_all_but(i, [2] * 30) for i in range(30)]
    refuses(ModelError, "more than 268,435,456 cells", learn_parameters, wide, lossless)
    with pytest.raises(LearningError, match="no rows"):
        learn_parameters(Dataset.from_codes(np.zeros((0, 1), dtype=int), [2]), [ConstantSource()])


@given(datasets(weighted=True), seeds)
def test_updating_in_parts_equals_learning_from_all_rows(dataset: Dataset, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = dataset.domain.cardinalities
    sources = [random_source(rng, cards, (i,)) for i in range(len(cards))]
    cut = int(rng.integers(1, dataset.rows + 1))
    first, second = part(dataset, slice(0, cut)), part(dataset, slice(cut, None))
    network = learn_parameters(first, sources, smoothing=0.5)
    together = learn_parameters(dataset, sources, smoothing=0.5)
    assert network.updated(second) == together
    assert network.with_counts(first).updated(second) == together.with_counts(dataset)


def part(dataset: Dataset, rows: slice) -> Dataset:
    weights = None if dataset.weights is None else dataset.weights[rows]
    return Dataset.from_codes(dataset.codes[rows], weights=weights, domain=dataset.domain)


def test_what_a_network_cannot_be_updated_with() -> None:
    dataset, other = (Dataset.from_codes([[0, 0]], [2, states]) for states in (2, 3))
    refuses(ModelError, "node 0 has no counts", Network.from_joint(np.full((2, 2), 0.25)).updated, dataset)
    network = learn_parameters(dataset, [ConstantSource()] * 2)
    refuses(ModelError, r"Network\.updated: variable 'X1' has other states", network.updated, other)
