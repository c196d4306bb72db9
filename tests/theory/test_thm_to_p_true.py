"""Theorem 6: with the lossless source among the candidates, pi(N) -> p* at every x, where p* > 0."""

import numpy as np
import pytest

from depnet import RandomScan, certificate, empirical, stationary
from depnet.arrays import FloatArray
from depnet.geometry import full_conditional_divergence
from depnet.learning.framework import CandidateStrategy, SplitMerge, WithLossless, learn_with
from tests.strategies import random_joint
from tests.theory.drawing import parity
from tests.theory.learned import growing_samples


def errors(p: FloatArray, strategy: CandidateStrategy, seed: int) -> list[float]:
    """The greatest |pi(N)(x) - p*(x)| along N; at every N, Theorem 3's bound on the way to the limit."""
    found = []
    for dataset in growing_samples(p, seed):
        network = learn_with(dataset, strategy)
        pi = stationary(network, RandomScan())
        found.append(float(np.abs(pi - p).max()))
        limit = certificate(network, dataset).fc_limit
        assert full_conditional_divergence(empirical(dataset), pi) <= limit + 1e-9
    return found


def assert_converges(found: list[float]) -> None:
    assert found[-1] < 2e-3, found
    assert found[-1] < found[0] / 5, found


@pytest.mark.parametrize("seed", range(3))
def test_the_learned_law_converges_to_the_true_one(seed: int) -> None:
    p = random_joint(np.random.default_rng(seed), (2, 3, 2)) * 0.9 + 0.1 / 12
    assert_converges(errors(p, WithLossless(SplitMerge()), seed))


def test_mutant() -> None:
    """Split and merge alone does not fulfil the first condition, and does not converge on a parity: no first split pays."""
    assert_converges(errors(parity(0.01), WithLossless(SplitMerge()), 0))
    with pytest.raises(AssertionError):
        assert_converges(errors(parity(0.01), SplitMerge(), 0))
