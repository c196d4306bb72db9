"""What tells whether chains agree."""

import numpy as np

from depnet.inference.clamped.chains import drift, split_r_hat


def test_drift_sees_what_moves_all_chains_alike() -> None:
    """A common slope too small for R-hat, which looks at chains one by one, stands out in their mean."""
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(12, 1, 64, 2))
    slope = np.where(np.arange(12) < 6, -0.2, 0.2)[:, None, None, None]
    assert drift(noise)[0] < 4.5  # normal: passed once in 10^5
    assert drift(noise + slope)[0] > 4.5
    weights, values = np.full((12, 1, 64, 2), 1.0), np.zeros((1, 2))
    r_hat, _ = split_r_hat(noise + slope, weights, values, np.array([0, 0]))
    assert r_hat.max() < 1.05
    assert drift(np.zeros((12, 1, 64, 2)))[0] == 0
