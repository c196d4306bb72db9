"""learn_parameters: the table of Theorem 4 for any information sources."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import ConstantSource, Dataset, FunctionSource, LosslessSource, learn_parameters
from depnet.errors import EvidenceError, LearningError, ModelError
from tests.reference.counting import counts_of
from tests.refusals import refuses
from tests.strategies import datasets, random_source, seeds


@given(datasets(weighted=True), seeds, st.sampled_from([0.0, 0.5]))
def test_counts_and_tables_equal_the_slow_twin(dataset: Dataset, seed: int, smoothing: float) -> None:
    rng = np.random.default_rng(seed)
    cards = dataset.domain.cardinalities
    sources = [random_source(rng, cards, (i,)) for i in range(len(cards))]
    network = learn_parameters(dataset, sources, smoothing=smoothing)
    assert [node.source for node in network.nodes] == sources
    for node in network.nodes:
        counts = np.array(counts_of(node, dataset))
        assert node.table.counts is not None
        assert np.array_equal(node.table.counts, counts)
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
    assert network.nodes[2].table.counts is not None
    assert network.nodes[2].table.counts.tolist() == [[0, 1], [1, 0], [0, 1]]


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
