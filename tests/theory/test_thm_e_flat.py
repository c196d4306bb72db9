"""Theorem 1 (thm:e-flat): every full conditional manifold is both e-flat and m-flat."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Network, geometry
from depnet.arrays import FloatArray
from tests.strategies import networks, random_joint, seeds
from tests.theory.drawing import point_of

Membership = Callable[[FloatArray], bool]


def assert_m_flat(contains: Membership, p0: FloatArray, p1: FloatArray, lam: float) -> None:
    """Between two points, and beyond them as far as the line is among distributions."""
    if ((1 - lam) * p0 + lam * p1).min() >= 0:
        assert contains(geometry.m_geodesic(p0, p1, lam))


def assert_e_flat(contains: Membership, p0: FloatArray, p1: FloatArray, lam: float) -> None:
    assert contains(geometry.e_geodesic(p0, p1, lam))


@given(networks(), seeds, st.floats(-2, 3))
def test_full_conditional_manifolds_are_flat(network: Network, seed: int, lam: float) -> None:
    rng = np.random.default_rng(seed)
    for manifold in geometry.manifolds(network):
        p0, p1 = (point_of(manifold, network.domain.cardinalities, rng) for _ in range(2))
        assert_m_flat(manifold.contains, p0, p1, lam)
        assert_e_flat(manifold.contains, p0, p1, lam)


@given(networks(zeros=0.3), seeds, st.floats(0, 1))
def test_with_zeros_between_the_ends(network: Network, seed: int, lam: float) -> None:
    rng = np.random.default_rng(seed)
    for manifold in geometry.manifolds(network):
        p0, p1 = (point_of(manifold, network.domain.cardinalities, rng, zeros=0.3) for _ in range(2))
        assert_m_flat(manifold.contains, p0, p1, lam)
        if ((p0 > 0) & (p1 > 0)).any():
            assert_e_flat(manifold.contains, p0, p1, lam)


def test_mutant_a_conditional_given_fewer_variables_is_not_e_flat() -> None:
    """{p : p(X_0 | X_1) = theta} among three variables: m-flat, but not e-flat."""
    rng = np.random.default_rng(0)
    theta = geometry.full_conditional(random_joint(rng, (2, 2)), 0)[:, :, None]

    def contains(p: FloatArray) -> bool:
        pair = p.sum(axis=2)
        return bool(np.abs(pair - pair.sum(axis=0) * theta[:, :, 0]).sum() < 1e-9)

    p0, p1 = (
        random_joint(rng, (1, 2, 1)) * theta * geometry.full_conditional(random_joint(rng, (2, 2, 3)), 2)
        for _ in range(2)
    )
    assert_m_flat(contains, p0, p1, 0.5)
    with pytest.raises(AssertionError):
        assert_e_flat(contains, p0, p1, 0.5)


def test_mutant_independence_is_not_m_flat() -> None:
    """{p : p(X) = p(X_0) p(X_1)} is e-flat, but not m-flat."""
    rng = np.random.default_rng(0)

    def contains(p: FloatArray) -> bool:
        return bool(np.abs(p - p.sum(axis=0) * p.sum(axis=1, keepdims=True)).sum() < 1e-9)

    p0, p1 = (random_joint(rng, (2, 1)) * random_joint(rng, (1, 3)) for _ in range(2))
    assert_e_flat(contains, p0, p1, 0.5)
    with pytest.raises(AssertionError):
        assert_m_flat(contains, p0, p1, 0.5)
