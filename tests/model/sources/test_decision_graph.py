"""Replay, compiled graph and slow twin are one function."""

import itertools

import numpy as np
import pytest
from hypothesis import given

from depnet import DecisionGraph, Merge, Split
from depnet.errors import ModelError
from tests.reference.decision_graph import leaf_of
from tests.refusals import refuses
from tests.strategies import cardinalities, random_operations, seeds


def all_rows(cards: tuple[int, ...]) -> np.ndarray:
    return np.array(list(itertools.product(*map(range, cards))))


@given(cardinalities(), seeds)
def test_compiled_and_replayed_equal_the_slow_twin_and_read_only_inputs(
    cards: tuple[int, ...], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    operations = random_operations(rng, cards, (), 12)
    graph = DecisionGraph(operations, cards)
    rows = all_rows(cards)
    expected = [leaf_of(row, operations, cards) for row in rows.tolist()]
    assert graph.replay(rows).tolist() == expected
    assert graph(rows).tolist() == expected
    assert graph(np.asfortranarray(rows, dtype=np.uint16)).tolist() == expected
    others = [j for j in range(len(cards)) if j not in graph.inputs]
    rows[:, others] = rng.integers(0, np.array(cards)[others], size=(len(rows), len(others)))
    assert graph(rows).tolist() == expected


def test_merged_leaves_are_one_vertex() -> None:
    split_twice_merge_split = (Split(0, 0), Merge(0, 1), Split(0, 1))
    graph = DecisionGraph(split_twice_merge_split, (3, 2, 2))
    # leaves after Merge(0, 1): {x0 in 0, 1}, {x0 = 2}; the first is split by X1.
    assert graph([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 1, 0]]).tolist() == [1, 1, 2, 0]
    assert (graph.compiled.variable >= 0).sum() == 2, "X1 is tested in one shared vertex, not once a path"


def test_split_then_merge_of_all_its_leaves_is_the_identity() -> None:
    graph = DecisionGraph((Split(0, 1), Merge(0, 2), Merge(0, 1)), (2, 3))
    assert graph.size == 1
    assert graph.inputs == ()
    assert graph(all_rows((2, 3))).tolist() == [0] * 6


@pytest.mark.parametrize(
    ("operations", "message"),
    [
        ([Split(1, 0)], "operation 0 is Split"),
        ([Split(0, 2)], "2 variables"),
        ([Split(0, 0), Merge(0, 2)], "operation 1 is Merge"),
        ([Split(0, 0), Merge(1, 0)], "first < second"),
        ([Split(0, 0), Merge(1, 1)], "first < second"),
        ([Split(-1, 0)], "operation 0"),
        ([(0, 0)], "expected Split"),
    ],
)
def test_impossible_operations_are_named(operations: list[Split | Merge], message: str) -> None:
    refuses(ModelError, message, DecisionGraph, tuple(operations), (2, 3))


def test_a_merge_is_not_the_split_of_the_same_numbers() -> None:
    assert Split(0, 1) == Split(0, 1)
    assert Split(0, 1) != Merge(0, 1)
    assert Merge(0, 1) != Split(0, 1)
    assert Split(0, 1) == (0, 1)
    assert hash(Split(0, 1)) == hash((0, 1))
    merged_first = DecisionGraph((Split(0, 1), Merge(0, 1), Split(0, 1)), (2, 3))
    split_first = DecisionGraph((Split(0, 1), Split(0, 1), Merge(0, 1)), (2, 3))
    assert merged_first.size == split_first.size
    assert merged_first != split_first
    assert merged_first(all_rows((2, 3))).tolist() != split_first(all_rows((2, 3))).tolist()


def test_codes_outside_a_tested_variable_are_an_error() -> None:
    graph = DecisionGraph((Split(0, 1),), (2, 3))
    refuses(ModelError, r"variable 1 has the codes 0\.\.2; got 3\.\.3", graph, [[0, 3]])
    refuses(ModelError, "variable 1", graph, [[0, -1]])
    refuses(ModelError, "reads variable 1 is evaluated on rows", graph, [[0]])


def test_many_states_use_wide_codes() -> None:
    graph = DecisionGraph((Split(0, 0),), (1000, 2))
    assert graph([[999, 0], [256, 0]]).tolist() == [999, 256]
    assert graph(np.array([[7, 1]], dtype=np.uint8)).tolist() == [7]
