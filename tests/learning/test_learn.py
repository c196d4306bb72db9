"""The native learner grows, operation by operation, what the brute-force reading of Sec. 4 grows."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet import Aic, Dataset, Mdl, NoPenalty, StructuralMdl, learn
from depnet.learning.cost import Penalty
from depnet.model import ConditionalTable, DecisionGraph, TableNode
from tests.reference.learning import learn_operations
from tests.strategies import datasets, seeds


def square(k: int, rows: int) -> float:
    return 0.02 * k * k / rows


def falling(k: int, rows: int) -> float:
    return 1.0 / (1 + k)  # more parameters are cheaper: even splits of pure leaves pay


def wavy(k: int, rows: int) -> float:
    return (k % 3) * 0.05 + 0.6 * k * math.log(rows + 1) / (2 * rows)


penalties = st.sampled_from(
    [
        Mdl(),
        Aic(),
        0.3 * Mdl(),
        NoPenalty(),
        StructuralMdl(),
        StructuralMdl(0.1, 0.5, 0.5 * Aic()),
        square,
        wavy,
    ]
)


def operations(dataset: Dataset, **options: Any) -> list[list[object]]:
    return [list(node.source.operations) for node in learn(dataset, **options).nodes]  # learned sources


BINARY = datasets(max_variables=8, max_cardinality=2, max_rows=200)


@settings(max_examples=3 * settings().max_examples)
@given(datasets() | datasets(weighted=True) | BINARY, penalties)
def test_equals_brute_force(dataset: Dataset, penalty: Penalty) -> None:
    expected = [learn_operations(dataset, (i,), penalty) for i in range(len(dataset.domain))]
    assert operations(dataset, penalty=penalty) == expected


def test_mutant_another_table_is_noticed() -> None:
    codes = np.array([[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]] * 5)
    dataset = Dataset.from_codes(codes, [2, 2, 2])
    assert operations(dataset) == [learn_operations(dataset, (i,), Mdl()) for i in range(3)]
    codes[:, 0] = codes[:, 2]
    mutant = Dataset.from_codes(codes, [2, 2, 2])
    with pytest.raises(AssertionError):
        assert operations(dataset) == [learn_operations(mutant, (i,), Mdl()) for i in range(3)]


@given(datasets(max_variables=3, max_rows=12), st.integers(2, 9))
def test_a_falling_penalty_splits_pure_leaves_too(dataset: Dataset, max_leaves: int) -> None:
    options = {"penalty": falling, "max_leaves": max_leaves}
    expected = [
        learn_operations(dataset, (i,), falling, max_leaves=max_leaves) for i in range(len(dataset.domain))
    ]
    assert operations(dataset, **options) == expected


@given(datasets(max_rows=120), seeds, st.sampled_from([2, 3, -1, None]))
def test_neither_the_order_of_rows_nor_threads_matter(
    dataset: Dataset, seed: int, n_jobs: int | None
) -> None:
    order = np.random.default_rng(seed).permutation(dataset.rows)
    shuffled = Dataset.from_codes(dataset.codes[order], domain=dataset.domain)
    assert learn(shuffled, n_jobs=n_jobs) == learn(dataset)


@given(datasets(max_rows=60), st.sampled_from([0.0, 0.5, 3.0]), st.sampled_from([1, 2]))
def test_tables_are_those_of_the_counts_at_the_leaves(
    dataset: Dataset, smoothing: float, n_jobs: int
) -> None:
    for i, node in enumerate(learn(dataset, smoothing=smoothing, n_jobs=n_jobs).nodes):
        counts = np.zeros((node.source.size, dataset.domain.cardinalities[i]), dtype=np.int64)
        np.add.at(counts, (node.source(dataset.codes), dataset.column(i)), 1)
        assert node.table.counts is not None
        assert node.table.counts.tolist() == counts.tolist()
        again = ConditionalTable.from_counts(node.table.counts, smoothing)
        assert node.table == again
        assert node == TableNode(node.variable, node.source, again)
        assert not node.table.probabilities.flags.writeable
        assert not node.table.counts.flags.writeable


@given(datasets(max_rows=60))
def test_a_recorded_graph_is_what_its_operations_say(dataset: Dataset) -> None:
    for node in learn(dataset).nodes:
        source = node.source
        assert isinstance(source, DecisionGraph)
        again = DecisionGraph(pickle.loads(pickle.dumps(source)).operations, source.cardinalities)
        assert again == source
        assert hash(again) == hash(source)
        assert again.size == source.size
        for ours, theirs in zip(source.compiled, again.compiled, strict=True):
            assert np.array_equal(ours, theirs)
