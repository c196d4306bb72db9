"""Holes moved on by clamped chains, against the clamped law."""

import numpy as np
import pytest

from depnet import Dataset, Network
from depnet.fitting.complete import redrawn
from tests.fitting.holes import ROWS, domain_of, truth
from tests.laws import assert_same_law


def test_redrawn_holes_follow_the_clamped_law() -> None:
    """False alarms: 1e-9 for each row of evidence; a law 0.05 away in L1 is found as surely."""
    p = truth()
    network = Network.from_joint(p)
    evidence = np.array([0, 0, 1, 1])
    codes = Dataset.from_codes(np.tile(evidence, (ROWS * 4, 1)), domain=domain_of()).codes
    hidden = np.tile([False, True, False, True], (ROWS * 4, 1))
    out = redrawn(network, codes, hidden, sweeps=30, rng=np.random.default_rng(5))
    assert np.array_equal(out[:, [0, 2]], codes[:, [0, 2]])
    counts = np.zeros((3, 2))
    np.add.at(counts, (out[:, 1], out[:, 3]), 1)
    law = p[0, :, 1, :] / p[0, :, 1, :].sum()
    assert_same_law(counts, law, detects_l1=0.05)
    with pytest.raises(AssertionError):
        assert_same_law(counts, p[1, :, 1, :] / p[1, :, 1, :].sum(), detects_l1=0.05)
