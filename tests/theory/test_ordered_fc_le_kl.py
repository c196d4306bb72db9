"""Ours: FC(p || Q) <= KL(p || Q), so that KL(p^D || Q) is the stronger certificate.

It bounds the errors of all answers, too: KL(p || Q) is KL of what is known plus the average over evidence of KL of the
answers. The FC-limit of the tables bounds neither: Theorem 3 is about the random scan, whose law is not Q.
"""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Network, geometry
from depnet.arrays import FloatArray
from tests.reference.ordered import condition, law
from tests.strategies import ordered_networks, random_joint, random_weights, seeds
from tests.theory.ordered import everything_read

ZEROS = st.sampled_from([0.0, 0.5])


def assert_below(smaller: float, larger: float) -> None:
    assert smaller <= larger * (1 + 1e-9) + 1e-12


@given(ordered_networks(), seeds, ZEROS)
def test_fc_is_at_most_kl(network: Network, seed: int, zeros: float) -> None:
    rng = np.random.default_rng(seed)
    p, q = random_joint(rng, network.domain.cardinalities, zeros), law(network)
    c = random_weights(rng, len(network))
    assert_below(geometry.full_conditional_divergence(p, q, c), geometry.kl(p, q))


def split_by_evidence(p: FloatArray, q: FloatArray, known: Sequence[int]) -> tuple[float, float]:
    """KL(p(X_C) || Q(X_C)), and the sum over x_C of p(x_C) KL(p(. | x_C) || Q(. | x_C))."""
    rest = tuple(j for j in range(p.ndim) if j not in known)
    of_the_known = geometry.kl(p.sum(axis=rest), q.sum(axis=rest))
    of_the_answers = 0.0
    for codes in np.ndindex(*(p.shape[j] for j in known)):
        clamped = {j: np.eye(p.shape[j])[x].tolist() for j, x in zip(known, codes, strict=True)}
        here = p[tuple(dict(zip(known, codes, strict=True)).get(j, slice(None)) for j in range(p.ndim))].sum()
        if here > 0:
            of_the_answers += here * geometry.kl(condition(p, clamped), condition(q, clamped))
    return of_the_known, float(of_the_answers)


@given(ordered_networks(min_variables=2, max_states=60), seeds, ZEROS)
def test_kl_is_that_of_the_evidence_and_the_average_of_the_answers(
    network: Network, seed: int, zeros: float
) -> None:
    rng = np.random.default_rng(seed)
    p, q = random_joint(rng, network.domain.cardinalities, zeros), law(network)
    known = sorted(rng.permutation(p.ndim)[: int(rng.integers(1, p.ndim))].tolist())
    assert sum(split_by_evidence(p, q, known)) == pytest.approx(geometry.kl(p, q), rel=1e-9, abs=1e-12)


@given(ordered_networks(), seeds, ZEROS)
def test_kl_bounds_every_probability(network: Network, seed: int, zeros: float) -> None:
    """Pinsker: no event has a probability that is further off than sqrt(KL / 2)."""
    p, q = random_joint(np.random.default_rng(seed), network.domain.cardinalities, zeros), law(network)
    assert_below(geometry.total_variation(p, q), np.sqrt(geometry.kl(p, q) / 2))


def test_fc_does_not_see_the_weights_of_modes_and_kl_does() -> None:
    slip = 1e-6
    p, q = (
        np.array([[w * (1 - slip), w * slip], [(1 - w) * slip, (1 - w) * (1 - slip)]]) for w in (0.5, 0.1)
    )
    assert geometry.full_conditional_divergence(p, q) < 1e-5
    assert geometry.kl(p, q) > 0.5


def test_mutants() -> None:
    """KL the other way round, Pinsker without its root, and the FC-limit of the tables are no bounds."""
    rng = np.random.default_rng(2)
    broken = {"turned round": 0, "no root": 0, "the FC-limit": 0}
    for _ in range(40):
        network = everything_read(rng, (2, 2, 2), (0, 1, 2))
        p, q = random_joint(rng, (2, 2, 2), 0.3), law(network)
        p = 0.999 * p + 0.001 * q
        fc, kl = geometry.full_conditional_divergence(p, q), geometry.kl(p, q)
        for name, smaller, larger in (
            ("turned round", fc, geometry.kl(q, p)),
            ("no root", geometry.total_variation(p, q), kl / 2),
            ("the FC-limit", fc, geometry.fc_limit(p, network)),
        ):
            try:
                assert_below(smaller, larger)
            except AssertionError:
                broken[name] += 1
    assert min(broken.values()) > 0, broken
