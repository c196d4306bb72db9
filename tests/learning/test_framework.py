"""Algorithm 3 with any candidates: SplitMerge equals the brute-force twin and the native learner, bit for bit."""

import math
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import depnet
from depnet import Aic, Dataset, DecisionGraph, InformationSource, LosslessSource, Mdl, StructuralMdl
from depnet.errors import LearningError, ModelError
from depnet.learning.cost import Penalty
from depnet.learning.framework import Candidate, NodeData, SplitMerge, WithLossless, greedy, learn_with
from tests.reference.learning import learn_operations
from tests.refusals import refuses
from tests.strategies import datasets


def square(parameters: int, rows: int) -> float:
    return parameters * math.sqrt(parameters) / (10 * rows)


penalties = st.sampled_from(
    [
        Mdl(),
        Aic(),
        depnet.NoPenalty(),
        0.25 * Mdl(),
        StructuralMdl(),
        StructuralMdl(0.5, 2.0, 0.5 * Mdl()),
        square,
    ]
)


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
