"""Some rows of a dataset, and ways to divide them."""

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, IntArray, read_only
from depnet.data.dataset import Dataset


def taken(dataset: Dataset, rows: NDArray[np.intp], weights: IntArray | None = None) -> Dataset:
    """The rows with these numbers, with their own weights or with new ones."""
    codes: CodeArray = np.empty((dataset.codes.shape[1], len(rows)), dtype=dataset.codes.dtype).T
    np.take(dataset.codes.T, rows, axis=1, out=codes.T)  # column by column, as they lie
    if weights is None and dataset.weights is not None:
        weights = dataset.weights[rows]
    kept = None if weights is None else read_only(np.array(weights, dtype=np.int64))
    return Dataset(dataset.domain, read_only(codes), kept)
