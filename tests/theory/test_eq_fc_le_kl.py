"""Eq. FC<=KL, and its derivation: KL - FC = sum of c_i KL(p(X_-i) || q(X_-i))."""

import math

import numpy as np
import pytest
from hypothesis import given

from depnet import geometry
from depnet.arrays import FloatArray
from tests.strategies import cardinalities, random_joint, random_weights, seeds


def assert_FC_le_KL(divergence: float, p: FloatArray, q: FloatArray) -> None:
    assert divergence <= geometry.kl(p, q) * (1 + 1e-12) + 1e-13


def context_divergence(p: FloatArray, q: FloatArray, i: int) -> float:
    return geometry.kl(np.atleast_1d(p.sum(axis=i)), np.atleast_1d(q.sum(axis=i)))


@given(cardinalities(), seeds)
def test_fc_is_at_most_kl(shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    for zeros in (0.0, 0.3, 0.7):
        p, q = random_joint(rng, shape, zeros), random_joint(rng, shape, zeros)
        c = random_weights(rng, len(shape))
        divergence = geometry.full_conditional_divergence(p, q, c)
        assert_FC_le_KL(divergence, p, q)
        if math.isfinite(geometry.kl(p, q)):
            assert math.isfinite(divergence)
            rest = sum(w * context_divergence(p, q, i) for i, w in enumerate(c))
            assert divergence + rest == pytest.approx(geometry.kl(p, q), rel=1e-9, abs=1e-12)


def test_mutant_weights_that_do_not_sum_to_one() -> None:
    rng = np.random.default_rng(9)
    p, q = random_joint(rng, (2, 2, 3)), random_joint(rng, (2, 2, 3))
    divergence = geometry.full_conditional_divergence(p, q)
    assert_FC_le_KL(divergence, p, q)
    with pytest.raises(AssertionError):
        assert_FC_le_KL(3 * divergence, p, q)  # c_i = 1
