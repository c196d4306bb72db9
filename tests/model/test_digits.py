"""Words of digits: trees divide rows evenly, theta is the product of digits and sums to one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet.errors import ModelError
from depnet.model.boosted import BoostedNode
from depnet.model.sources.source import ConstantSource
from depnet.model.stages import UNIT, DigitTree, Stages
from depnet.model.stages import Test as StageTest
from tests.reference import digits as twin
from tests.refusals import refuses
from tests.strategies import seeds

counts = st.lists(st.integers(0, 9), min_size=2, max_size=20)


def digit_node(seed: int, tree: DigitTree, cards: tuple[int, ...], stages: int = 6) -> BoostedNode:
    """A node with random stages, each of a random vertex; the variable comes after its inputs."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(stages):
        j = int(rng.integers(len(cards)))
        low = int(rng.integers(cards[j]))
        scores = np.zeros((2, tree.states), dtype=np.int32)
        scores[:, rng.integers(tree.states - 1)] = rng.normal(0, 1 / UNIT, size=2)
        made.append(([(0, StageTest(j, low, int(rng.integers(low, cards[j]))))], scores))
    start = np.zeros((1, tree.states), dtype=np.int32)
    start[0, :-1] = rng.normal(0, 1 / UNIT, size=tree.states - 1)
    return BoostedNode(len(cards), ConstantSource(), start, Stages.of(made, tree.states), None, tree)


@given(counts, st.booleans())
def test_a_tree_is_its_twin(rows: list[int], missing: bool) -> None:
    tree = DigitTree.of(rows, missing=missing)
    assert [tuple(vertex) for vertex in tree.vertices] == twin.tree(rows, missing=missing)
    assert tree.states == len(rows)


@given(counts, st.booleans(), seeds)
def test_theta_is_the_product_of_digits_and_sums_to_one(rows: list[int], missing: bool, seed: int) -> None:
    tree = DigitTree.of(rows, missing=missing)
    node = digit_node(seed, tree, (3, 4))
    codes = np.random.default_rng(seed).integers(0, (3, 4, 1), size=(30, 3)).astype(np.uint8)
    theta = node.probabilities(codes)
    ones = 1 / (1 + np.exp(-node.scores(codes)[:, :-1] * UNIT))
    vertices = [(vertex.low, vertex.middle, vertex.high) for vertex in tree.vertices]
    expected = [[twin.probability(vertices, p, x) for x in range(tree.states)] for p in ones.tolist()]
    np.testing.assert_allclose(theta, expected, rtol=1e-9)
    np.testing.assert_allclose(theta.sum(axis=1), 1.0, rtol=1e-12)
    assert (theta <= node.largest_theta() + 1e-15).all()


@given(st.lists(st.integers(1, 50), min_size=2, max_size=16))
def test_free_digits_are_a_free_table(rows: list[int]) -> None:
    """With the logit of every digit free, any table can be said: here the shares of the rows themselves."""
    tree = DigitTree.of(rows)
    total = np.concatenate([[0], np.cumsum(rows)])
    logits = [np.log((total[h] - total[m]) / (total[m] - total[low])) for low, m, h in tree.vertices]
    start = np.array([[*np.rint(np.array(logits) / UNIT), 0]], dtype=np.int32)
    node = BoostedNode(0, ConstantSource(), start, Stages.of([], tree.states), None, tree)
    shares = np.array(rows) / total[-1]
    np.testing.assert_allclose(node.probabilities(np.zeros((1, 1), dtype=np.uint8))[0], shares, rtol=1e-4)


def test_mutant_a_digit_turned_round_is_seen() -> None:
    tree = DigitTree.of([5, 5, 5])
    node = digit_node(1, tree, (3,))
    codes = np.array([[0, 0], [2, 0]], dtype=np.uint8)
    ones = 1 / (1 + np.exp(node.scores(codes)[:, :-1] * UNIT))  # the sign is wrong
    expected = [[twin.probability(twin.tree([5, 5, 5]), p, x) for x in range(3)] for p in ones.tolist()]
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(node.probabilities(codes), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("low", "middle", "high"), [([0], [0], [2]), ([0, 0], [1, 1], [3, 2]), ([], [], []), ([0], [1], [3])]
)
def test_trees_that_are_none_are_refused(low: list[int], middle: list[int], high: list[int]) -> None:
    refuses(ModelError, "tree of digits", DigitTree, np.array(low), np.array(middle), np.array(high))


def test_a_tree_of_other_states_is_refused() -> None:
    with pytest.raises(ModelError, match="3 states, and a tree of digits of 2"):
        BoostedNode(0, ConstantSource(), np.zeros((1, 3)), Stages.of([], 3), None, DigitTree.of([1, 1]))
