"""The law of a number: where rows share a value, and what it says below edges."""

import numpy as np
import pytest

from depnet import Boost, Dataset, Domain, Variable
from depnet.arrays import FloatArray
from depnet.fitting.fit import FitOptions
from depnet.fitting.number import NumberLaw, number_law

DOMAIN = Domain(tuple(Variable(name, tuple(range(8))) for name in "ab"))


def claims(n: int, seed: int) -> tuple[Dataset, FloatArray]:
    """Mostly nothing; where there is something, more with b."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 8, (n, 2)).astype(np.uint8)
    some = rng.random(n) < 0.1 + 0.08 * codes[:, 0]
    return Dataset.from_codes(codes, domain=DOMAIN), some * (100.0 + 20.0 * codes[:, 1] + rng.normal(0, 5, n))


@pytest.fixture(scope="module")
def law() -> NumberLaw:
    rows, numbers = claims(600, 0)
    options = FitOptions(boost=Boost(stages=40, leaves=4))
    return number_law(rows, numbers, options, np.random.default_rng(0))


def test_heaps_keep_bins_of_their_own(law: NumberLaw) -> None:
    """P(y <= 0), which is that of nothing: the law has atoms at 0, and its shares are near the truth."""
    assert not law.located
    rows, _ = claims(400, 1)
    nothing = law.below(rows.codes, [1e-9])[:, 0]
    truth = 0.9 - 0.08 * rows.codes[:, 0]
    error, constant = np.abs(nothing - truth).mean(), np.abs(truth.mean() - truth).mean()
    assert error < 0.6 * constant
    assert (law.quantiles(rows.codes, [0.01]) == 0.0).all()


def test_quantiles_and_shares_below_them_are_of_one_law(law: NumberLaw) -> None:
    rows, _ = claims(50, 2)
    quantiles = law.quantiles(rows.codes, [0.2, 0.5, 0.9])
    assert (np.diff(quantiles, axis=1) >= 0).all()
    for r in range(50):
        below = law.below(rows.codes[r : r + 1], quantiles[r].tolist())[0]
        until = law.below(rows.codes[r : r + 1], (quantiles[r] + 1e-6).tolist())[0]
        assert (below <= np.array([0.2, 0.5, 0.9]) + 1e-9).all()
        assert (until >= np.array([0.2, 0.5, 0.9]) - 1e-9).all()
