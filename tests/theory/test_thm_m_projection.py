"""Theorem 2 (thm:m-projection): p(X_-i) theta_i is the point of E(theta_i) that minimises KL(p || q)."""

import numpy as np
import pytest
from hypothesis import given

from depnet import Network, geometry
from depnet.arrays import FloatArray
from depnet.geometry import FullConditionalManifold
from tests.strategies import networks, random_joint, random_network, seeds
from tests.theory.drawing import laws_beside_manifolds, neighbours, point_of


def assert_nearest_point(
    nearest: FloatArray, p: FloatArray, manifold: FullConditionalManifold, rng: np.random.Generator
) -> None:
    """`nearest` is on the manifold, and no other point of it is nearer to `p`: far, or next to it."""
    assert manifold.contains(nearest)
    least = geometry.kl(p, nearest)
    far = [point_of(manifold, p.shape, rng, zeros) for zeros in (0.0, 0.0, 0.3)]
    contexts = neighbours(p.sum(axis=manifold.variable, keepdims=True), rng)
    for q in [*far, *(context * manifold.theta for context in contexts)]:
        assert least <= geometry.kl(p, q) + 1e-12


@given(networks(), seeds)
def test_the_m_projection_is_the_nearest_point(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for p, manifold in laws_beside_manifolds(rng, network):
        projection = geometry.m_projection(p, manifold)
        assert_nearest_point(projection, p, manifold, rng)
        # KL(p || E) is attained there, and is <log p(X_i | X_-i) / theta_i>
        least = geometry.kl(p, projection)
        assert geometry.kl_to_manifold(p, manifold) == pytest.approx(least, rel=1e-9, abs=1e-12)


@given(networks(zeros=0.2), seeds)
def test_it_is_idempotent_and_keeps_the_context(network: Network, seed: int) -> None:
    p = random_joint(np.random.default_rng(seed), network.domain.cardinalities, zeros=0.2)
    for manifold in geometry.manifolds(network):
        once = geometry.m_projection(p, manifold)
        np.testing.assert_allclose(geometry.m_projection(once, manifold), once, rtol=1e-12)
        np.testing.assert_allclose(
            once.sum(axis=manifold.variable), p.sum(axis=manifold.variable), rtol=1e-12
        )


def test_mutant_another_point_of_the_manifold() -> None:
    rng = np.random.default_rng(2)
    network = random_network(rng, (3, 2, 2))
    p = random_joint(rng, (3, 2, 2))
    for manifold in geometry.manifolds(network):
        context = p.sum(axis=manifold.variable, keepdims=True)
        nearby = (0.99 * context + 0.01 / context.size) * manifold.theta
        with pytest.raises(AssertionError):
            assert_nearest_point(nearby, p, manifold, np.random.default_rng(0))
