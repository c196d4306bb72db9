"""Eq. FC_rewrite: FC(p || q) is what q's pseudo-log-likelihood lacks to that of p itself."""

import numpy as np
import pytest
from hypothesis import given

from depnet import geometry
from tests.strategies import cardinalities, random_joint, random_weights, seeds
from tests.theory.drawing import joint_pairs


def assert_eq_FC_rewrite(divergence: float, own: float, likelihood: float) -> None:
    assert divergence == pytest.approx(own - likelihood, rel=1e-9, abs=1e-12)


@given(cardinalities(), seeds)
def test_fc_and_pseudo_likelihood(shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    for p, q in joint_pairs(rng, shape):
        c = random_weights(rng, len(shape))
        own = geometry.pseudo_log_likelihood(p, p, c)
        likelihood = geometry.pseudo_log_likelihood(p, q, c)
        assert_eq_FC_rewrite(geometry.full_conditional_divergence(p, q, c), own, likelihood)
        # the first term is minus the weighted sum of conditional entropies
        total = sum(weight * geometry.conditional_entropy(p, i) for i, weight in enumerate(c))
        assert own == pytest.approx(-total, rel=1e-9, abs=1e-12)


def test_mutant_the_plain_sum_over_variables() -> None:
    rng = np.random.default_rng(7)
    p, q = random_joint(rng, (2, 3, 2)), random_joint(rng, (2, 3, 2))
    own, likelihood = geometry.pseudo_log_likelihood(p, p), geometry.pseudo_log_likelihood(p, q)
    assert_eq_FC_rewrite(geometry.full_conditional_divergence(p, q), own, likelihood)
    with pytest.raises(AssertionError):
        assert_eq_FC_rewrite(geometry.full_conditional_divergence(p, q), 3 * own, 3 * likelihood)
