"""Theorems 5 and 6: with the lossless source among the candidates, KL -> 0 and pi -> p* as N grows.

The theorems are limits. What their proofs use holds at every N and is asserted exactly: cost_i(Y_i(N)) <=
R(k_i^ll, N), hence KL(p^D || E(theta_i)) <= R(k_i^ll, N), hence FC(p^D || pi) <= R. The limits themselves are
watched along one growing sequence of samples.
"""

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet import (
    Aic,
    Dataset,
    InformationSource,
    Mdl,
    Network,
    NoPenalty,
    RandomScan,
    certificate,
    empirical,
    stationary,
)
from depnet.arrays import FloatArray
from depnet.geometry import full_conditional_divergence
from depnet.learning.framework import Candidate, NodeData, SplitMerge, WithLossless, learn_with
from depnet.learning.penalty import Penalty
from tests.strategies import datasets, random_joint


def assert_cost_below_lossless(network: Network, dataset: Dataset, penalty: Penalty) -> None:
    """0 <= cost_i(Y_i(N)) <= cost_i(Y_i^ll) = R(k_i^ll, N), the line on which both proofs rest."""
    cards = dataset.domain.cardinalities
    for part in certificate(network, dataset, penalty=penalty).nodes:
        (i,) = part.variables
        k = dataset.domain.size // cards[i] * (cards[i] - 1)
        assert 0 <= part.kl <= part.cost <= penalty(k, dataset.total) + 1e-9


@settings(max_examples=30)
@given(datasets(max_variables=4, max_cardinality=3), st.sampled_from([Mdl(), Aic(), NoPenalty()]))
def test_the_lossless_candidate_bounds_the_cost_at_every_N(dataset: Dataset, penalty: Penalty) -> None:
    network = learn_with(dataset, WithLossless(SplitMerge()), penalty=penalty)
    assert_cost_below_lossless(network, dataset, penalty)


SHAPE = (2, 3, 2)
GROWING = (100, 1_000, 10_000, 100_000, 1_000_000)


def growing_samples(p: FloatArray, seed: int) -> Iterable[Dataset]:
    """omega(N) for growing N: the first N samples of one sequence, as distinct rows with weights."""
    rng = np.random.default_rng(seed)
    states = np.array(list(np.ndindex(p.shape)))
    counts = np.zeros(p.size, dtype=np.int64)
    for N in GROWING:
        counts += rng.multinomial(N - counts.sum(), p.ravel())
        yield Dataset.from_codes(states, p.shape, counts)


def distances(
    p: FloatArray, strategy: WithLossless | SplitMerge, seed: int
) -> tuple[list[float], list[float]]:
    """The FC-limit and the L1 distance of pi(N) to p*, along N."""
    limits, errors = [], []
    for dataset in growing_samples(p, seed):
        network = learn_with(dataset, strategy)
        pi = stationary(network, RandomScan())
        limits.append(certificate(network, dataset).fc_limit)
        errors.append(float(np.abs(pi - p).sum()))
        assert full_conditional_divergence(empirical(dataset), pi) <= limits[-1] + 1e-9
    return limits, errors


@pytest.mark.parametrize("seed", range(3))
def test_the_learned_law_converges_to_the_true_one(seed: int) -> None:
    """Theorem 5: KL(p^D || E(theta_i)) -> 0. Theorem 6: pi -> p*, at every x, where p* > 0."""
    p = random_joint(np.random.default_rng(seed), SHAPE) * 0.9 + 0.1 / np.prod(SHAPE)
    limits, errors = distances(p, WithLossless(SplitMerge()), seed)
    k = max(np.prod(SHAPE) // s * (s - 1) for s in SHAPE)
    for N, limit in zip(GROWING, limits, strict=True):
        assert limit <= Mdl()(int(k), N) + 1e-9
    assert errors[-1] < 0.01, errors
    assert errors[-1] < errors[0] / 5, errors


class OneLeaf:
    """A mutant: nothing is proposed, so the lossless source is never a candidate."""

    def candidates(
        self, source: InformationSource, data: NodeData
    ) -> Iterable[Candidate | InformationSource]:
        return ()


def test_mutants() -> None:
    """Without the lossless candidate, or where R(k^ll, N) does not vanish, nothing converges."""
    parity = np.zeros((2, 2, 2))
    for x in np.ndindex(2, 2, 2):
        parity[x] = 0.24 if sum(x) % 2 else 0.01
    (*_, many) = growing_samples(parity, 0)
    with pytest.raises(AssertionError):
        assert_cost_below_lossless(learn_with(many, OneLeaf()), many, Mdl())
    _, errors = distances(parity, SplitMerge(), 0)  # no first split of a parity pays: greedy stops
    with pytest.raises(AssertionError):
        assert errors[-1] < 0.01
    _, errors = distances(parity, WithLossless(SplitMerge()), 0)
    assert errors[-1] < 0.01

    def never_vanishing(parameters: int, rows: int) -> float:
        return 0.3 * parameters

    held_back = learn_with(many, WithLossless(SplitMerge()), penalty=never_vanishing)
    with pytest.raises(AssertionError):
        assert certificate(held_back, many).fc_limit < 0.01
