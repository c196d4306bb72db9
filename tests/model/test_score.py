"""Scores equal the slow twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Dataset, Network
from depnet.errors import ModelError
from depnet.model.score import log_theta, node_scores, score, score_samples
from tests.reference.counting import network_scores
from tests.refusals import refuses
from tests.strategies import networks, seeds


def rows_for(network: Network, seed: int, rows: int, weighted: bool) -> Dataset:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, network.domain.cardinalities, size=(rows, len(network.domain)))
    weights = rng.integers(0, 3, size=rows) + (np.arange(rows) == 0) if weighted else None
    return Dataset.from_codes(codes, weights=weights, domain=network.domain)


@given(networks(zeros=0.1), seeds, st.integers(1, 20), st.booleans())
def test_scores_equal_the_slow_twin(network: Network, seed: int, rows: int, weighted: bool) -> None:
    dataset = rows_for(network, seed, rows, weighted)
    expected = network_scores(network, dataset)
    np.testing.assert_allclose(node_scores(network, dataset), expected, rtol=1e-12)
    np.testing.assert_allclose(score(network, dataset), sum(expected), rtol=1e-12)
    each = log_theta(network, dataset)
    assert each.shape == (rows, len(network))
    np.testing.assert_allclose(score_samples(network, dataset), each.sum(axis=1), rtol=1e-12)
    if not weighted:
        np.testing.assert_allclose(each.mean(axis=0), expected, rtol=1e-12)


def test_rows_of_another_domain_are_refused() -> None:
    network = Network.from_joint(np.full((2, 3), 1 / 6))
    with pytest.raises(ModelError, match="variable 'X1' has other states"):
        score(network, Dataset.from_codes([[0, 0]], [2, 2]))
    refuses(ModelError, "1 variables, the network 2", score, network, Dataset.from_codes([[0]], [2]))
