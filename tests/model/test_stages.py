"""Stages are sums of scores, as a whole, where some variables are known, and as words of digits."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet.errors import ModelError
from depnet.model import ConstantSource
from depnet.model.boosted import BoostedNode
from depnet.model.sources.restrict import KeptVariables
from depnet.model.stages import MOST_LEAVES, MOST_SCORE, UNIT, DigitTree, Stages, on_grid, theta_of
from depnet.model.stages import Test as StageTest
from depnet.model.stages import Test as Within
from tests.boosted import random_stages, stage_graph, stage_of, stages_of
from tests.isas import AVAILABLE
from tests.reference import digits as twin
from tests.reference import stages as reference
from tests.refusals import refuses
from tests.strategies import cardinalities, random_source, seeds

ROWS = (0, 1, 3, 63, 64, 65, 127, 130)
SHAPES: tuple[tuple[list[int], int], ...] = (
    ([2, 2, 2], 2),
    ([2, 3, 1, 5], 1),
    ([4, 256, 7], 3),
    ([3, 700, 2], 5),
    ([2, 2], 40),
)


def random_codes(rng: np.random.Generator, rows: int, cards: Sequence[int]) -> Any:
    kind = np.uint8 if max(cards) <= 256 else np.uint16
    return np.asfortranarray(rng.integers(0, cards, size=(rows, len(cards))), dtype=kind)


def twin_sums(stages: Stages, codes: Any) -> list[list[int]]:
    split = reference.stages_of(stages)
    return [reference.sums(row, split, stages.states) for row in codes.tolist()]


@pytest.mark.parametrize("isa", AVAILABLE)
@given(seed=seeds, shape=st.sampled_from(SHAPES), rows=st.sampled_from(ROWS), leaves=st.integers(1, 40))
def test_sums_and_theta_are_the_twins(
    isa: str, seed: int, shape: tuple[list[int], int], rows: int, leaves: int
) -> None:
    rng = np.random.default_rng(seed)
    cards, states = shape
    stages = random_stages(
        rng, list(range(len(cards))), cards, states, stages=int(rng.integers(0, 6)), leaves=leaves + 1
    )
    codes = random_codes(rng, rows, cards)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEPNET_ISA", isa)
        found = stages.sums(codes)
        theta = theta_of(found)
        from_one = stages.sums(codes, np.ones((rows, states), dtype=np.int32))
    assert found.tolist() == twin_sums(stages, codes)
    assert theta.tolist() == [reference.theta(row) for row in found.tolist()]
    assert np.array_equal(from_one, found + 1)


@pytest.mark.parametrize("isa", AVAILABLE)
def test_tests_of_states_that_a_byte_does_not_have(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of a table of bytes passes 300 <= x; all from 7 on pass 7 <= x <= 300."""
    monkeypatch.setenv("DEPNET_ISA", isa)
    tests = [Within(0, 300, 400), Within(0, 7, 300), Within(0, 0, 256), Within(0, 255, 256)]
    stages = stages_of([([(0, test)], [[0], [1 << k]]) for k, test in enumerate(tests)], states=1)
    codes = np.arange(256, dtype=np.uint8)[:, None].copy(order="F")
    assert stages.sums(codes).tolist() == twin_sums(stages, codes)


