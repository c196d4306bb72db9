"""Zeros follow the paper's conventions: 0 log 0 = 0, infinite where a support is not covered, never NaN."""

import math

import numpy as np
import pytest
from hypothesis import given

from depnet import geometry
from depnet.errors import DistributionError
from tests import strategies

# Two laws on two binary variables that share one state; the whole mass of ONE is on it.
ONE = np.array([[1.0, 0.0], [0.0, 0.0]])
TWO = np.array([[0.5, 0.0], [0.0, 0.5]])
UNIFORM = np.full((2, 2), 0.25)


def test_entropy_of_a_certain_state_is_zero() -> None:
    assert geometry.entropy(ONE) == 0.0
    assert math.copysign(1.0, geometry.entropy(ONE)) == 1.0  # not -0.0
    assert geometry.conditional_entropy(TWO, 0) == 0.0


def test_kl_is_infinite_where_the_support_is_not_covered() -> None:
    assert geometry.kl(TWO, ONE) == math.inf
    assert geometry.kl(ONE, TWO) == pytest.approx(math.log(2))


def test_fc_is_infinite_where_a_full_conditional_is_zero_or_unsaid() -> None:
    assert geometry.full_conditional_divergence(TWO, ONE) == math.inf  # ONE says nothing of X_0 given X_1 = 1
    assert geometry.full_conditional_divergence(UNIFORM, TWO) == math.inf
    assert geometry.pseudo_log_likelihood(TWO, ONE) == -math.inf


def test_fc_may_vanish_between_different_laws_with_zeros() -> None:
    other = np.array([[0.9, 0.0], [0.0, 0.1]])  # the same, certain, full conditionals
    assert geometry.full_conditional_divergence(TWO, other) == 0.0
    assert geometry.kl(TWO, other) > 0.5


def test_a_weight_of_zero_silences_an_infinite_term() -> None:
    p, q = np.array([[0.5, 0.5], [0.0, 0.0]]), np.array([[0.5, 0.0], [0.0, 0.5]])
    assert geometry.full_conditional_divergence(p, q, (0.5, 0.5)) == math.inf
    likely = np.array([[0.5, 0.0], [0.5, 0.0]])
    assert geometry.full_conditional_divergence(likely, ONE, (0.0, 1.0)) == math.inf
    assert geometry.full_conditional_divergence(ONE, likely, (0.0, 1.0)) == 0.0


def test_full_conditional_is_zero_where_p_says_nothing() -> None:
    np.testing.assert_array_equal(geometry.full_conditional(ONE, 0), ONE)
    assert geometry.FullConditionalManifold.of_joint(ONE, 0).contains(ONE)


def test_no_projection_where_the_manifold_has_no_conditional() -> None:
    manifold = geometry.FullConditionalManifold.of_joint(ONE, 0)
    assert geometry.kl_to_manifold(TWO, manifold) == math.inf
    assert not manifold.contains(TWO)
    with pytest.raises(DistributionError, match="no m-projection"):
        geometry.m_projection(TWO, manifold)


def test_subnormal_probabilities_are_not_zeros() -> None:
    tiny = 5e-324
    assert geometry.kl([0.5, 0.5], [1.0, tiny]) == pytest.approx(
        0.5 * math.log(0.5) * 2 - 0.5 * math.log(tiny)
    )


def test_ends_of_geodesics_with_zeros() -> None:
    np.testing.assert_array_equal(geometry.e_geodesic(TWO, ONE, 0), TWO)
    np.testing.assert_array_equal(geometry.e_geodesic(TWO, ONE, 1), ONE)
    np.testing.assert_array_equal(geometry.e_geodesic(TWO, ONE, 2), ONE)  # 0.5 ** -1 on one state
    with pytest.raises(DistributionError, match="infinite"):
        geometry.e_geodesic(TWO, ONE, -1)  # 0 ** -1
    other = np.array([[0.0, 1.0], [0.0, 0.0]])
    with pytest.raises(DistributionError, match="no state is possible"):
        geometry.e_geodesic(ONE, other, 0.5)


