"""Every function of `depnet.geometry` equals its slow twin: mixed cardinalities; zeros follow the paper's conventions."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet import Dataset, Network, geometry
from depnet.arrays import FloatArray
from depnet.errors import DistributionError
from tests import strategies
from tests.reference import geometry as twin
from tests.refusals import refuses
from tests.strategies import mixed_networks

shares_of_zeros = st.sampled_from([0.0, 0.3, 0.8])


def close(value: float, expected: float) -> bool:
    """Equal to rounding: sums over at most 600 states of terms of a few nats; infinities alike."""
    return value == expected or math.isclose(value, expected, rel_tol=1e-11, abs_tol=1e-12)


def draw(seed: int, shape: tuple[int, ...], zeros: float, count: int) -> list[FloatArray]:
    rng = np.random.default_rng(seed)
    return [strategies.random_joint(rng, shape, zeros) for _ in range(count)]


@given(strategies.cardinalities(), strategies.seeds, shares_of_zeros)
def test_entropies_divergences_and_full_conditionals(shape: tuple[int, ...], seed: int, zeros: float) -> None:
    p, q = draw(seed, shape, zeros, 2)
    rng = np.random.default_rng(seed)
    slow_p, slow_q = twin.law_of(p), twin.law_of(q)
    assert close(geometry.entropy(p), twin.entropy(slow_p))
    assert close(geometry.kl(p, q), twin.kl(slow_p, slow_q))
    assert close(geometry.total_variation(p, q), twin.total_variation(slow_p, slow_q))
    for _ in range(3):
        size = int(rng.integers(1, len(shape) + 1))
        targets = tuple(sorted(rng.choice(len(shape), size, replace=False).tolist()))
        expected = twin.conditional_entropy(slow_p, targets, lambda x, b=targets: twin.others(x, b))  # type: ignore[misc]
        assert close(geometry.conditional_entropy(p, targets), expected)
    some = tuple(int(j) for j in np.flatnonzero(rng.random(len(shape)) < 0.5))
    expected = twin.conditional_entropy(slow_p, (0,), lambda x: twin.part(x, some))
    assert close(geometry.conditional_entropy(p, 0, given=some), expected)
    for i in range(len(shape)):
        conditional = twin.tensor_of(twin.full_conditional(slow_p, i))
        np.testing.assert_allclose(geometry.full_conditional(p, i), conditional, rtol=1e-13)
    uniform = [1 / len(shape)] * len(shape)
    for weights in (strategies.random_weights(rng, len(shape)), None):
        c = uniform if weights is None else weights
        divergence = twin.full_conditional_divergence(slow_p, slow_q, c)
        assert close(geometry.full_conditional_divergence(p, q, weights), divergence)
        likelihood = twin.pseudo_log_likelihood(slow_p, slow_q, c)
        assert close(geometry.pseudo_log_likelihood(p, q, weights), likelihood)


@given(strategies.networks(), strategies.seeds, shares_of_zeros)
def test_conditional_entropy_given_an_information_source(network: Network, seed: int, zeros: float) -> None:
    (p,) = draw(seed, network.domain.cardinalities, zeros, 1)
    for node in network.nodes:
        expected = twin.conditional_entropy(
            twin.law_of(p),
            (node.variable,),
            lambda x, y=node.source: twin.leaf(y, x),  # type: ignore[misc]
        )
        assert close(geometry.conditional_entropy(p, node.variable, given=node.source), expected)


@given(strategies.networks(zeros=0.2) | mixed_networks(), strategies.seeds, shares_of_zeros)
def test_manifolds_of_nodes(network: Network, seed: int, zeros: float) -> None:
    (p,) = draw(seed, network.domain.cardinalities, zeros, 1)
    slow_p = twin.law_of(p)
    for node, manifold in zip(network.nodes, geometry.manifolds(network), strict=True):
        theta = twin.theta_of(node, slow_p)
        projected = twin.tensor_of(twin.m_projection(slow_p, theta, node.variable))
        np.testing.assert_allclose(geometry.m_projection(p, manifold), projected, rtol=1e-13)
        assert close(geometry.kl_to_manifold(p, manifold), twin.kl_to_manifold(slow_p, theta, node.variable))


@given(strategies.networks(zeros=0.1) | mixed_networks(), strategies.seeds, shares_of_zeros)
def test_fc_limit_and_its_terms_by_evidence(network: Network, seed: int, zeros: float) -> None:
    (p,) = draw(seed, network.domain.cardinalities, zeros, 1)
    rng = np.random.default_rng(seed)
    slow_p, c = twin.law_of(p), strategies.random_weights(rng, len(network))
    assert close(geometry.fc_limit(p, network, c), twin.fc_limit(slow_p, network, c))
    for node, manifold in zip(network.nodes, geometry.manifolds(network), strict=True):
        free = [j for j in range(p.ndim) if j != node.variable]
        clamped = tuple(int(j) for j in rng.permutation(free)[: int(rng.integers(len(free) + 1))])
        terms = geometry.kl_by_evidence(p, manifold, clamped)
        theta = twin.theta_of(node, slow_p)
        probabilities, divergences = twin.kl_by_evidence(slow_p, theta, node.variable, clamped)
        for known in probabilities:
            assert close(float(terms.probabilities[known]), probabilities[known])
            assert close(float(terms.divergences[known]), divergences[known])


@given(strategies.cardinalities(), strategies.seeds, shares_of_zeros, st.floats(0, 1))
def test_m_geodesics(shape: tuple[int, ...], seed: int, zeros: float, lam: float) -> None:
    p0, p1 = draw(seed, shape, zeros, 2)
    expected = twin.tensor_of(twin.m_geodesic(twin.law_of(p0), twin.law_of(p1), lam))
    np.testing.assert_allclose(geometry.m_geodesic(p0, p1, lam), expected, rtol=1e-13)


WITHIN_AND_BEYOND = st.tuples(st.just(0.4), st.floats(0, 1)) | st.tuples(st.just(0.0), st.floats(-3, 4))


@settings(max_examples=2 * settings().max_examples)
@given(strategies.cardinalities(), strategies.seeds, WITHIN_AND_BEYOND)
def test_e_geodesics(shape: tuple[int, ...], seed: int, case: tuple[float, float]) -> None:
    zeros, lam = case
    p0, p1 = draw(seed, shape, zeros, 2)
    if not ((p0 > 0) & (p1 > 0)).any():
        return
    expected = twin.tensor_of(twin.e_geodesic(twin.law_of(p0), twin.law_of(p1), lam))
    np.testing.assert_allclose(geometry.e_geodesic(p0, p1, lam), expected, rtol=1e-10)


@given(strategies.cardinalities(), strategies.seeds)
def test_orthogonality(shape: tuple[int, ...], seed: int) -> None:
    p, q, r = draw(seed, shape, 0.0, 3)
    assert close(
        geometry.orthogonality(p, q, r),
        twin.orthogonality(twin.law_of(p), twin.law_of(q), twin.law_of(r)),
    )


@given(strategies.cardinalities(max_states=30), strategies.seeds)
def test_bregman_divergences(shape: tuple[int, ...], seed: int) -> None:
    p, q = draw(seed, shape, 0.0, 2)
    q = (q + 1 / q.size) / 2  # away from zero, where difference quotients are poor
    c = strategies.random_weights(np.random.default_rng(seed), len(shape))

    def minus_entropy(law: twin.Law) -> float:
        return -twin.entropy(law)

    def minus_conditional_entropies(law: twin.Law) -> float:
        return twin.pseudo_log_likelihood(law, law, c)

    for fast, slow in (
        (geometry.NEGATIVE_ENTROPY, minus_entropy),
        (geometry.negative_conditional_entropy(c), minus_conditional_entropies),
    ):
        expected = twin.bregman_divergence(slow, twin.law_of(p), twin.law_of(q))
        # the twin's gradient is a difference quotient, good to about 1e-8
        assert geometry.bregman_divergence(fast, p, q) == pytest.approx(expected, abs=1e-7)


@given(strategies.datasets(weighted=True))
def test_empirical(dataset: Dataset) -> None:
    if math.prod(dataset.domain.cardinalities) > 20_000:
        return
    expected = twin.tensor_of(twin.empirical(dataset))
    np.testing.assert_array_equal(geometry.empirical(dataset), expected)


def test_empirical_of_many_rows_is_counted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    codes, weights = rng.integers(0, 3, size=(50, 2)), rng.integers(0, 9, size=50)
    for dataset in (Dataset.from_codes(codes, [3, 3]), Dataset.from_codes(codes, [3, 3], weights)):
        at_once = geometry.empirical(dataset)
        monkeypatch.setattr(sys.modules["depnet.geometry.joint"], "CHUNK", 7)
        np.testing.assert_array_equal(geometry.empirical(dataset), at_once)
        monkeypatch.undo()


# Two laws on two binary variables that share one state; the whole mass of ONE is on it.
ONE = np.array([[1.0, 0.0], [0.0, 0.0]])
TWO = np.array([[0.5, 0.0], [0.0, 0.5]])
UNIFORM = np.full((2, 2), 0.25)


def test_entropy_of_a_certain_state_is_zero() -> None:
    assert geometry.entropy(ONE) == 0.0
    assert math.copysign(1.0, geometry.entropy(ONE)) == 1.0  # not -0.0
    assert geometry.conditional_entropy(TWO, 0) == 0.0


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
    refuses(DistributionError, "no m-projection", geometry.m_projection, TWO, manifold)


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
    refuses(DistributionError, "no state is possible", geometry.e_geodesic, ONE, other, 0.5)


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
        refuses(DistributionError, r"lam in \[-3, 5\]", geometry.m_geodesic, p0, p1, lam)
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
def test_bregman_divergences_are_infinite_with_kl_and_fc(shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = (strategies.random_joint(rng, shape, zeros) for zeros in (0.5, 0.2))
    bregman_kl = geometry.bregman_divergence(geometry.NEGATIVE_ENTROPY, p, q)
    bregman_fc = geometry.bregman_divergence(geometry.negative_conditional_entropy(), p, q)
    assert bregman_kl == pytest.approx(geometry.kl(p, q), abs=1e-11)
    assert bregman_fc == pytest.approx(geometry.full_conditional_divergence(p, q), abs=1e-11)
