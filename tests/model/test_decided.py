"""A boosted node where some variables are known is the node with these fixed, and reads no more than it must."""

import itertools

import numpy as np
import pytest
from hypothesis import given

from depnet.model import ConstantSource
from depnet.model.boosted import BoostedNode
from depnet.model.sources.restrict import KeptVariables
from depnet.model.stages import Stages
from depnet.model.stages import Test as Within
from tests.boosted import random_stages
from tests.strategies import cardinalities, random_source, seeds


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
    stages = Stages.of([(splits, [[1, 0], [2, 0], [4, 0], [8, 0]])], 2)
    node = BoostedNode(0, ConstantSource(), [[0, 0]], stages)
    assert node.open_inputs({}) == {1, 2, 3}
    assert node.open_inputs({1: 0}) == {2}
    assert node.open_inputs({1: 1}) == {3}
    assert node.open_inputs({1: 1, 3: 0}) == set()
    none, constant = stages.decided({1: 1, 3: 1})
    assert len(none) == 0
    assert constant.tolist() == [8, 0]
    some, nothing = stages.decided({1: 0})
    assert some.stage(0)[0] == [(0, Within(2, 1, 1))]
    assert some.stage(0)[1].tolist() == [[2, 0], [4, 0]]
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
