"""Laws of numbers: calibrated by ranks of rows not seen, and moved only where that is better."""

import numpy as np

from depnet.arrays import FloatArray
from depnet.learning.forest.column import Forest, Grower, grow_forest
from depnet.learning.forest.law import NumberLaw, number_law


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
    quantiles = law.quantiles([values], rows, corrected, added, [0.05, 0.95], rng)
    within = (quantiles[:, 0] <= truth) & (truth <= quantiles[:, 1])
    assert abs(within.mean() - 0.9) < 3 * np.sqrt(0.09 / 1000 + 0.09 / 400)
    assert corrected.min() >= law.low
    assert corrected.max() <= law.high


def test_a_law_is_drawn_together_where_the_correction_knows_more() -> None:
    """y = 3 x exactly: leaves of five rows spread, what the line has left over does not."""
    x = np.random.default_rng(3).normal(size=300)
    values = np.asfortranarray(np.column_stack([x, 3 * x]))
    law, forest = law_of(values, 200)
    rows = np.arange(200, 300, dtype=np.int32)
    corrected = law.corrected(forest.mean([values], rows), values[rows])
    quantiles = law.quantiles([values], rows, *corrected, [0.05, 0.95], np.random.default_rng(4))
    widths = quantiles[:, 1] - quantiles[:, 0]
    as_is = np.ptp(forest.members([values], rows, np.random.default_rng(4)), axis=1)
    assert law.scale < 1.0
    assert widths.mean() < 0.5 * as_is.mean()


def test_heaped_values_stay_values() -> None:
    """A step of two heaps has no use for moved laws: its quantiles are values that were seen."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=600)
    values = np.asfortranarray(np.column_stack([x, np.where(x + 0.5 * rng.normal(size=600) > 0, 10.0, 0.0)]))
    law, _ = law_of(values, 500)
    rows = np.arange(500, 600, dtype=np.int32)
    quantiles = law.quantiles([values], rows, np.full(100, 5.0), np.full(100, 0.1), [0.1, 0.5, 0.9], rng)
    assert law.scale == 0.0
    assert set(quantiles.reshape(-1)) <= {0.0, 10.0}
