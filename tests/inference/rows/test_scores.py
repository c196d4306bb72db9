"""Scores of rows under a network without an order: those of complete rows. (tests/inference/ordered has those of a law.)"""

import numpy as np

from depnet import Dataset, Network, score_samples
from depnet.errors import DataError
from depnet.inference.holes import score_holed
from tests.refusals import refuses


def test_complete_rows_have_their_pseudo_log_likelihood_and_holes_are_refused() -> None:
    network = Network.from_joint(np.random.default_rng(1).dirichlet(np.ones(24)).reshape(2, 3, 4))
    codes, hidden = np.array([[0, 1, 2], [1, 2, 3]]), np.zeros((2, 3), dtype=bool)
    expected = score_samples(network, Dataset.from_codes(codes, domain=network.domain))
    assert np.array_equal(score_holed(network, codes, hidden), expected)
    hidden[1, 0] = True
    refuses(DataError, 'order="auto"', lambda: score_holed(network, codes, hidden))
