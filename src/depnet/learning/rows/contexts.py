r"""H(p^D(X_i | X_-i)) from distinct rows: at any number of variables, in O(N n) for all of them.

Rows that agree on X_-i share a *context*. With N_c rows in context c and N_x equal rows x,

.. math:: H(p^D(X_i \mid X_{-i})) = \frac1N \sum_c \Big( N_c \log N_c - \sum_{x \in c} N_x \log N_x \Big).

Contexts are found without looking at all columns again for every node: the hash of a context is that of the row
(`distinct`) less the word of X_i. Two contexts are taken for one only where all 128 bits agree by chance: for a million
rows and a thousand nodes that has a probability below 10^-23.

In an order, H(p^D) is the sum over i of H(p^D(X_i | the variables before X_i)): the hash of what comes before grows by
one word a variable.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from scipy.special import xlogy

from depnet.arrays import IntArray
from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.rows.distinct import CollisionError, Words, distinct_rows, grouped, words_of
from depnet.learning.rows.some_rows import some_rows

Found = TypeVar("Found")

_MARK_BITS = 16


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

    def entropy_given_others(self, i: int) -> float:
        """H(p^D(X_i | X_-i)) in nats."""
        return self._without_collision(self._entropy, i)

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

    def _entropy(self, i: int) -> float:
        column = self.distinct.column(i)
        first = self._first - self.words[i][0][column]
        some = _not_alone(first)  # a context with one distinct row contributes exactly 0
        order, begin = grouped(first[some], self._check[some] - self.words[i][1][column[some]])
        sizes = np.diff(begin, append=len(order))
        shared = sizes > 1
        if not shared.any():
            return 0.0
        members = some[order[np.repeat(shared, sizes)]]
        counts = self._counts[members]
        inner = np.concatenate([[0], np.cumsum(sizes[shared])[:-1]])
        totals = np.add.reduceat(counts, inner)
        nats = xlogy(totals, totals) - np.add.reduceat(xlogy(counts, counts), inner)
        return max(float(nats.sum()), 0.0) / self._dataset.total

    def _in_order(self, order: Sequence[int]) -> list[float]:
        found = [0.0] * len(order)
        kept = np.arange(len(self._first))  # the rows that share what is read so far with another one
        first, check = np.zeros_like(self._first), np.zeros_like(self._check)
        alone = 0.0  # the sum of N_x log N_x over the other rows, which stay alone
        before = float(xlogy(self._dataset.total, self._dataset.total))  # sum over groups of N_c log N_c
        for i in order:
            column = self.distinct.column(i)[kept]
            first += self.words[i][0][column]
            check += self.words[i][1][column]
            rows, begin = grouped(first, check)
            totals = np.add.reduceat(self._counts[kept[rows]], begin)
            logs = xlogy(totals, totals)
            after = alone + float(logs.sum())
            found[i] = max(before - after, 0.0) / self._dataset.total
            single = np.diff(begin, append=len(rows)) == 1
            if single.all():  # every distinct row is alone: what comes later says nothing new
                break
            alone += float(logs[single].sum())
            shared = rows[np.repeat(~single, np.diff(begin, append=len(rows)))]
            kept, first, check = kept[shared], first[shared], check[shared]
            before = after
        return found


def _not_alone(hashes: Words) -> IntArray:
    """The places of all hashes that another one equals, and of a few more: sorting values is quicker than sorting places."""
    ordered = np.sort(hashes)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    marked = np.zeros(1 << _MARK_BITS, dtype=bool)
    marked[twice >> np.uint64(64 - _MARK_BITS)] = True
    return np.flatnonzero(marked[hashes >> np.uint64(64 - _MARK_BITS)])
