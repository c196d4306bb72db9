"""Some rows of a dataset: those with given numbers, drawn again, or repeated as often as they weigh."""

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, IntArray, read_only
from depnet.data.table.dataset import Dataset

MOST_TIMES = 16
"""Rows are repeated up to this many times on average: single rows are counted as bits, about that much faster."""
MOST_BYTES = 1 << 30
"""Of the codes of repeated rows."""


def codes_of(codes: CodeArray, rows: NDArray[np.intp]) -> CodeArray:
    """The codes of the rows with these numbers, column-major."""
    some: CodeArray = np.empty((codes.shape[1], len(rows)), dtype=codes.dtype).T
    np.take(codes.T, rows, axis=1, out=some.T)  # column by column, as they lie
    return some


def some_rows(dataset: Dataset, rows: NDArray[np.intp], weights: IntArray | None = None) -> Dataset:
    """The rows with these numbers, with their own weights or with new ones."""
    if weights is None and dataset.weights is not None:
        weights = dataset.weights[rows]
    kept = None if weights is None else read_only(np.array(weights, dtype=np.int64))
    return Dataset(dataset.domain, read_only(codes_of(dataset.codes, rows)), kept)


def resampled(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """N rows drawn with replacement, as row weights; rows that were not drawn are left out."""
    return some_rows(dataset, *drawn_again(dataset, rng))


def drawn_again(
    dataset: Dataset, rng: np.random.Generator, most: int | None = None
) -> tuple[NDArray[np.intp], IntArray]:
    """The rows among N (`most` at most) drawn with replacement, and how often each was drawn."""
    weights = np.ones(dataset.rows, dtype=np.int64) if dataset.weights is None else dataset.weights
    count = dataset.total if most is None else min(dataset.total, most)
    drawn = rng.multinomial(count, weights / weights.sum())
    kept = np.flatnonzero(drawn)
    return kept, drawn[kept]


def repeated(dataset: Dataset) -> Dataset:
    """Each row as often as it weighs, without weights: the same counts, which are then made faster.

    Where that would be many rows for each one, or much memory, the dataset itself.

    >>> repeated(Dataset.from_codes([[1, 0], [0, 1]], cardinalities=[2, 2], weights=[2, 1])).codes.tolist()
    [[1, 0], [1, 0], [0, 1]]
    """
    codes, weights = dataset.codes, dataset.weights
    bytes_needed = dataset.total * codes.shape[1] * codes.itemsize
    if weights is None or dataset.total > MOST_TIMES * dataset.rows or bytes_needed > MOST_BYTES:
        return dataset
    return Dataset.of_checked(
        dataset.domain, read_only(codes_of(codes, np.repeat(np.arange(dataset.rows), weights)))
    )
