"""The continuous ranked probability score, against the closed form of a normal law."""

from statistics import NormalDist

import numpy as np
import pytest

from depnet.learning.crps import crps


def test_crps_of_a_normal_law() -> None:
    """Of N(0, 1) at 0 it is sqrt(2 / pi) (1 - 1 / sqrt 2) = 0.2337; 999 levels come within 1 %."""
    levels = np.arange(1, 1000) / 1000
    quantiles = np.array([[NormalDist().inv_cdf(level) for level in levels]])
    assert crps(quantiles, np.zeros(1), levels)[0] == pytest.approx(0.2337, rel=0.01)
