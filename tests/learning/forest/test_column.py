"""The forest of a column: means, members, and rows that trees have not drawn."""

import numpy as np

from depnet.arrays import FloatArray
from depnet.learning.forest.column import A_TREE, Forest, Grower, Unseen, grow_forest
from depnet.learning.forest.tree import row_major


def line(rows: int = 300) -> FloatArray:
    rng = np.random.default_rng(5)
    x = rng.normal(size=rows)
    return np.asfortranarray(np.column_stack([x, x + 0.3 * rng.normal(size=rows), rng.integers(0, 3, rows)]))


def grown(judged: int = 50) -> tuple[Forest, Unseen, FloatArray]:
    values = line()
    grower = Grower(1, np.arange(200, dtype=np.int32), [False, False, True], 0, [0, 2])
    forest, unseen = grow_forest(grower, [values, values + 0.0], 12, np.random.default_rng(0), judged=judged)
    return forest, unseen, values


def test_the_mean_is_that_of_the_trees() -> None:
    forest, _, values = grown()
    rows = np.arange(200, 300, dtype=np.int32)
    each = [tree.means[tree.leaves(row_major(values, rows))] for tree in forest.trees]
    assert np.allclose(forest.mean([values, values], rows), np.mean(each, axis=0))
    members = forest.members([values, values], rows, np.random.default_rng(1))
    assert members.shape == (100, 12 * A_TREE)
    assert (np.diff(members, axis=1) >= 0).all()
    assert np.abs(members.mean(axis=1) - forest.mean([values, values], rows)).mean() < 0.1


def test_rows_not_drawn_are_predicted_nearly_as_new_ones_are() -> None:
    """A row that trees have drawn would be predicted better than the noise of 0.3 allows."""
    forest, unseen, values = grown()
    own = np.sqrt(np.mean((unseen.mean - values[unseen.rows, 1]) ** 2))
    rows = np.arange(200, 300, dtype=np.int32)
    new = np.sqrt(np.mean((forest.mean([values, values], rows) - values[rows, 1]) ** 2))
    assert 0.7 < own / new < 1.4
    assert own > 0.25
    assert len(unseen.members) == len(unseen.judged) <= 50
    drawn = np.isnan(unseen.members).sum(axis=1)
    assert (drawn % A_TREE == 0).all()
    assert drawn.min() > 0


def test_states_have_laws() -> None:
    values = line()
    grower = Grower(2, np.arange(300, dtype=np.int32), [False, False, True], 3, [0, 1])
    forest, unseen = grow_forest(grower, [values], 5, np.random.default_rng(0))
    law = forest.mean([values], np.arange(10, dtype=np.int32))
    assert law.shape == (10, 3)
    assert np.allclose(law.sum(axis=1), 1)
    assert unseen.mean.shape == (len(unseen.rows), 3)
