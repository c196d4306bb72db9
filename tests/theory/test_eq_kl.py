"""Eq. KL: KL(p || q) = <log p>_p - <log q>_p, what q's log-likelihood lacks to that of p itself."""

import math

import numpy as np
import pytest
from hypothesis import given

from depnet import geometry
from depnet.arrays import FloatArray
from tests.strategies import cardinalities, random_joint, seeds
from tests.theory.drawing import joint_pairs


def assert_eq_KL(divergence: float, p: FloatArray, q: FloatArray) -> None:
    likelihood = math.fsum(p[x] * math.log(q[x]) for x in np.ndindex(p.shape) if p[x] > 0)
    assert divergence == pytest.approx(-geometry.entropy(p) - likelihood, rel=1e-9, abs=1e-12)


@given(cardinalities(), seeds)
def test_kl_and_likelihood(shape: tuple[int, ...], seed: int) -> None:
    for p, q in joint_pairs(np.random.default_rng(seed), shape):
        assert_eq_KL(geometry.kl(p, q), p, q)


@given(cardinalities(), seeds)
def test_kl_is_zero_at_q_alone(shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = random_joint(rng, shape, zeros=0.3), random_joint(rng, shape, zeros=0.3)
    assert geometry.kl(p, p) == 0.0
    distance = float(np.abs(p - q).sum())
    assert geometry.kl(p, q) >= distance**2 / 2 - 1e-12  # Pinsker


def test_mutant_the_other_way_round() -> None:
    rng = np.random.default_rng(8)
    p, q = random_joint(rng, (2, 3)), random_joint(rng, (2, 3))
    assert_eq_KL(geometry.kl(p, q), p, q)
    with pytest.raises(AssertionError):
        assert_eq_KL(geometry.kl(q, p), p, q)
