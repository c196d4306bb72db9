"""Rows that are held out: parts of the data, learned without and scored on.

The data is divided into five parts. They are held out one after the other until 5,000 rows were: one part of a large table,
all five of a small one. The parts depend on the rows alone, not on their order, nor on where they lie: distinct rows
are dealt in the order of their hashes.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import IntArray
from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.rows.contexts import Contexts
from depnet.learning.rows.some_rows import taken

PARTS = 5
HELD_OUT_ROWS = 5_000
DEALT_ROWS = 10_000_000
"""Up to so many rows parts are dealt row by row and equal in size; beyond, each distinct row is divided at random."""


class Deal:
    """Which rows are held out, distinct row by distinct row: all at once or some at a time, with one result."""

    def __init__(self, total: int) -> None:
        if total < 2:
            raise LearningError(
                '`penalty="auto"` holds out rows, and the dataset has only one. Give more rows, another penalty, or '
                "`validation=...`."
            )
        parts = min(PARTS, total)
        self._rng = np.random.default_rng(0)
        self._share = np.full(parts, 1 / parts)
        self._part_of: NDArray[np.uint8] | None = None
        if total <= DEALT_ROWS:
            self._part_of = np.resize(np.arange(parts, dtype=np.uint8), total)
            self._rng.shuffle(self._part_of)
        self._at = 0
        until = np.cumsum((total + parts - 1 - np.arange(parts)) // parts)  # rows of the first parts together
        self.parts = min(int(np.searchsorted(until, HELD_OUT_ROWS)) + 1, parts)
        """How many of the parts are held out, one after the other."""

    def next(self, weights: IntArray) -> IntArray:
        """[part, row]: how many of each of the next distinct rows, of which there are `weights`, a part holds out."""
        if self._part_of is None:
            return self._rng.multinomial(weights, self._share).T[: self.parts]
        begin, self._at = self._at, self._at + int(weights.sum())
        part_of = self._part_of[begin : self._at]
        row_of = np.repeat(np.arange(len(weights)), weights)
        return np.stack(
            [np.bincount(row_of[part_of == part], minlength=len(weights)) for part in range(self.parts)]
        )


def held_out(dataset: Dataset) -> Iterator[tuple[Dataset, Dataset]]:
    """(rows to learn from, rows to score on), the same whatever the order of rows."""
    distinct = Contexts(dataset).distinct
    assert distinct.weights is not None
    for part in Deal(distinct.total).next(distinct.weights):
        yield _expanded(distinct, distinct.weights - part), _expanded(distinct, part)


def expanded(weights: IntArray) -> tuple[IntArray, IntArray | None]:
    """The numbers of the rows with these weights: as single rows where most are single, since those are counted faster."""
    kept = np.flatnonzero(weights)
    if weights.sum() < 4 * max(len(kept), 1):
        return np.repeat(kept, weights[kept]), None
    return kept, weights[kept]


def _expanded(distinct: Dataset, weights: IntArray) -> Dataset:
    rows, kept = expanded(weights)
    return (
        Dataset(distinct.domain, taken(distinct, rows).codes) if kept is None else taken(distinct, rows, kept)
    )
