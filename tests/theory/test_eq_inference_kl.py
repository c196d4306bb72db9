"""Eq. inference_KL: KL(p || E(theta_i)) is the average over x_C of the divergence that the evidence x_C leaves.

Clamping X_C = x_C leaves pseudo-Gibbs sampling on the manifolds E(theta_i(. ; x_C)) of the unclamped nodes
(Algorithm algo:clamped), so Theorem 3 holds for it too, with p(X_Cbar | x_C).
"""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Network, RandomScan, geometry
from depnet.arrays import FloatArray
from depnet.geometry import EvidenceTerms, FullConditionalManifold
from tests.strategies import networks, random_joint, random_network, random_weights, seeds
from tests.theory.drawing import laws_beside_manifolds


def assert_eq_inference_KL(terms: EvidenceTerms, p: FloatArray, manifold: FullConditionalManifold) -> None:
    average = float((terms.probabilities * terms.divergences).sum())
    assert average == pytest.approx(geometry.kl_to_manifold(p, manifold), rel=1e-9, abs=1e-12)


def clamp(p: FloatArray, known: dict[int, int]) -> FloatArray:
    """p(X_Cbar | x_C), the clamped axes kept with length 1."""
    cut = p[tuple(slice(known[j], known[j] + 1) if j in known else slice(None) for j in range(p.ndim))]
    return np.asarray(cut / cut.sum())


def some_clamped(rng: np.random.Generator, free: list[int]) -> tuple[int, ...]:
    return tuple(rng.permutation(free)[: int(rng.integers(len(free) + 1))].tolist())


@given(networks(), seeds)
def test_the_divergence_is_an_average_over_evidence(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for p, manifold in laws_beside_manifolds(rng, network):
        clamped = some_clamped(rng, [j for j in range(p.ndim) if j != manifold.variable])
        terms = geometry.kl_by_evidence(p, manifold, clamped)
        assert_eq_inference_KL(terms, p, manifold)
        for codes in np.ndindex(terms.probabilities.shape):
            known = dict(zip(clamped, codes, strict=True))
            if terms.probabilities[codes] > 0:
                own = geometry.kl_to_manifold(clamp(p, known), manifold.given(known))
                assert terms.divergences[codes] == pytest.approx(own, rel=1e-9, abs=1e-12)


def shares(c: Sequence[float], free: Sequence[int]) -> FloatArray:
    """The weights of the free nodes, divided by their sum; those of clamped ones are 0."""
    weights = np.array([w if i in free else 0.0 for i, w in enumerate(c)])
    return np.asarray(weights / weights.sum())


@given(networks(min_variables=2, max_states=200), seeds)
def test_the_clamped_chain_obeys_theorem_3(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = network.domain.cardinalities
    known = {j: int(rng.integers(shape[j])) for j in some_clamped(rng, list(range(1, len(shape))))}
    c = random_weights(rng, len(network))
    pi = depnet.stationary(network, RandomScan(c), {f"X{j}": code for j, code in known.items()})
    inside = clamp(pi, known)
    assert inside.sum() == pytest.approx(1.0)
    p = clamp(random_joint(rng, shape), known)
    free = [i for i in range(len(shape)) if i not in known]
    weights = shares(c, free)
    all_manifolds = geometry.manifolds(network)
    parts = [(weights[i], all_manifolds[i].given(known)) for i in free]
    following = sum(w * geometry.m_projection(inside, m) for w, m in parts)
    np.testing.assert_allclose(inside, following, rtol=0, atol=1e-10)
    limit = sum(w * geometry.kl_to_manifold(p, m) for w, m in parts)
    divergence = geometry.full_conditional_divergence(p, inside, weights)
    assert divergence <= limit * (1 + 1e-9) + 1e-12


@given(networks(min_variables=2, max_states=200), seeds)
def test_the_conditioned_law_obeys_the_bound_on_average(network: Network, seed: int) -> None:
    """Ours: Bayes' rule has a bound too. The average over x_C of FC(p(. | x_C) || pi(. | x_C)) over the nodes outside C
    is their part of FC(p || pi), since the full conditionals of pi(. | x_C) are those of pi; so FC_lim(p) bounds it.
    """
    rng = np.random.default_rng(seed)
    shape = network.domain.cardinalities
    clamped = some_clamped(rng, list(range(1, len(shape))))
    free = [i for i in range(len(shape)) if i not in clamped]
    if not free:
        return
    c = random_weights(rng, len(network))
    pi = depnet.stationary(network, RandomScan(c))
    p = random_joint(rng, shape)
    part, weights = sum(c[i] for i in free), shares(c, free)
    average = 0.0
    for codes in np.ndindex(*(shape[j] for j in clamped)):
        known = dict(zip(clamped, codes, strict=True))
        share = p[tuple(known.get(j, slice(None)) for j in range(p.ndim))].sum()
        average += share * geometry.full_conditional_divergence(clamp(p, known), clamp(pi, known), weights)
    whole = geometry.full_conditional_divergence(p, pi, weights)
    assert average == pytest.approx(whole, rel=1e-6, abs=1e-9)
    assert part * average <= geometry.fc_limit(p, network, c) * (1 + 1e-9) + 1e-9


def test_rare_evidence_may_be_served_poorly_though_the_divergence_is_small() -> None:
    p = np.array([[0.4995, 0.4995], [0.001, 0.0]])  # X_0 = 1 is rare, and X_1 is then certain
    manifold = FullConditionalManifold([[0.5, 0.5]], 1)  # the node has not noticed
    terms = geometry.kl_by_evidence(p, manifold, 0)
    assert geometry.kl_to_manifold(p, manifold) < 1e-3
    np.testing.assert_allclose(terms.probabilities, [0.999, 0.001])
    np.testing.assert_allclose(terms.divergences, [0.0, np.log(2)], atol=1e-12)


def test_mutant_the_plain_average() -> None:
    rng = np.random.default_rng(20)
    p = random_joint(rng, (2, 3, 2))
    manifold = geometry.manifolds(random_network(rng, (2, 3, 2)))[0]
    terms = geometry.kl_by_evidence(p, manifold, (2, 1))
    assert_eq_inference_KL(terms, p, manifold)
    plain = EvidenceTerms(np.full((2, 3), 1 / 6), terms.divergences)
    with pytest.raises(AssertionError):
        assert_eq_inference_KL(plain, p, manifold)
