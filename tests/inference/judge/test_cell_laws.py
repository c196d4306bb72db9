"""Cell laws: the parts of a row's score, beside what the node prefers there."""

import numpy as np
import pytest
from hypothesis import given

from depnet import Dataset, Network, score_samples
from depnet.errors import ModelError
from depnet.inference.judge.cells import cell_laws
from tests.strategies import networks, seeds


def rows_for(network: Network, seed: int, count: int = 5) -> Dataset:
    rng = np.random.default_rng(seed)
    cards = network.domain.cardinalities
    return Dataset.from_codes(
        np.stack([rng.integers(0, k, count) for k in cards], axis=1), domain=network.domain
    )


@given(networks(), seeds)
def test_all_cells_together_are_the_score(network: Network, seed: int) -> None:
    rows = rows_for(network, seed)
    with np.errstate(divide="ignore"):
        surprise = -np.log(cell_laws(network, rows).theta)
    np.testing.assert_allclose(-surprise.sum(axis=1), score_samples(network, rows), rtol=1e-9, atol=1e-9)


@given(networks(), seeds)
def test_each_cell_is_what_its_node_says(network: Network, seed: int) -> None:
    rows = rows_for(network, seed)
    laws = cell_laws(network, rows)
    last = len(network) - 1
    only = cell_laws(network, rows, [last])
    assert np.array_equal(only.theta[:, 0], laws.theta[:, last])
    for i, node in enumerate(network.nodes):
        for r, leaf in enumerate(node.source(rows.codes).tolist()):
            theta = node.table.probabilities[leaf]
            assert laws.theta[r, i] == theta[rows.codes[r, i]]
            assert laws.best_theta[r, i] == theta.max() == theta[laws.best[r, i]]


def test_rows_of_another_domain_are_refused() -> None:
    network = Network.from_joint([[0.4, 0.1], [0.2, 0.3]])
    with pytest.raises(ModelError, match="1 variables, the network 2"):
        cell_laws(network, Dataset.from_codes([[0]], [2]))
