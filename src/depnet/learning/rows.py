r"""Some of a table's rows: distinct, or held out; and H(p^D(X_i | X_-i)), from the distinct ones.

Each (variable, code) has a random word of 128 bits, and a row's hash is the sum of its words: rows are the same where all
128 bits agree. Two different ones are taken for one by chance only, for a million rows and a thousand nodes with a
probability below 10^-23. The order of distinct rows, ascending by hash, depends on the rows alone, not on their order.

*Contexts.* Rows that agree on X_-i share a context. With N_c rows in context c and N_x equal rows x,

.. math:: H(p^D(X_i \mid X_{-i})) = \frac1N \sum_c \Big( N_c \log N_c - \sum_{x \in c} N_x \log N_x \Big).

The hash of a context is that of the row less the word of X_i: that takes O(N n) for all nodes, at any number of variables.
In an order, H(p^D) is the sum over i of H(p^D(X_i | the variables before X_i)), from groups of distinct rows that each
variable divides further.

*In order.* Rows that are drawn or filled one after the other go by their hashes, too, so that the order in which they come
is of no matter; there a hole and a number within its bin have words of their own.

*Held out.* The data is divided into five parts. They are held out one after the other until 5,000 rows were: one part of a
large table, all five of a small one. The parts depend on the rows alone: how many of each distinct row a part holds out is
decided in the order of their hashes. Of more than `limits.TRIAL_ROWS` rows that many are drawn without replacement, and
divided. A choice compares two candidates by the mean over held-out rows of a paired difference, whose standard error falls
as one over the root of their number: past some ten thousand rows it is below any difference that matters, and more rows make
trials slower, not better. What is chosen learns from all rows, and so is somewhat better than its held-out score says.
"""

import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray, read_only, xlogy
from depnet.data.binning.bins import Numbers
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.weights import FRACTION
from depnet.errors import LearningError
from depnet.learning import limits

Words = NDArray[np.uint64]


def codes_of(codes: CodeArray, rows: NDArray[np.intp]) -> CodeArray:
    """The codes of the rows with these numbers, column-major."""
    some: CodeArray = np.empty((codes.shape[1], len(rows)), dtype=codes.dtype).T
    np.take(codes.T, rows, axis=1, out=some.T)  # column by column, as they lie
    return some


def some_rows(
    dataset: Dataset, rows: NDArray[np.intp], weights: IntArray | FloatArray | None = None
) -> Dataset:
    """The rows with these numbers, with their own weights or with new ones."""
    if weights is None and dataset.weights is not None:
        weights = dataset.weights[rows]
    kept = None if weights is None else read_only(np.array(weights))
    return Dataset(dataset.domain, read_only(codes_of(dataset.codes, rows)), kept)


def repeat_rows(dataset: Dataset) -> Dataset:
    """Each row as often as it weighs, without weights: the same counts, which are then made faster.

    Where that would be many rows for each one, or much memory, the dataset itself.

    >>> repeat_rows(Dataset.from_codes([[1, 0], [0, 1]], cardinalities=[2, 2], weights=[2, 1])).codes.tolist()
    [[1, 0], [1, 0], [0, 1]]
    """
    codes, weights = dataset.codes, dataset.weights
    bytes_needed = dataset.total * codes.shape[1] * codes.itemsize
    if (
        weights is None
        or dataset.surveyed
        or dataset.total > limits.MOST_TIMES * dataset.rows
        or bytes_needed > limits.MOST_BYTES
    ):
        return dataset
    return Dataset.of_checked(
        dataset.domain, read_only(codes_of(codes, np.repeat(np.arange(dataset.rows), weights)))
    )


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """Distinct rows, ascending by the two halves of their hashes."""

    first: Words
    second: Words
    rows: IntArray
    """The number of one row of each kind."""
    counts: IntArray | FloatArray
    """How many rows there are of each kind, weights included."""
    records: IntArray
    """How many rows of the table these are."""


def words_of(cardinalities: Sequence[int]) -> list[Words]:
    """The words of every variable's codes: `[half, code]`."""
    rng = np.random.default_rng(0)
    return [rng.integers(0, 2**64, size=(2, k), dtype=np.uint64) for k in cardinalities]


_kept: weakref.WeakKeyDictionary[Dataset, Distinct] = weakref.WeakKeyDictionary()


