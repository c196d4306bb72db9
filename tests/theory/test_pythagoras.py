"""Pythagoras (Sec. 3): KL(p || r) = KL(p || q) + KL(q || r) where the m-geodesic pq is orthogonal to the e-geodesic qr.

At q, the m-projection of p onto a full conditional manifold, that is so for every r of the manifold.
"""

import numpy as np
import pytest
from hypothesis import given

from depnet import Network, geometry
from depnet.arrays import FloatArray
from tests.strategies import cardinalities, networks, random_joint, seeds
from tests.theory.drawing import laws_beside_manifolds, point_of


def assert_pythagoras(p: FloatArray, q: FloatArray, r: FloatArray) -> None:
    assert geometry.orthogonality(p, q, r) == pytest.approx(0.0, abs=1e-10)
    total = geometry.kl(p, q) + geometry.kl(q, r)
    assert geometry.kl(p, r) == pytest.approx(total, rel=1e-10, abs=1e-11)


@given(networks(), seeds)
def test_the_m_projection_is_the_foot_of_the_perpendicular(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for p, manifold in laws_beside_manifolds(rng, network):
        r = point_of(manifold, p.shape, rng)
        assert_pythagoras(p, geometry.m_projection(p, manifold), r)


@given(cardinalities(), seeds)
def test_orthogonality_is_what_pythagoras_lacks(shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q, r = (random_joint(rng, shape) for _ in range(3))
    lack = geometry.kl(p, r) - geometry.kl(p, q) - geometry.kl(q, r)
    assert geometry.orthogonality(p, q, r) == pytest.approx(lack, rel=1e-10, abs=1e-11)


def test_mutant_a_corner_next_to_the_foot() -> None:
    rng = np.random.default_rng(4)
    p = random_joint(rng, (2, 3, 2))
    manifold = geometry.FullConditionalManifold.of_joint(random_joint(rng, (2, 3, 2)), 1)
    r = point_of(manifold, p.shape, rng)
    foot = geometry.m_projection(p, manifold)
    assert_pythagoras(p, foot, r)
    with pytest.raises(AssertionError):
        assert_pythagoras(p, geometry.m_geodesic(foot, r, 0.01), r)