def test_e_geodesic_far_beyond_its_ends_is_a_point() -> None:
    """The state whose probability grows fastest gets all of it: never NaN, however far."""
    p0, p1 = np.array([1e-10, 0.5, 0.5 - 1e-10]), np.array([1e-300, 0.2, 0.8])
    for lam in (1e3, 1e308):
        np.testing.assert_array_equal(geometry.e_geodesic(p0, p1, lam), [0, 0, 1])
        np.testing.assert_array_equal(geometry.e_geodesic(p0, p1, -lam), [1, 0, 0])
        np.testing.assert_allclose(geometry.e_geodesic(p0, p0, lam), p0, rtol=1e-14, atol=0)


def test_m_geodesic_beyond_its_ends_as_far_as_it_goes() -> None:
    p0, p1 = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.4, 0.2])
    np.testing.assert_allclose(geometry.m_geodesic(p0, p1, 5), [0.0, 0.8, 0.2], atol=1e-15)
    np.testing.assert_allclose(geometry.m_geodesic(p0, p1, -3), [0.8, 0.0, 0.2], atol=1e-15)
    assert geometry.m_geodesic(p0, p1, 5).min() >= 0
    for lam in (5.001, -3.001):
        with pytest.raises(DistributionError, match=r"lam in \[-3, 5\]"):
            geometry.m_geodesic(p0, p1, lam)
    np.testing.assert_array_equal(geometry.m_geodesic(p0, p0, 1e6), p0)  # no line: every lam is p0


def test_orthogonality_with_zeros() -> None:
    assert geometry.orthogonality(TWO, TWO, ONE) == 0.0  # p = q: nothing to be orthogonal to
    assert geometry.orthogonality(UNIFORM, TWO, UNIFORM) == -math.inf
    assert geometry.orthogonality(UNIFORM, ONE, TWO) == -math.inf
    assert geometry.orthogonality([0.2, 0.8], [0.5, 0.5], [0.0, 1.0]) == -math.inf
    assert geometry.orthogonality([0.8, 0.2], [0.5, 0.5], [0.0, 1.0]) == math.inf
    both = geometry.orthogonality([0.6, 0.4, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5])
    assert both == math.inf  # terms of both signs are infinite


@given(strategies.cardinalities(), strategies.seeds)
def test_nothing_is_ever_nan(shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q, r = (strategies.random_joint(rng, shape, zeros) for zeros in (0.5, 0.7, 0.6))
    values = [
        geometry.entropy(p),
        geometry.kl(p, q),
        geometry.full_conditional_divergence(p, q),
        geometry.pseudo_log_likelihood(p, q),
        geometry.orthogonality(p, q, r),
        geometry.bregman_divergence(geometry.NEGATIVE_ENTROPY, p, q),
        geometry.bregman_divergence(geometry.negative_conditional_entropy(), p, q),
    ]
    for i in range(p.ndim):
        manifold = geometry.FullConditionalManifold.of_joint(q, i)
        clamped = tuple(j for j in range(p.ndim) if j != i)[:1]
        values += [geometry.conditional_entropy(p, i), geometry.kl_to_manifold(p, manifold)]
        values += geometry.kl_by_evidence(p, manifold, clamped).divergences.ravel().tolist()
    assert not any(map(math.isnan, values))


@given(strategies.cardinalities(), strategies.seeds)
def test_bregman_divergences_are_infinite_with_kl_and_fc(shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = (strategies.random_joint(rng, shape, zeros) for zeros in (0.5, 0.2))
    bregman_kl = geometry.bregman_divergence(geometry.NEGATIVE_ENTROPY, p, q)
    bregman_fc = geometry.bregman_divergence(geometry.negative_conditional_entropy(), p, q)
    assert bregman_kl == pytest.approx(geometry.kl(p, q), abs=1e-11)
    assert bregman_fc == pytest.approx(geometry.full_conditional_divergence(p, q), abs=1e-11)
