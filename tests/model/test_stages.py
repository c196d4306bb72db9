"""Stages: the native sums are the twin's, a stage is a decision graph of the paper's, and what is no stage is refused."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet.errors import ModelError
from depnet.model.stages import MOST_LEAVES, MOST_SCORE, UNIT, Stages, on_grid, theta_of
from depnet.model.stages import Test as Within
from tests.boosted import random_stages, stage_graph
from tests.isas import AVAILABLE
from tests.reference import stages as reference
from tests.refusals import refuses
from tests.strategies import seeds

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
    stages = Stages.of([([(0, test)], [[0], [1 << k]]) for k, test in enumerate(tests)], states=1)
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
    right = Stages.of([([(0, Within(0, 1, 2))], [[0, 1], [2, 3]])], 2)
    wrong = Stages.of([([(0, Within(0, 1, 3))], [[0, 1], [2, 3]])], 2)
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
        splits, _ = stages.stage(m)
        graph, found = stage_graph(stages, m, cards)
        expected = [reference.leaf_of(row, splits) for row in codes.tolist()]
        assert found[graph(codes)].tolist() == expected
        assert found[graph.replay(codes)].tolist() == expected
        assert graph.size == len(found) == len(set(found.tolist()))


def test_a_stage_that_tests_everything_or_nothing() -> None:
    """All rows pass 0 <= x <= 1 of two states: leaf 0 is empty then, and so is what is split off it."""
    stages = Stages.of([([(0, Within(0, 0, 1)), (0, Within(1, 0, 0)), (1, Within(1, 1, 2))], [[0]] * 4)], 1)
    graph, found = stage_graph(stages, 0, (2, 3))
    assert found.tolist() == [1, 3]
    assert graph(np.array([[0, 0], [1, 1], [1, 2]])).tolist() == [0, 1, 1]


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
        return Stages.of([([(0, Within(0, 0, 0))] * count, np.zeros((count + 1, 1)))], 1)

    assert len(with_splits(MOST_LEAVES - 1)) == 1
    refuses(ModelError, "do not fit together", with_splits, MOST_LEAVES)


def test_rows_and_starts_of_another_shape_are_refused() -> None:
    stages = Stages.of([([(0, Within(2, 1, 1))], [[1, 2], [3, 4]])], 2)
    with pytest.raises(ModelError, match=r"read variable 2; the codes \[N, n\] have the shape \(4, 2\)"):
        stages.sums(np.zeros((4, 2), dtype=np.uint8, order="F"))
    with pytest.raises(ModelError, match=r"\[rows, states\], \(4, 2\); got \(3, 2\)"):
        stages.sums(np.zeros((4, 3), dtype=np.uint8, order="F"), np.zeros((3, 2), dtype=np.int32))
    refuses(ModelError, r"state 1 of variable 2; the domain has 2 variables", stages.check_domain, (2, 2))
    with pytest.raises(ModelError, match=r"state 1 of variable 2; the domain has 1 states there"):
        stages.check_domain((2, 2, 1))
