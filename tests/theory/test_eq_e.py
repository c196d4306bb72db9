"""Eq. E: E(theta_i) = {p : p(X_i | X_-i) = theta_i(X_i | X_-i)}."""

import numpy as np
import pytest
from hypothesis import given

from depnet import Network, geometry
from depnet.arrays import FloatArray
from depnet.geometry import FullConditionalManifold
from tests.strategies import cardinalities, networks, random_joint, random_network, seeds
from tests.theory.drawing import point_of


def assert_on_the_manifold(p: FloatArray, manifold: FullConditionalManifold) -> None:
    conditional = geometry.full_conditional(p, manifold.variable)
    said = p.sum(axis=manifold.variable, keepdims=True) > 0  # where p(x_-i) = 0, p says nothing
    np.testing.assert_allclose(conditional, np.where(said, manifold.theta, 0.0), rtol=0, atol=1e-9)
    assert manifold.contains(p)
    assert geometry.kl_to_manifold(p, manifold) == pytest.approx(0.0, abs=1e-12)


@given(networks(zeros=0.2), seeds)
def test_points_with_the_full_conditional_are_on_the_manifold(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for manifold in geometry.manifolds(network):
        for zeros in (0.0, 0.5):
            assert_on_the_manifold(point_of(manifold, network.domain.cardinalities, rng, zeros), manifold)


@given(cardinalities(), seeds)
def test_every_joint_is_on_its_own_manifolds(shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = random_joint(rng, shape, zeros=0.3)
    for i in range(len(shape)):
        assert_on_the_manifold(q, FullConditionalManifold.of_joint(q, i))


def test_mutant_a_slightly_different_theta() -> None:
    rng = np.random.default_rng(1)
    network = random_network(rng, (2, 3, 4))
    for manifold in geometry.manifolds(network):
        p = point_of(manifold, (2, 3, 4), rng)
        assert_on_the_manifold(p, manifold)
        theta = manifold.theta + 1e-3
        other = FullConditionalManifold(
            theta / theta.sum(axis=manifold.variable, keepdims=True), manifold.variable
        )
        with pytest.raises(AssertionError):
            assert_on_the_manifold(p, other)
        assert not other.contains(p)