def distinct_rows(dataset: Dataset) -> Distinct:
    if (kept := _kept.get(dataset)) is not None:
        return kept
    first, second = np.zeros(dataset.rows, dtype=np.uint64), np.zeros(dataset.rows, dtype=np.uint64)
    for j, words in enumerate(words_of(dataset.domain.cardinalities)):
        column = dataset.column(j)
        first += words[0][column]
        second += words[1][column]
    order, begin = _runs(first, second)
    rows = order[begin]
    each = np.ones(len(order), dtype=np.int64) if dataset.weights is None else dataset.weights[order]
    counts = np.add.reduceat(each, begin) if len(begin) else each
    found = Distinct(first[rows], second[rows], rows, counts, np.diff(begin, append=len(order)))
    if dataset.rows <= limits.KEPT_ROWS:
        _kept[dataset] = found
    return found


def _runs(first: Words, second: Words) -> tuple[IntArray, IntArray]:
    """An order in which equal hashes are runs, and where each run begins."""
    order = np.argsort(first)
    for _ in range(2):
        one, two = first[order], second[order]
        new, other = np.ones(len(order), dtype=bool), np.ones(len(order), dtype=bool)
        new[1:], other[1:] = one[1:] != one[:-1], two[1:] != two[:-1]
        if not (other & ~new).any():
            break
        order = np.lexsort((second, first))  # one half alone does not tell all of them apart
    return order, np.flatnonzero(new | other)


class Contexts:
    """The distinct rows of a dataset with their hashes, ready to be grouped by any X_-i.

    `distinct` is the same table with each row once, weighted, in an order that does not depend on the order of
    rows.
    """

    def __init__(self, dataset: Dataset) -> None:
        if dataset.total == 0:
            raise LearningError("the dataset has no rows; it has no empirical distribution.")
        self._hashes = distinct_rows(dataset)
        self._words = words_of(dataset.domain.cardinalities)
        self._total = float(self._hashes.counts.sum())
        self._counts: FloatArray = self._hashes.counts.astype(np.float64)
        self.distinct = some_rows(dataset, self._hashes.rows, self._hashes.counts)

    def entropy_given_others(self, i: int) -> float:
        """H(p^D(X_i | X_-i)), in nats."""
        column, (one, two) = self.distinct.column(i), self._words[i]
        first = self._hashes.first - one[column]
        some = _not_alone(first)  # a context with one distinct row contributes exactly 0
        order, begin = _runs(first[some], self._hashes.second[some] - two[column[some]])
        sizes = np.diff(begin, append=len(order))
        shared = sizes > 1
        if not shared.any():
            return 0.0
        counts = self._counts[some[order[np.repeat(shared, sizes)]]]
        inner = np.concatenate([[0], np.cumsum(sizes[shared])[:-1]])
        totals = np.add.reduceat(counts, inner)
        nats = xlogy(totals, totals) - np.add.reduceat(xlogy(counts, counts), inner)
        return max(float(nats.sum()), 0.0) / self._total

    def entropies_in_order(self, order: Sequence[int]) -> list[float]:
        """H(p^D(X_i | the variables before X_i in `order`)) of every variable i, in nats; the sum is H(p^D)."""
        found, total = [0.0] * len(order), self._total
        counts, rows = self._counts, np.arange(len(self._counts))
        group: IntArray = np.zeros(len(rows), dtype=np.int64)  # of each row, by what is read of it so far
        alone = 0.0  # the sum of N_x log N_x over the rows that share what is read with no other one, let go
        before = float(xlogy(total, total))  # sum over groups of N_c log N_c
        for i in order:
            group = group * self.distinct.domain.cardinalities[i] + self.distinct.column(i)[rows]
            if int(group.max()) > 8 * len(rows):
                group = np.unique(group, return_inverse=True)[1]
            sizes, totals = np.bincount(group), np.bincount(group, counts[rows])
            logs = xlogy(totals, totals)
            after = alone + float(logs.sum())
            found[i] = max(before - after, 0.0) / total
            shared = sizes > 1
            if not shared.any():  # every distinct row is alone: what comes later says nothing new
                break
            alone += float(logs[~shared].sum())
            before = after
            kept = shared[group]
            rows, group = rows[kept], (np.cumsum(shared) - 1)[group[kept]]
        return found


_MARK_BITS = 16


def _not_alone(hashes: Words) -> IntArray:
    """The places of all hashes that another one equals, and of a few more: sorting values is quicker than sorting places."""
    ordered = np.sort(hashes)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    marked = np.zeros(1 << _MARK_BITS, dtype=bool)
    marked[twice >> np.uint64(64 - _MARK_BITS)] = True
    return np.flatnonzero(marked[hashes >> np.uint64(64 - _MARK_BITS)])


