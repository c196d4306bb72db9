"""Laws of numbers: calibrated by ranks of rows not seen, and moved only where that is better."""

import numpy as np
import pytest

from depnet.arrays import FloatArray
from depnet.learning.forest.column import Forest, Grower, grow_forest
from depnet.learning.forest.law import NumberLaw, crps, number_law


def law_of(values: FloatArray, rows: int) -> tuple[NumberLaw, Forest]:
    rng = np.random.default_rng(0)
    grower = Grower(1, np.arange(rows, dtype=np.int32), [False, False], 0, [0])
    forest, unseen = grow_forest(grower, [values], 40, rng, judged=500)
    return number_law(forest, unseen, values[:, 1], [0], values, rng), forest


def test_slopes_are_followed_to_the_ends_and_intervals_cover() -> None:
    """y = 3 x + noise, of 400 rows; 1,000 new ones: coverage of 90 % within 3 s.e. of both, an error below the forest's."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=1400)
    values = np.asfortranarray(np.column_stack([x, 3 * x + rng.normal(size=1400)]))
    law, forest = law_of(values, 400)
    rows = np.arange(400, 1400, dtype=np.int32)
    mean = forest.mean([values], rows)
    corrected, added = law.corrected(mean, values[rows])
    truth = values[rows, 1]
    assert np.mean((corrected - truth) ** 2) < np.mean((mean - truth) ** 2)
    quantiles = law.quantiles([values], rows, added, [0.05, 0.95], rng)
    within = (quantiles[:, 0] <= truth) & (truth <= quantiles[:, 1])
    assert abs(within.mean() - 0.9) < 3 * np.sqrt(0.09 / 1000 + 0.09 / 400)
    assert corrected.min() >= law.low
    assert corrected.max() <= law.high


def test_heaped_values_stay_values() -> None:
    """A step of two heaps has no use for moved laws: its quantiles are values that were seen."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=600)
    values = np.asfortranarray(np.column_stack([x, np.where(x + 0.5 * rng.normal(size=600) > 0, 10.0, 0.0)]))
    law, _ = law_of(values, 500)
    rows = np.arange(500, 600, dtype=np.int32)
    quantiles = law.quantiles([values], rows, np.full(100, 0.1), [0.1, 0.5, 0.9], rng)
    assert not law.moved
    assert set(quantiles.reshape(-1)) <= {0.0, 10.0}


def test_crps_of_a_normal_law() -> None:
    """Of N(0, 1) at 0 it is sqrt(2 / pi) (1 - 1 / sqrt 2) = 0.2337; 999 levels come within 1 %."""
    from statistics import NormalDist

    levels = np.arange(1, 1000) / 1000
    quantiles = np.array([[NormalDist().inv_cdf(level) for level in levels]])
    assert crps(quantiles, np.zeros(1), levels)[0] == pytest.approx(0.2337, rel=0.01)
