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

from depnet.arrays import IntArray, read_only
from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.rows.distinct import distinct_rows
from depnet.learning.rows.some_rows import codes_of

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
