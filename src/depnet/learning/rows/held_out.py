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
many of each of its rows take part, and sends these: they are no more than fit any memory.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, IntArray, read_only, xlogy
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
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
    return _divided(dataset.domain, dataset.codes, distinct.rows, division.next(distinct.counts))


def _divided(
    domain: Domain, codes: CodeArray, distinct: IntArray, counts: IntArray
) -> Iterator[tuple[Dataset, Dataset]]:
    """`distinct` are the numbers of rows, by hash; of each, `counts` has how many are taken, and held out by each part."""

    def rows(many: IntArray) -> Dataset:
        own, weights = rows_with_counts(codes, distinct, many)
        return Dataset(domain, read_only(own), weights)

    taken, *parts = counts
    for held in parts:
        yield rows(taken - held), rows(held)


def rows_with_counts(
    codes: CodeArray, distinct: IntArray, counts: IntArray
) -> tuple[CodeArray, IntArray | None]:
    """Distinct rows, by their numbers, as often as `counts` says: as single rows, counted faster, where most are."""
    kept = np.flatnonzero(counts)
    if counts.sum() < 4 * max(len(kept), 1):
        return codes_of(codes, distinct[np.repeat(kept, counts[kept])]), None
    return codes_of(codes, distinct[kept]), counts[kept].astype(np.int64)


def held_out_parts(
    workers: Workers, parts: Sequence[Any], domain: Domain, total: int
) -> list[tuple[Dataset, Dataset]]:
    """`held_out` of all parts together, brought here."""
    found, seed = DistinctParts.of(workers, parts), 0
    while True:
        try:
            shares = _shares(found, HeldOutCounts(total))
            break
        except CollisionError:  # of rows in different parts
            seed = found.seed + 1
            found = DistinctParts.of(workers, parts, seed)
    chosen: list[_Chosen] = workers.gather(workers.call(_taken, parts, found.distinct, shares))
    first, check, codes = (np.concatenate(each) for each in list(zip(*chosen, strict=True))[:3])
    counts = np.concatenate([each.counts for each in chosen], axis=1)
    order, begin = grouped(first, check)
    together = np.add.reduceat(counts[:, order], begin, axis=1)
    return list(_divided(domain, np.asfortranarray(codes), order[begin], together))


class DistinctParts(NamedTuple):
    """The distinct rows of each part, where the workers have them, all with the words of one seed."""

    workers: Workers
    distinct: list[Any]
    seed: int
    rows: int
    """Of all parts."""

    @classmethod
    def of(cls, workers: Workers, parts: Sequence[Any], seed: int = 0) -> "DistinctParts":
        """With the first seed from `seed` on that shows no collision in any part."""
        while True:
            found = workers.call(_distinct, parts, [seed] * len(parts))
            heads = workers.gather(workers.call(_seed_and_size, found))
            highest = max(own for own, _ in heads)
            if all(own == highest for own, _ in heads):
                return cls(workers, found, highest, sum(size for _, size in heads))
            seed = highest

    def ranges(self) -> "Iterator[list[Hashed]]":
        """The hashes of each part's rows and their counts, a range of hashes at a time, ascending."""
        ranges = self.rows // RANGE_ROWS + 1
        for number in range(ranges):
            low, high = (end * 2**64 // ranges for end in (number, number + 1))
            columns = [low] * len(self.distinct), [high - 1] * len(self.distinct)
            yield self.workers.gather(self.workers.call(_between, self.distinct, *columns))


def row_entropy(workers: Workers, parts: Sequence[Any], total: int) -> float:
    """H(p^D) in nats of the rows of all parts together: of `total` rows the sum over distinct ones of -p log p."""
    found = DistinctParts.of(workers, parts)
    while True:
        try:
            nats = 0.0
            for answers in found.ranges():
                first, check, counts = (np.concatenate(each) for each in zip(*answers, strict=True))
                order, begin = grouped(first, check)
                times = added(counts[order], begin)
                nats += float(xlogy(times, times).sum())
            return float(np.log(total)) - nats / total
        except CollisionError:
            found = DistinctParts.of(workers, parts, found.seed + 1)


def _shares(found: DistinctParts, division: HeldOutCounts) -> list[IntArray]:
    """For each part `[1 + held-out part, distinct row]`: how many are taken, and held out."""
    pieces = [[_narrow(share) for share in _shares_of_parts(answers, division)] for answers in found.ranges()]
    return [np.concatenate(each, axis=1) for each in zip(*pieces, strict=True)]


class Hashed(NamedTuple):
    """Distinct rows of one part within a range of hashes, ascending."""

    first: Words
    check: Words
    counts: IntArray


def _shares_of_parts(answers: Sequence[Hashed], division: HeldOutCounts) -> list[IntArray]:
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


def _between(distinct: Distinct, low: int, high: int) -> Hashed:
    begin = np.searchsorted(distinct.first, np.uint64(low), "left")
    within = slice(begin, np.searchsorted(distinct.first, np.uint64(high), "right"))
    return Hashed(distinct.first[within], distinct.check[within], distinct.counts[within])


class _Chosen(NamedTuple):
    """Distinct rows of one part that take part in trials, with their hashes."""

    first: Words
    check: Words
    codes: CodeArray
    counts: IntArray
    """How many are taken, and held out by each part."""


def _taken(part: Any, distinct: Distinct, share: IntArray) -> _Chosen:
    kept = np.flatnonzero(share[0])
    codes = codes_of(part.dataset.codes, distinct.rows[kept])
    return _Chosen(distinct.first[kept], distinct.check[kept], codes, share[:, kept].astype(np.int64))
