"""Eq. FC: FC(p || q) = sum of c_i KL(p || E_i(q)), with E_i(q) the manifold of q's own full conditional."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given

from depnet import geometry
from depnet.arrays import FloatArray
from depnet.geometry import FullConditionalManifold
from tests.strategies import cardinalities, random_joint, random_weights, seeds
from tests.theory.drawing import joint_pairs


def assert_eq_FC(value: float, p: FloatArray, q: FloatArray, c: Sequence[float]) -> None:
    """By the definition of KL to a manifold: the least KL(p || r), attained at the m-projection."""
    total = 0.0
    for i, weight in enumerate(c):
        total += weight * geometry.kl(p, geometry.m_projection(p, FullConditionalManifold.of_joint(q, i)))
    assert value == pytest.approx(total, rel=1e-9, abs=1e-12)


@given(cardinalities(), seeds)
def test_fc_is_the_weighted_divergence_from_the_manifolds(shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    for p, q in joint_pairs(rng, shape):
        c = random_weights(rng, len(shape))
        value = geometry.full_conditional_divergence(p, q, c)
        assert_eq_FC(value, p, q, c)
        assert math.isfinite(value)  # q covers the support of p


@given(cardinalities(), seeds)
def test_fc_is_zero_at_q_alone(shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = random_joint(rng, shape), random_joint(rng, shape)
    assert geometry.full_conditional_divergence(p, p) == pytest.approx(0.0, abs=1e-12)
    if np.abs(p - q).sum() > 1e-2:
        assert geometry.full_conditional_divergence(p, q) > 1e-9


def test_fc_of_one_variable_is_kl() -> None:
    rng = np.random.default_rng(5)
    p, q = random_joint(rng, (12,)), random_joint(rng, (12,))
    assert geometry.full_conditional_divergence(p, q) == pytest.approx(geometry.kl(p, q), rel=1e-12)


def test_mutants_other_way_round_and_other_weights() -> None:
    rng = np.random.default_rng(6)
    p, q = random_joint(rng, (2, 3)), random_joint(rng, (2, 3))
    c = (0.6, 0.4)
    assert_eq_FC(geometry.full_conditional_divergence(p, q, c), p, q, c)
    for wrong in (
        geometry.full_conditional_divergence(q, p, c),
        geometry.full_conditional_divergence(p, q, (0.599, 0.401)),
    ):
        with pytest.raises(AssertionError):
            assert_eq_FC(wrong, p, q, c)
