r"""H(p^D(X_i | X_-i)) from distinct rows: at any number of variables, in O(N n) for all of them.

Rows that agree on X_-i share a *context*. With N_c rows in context c and N_x equal rows x,

.. math:: H(p^D(X_i \mid X_{-i})) = \frac1N \sum_c \Big( N_c \log N_c - \sum_{x \in c} N_x \log N_x \Big).

Contexts are found without looking at all columns again for every node: the hash of a context is that of the row
(`distinct`) less the word of X_i. Rows that agree on X_-i agree on all but any set of variables that i is in: of a half
of the variables, then of halves of that, only rows that do are looked at further. Two contexts are taken for one only
where all 128 bits agree by chance: for a million rows and a thousand nodes that has a probability below 10^-23.

In an order, H(p^D) is the sum over i of H(p^D(X_i | the variables before X_i)): the hash of what comes before grows by
one word a variable. As long as the first variables have fewer joint states than there are rows, these are counted instead.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray, xlogy
from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.rows.distinct import CollisionError, Words, distinct_rows, grouped, words_of
from depnet.learning.rows.some_rows import some_rows

Found = TypeVar("Found")

_MARK_BITS = 16

_FEW_ROWS = 10_000
"""So few are looked at once for each variable."""

_FEWER = 0.7
"""Where at most this share of the rows agree with another one on all but a half of the variables, it pays to look at halves
of that."""


class Contexts:
    """The distinct rows of a dataset with their hashes, ready to be grouped by any X_-i.

    `distinct` is the same table with each row once, weighted, in an order that does not depend on the order of
    rows.
    """

    distinct: Dataset

    def __init__(self, dataset: Dataset) -> None:
        if dataset.total == 0:
            raise LearningError("the dataset has no rows; it has no empirical distribution.")
        self._dataset = dataset
        self._hash(seed=0)

    def entropies_given_others(self, variables: Sequence[int]) -> list[float]:
        """H(p^D(X_i | X_-i)) of each of these variables i, in nats."""
        return self._without_collision(self._given_others, variables)

    def entropies_in_order(self, order: Sequence[int]) -> list[float]:
        """H(p^D(X_i | the variables before X_i in `order`)) of every variable i, in nats; the sum is H(p^D)."""
        return self._without_collision(self._in_order, order)

    def _without_collision(self, entropies: Callable[[Any], Found], asked: Any) -> Found:
        while True:
            try:
                return entropies(asked)
            except CollisionError:
                self._hash(self.seed + 1)

    def _hash(self, seed: int) -> None:
        dataset = self._dataset
        cards = dataset.domain.cardinalities
        found = distinct_rows(dataset, seed)
        self.seed, self.words = found.seed, words_of(cards, found.seed)
        self.distinct = some_rows(dataset, found.rows, found.counts)
        self._counts = found.counts.astype(np.float64)
        self._first, self._check = found.first, found.check

    def _given_others(self, variables: Sequence[int]) -> list[float]:
        found = dict(self._halves(list(variables), None))
        return [found[i] for i in variables]

    def _halves(self, variables: list[int], rows: IntArray | None) -> Iterator[tuple[int, float]]:
        """(i, H(p^D(X_i | X_-i))) of some variables; `rows` has all that agree with another on all but these. None: all."""
        first = self._first if rows is None else self._first[rows]
        if len(variables) < 4 or len(first) < _FEW_ROWS:
            for i in variables:
                yield i, self._entropy(i, first, rows)
            return
        middle = len(variables) // 2
        for half in (variables[:middle], variables[middle:]):
            others = first.copy()
            for i in half:
                others -= self.words[i][0][self._column(i, rows)]
            some = _not_alone(others)
            if len(some) <= _FEWER * len(first):
                yield from self._halves(half, some if rows is None else rows[some])
                continue
            for i in half:
                yield i, self._entropy(i, first, rows)

    def _column(self, i: int, rows: IntArray | None) -> CodeArray:
        column = self.distinct.column(i)
        return column if rows is None else column[rows]

    def _entropy(self, i: int, first: Words, rows: IntArray | None) -> float:
        """From `rows` alone, whose hashes are `first`."""
        column = self._column(i, rows)
        first = first - self.words[i][0][column]
        some = _not_alone(first)  # a context with one distinct row contributes exactly 0
        members = some if rows is None else rows[some]
        order, begin = grouped(first[some], self._check[members] - self.words[i][1][column[some]])
        sizes = np.diff(begin, append=len(order))
        shared = sizes > 1
        if not shared.any():
            return 0.0
        counts = self._counts[members[order[np.repeat(shared, sizes)]]]
        inner = np.concatenate([[0], np.cumsum(sizes[shared])[:-1]])
        totals = np.add.reduceat(counts, inner)
        nats = xlogy(totals, totals) - np.add.reduceat(xlogy(counts, counts), inner)
        return max(float(nats.sum()), 0.0) / self._dataset.total

    def _in_order(self, order: Sequence[int]) -> list[float]:
        found = [0.0] * len(order)
        reader: _Counted | _Sorted = _Counted(self)
        alone = 0.0  # the sum of N_x log N_x over the rows that share what is read so far with no other one
        before = float(xlogy(self._dataset.total, self._dataset.total))  # sum over groups of N_c log N_c
        for i in order:
            if isinstance(reader, _Counted) and not reader.counts(i):
                reader = reader.sorted()
            totals, single = reader.read(i)
            logs = xlogy(totals, totals)
            after = alone + float(logs.sum())
            found[i] = max(before - after, 0.0) / self._dataset.total
            if single.all():  # every distinct row is alone: what comes later says nothing new
                break
            alone += float(logs[single].sum())
            before = after
        return found

    def codes_of(self, i: int, rows: IntArray) -> CodeArray:
        """Of variable i, in some of the distinct rows."""
        return self.distinct.column(i)[rows]

    def counts_of(self, rows: IntArray) -> FloatArray:
        """How often some of the distinct rows are there."""
        return self._counts[rows]

    @property
    def size(self) -> int:
        """The number of distinct rows."""
        return len(self._first)


class _Sorted:
    """Groups of the distinct rows by what is read of them so far, by their hashes; rows that are alone are let go."""

    def __init__(self, contexts: Contexts, kept: IntArray, first: Words, check: Words) -> None:
        self._contexts, self._kept, self._first, self._check = contexts, kept, first, check

    def read(self, i: int) -> tuple[FloatArray, NDArray[np.bool_]]:
        """With variable i: how many rows each group has, ascending by hash, and which groups are one distinct row."""
        words, column = self._contexts.words[i], self._contexts.codes_of(i, self._kept)
        self._first += words[0][column]
        self._check += words[1][column]
        rows, begin = grouped(self._first, self._check)
        totals = np.add.reduceat(self._contexts.counts_of(self._kept[rows]), begin)
        sizes = np.diff(begin, append=len(rows))
        single = sizes == 1
        shared = rows[np.repeat(~single, sizes)]
        self._kept, self._first, self._check = self._kept[shared], self._first[shared], self._check[shared]
        return totals, single


class _Counted:
    """The same groups, counted by the joint states of what is read so far, as long as these are fewer than the rows.

    Only joint states of several distinct rows are kept, each with its number.
    """

    def __init__(self, contexts: Contexts) -> None:
        self._contexts = contexts
        self._kept, self._state = np.arange(contexts.size), np.zeros(contexts.size, dtype=np.int64)
        self._first, self._check = np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.uint64)

    def counts(self, i: int) -> bool:
        """Can variable i be read, too?"""
        return len(self._first) * self._contexts.distinct.domain.cardinalities[i] <= self._contexts.size

    def read(self, i: int) -> tuple[FloatArray, NDArray[np.bool_]]:
        """As `_Sorted.read`."""
        words = self._contexts.words[i]
        self._first = (self._first[:, None] + words[0]).ravel()  # of each joint state, there or not
        self._check = (self._check[:, None] + words[1]).ravel()
        self._state = self._state * len(words[0]) + self._contexts.codes_of(i, self._kept)
        sizes = np.bincount(self._state, minlength=len(self._first))
        totals: FloatArray = np.bincount(
            self._state, self._contexts.counts_of(self._kept), len(self._first)
        ).astype(np.float64, copy=False)
        there = np.flatnonzero(sizes)
        order, begin = grouped(self._first[there], self._check[there])
        if len(begin) < len(order):
            raise CollisionError
        there = there[order]
        single = sizes[there] == 1
        if single.any():
            shared = sizes[self._state] > 1
            self._kept, self._state = self._kept[shared], self._state[shared]
        groups = there[~single]
        number = np.zeros(len(sizes), dtype=np.int64)
        number[groups] = np.arange(len(groups))
        self._state, self._first, self._check = number[self._state], self._first[groups], self._check[groups]
        return totals[there], single

    def sorted(self) -> _Sorted:
        """The groups as they are, by hashes from now on."""
        return _Sorted(self._contexts, self._kept, self._first[self._state], self._check[self._state])


def _not_alone(hashes: Words) -> IntArray:
    """The places of all hashes that another one equals, and of a few more: sorting values is quicker than sorting places."""
    ordered = np.sort(hashes)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    marked = np.zeros(1 << _MARK_BITS, dtype=bool)
    marked[twice >> np.uint64(64 - _MARK_BITS)] = True
    return np.flatnonzero(marked[hashes >> np.uint64(64 - _MARK_BITS)])
