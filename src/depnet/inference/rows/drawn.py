"""Rows with holes as whole rows, each row's holes drawn together given what it knows: for adding them to counts."""

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.data.table.holed import Holed
from depnet.inference.rows.impute import impute
from depnet.model.network import Network


def drawn_whole(
    network: Network, holed: Holed, *, rng: np.random.Generator | None = None, n_jobs: int | None = None
) -> Dataset:
    """The rows of `holed`, holes drawn by clamped chains of `network`; rows without holes as they are.

    >>> network = Network.from_joint(np.array([[0.5, 0.0], [0.0, 0.5]]))
    >>> hidden = np.array([[False, True]])
    >>> drawn_whole(network, Holed(network.domain, np.array([[1, 0]], dtype=np.uint8), hidden)).codes.tolist()
    [[1, 1]]
    """
    if holed.complete:
        return holed.dataset()
    done = impute(network, holed.codes, holed.hidden, method="draw", rng=rng, n_jobs=n_jobs)
    return Dataset.from_codes(done.codes, domain=holed.domain, weights=holed.weights)
