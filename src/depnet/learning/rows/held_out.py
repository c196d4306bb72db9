"""Rows that are held out: parts of the data, learned without and scored on.

The data is divided into five parts. They are held out one after the other until 5,000 rows were: one part of a large table,
all five of a small one. The parts depend on the rows alone, not on their order, nor on where they lie: how many of each
distinct row a part holds out is decided in the order of their hashes.

Of more than `TRIAL_ROWS` rows that many are drawn without replacement, and divided. A choice compares two candidates by the
mean over held-out rows of a paired difference, whose standard error falls as one over the root of their number: past some
ten thousand rows it is below any difference that matters, and more rows make trials slower, not better. What is chosen
learns from all rows, and so is somewhat better than its held-out score says.

Of a table that lies in parts, each part finds its distinct rows and their hashes. These come together a range of hashes at
a time, in ascending order, are added up over the parts and divided as those of one table are; then each part is told how
many of each of its rows are held out. Which of equal rows in several parts these are does not matter to a count.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, IntArray, read_only
from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.rows.distinct import CollisionError, Distinct, Words, added, distinct_rows, grouped
from depnet.learning.rows.some_rows import codes_of
from depnet.learning.rows.workers import Workers

PARTS = 5
HELD_OUT_ROWS = 5_000
TRIAL_ROWS = 100_000
"""No more rows than this are divided: the others take part in no trial."""
EQUAL_PARTS_ROWS = 10_000_000
"""Up to this many rows the parts are equal in size; beyond, each distinct row is divided at random."""
RANGE_ROWS = 1 << 20
"""About this many distinct rows of all parts come together at a time."""


class HeldOutCounts:
    """How many of each distinct row take part in trials, and how many of them are held out.

    Of all distinct rows at once or of some at a time, with one result.
    """

    def __init__(self, total: int) -> None:
        if total < 2:
            raise LearningError(
                '`penalty="auto"` holds out rows, and the dataset has only one. Give more rows, another penalty, or '
                "`validation=...`."
            )
        parts, taken = min(PARTS, total), min(total, TRIAL_ROWS)
        self._all_parts = parts
        self._rng = np.random.default_rng(0)
        self._share = np.append(np.full(parts, taken / total / parts), 1 - taken / total)
        self._part_of: NDArray[np.uint8] | None = None
        if total <= EQUAL_PARTS_ROWS:
            self._part_of = np.full(total, parts, dtype=np.uint8)  # of those not taken there is one part more
            self._part_of[:taken] = np.resize(np.arange(parts, dtype=np.uint8), taken)
            self._rng.shuffle(self._part_of)
        self._at = 0
        until = np.cumsum((taken + parts - 1 - np.arange(parts)) // parts)  # rows of the first parts together
        self.parts = min(int(np.searchsorted(until, HELD_OUT_ROWS)) + 1, parts)
        """How many of the parts are held out, one after the other."""

    def next(self, counts: IntArray) -> IntArray:
        """[1 + part, row]: how many of each of the next distinct rows, of which there are `counts`, are taken, and how
        many of these a part holds out.
        """
        if self._part_of is None:
            divided = self._rng.multinomial(counts, self._share).T
            return np.stack([divided[: self._all_parts].sum(axis=0), *divided[: self.parts]])
        begin, self._at = self._at, self._at + int(counts.sum())
        part_of = self._part_of[begin : self._at]
        row_of = np.repeat(np.arange(len(counts)), counts)
        chosen = [part_of < self._all_parts, *(part_of == part for part in range(self.parts))]
        return np.stack([np.bincount(row_of[which], minlength=len(counts)) for which in chosen])


def held_out(dataset: Dataset) -> Iterator[tuple[Dataset, Dataset]]:
    """(rows to learn from, rows to score on), the same whatever the order of rows."""
    division = HeldOutCounts(dataset.total)
    distinct = distinct_rows(dataset)

    def rows(counts: IntArray) -> Dataset:
        codes, weights = rows_with_counts(dataset.codes, distinct, counts)
        return Dataset(dataset.domain, read_only(codes), weights)

    taken, *parts = division.next(distinct.counts)
    for held in parts:
        yield rows(taken - held), rows(held)


def rows_with_counts(
    codes: CodeArray, distinct: Distinct, counts: IntArray
) -> tuple[CodeArray, IntArray | None]:
    """Distinct rows as often as `counts` says: as single rows where most are single, which are counted faster."""
    kept = np.flatnonzero(counts)
    if counts.sum() < 4 * max(len(kept), 1):
        return codes_of(codes, distinct.rows[np.repeat(kept, counts[kept])]), None
    return codes_of(codes, distinct.rows[kept]), counts[kept].astype(np.int64)


def held_out_parts(workers: Workers, parts: Sequence[Any], total: int) -> list[tuple[list[Any], int, int]]:
    """For each part of `held_out`: `Part.divided` of all parts, where they are, and how many rows are learned from and
    held out.
    """
    seed = 0
    while True:
        found = workers.call(_distinct, parts, [seed] * len(parts))
        heads = workers.gather(workers.call(_seed_and_size, found))
        highest = max(seed for seed, _ in heads)
        if any(seed < highest for seed, _ in heads):
            seed = highest
            continue
        try:
            shares = _shares(workers, found, sum(size for _, size in heads), total)
        except CollisionError:  # of rows in different parts
            seed = highest + 1
            continue
        taken, *held_parts = zip(*shares, strict=True)
        rows = _sum(taken)
        return [
            (workers.call(_divided, parts, found, taken, held), rows - _sum(held), _sum(held))
            for held in held_parts
        ]


def _sum(counts: Sequence[IntArray]) -> int:
    return sum(int(each.sum()) for each in counts)


def _shares(workers: Workers, found: list[Any], rows: int, total: int) -> list[IntArray]:
    """For each part `[1 + held-out part, distinct row]`: how many are taken, and held out."""
    division = HeldOutCounts(total)
    ranges = rows // RANGE_ROWS + 1
    pieces = []
    for number in range(ranges):
        low, high = (end * 2**64 // ranges for end in (number, number + 1))
        answers = workers.gather(workers.call(_between, found, [low] * len(found), [high - 1] * len(found)))
        pieces.append([_narrow(share) for share in _shares_of_parts(answers, division)])
    return [np.concatenate(each, axis=1) for each in zip(*pieces, strict=True)]


class _Hashed(NamedTuple):
    """Distinct rows of one part within a range of hashes, ascending."""

    first: Words
    check: Words
    counts: IntArray


def _shares_of_parts(answers: Sequence[_Hashed], division: HeldOutCounts) -> list[IntArray]:
    """For each part `[1 + held-out part, distinct row]`: how many are taken and held out, of the next range of hashes."""
    first, check, counts = (np.concatenate(each) for each in zip(*answers, strict=True))
    order, begin = grouped(first, check)
    counts = counts[order]
    held = division.next(added(counts, begin))
    run = np.repeat(np.arange(len(begin)), np.diff(begin, append=len(order)))
    before = np.cumsum(counts) - counts
    before -= before[begin][run]  # equal rows of the parts before
    shares = np.empty((len(held), len(order)), dtype=np.int64)
    shares[:, order] = np.clip(held[:, run] - before, 0, counts)  # the first of the equal rows
    return np.split(shares, np.cumsum([len(each.first) for each in answers])[:-1], axis=1)


def _narrow(share: IntArray) -> IntArray:
    """In few bytes, since there is one for every distinct row of the table."""
    return share.astype(np.min_scalar_type(share.max(initial=0)))


def _distinct(part: Any, seed: int) -> Distinct:
    found: Distinct = part.distinct(seed)
    return found


def _seed_and_size(distinct: Distinct) -> tuple[int, int]:
    return distinct.seed, len(distinct.rows)


def _between(distinct: Distinct, low: int, high: int) -> _Hashed:
    begin = np.searchsorted(distinct.first, np.uint64(low), "left")
    within = slice(begin, np.searchsorted(distinct.first, np.uint64(high), "right"))
    return _Hashed(distinct.first[within], distinct.check[within], distinct.counts[within])


def _divided(part: Any, distinct: Distinct, taken: IntArray, held: IntArray) -> Any:
    return part.divided(distinct, taken, held)