@pytest.mark.parametrize("isa", AVAILABLE)
def test_theta_is_never_zero_and_sums_to_one(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPNET_ISA", isa)
    far = MOST_SCORE - 1
    theta = theta_of(np.array([[far, -far], [0, 0], [-far, -far + 1]], dtype=np.int32))
    assert (theta > 0).all()
    np.testing.assert_allclose(theta.sum(axis=1), 1, rtol=1e-15)
    assert theta[1].tolist() == [0.5, 0.5]
    assert theta[2, 1] > theta[2, 0]


def test_mutant_a_test_that_is_one_state_wider() -> None:
    codes = np.arange(5, dtype=np.uint8)[:, None].copy(order="F")
    right = stages_of([([(0, Within(0, 1, 2))], [[0, 1], [2, 3]])], 2)
    wrong = stages_of([([(0, Within(0, 1, 3))], [[0, 1], [2, 3]])], 2)
    assert right.sums(codes).tolist() == twin_sums(right, codes)
    assert wrong.sums(codes).tolist() != twin_sums(right, codes)


@given(seed=seeds, shape=st.sampled_from(SHAPES), leaves=st.integers(1, 12))
def test_a_stage_is_a_decision_graph_in_the_papers_operations(
    seed: int, shape: tuple[list[int], int], leaves: int
) -> None:
    rng = np.random.default_rng(seed)
    cards, states = shape
    stages = random_stages(rng, list(range(len(cards))), cards, states, stages=2, leaves=leaves + 1)
    codes = random_codes(rng, 200, cards)
    for m in range(len(stages)):
        splits, _ = stage_of(stages, m)
        graph, found = stage_graph(stages, m, cards)
        expected = [reference.leaf_of(row, splits) for row in codes.tolist()]
        assert found[graph(codes)].tolist() == expected
        assert found[graph.replay(codes)].tolist() == expected
        assert graph.size == len(found) == len(set(found.tolist()))


def test_scores_on_the_grid() -> None:
    nats = np.array([[1.0, 0.0, 0.5], [-3.0, 0.1, 0.2]])
    units = on_grid(nats)
    centred = nats - nats.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(units * UNIT, centred, atol=UNIT / 2)


def broken(**changed: Any) -> dict[str, Any]:
    """The arrays of two stages, with one split and with two, some of them changed."""
    arrays: dict[str, Any] = {
        "variable": [0, 2],
        "low": [1, 0],
        "high": [2, 0],
        "begin": [0, 1, 3],
        "leaf": [0, 0, 1],
        "test": [0, 1, 0],
        "scores": np.zeros((5, 2), dtype=np.int32),
    }
    return arrays | changed


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scores": np.zeros(5)}, "do not fit together"),
        ({"scores": np.zeros((4, 2))}, "do not fit together"),
        ({"low": [1]}, "do not fit together"),
        ({"test": [0, 1]}, "do not fit together"),
        ({"begin": []}, "do not fit together"),
        ({"begin": [1, 1, 3]}, "do not fit together"),
        ({"begin": [0, 1, 2]}, "do not fit together"),
        ({"begin": [0, 4, 3]}, "do not fit together"),
        ({"leaf": [0, 1, 1]}, "split 1 is of leaf 1; its stage has 1 leaves then"),
        ({"test": [0, 2, 0]}, r"names one of the 2 tests; got 0\.\.2"),
        ({"test": [0, -1, 0]}, r"names one of the 2 tests; got -1\.\.0"),
        ({"low": [3, 0]}, "low is above high"),
        ({"variable": [0, -1]}, "there is no variable"),
        ({"scores": np.full((5, 2), 2**29)}, "sum to more than 1,000 nats"),
    ],
)
def test_what_is_no_stage_is_refused(changed: dict[str, Any], message: str) -> None:
    Stages(**broken())
    refuses(ModelError, message, Stages, **broken(**changed))


def test_a_stage_has_at_most_so_many_leaves() -> None:
    def with_splits(count: int) -> Stages:
        return stages_of([([(0, Within(0, 0, 0))] * count, np.zeros((count + 1, 1)))], 1)

    assert len(with_splits(MOST_LEAVES - 1)) == 1
    refuses(ModelError, "do not fit together", with_splits, MOST_LEAVES)


def test_rows_and_starts_of_another_shape_are_refused() -> None:
    stages = stages_of([([(0, Within(2, 1, 1))], [[1, 2], [3, 4]])], 2)
    with pytest.raises(ModelError, match=r"read variable 2; the codes \[N, n\] have the shape \(4, 2\)"):
        stages.sums(np.zeros((4, 2), dtype=np.uint8, order="F"))
    with pytest.raises(ModelError, match=r"\[rows, states\], \(4, 2\); got \(3, 2\)"):
        stages.sums(np.zeros((4, 3), dtype=np.uint8, order="F"), np.zeros((3, 2), dtype=np.int32))
    refuses(ModelError, r"state 1 of variable 2; the domain has 2 variables", stages.check_domain, (2, 2))
    with pytest.raises(ModelError, match=r"state 1 of variable 2; the domain has 1 states there"):
        stages.check_domain((2, 2, 1))


