"""The empirical distribution p^D of training data."""

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.dataset import Dataset
from depnet.errors import DataError
from depnet.geometry.size import LIMIT_BYTES, check_dense

CHUNK = 1 << 20


def empirical(dataset: Dataset, *, limit_bytes: int = LIMIT_BYTES) -> FloatArray:
    """p^D as a tensor over the joint domain, axis i being variable i; a row of weight w counts w times.

    .. math:: p^D(x) = N_x / N

    Args:
        dataset: the rows.
        limit_bytes: a larger tensor is refused.

    Returns:
        A float64 tensor whose sum is 1.

    >>> empirical(Dataset.from_codes([[0, 1], [0, 1], [1, 0], [0, 0]], cardinalities=[2, 2])).tolist()
    [[0.25, 0.5], [0.25, 0.0]]
    """
    cardinalities = dataset.domain.cardinalities
    check_dense(
        cardinalities,
        bytes_per_state=8,
        what="the empirical distribution",
        limit_bytes=limit_bytes,
        way_out="Choose fewer variables, or merge rare states.",
    )
    total = dataset.total
    if total == 0:
        raise DataError("the dataset has no rows (or none of positive weight); p^D needs at least one.")
    counts = np.zeros(dataset.domain.size)
    for start in range(0, dataset.rows, CHUNK):
        rows = slice(start, start + CHUNK)
        state = np.zeros(len(dataset.codes[rows]), dtype=np.int64)
        for i, k in enumerate(cardinalities):
            state *= k
            state += dataset.column(i)[rows]
        np.add.at(counts, state, 1.0 if dataset.weights is None else dataset.weights[rows].astype(np.float64))
    counts /= total
    return counts.reshape(cardinalities)
