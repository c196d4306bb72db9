"""Rows that are held out: parts of the data, learned without and scored on.

The data is divided into five parts. They are held out one after the other until 5,000 rows were: one part of a large table,
all five of a small one. The parts depend on the rows alone, not on their order.
"""

from collections.abc import Iterator

import numpy as np

from depnet.data.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.contexts import Contexts
from depnet.learning.rows import taken

PARTS = 5
HELD_OUT_ROWS = 5_000
DEALT_ROWS = 10_000_000
"""Up to so many rows parts are dealt row by row and equal in size; beyond, each distinct row is divided at random."""


def held_out(dataset: Dataset) -> Iterator[tuple[Dataset, Dataset]]:
    """(rows to learn from, rows to score on), the same whatever the order of rows."""
    distinct = Contexts(dataset).distinct
    assert distinct.weights is not None
    if distinct.total < 2:
        raise LearningError(
            'penalty="auto" holds out rows, and the dataset has only one. Give a penalty, or validation=.'
        )
    parts = min(PARTS, distinct.total)
    shares = _dealt(distinct.weights, parts, np.random.default_rng(0))
    scored = 0
    for part in shares:
        yield _expanded(distinct, distinct.weights - part), _expanded(distinct, part)
        scored += int(part.sum())
        if scored >= HELD_OUT_ROWS:
            return


def _dealt(weights: np.ndarray, parts: int, rng: np.random.Generator) -> list[np.ndarray]:
    """The N rows in `parts` parts as equal as can be: for each part its row weights."""
    if weights.sum() > DEALT_ROWS:
        return list(rng.multinomial(weights, np.full(parts, 1 / parts)).T)
    part_of = np.arange(weights.sum()) % parts
    rng.shuffle(part_of)
    row_of = np.repeat(np.arange(len(weights)), weights)
    return [np.bincount(row_of[part_of == part], minlength=len(weights)) for part in range(parts)]


def _expanded(distinct: Dataset, weights: np.ndarray) -> Dataset:
    """The rows with these weights: as single rows where most are single, since those are counted faster."""
    kept = np.flatnonzero(weights)
    if weights.sum() < 4 * max(len(kept), 1):
        return Dataset(distinct.domain, taken(distinct, np.repeat(kept, weights[kept])).codes)
    return taken(distinct, kept, weights[kept])
