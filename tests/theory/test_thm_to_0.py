"""Theorem 5: with the lossless source among the candidates, KL(p^D || E(theta_i)) -> 0 as N grows.

The theorem is a limit. What its proof uses holds at every N and is asserted as it stands: cost_i(Y_i(N)) <=
R(k_i^ll, N), hence KL(p^D || E(theta_i)) <= R(k_i^ll, N), which vanishes.
"""

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet import Aic, Dataset, InformationSource, Mdl, Network, NoPenalty, certificate
from depnet.learning.cost import Penalty
from depnet.learning.framework import Candidate, NodeData, SplitMerge, WithLossless, learn_with
from tests.strategies import datasets, random_joint
from tests.theory.learned import GROWING, growing_samples


def assert_cost_below_lossless(network: Network, dataset: Dataset, penalty: Penalty) -> None:
    """0 <= cost_i(Y_i(N)) <= cost_i(Y_i^ll) = R(k_i^ll, N), the line on which both proofs rest."""
    cards = dataset.domain.cardinalities
    for part in certificate(network, dataset, penalty=penalty).nodes:
        i = part.variable
        k = dataset.domain.size // cards[i] * (cards[i] - 1)
        assert 0 <= part.kl <= part.cost <= penalty(k, dataset.total) + 1e-9


@settings(max_examples=30)
@given(datasets(max_variables=4, max_cardinality=3), st.sampled_from([Mdl(), Aic(), NoPenalty()]))
def test_the_lossless_candidate_bounds_the_cost_at_every_N(dataset: Dataset, penalty: Penalty) -> None:
    network = learn_with(dataset, WithLossless(SplitMerge()), penalty=penalty)
    assert_cost_below_lossless(network, dataset, penalty)


@pytest.mark.parametrize("seed", range(3))
def test_the_fc_limit_vanishes_as_rows_grow(seed: int) -> None:
    shape = (2, 3, 2)
    p = random_joint(np.random.default_rng(seed), shape)
    k = max(12 // s * (s - 1) for s in shape)
    limits = [
        certificate(learn_with(dataset, WithLossless(SplitMerge())), dataset).total("kl")
        for dataset in growing_samples(p, seed)
    ]
    for N, limit in zip(GROWING, limits, strict=True):
        assert limit <= Mdl()(k, N) + 1e-9
    assert limits[-1] < 1e-4


class OneLeaf:
    """A mutant: nothing is proposed, so the lossless source is never a candidate."""

    def candidates(
        self, source: InformationSource, data: NodeData
    ) -> Iterable[Candidate | InformationSource]:
        return ()


def test_mutants() -> None:
    """Without the lossless candidate, or where R(k^ll, N) does not vanish, the distance stays."""
    p = np.array([[0.4, 0.1], [0.1, 0.4]])
    (*_, many) = growing_samples(p, 0)
    with pytest.raises(AssertionError):
        assert_cost_below_lossless(learn_with(many, OneLeaf()), many, Mdl())

    def never_vanishing(parameters: int, rows: int) -> float:
        return 0.3 * parameters

    held_back = learn_with(many, WithLossless(SplitMerge()), penalty=never_vanishing)
    with pytest.raises(AssertionError):
        assert certificate(held_back, many).total("kl") < 1e-4
