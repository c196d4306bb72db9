"""Some rows of a dataset: those with given numbers, or drawn again."""

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, IntArray, read_only
from depnet.data.table.dataset import Dataset


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


def resampled(dataset: Dataset, rng: np.random.Generator, most: int | None = None) -> Dataset:
    """N rows drawn with replacement (`most` at most), as row weights; rows that were not drawn are left out."""
    kept, times = drawn_again(dataset, rng, most)
    return some_rows(dataset, kept, times)


def drawn_again(
    dataset: Dataset, rng: np.random.Generator, most: int | None = None
) -> tuple[NDArray[np.intp], IntArray]:
    """The rows among N (`most` at most) drawn with replacement, and how often each was drawn."""
    weights = np.ones(dataset.rows, dtype=np.int64) if dataset.weights is None else dataset.weights
    count = dataset.total if most is None else min(dataset.total, most)
    drawn = rng.multinomial(count, weights / weights.sum())
    kept = np.flatnonzero(drawn)
    return kept, drawn[kept]
