"""KL and FC are Bregman divergences (Sec. 3.2), of the negative entropy and of the negative conditional entropies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import geometry
from depnet.arrays import FloatArray
from depnet.geometry import NEGATIVE_ENTROPY, BregmanFunction, negative_conditional_entropy
from tests.strategies import cardinalities, random_joint, random_weights, seeds


def assert_bregman(f: BregmanFunction, p: FloatArray, q: FloatArray, divergence: float) -> None:
    assert geometry.bregman_divergence(f, p, q) == pytest.approx(divergence, rel=1e-9, abs=1e-12)


@given(cardinalities(), seeds)
def test_kl_and_fc_are_bregman_divergences(shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = random_joint(rng, shape), random_joint(rng, shape)
    assert_bregman(NEGATIVE_ENTROPY, p, q, geometry.kl(p, q))
    c = random_weights(rng, len(shape))
    assert_bregman(negative_conditional_entropy(c), p, q, geometry.full_conditional_divergence(p, q, c))


@given(cardinalities(), seeds, st.floats(0.1, 0.9))
def test_the_bregman_functions_are_strictly_convex(shape: tuple[int, ...], seed: int, lam: float) -> None:
    rng = np.random.default_rng(seed)
    p, q = random_joint(rng, shape), random_joint(rng, shape)
    if np.abs(p - q).sum() < 0.05:
        return
    mixed = geometry.m_geodesic(p, q, lam)
    for f in (NEGATIVE_ENTROPY, negative_conditional_entropy()):
        assert f.value(mixed) < (1 - lam) * f.value(p) + lam * f.value(q)


def test_mutants_other_functions() -> None:
    rng = np.random.default_rng(10)
    p, q = random_joint(rng, (2, 3)), random_joint(rng, (2, 3))
    assert_bregman(negative_conditional_entropy(), p, q, geometry.full_conditional_divergence(p, q))
    with pytest.raises(AssertionError):
        assert_bregman(NEGATIVE_ENTROPY, p, q, geometry.full_conditional_divergence(p, q))
    with pytest.raises(AssertionError):
        assert_bregman(
            negative_conditional_entropy((0.51, 0.49)), p, q, geometry.full_conditional_divergence(p, q)
        )
    shifted = BregmanFunction(NEGATIVE_ENTROPY.value, lambda p: np.log(p + 1e-3) + 1.0)
    with pytest.raises(AssertionError):
        assert_bregman(shifted, p, q, geometry.kl(p, q))
