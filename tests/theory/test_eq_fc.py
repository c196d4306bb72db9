"""Eq. FC: FC(p || q) = sum of c_i KL(p || E_i(q)), with E_i(q) the manifold of q's own full conditional."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given

from depnet import geometry
from depnet.arrays import FloatArray
from depnet.geometry import FullConditionalManifold
from tests.strategies import cardinalities, random_blocks, random_joint, random_weights, seeds


def assert_eq_FC(
    value: float, p: FloatArray, q: FloatArray, c: Sequence[float], blocks: Sequence[tuple[int, ...]]
) -> None:
    """By the definition of KL to a manifold: the least KL(p || r), attained at the m-projection."""
    total = 0.0
    for weight, block in zip(c, blocks, strict=True):
        total += weight * geometry.kl(p, geometry.m_projection(p, FullConditionalManifold.of_joint(q, block)))
    assert value == pytest.approx(total, rel=1e-9, abs=1e-12)


@given(cardinalities(), seeds)
def test_fc_is_the_weighted_divergence_from_the_manifolds(shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = random_joint(rng, shape)
    for zeros in (0.0, 0.4):
        p = random_joint(rng, shape, zeros)
        for blocks in ([(i,) for i in range(len(shape))], random_blocks(rng, len(shape))):
            c = random_weights(rng, len(blocks))
            value = geometry.full_conditional_divergence(p, q, c, blocks=blocks)
            assert_eq_FC(value, p, q, c, blocks)
            assert math.isfinite(value)  # q covers the support of p


@given(cardinalities(), seeds)
def test_fc_is_zero_at_q_alone(shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = random_joint(rng, shape), random_joint(rng, shape)
    assert geometry.full_conditional_divergence(p, p) == pytest.approx(0.0, abs=1e-12)
    if np.abs(p - q).sum() > 1e-2:
        assert geometry.full_conditional_divergence(p, q) > 1e-9


def test_the_whole_domain_as_one_block_is_kl() -> None:
    rng = np.random.default_rng(5)
    p, q = random_joint(rng, (2, 3, 2)), random_joint(rng, (2, 3, 2))
    whole = geometry.full_conditional_divergence(p, q, blocks=[(0, 1, 2)])
    assert whole == pytest.approx(geometry.kl(p, q), rel=1e-12)


def test_mutants_other_way_round_and_other_weights() -> None:
    rng = np.random.default_rng(6)
    p, q = random_joint(rng, (2, 3)), random_joint(rng, (2, 3))
    c, blocks = (0.6, 0.4), [(0,), (1,)]
    assert_eq_FC(geometry.full_conditional_divergence(p, q, c), p, q, c, blocks)
    for wrong in (
        geometry.full_conditional_divergence(q, p, c),
        geometry.full_conditional_divergence(p, q, (0.599, 0.401)),
    ):
        with pytest.raises(AssertionError):
            assert_eq_FC(wrong, p, q, c, blocks)