def random_node(rng: np.random.Generator, cards: tuple[int, ...]) -> BoostedNode:
    """Node 0, with a first source that reads something, mostly."""
    start = random_source(rng, cards, (0,))
    others = list(range(1, len(cards)))
    stages = random_stages(rng, others, list(cards), cards[0], stages=5, leaves=7)
    scores = rng.integers(-(2**20), 2**20, size=(start.size, cards[0]))
    inputs = len({*start.inputs, *stages.inputs})
    return BoostedNode(0, start, scores, stages, rng.random(inputs))


@given(cardinalities(min_variables=2, max_states=150), seeds)
def test_a_restricted_node_is_the_node_with_its_variables_fixed(cards: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    node = random_node(rng, cards)
    known = rng.permutation(np.arange(1, len(cards)))[: int(rng.integers(len(cards)))].tolist()
    fixed = {j: int(rng.integers(cards[j])) for j in known}
    left = [j for j in range(len(cards)) if j not in fixed]
    new = node.restricted(0, fixed, KeptVariables.of(left, cards))
    new.check_domain([cards[j] for j in left])
    found = list(itertools.product(*(range(cards[j]) for j in left)))
    rows = np.zeros((len(found), len(cards)), dtype=int)
    rows[:, left] = found
    for j, code in fixed.items():
        rows[:, j] = code
    assert np.array_equal(new.scores(np.array(found)), node.scores(rows))
    assert {left[k] for k in new.inputs} <= node.open_inputs(fixed) <= set(node.inputs) - fixed.keys()
    gains = dict(zip(node.inputs, node.gains.tolist(), strict=True))
    assert new.gains.tolist() == [gains[left[k]] for k in new.inputs]


def test_what_evidence_rules_out_is_not_read() -> None:
    """X2 is tested only where X1 = 0 is passed, X3 only where it is not."""
    splits = [(0, Within(1, 0, 0)), (1, Within(2, 1, 1)), (0, Within(3, 1, 1))]
    stages = stages_of([(splits, [[1, 0], [2, 0], [4, 0], [8, 0]])], 2)
    node = BoostedNode(0, ConstantSource(), [[0, 0]], stages)
    assert node.open_inputs({}) == {1, 2, 3}
    assert node.open_inputs({1: 0}) == {2}
    assert node.open_inputs({1: 1}) == {3}
    assert node.open_inputs({1: 1, 3: 0}) == set()
    none, constant = stages.decided({1: 1, 3: 1})
    assert len(none) == 0
    assert constant.tolist() == [8, 0]
    some, nothing = stages.decided({1: 0})
    assert stage_of(some, 0)[0] == [(0, Within(2, 1, 1))]
    assert stage_of(some, 0)[1].tolist() == [[2, 0], [4, 0]]
    assert not nothing.any()


def test_mutant_another_code() -> None:
    rng = np.random.default_rng(1)
    cards = (3, 2, 4)
    node = random_node(rng, cards)
    kept = KeptVariables.of([0, 2], cards)
    rows = np.array([[0, 1, x] for x in range(4)])
    right, wrong = (node.restricted(0, {1: code}, kept).scores(rows[:, [0, 2]]) for code in (1, 0))
    assert np.array_equal(right, node.scores(rows))
    with pytest.raises(AssertionError):
        assert np.array_equal(wrong, node.scores(rows))


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
    return BoostedNode(len(cards), ConstantSource(), start, stages_of(made, tree.states), None, tree)


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
    node = BoostedNode(0, ConstantSource(), start, stages_of([], tree.states), None, tree)
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


@pytest.mark.parametrize("middle", [[0], [1, 1], [], [3]])
def test_trees_that_are_none_are_refused(middle: list[int]) -> None:
    refuses(ModelError, "tree of digits", DigitTree, np.array(middle))


def test_a_tree_of_other_states_is_refused() -> None:
    with pytest.raises(ModelError, match="3 states, and a tree of digits of 2"):
        BoostedNode(0, ConstantSource(), np.zeros((1, 3)), stages_of([], 3), None, DigitTree.of([1, 1]))
