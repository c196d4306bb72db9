"""Eq. c_i: the random scan chooses node i with probability c_i, and these sum to one; 1/n unless stated.

With evidence on C (Sec. 5) the unclamped nodes share the scan: c_i = 1 / (n - |C|).
"""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Network, RandomScan, geometry
from depnet.errors import DistributionError, ScanError
from tests.strategies import networks, random_joint, random_network, random_weights, seeds


def assert_a_law(weights: Sequence[float]) -> None:
    assert min(weights) >= 0
    assert sum(weights) == pytest.approx(1.0, abs=1e-12)


@given(networks(), seeds)
def test_weights_sum_to_one_and_keep_the_total_probability(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = random_joint(rng, network.domain.cardinalities)
    for scan in (RandomScan(), RandomScan(random_weights(rng, len(network)))):
        assert_a_law(scan.weights_of(len(network)).tolist())
        _, after = depnet.law_path(network, scan, p, steps=1)
        assert after.sum() == pytest.approx(1.0, abs=1e-12)


def test_defaults_and_evidence() -> None:
    network = random_network(np.random.default_rng(14), (2, 3, 2, 2))
    assert RandomScan().weights_of(4).tolist() == [0.25] * 4
    assert RandomScan().weights_of(4, free=(1, 2, 3)).tolist() == [1 / 3] * 3
    scan = RandomScan((0.1, 0.2, 0.3, 0.4))
    np.testing.assert_allclose(scan.weights_of(4, free=(1, 3)), [1 / 3, 2 / 3], rtol=1e-15)
    # the clamped chain under the default weights is the one that chooses each unclamped node alike
    given_x0 = depnet.stationary(network, RandomScan(), {"X0": 1})
    equal_shares = depnet.stationary(network, RandomScan((0.7, 0.1, 0.1, 0.1)), {"X0": 1})
    np.testing.assert_allclose(given_x0, equal_shares, rtol=0, atol=1e-10)


def test_mutant_weights_that_do_not_sum_to_one() -> None:
    for weights in ((0.5, 0.6), (0.5, 0.5 - 1e-6), (1.5, -0.5)):
        with pytest.raises(AssertionError):
            assert_a_law(weights)
        with pytest.raises(ScanError):
            RandomScan(weights)
        with pytest.raises(DistributionError):
            geometry.full_conditional_divergence(np.full((2, 2), 0.25), np.full((2, 2), 0.25), weights)
