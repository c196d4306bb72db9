"""Rows that are held out: parts of the data, learned without and scored on.

The data is divided into five parts. They are held out one after the other until 5,000 rows were: one part of a large table,
all five of a small one. The parts depend on the rows alone, not on their order: how many of each distinct row a part holds
out is decided in the order of their hashes.

Of more than `TRIAL_ROWS` rows that many are drawn without replacement, and divided. A choice compares two candidates by the
mean over held-out rows of a paired difference, whose standard error falls as one over the root of their number: past some
ten thousand rows it is below any difference that matters, and more rows make trials slower, not better. What is chosen
learns from all rows, and so is somewhat better than its held-out score says.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, IntArray, read_only
from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.rows.distinct import distinct_rows

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


PARTS = 5
HELD_OUT_ROWS = 5_000
TRIAL_ROWS = 100_000
"""No more rows than this are divided: the others take part in no trial."""
EQUAL_PARTS_ROWS = 10_000_000
"""Up to this many rows the parts are equal in size; beyond, each distinct row is divided at random."""


def held_out(dataset: Dataset) -> Iterator[tuple[Dataset, Dataset]]:
    """(rows to learn from, rows to score on), the same whatever the order of rows."""
    distinct = distinct_rows(dataset)
    taken, *parts = _divided(distinct.counts, dataset.total)

    def rows(counts: IntArray) -> Dataset:
        """Each distinct row as often as `counts` says: as single rows, which are counted faster, where most are."""
        kept = np.flatnonzero(counts)
        if counts.sum() < 4 * max(len(kept), 1):
            codes, weights = codes_of(dataset.codes, distinct.rows[np.repeat(kept, counts[kept])]), None
        else:
            codes, weights = codes_of(dataset.codes, distinct.rows[kept]), counts[kept].astype(np.int64)
        return Dataset(dataset.domain, read_only(codes), weights)

    for held in parts:
        yield rows(taken - held), rows(held)


def _divided(counts: IntArray, total: int) -> IntArray:
    """[1 + part, row]: how many of each distinct row, of which there are `counts`, take part, and a part holds out."""
    if total < 2:
        raise LearningError(
            'the penalty "auto" holds out rows, and the dataset has only one. Give more rows, another penalty, or '
            "validation rows."
        )
    parts, taken = min(PARTS, total), min(total, TRIAL_ROWS)
    until = np.cumsum((taken + parts - 1 - np.arange(parts)) // parts)  # rows of the first parts together
    held = min(int(np.searchsorted(until, HELD_OUT_ROWS)) + 1, parts)
    rng = np.random.default_rng(0)
    if total > EQUAL_PARTS_ROWS:
        share = np.append(np.full(parts, taken / total / parts), 1 - taken / total)
        divided = rng.multinomial(counts, share).T
        return np.stack([divided[:parts].sum(axis=0), *divided[:held]])
    part_of = np.full(total, parts, dtype=np.uint8)  # of those not taken there is one part more
    part_of[:taken] = np.resize(np.arange(parts, dtype=np.uint8), taken)
    rng.shuffle(part_of)
    row_of = np.repeat(np.arange(len(counts)), counts)
    chosen = [part_of < parts, *(part_of == part for part in range(held))]
    return np.stack([np.bincount(row_of[which], minlength=len(counts)) for which in chosen])