def held_out(dataset: Dataset) -> Iterator[tuple[Dataset, Dataset]]:
    """(rows to learn from, rows to score on), the same whatever the order of rows."""
    distinct = distinct_rows(dataset)
    if dataset.surveyed:
        taken, *parts = _divide(distinct.records, dataset.rows)
    else:
        taken, *parts = _divide(distinct.counts, dataset.total)  # type: ignore[arg-type]  # whole

    def rows(counts: IntArray) -> Dataset:
        """Each distinct row as often as `counts` says: as single rows, which are counted faster, where most are."""
        kept = np.flatnonzero(counts)
        if dataset.surveyed:  # equal rows weigh as much as all of them together, each
            share = distinct.counts[kept] * (counts[kept] / distinct.records[kept])
            return some_rows(dataset, distinct.rows[kept], np.rint(share * FRACTION) / FRACTION)
        if counts.sum() < 4 * max(len(kept), 1):
            codes, weights = codes_of(dataset.codes, distinct.rows[np.repeat(kept, counts[kept])]), None
        else:
            codes, weights = codes_of(dataset.codes, distinct.rows[kept]), counts[kept].astype(np.int64)
        return Dataset(dataset.domain, read_only(codes), weights)

    for held in parts:
        yield rows(taken - held), rows(held)


def _divide(counts: IntArray, total: int) -> IntArray:
    """[1 + part, row]: how many of each distinct row, of which there are `counts`, take part, and a part holds out."""
    if total < 2:
        raise LearningError(
            'the penalty "auto" tests on rows held out, and there is only one row. Give more rows, another penalty, or '
            "validation rows."
        )
    parts, taken = min(limits.PARTS, total), min(total, limits.TRIAL_ROWS)
    until = np.cumsum((taken + parts - 1 - np.arange(parts)) // parts)  # rows of the first parts together
    held = min(int(np.searchsorted(until, limits.HELD_OUT_ROWS)) + 1, parts)
    rng = np.random.default_rng(0)
    if total > limits.EQUAL_PARTS_ROWS:
        share = np.append(np.full(parts, taken / total / parts), 1 - taken / total)
        divided = rng.multinomial(counts, share).T
        return np.stack([divided[:parts].sum(axis=0), *divided[:held]])
    part_of = np.full(total, parts, dtype=np.uint8)  # of those not taken there is one part more
    part_of[:taken] = np.resize(np.arange(parts, dtype=np.uint8), taken)
    rng.shuffle(part_of)
    row_of = np.repeat(np.arange(len(counts)), counts)
    chosen = [part_of < parts, *(part_of == part for part in range(held))]
    return np.stack([np.bincount(row_of[which], minlength=len(counts)) for which in chosen])


SHIFTS = (30, 27, 31)
FACTORS = tuple(map(np.uint64, (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)))
"""The factors of SplitMix64, which turns numbers into words."""


def row_order(table: Holed) -> IntArray:
    """The rows, ascending by their hashes.

    >>> from depnet.data import Domain
    >>> codes = np.arange(6, dtype=np.uint8)[:, None]
    >>> ways = [Holed(Domain.from_cardinalities([6]), each, np.zeros((6, 1), bool)) for each in (codes, codes[::-1])]
    >>> first, second = (each.codes[row_order(each)].ravel().tolist() for each in ways)
    >>> first == second, first == sorted(first)
    (True, False)
    """
    hashes = np.zeros(table.rows, dtype=np.uint64)
    if table.surveyed:
        hashes += _words_of_numbers(table.weights)  # type: ignore[arg-type]  # it has some
    for i, (words, _) in enumerate(words_of([k + 1 for k in table.domain.cardinalities])):
        codes, known = table.column(i), table.known(i)
        word = words[codes]
        numbers = table.numbers(i)
        if numbers is not None:
            word ^= _words_of_numbers(numbers)
        if known is not None:
            # What a hole has beside its code is not of the table; a state for holes has a code of its own.
            word = np.where(known, word, words[np.where(table.hidden[:, i], len(words) - 1, codes)])
        hashes += word
    return np.argsort(hashes)


def _words_of_numbers(numbers: Numbers) -> Words:
    """SplitMix64 of the bits of numbers; 0 and -0 are one."""
    words = (np.asarray(numbers) + 0).view(np.uint64)
    for shift, factor in zip(SHIFTS, FACTORS, strict=False):
        words ^= words >> np.uint64(shift)
        words *= factor
    words ^= words >> np.uint64(SHIFTS[-1])
    return words
