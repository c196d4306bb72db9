"""Forests whose leaves keep their members: laws by counting, corrections and calibrated levels."""

from statistics import NormalDist

import numpy as np
import pytest

from depnet.learning.forest import A_TREE, crps, grow_forest, number_law, quantiles_of

RNG = np.random.default_rng(0)
X = RNG.random((400, 3)).astype(np.float32)
Y = 4.0 * X[:, 0] + 0.1 * RNG.normal(size=400)


@pytest.mark.parametrize("states", [0, 3])
def test_leaves_have_the_rows_that_come_to_them(states: int) -> None:
    target = np.floor(X[:, 0] * 3).astype(float) if states else Y
    shown = np.concatenate([X, X])  # two tables
    forest, drawn = grow_forest(shown, np.tile(target, 2), states=states, tables=2, count=4, seed=1)
    for m in (0, 1):
        total = []
        for tree, rows in list(zip(forest.trees, drawn, strict=True))[m::2]:
            own, of_rows = tree.nodes.apply(X), tree.nodes.apply(X[rows])
            members = [target[rows][of_rows == leaf] for leaf in own]
            if states:
                total.append([[np.mean(each == x) for x in range(states)] for each in members])
            else:
                total.append([each.mean() for each in members])
            levels = np.full(len(X), 0.5)
            middle = [np.sort(each)[len(each) // 2] for each in members]
            np.testing.assert_array_equal(tree.member(tree.leaves(X), levels), middle)
        np.testing.assert_allclose(forest.mean(m, X), np.mean(total, axis=0), atol=1e-12)


def test_a_slope_is_corrected_and_intervals_cover() -> None:
    """Trees flatten a line at its ends; 90 % intervals of 2,000 new rows cover 90 %, 6 s.e. of 400 learned as margin."""
    forest, drawn = grow_forest(X[:, 1:], Y, states=0, tables=1, count=40, seed=1)
    law = number_law(forest, drawn, X[:, 1:], Y, X[:, :1].astype(float), np.random.default_rng(1))
    assert law.line is not None
    assert 0 < law.scale < 1
    rng = np.random.default_rng(2)
    new = rng.random((2000, 3)).astype(np.float32)
    truth = 4.0 * new[:, 0] + 0.1 * rng.normal(size=2000)
    mean = forest.mean(0, new[:, 1:])
    corrected = law.correct(mean, new[:, :1].astype(float))
    assert np.sqrt(np.mean((corrected - truth) ** 2)) < 0.5 * np.sqrt(np.mean((mean - truth) ** 2))
    members = np.concatenate([tree.members(tree.leaves(new[:, 1:]), rng) for tree in forest.trees], axis=1)
    assert members.shape == (2000, 40 * A_TREE)
    low, high = law.quantiles(np.sort(members, axis=1), mean, corrected, (0.05, 0.95)).T
    assert abs(np.mean((low <= truth) & (truth <= high)) - 0.9) < 6 * np.sqrt(0.09 / 400)


def test_quantiles_are_of_members() -> None:
    members = np.array([[1.0, 2.0, 4.0, 8.0], [3.0, 3.0, np.nan, np.nan]])
    assert quantiles_of(members, np.array([0.0, 0.5, 1.0])).tolist() == [[1, 4, 8], [3, 3, 3]]


def test_crps_of_a_normal_law() -> None:
    """Of N(0, 1) at 0 it is sqrt(2 / pi) (1 - 1 / sqrt 2) = 0.2337; 999 levels come within 1 %."""
    levels = np.arange(1, 1000) / 1000
    quantiles = np.array([[NormalDist().inv_cdf(level) for level in levels]])
    assert crps(quantiles, np.zeros(1), levels)[0] == pytest.approx(0.2337, rel=0.01)
