"""The m-projection onto a full conditional manifold is linear (Sec. 3, after Theorem 2)."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Network, geometry
from depnet.arrays import FloatArray
from tests.strategies import networks, random_joint, seeds


def assert_linear(
    project: Callable[[FloatArray], FloatArray], p0: FloatArray, p1: FloatArray, lam: float
) -> None:
    projected = project(geometry.m_geodesic(p0, p1, lam))
    mixed = (1 - lam) * project(p0) + lam * project(p1)
    np.testing.assert_allclose(projected, mixed, rtol=1e-11, atol=1e-14)


@given(networks(zeros=0.2), seeds, st.floats(0, 1))
def test_m_projections_are_linear(network: Network, seed: int, lam: float) -> None:
    rng = np.random.default_rng(seed)
    p0, p1 = (random_joint(rng, network.domain.cardinalities, zeros=0.2) for _ in range(2))
    for manifold in geometry.manifolds(network):
        assert_linear(lambda p, m=manifold: geometry.m_projection(p, m), p0, p1, lam)  # type: ignore[misc]


def test_mutant_the_e_projection_is_not_linear() -> None:
    """argmin over q in E of KL(q || p): the context is reweighted by exp(-KL(theta || p(X_i | x_-i)))."""
    rng = np.random.default_rng(3)
    p0, p1 = (random_joint(rng, (2, 3)) for _ in range(2))
    theta = geometry.full_conditional(random_joint(rng, (2, 3)), 1)

    def e_projection(p: FloatArray) -> FloatArray:
        context = np.exp((theta * np.log(p / theta)).sum(axis=1, keepdims=True))
        return np.asarray(context / context.sum() * theta)

    with pytest.raises(AssertionError):
        assert_linear(e_projection, p0, p1, 0.5)
