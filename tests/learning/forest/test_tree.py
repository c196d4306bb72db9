"""Trees with random tests, against the literal twin."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from depnet.learning.forest.tree import grow_tree, row_major
from tests.reference.forest import leaf_of, slow_tree


@given(st.integers(0, 2**63 - 1), st.integers(0, 3), st.integers(1, 4))
def test_a_tree_equals_its_twin(seed: int, states: int, least: int) -> None:
    """Whole numbers as values and targets: sums are exact, so both find the same tests."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 40))
    values = np.asfortranarray(rng.integers(0, 6, (rows, 4)).astype(float))
    target = rng.integers(0, max(states, 5), rows).astype(float)
    target = np.minimum(target, states - 1) if states else target
    members = rng.integers(0, rows, rows).astype(np.int32)
    categorical, readable = [False, True, False, True], [0, 1, 3]
    how: dict[str, Any] = {
        "readable": readable,
        "categorical": categorical,
        "states": states,
        "least": least,
        "seed": seed,
    }
    fast = grow_tree(values, target, members, **how)
    slow = slow_tree(values.tolist(), target.tolist(), members.tolist(), **how)
    fresh = rng.integers(0, 6, (20, 4)).astype(float)
    leaves = fast.leaves(fresh)
    for row, leaf in zip(fresh, leaves, strict=True):
        own = sorted(target[leaf_of(slow, row.tolist()).members].tolist())
        assert fast.target[fast.begin[leaf] : fast.begin[leaf + 1]].tolist() == own
        assert fast.means[leaf] == np.mean(own)
        if states:
            assert fast.shares(states)[leaf].tolist() == [own.count(x) / len(own) for x in range(states)]
    levels = rng.random(20)
    drawn = fast.member(leaves, levels)
    for k, leaf in enumerate(leaves):
        own_members = fast.target[fast.begin[leaf] : fast.begin[leaf + 1]]
        assert drawn[k] == own_members[int(levels[k] * len(own_members))]


def test_leaves_have_enough_rows_and_all_of_them() -> None:
    rng = np.random.default_rng(0)
    values = np.asfortranarray(rng.normal(size=(500, 3)))
    target = values[:, 0] ** 2 + 0.1 * rng.normal(size=500)
    members = np.arange(500, dtype=np.int32)
    tree = grow_tree(
        values, target, members, readable=[0, 1, 2], categorical=[False] * 3, states=0, least=5, seed=1
    )
    assert tree.sizes.min() >= 5
    assert np.array_equal(np.bincount(tree.leaves(row_major(values, members))), tree.sizes)
    assert np.array_equal(np.sort(tree.target), np.sort(target))
    assert np.corrcoef(tree.means[tree.leaves(row_major(values, members))], target)[0, 1] > 0.8
