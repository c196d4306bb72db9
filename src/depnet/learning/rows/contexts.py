r"""H(p^D(X_i | X_-i)) from distinct rows: at any number of variables, in O(N n) for all of them.

Rows that agree on X_-i share a *context*. With N_c rows in context c and N_x equal rows x,

.. math:: H(p^D(X_i \mid X_{-i})) = \frac1N \sum_c \Big( N_c \log N_c - \sum_{x \in c} N_x \log N_x \Big).

Contexts are found without looking at all columns again for every node: the hash of a context is that of the row
(`distinct`) less the word of X_i. Two contexts are taken for one only where all 128 bits agree by chance: for a million
rows and a thousand nodes that has a probability below 10^-23.

In an order, H(p^D) is the sum over i of H(p^D(X_i | the variables before X_i)), from groups of distinct rows that each
variable divides further.
"""

from collections.abc import Sequence

import numpy as np

from depnet.arrays import FloatArray, IntArray, xlogy
from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.rows.distinct import CollisionError, Words, distinct_rows, grouped, words_of
from depnet.learning.rows.some_rows import some_rows

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

    def entropies_given_others(self, variables: Sequence[int]) -> list[float]:
        """H(p^D(X_i | X_-i)) of each of these variables i, in nats."""
        while True:
            try:
                return [self._entropy(i) for i in variables]
            except CollisionError:
                self._hash(self.seed + 1)

    def entropies_in_order(self, order: Sequence[int]) -> list[float]:
        """H(p^D(X_i | the variables before X_i in `order`)) of every variable i, in nats; the sum is H(p^D)."""
        found, total = [0.0] * len(order), self._dataset.total
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

    def _hash(self, seed: int) -> None:
        dataset = self._dataset
        found = distinct_rows(dataset, seed)
        self.seed, self._words = found.seed, words_of(dataset.domain.cardinalities, found.seed)
        self.distinct = some_rows(dataset, found.rows, found.counts)
        self._counts: FloatArray = found.counts.astype(np.float64)
        self._first, self._check = found.first, found.check

    def _entropy(self, i: int) -> float:
        column, words = self.distinct.column(i), self._words[i]
        first = self._first - words[0][column]
        some = _not_alone(first)  # a context with one distinct row contributes exactly 0
        order, begin = grouped(first[some], self._check[some] - words[1][column[some]])
        sizes = np.diff(begin, append=len(order))
        shared = sizes > 1
        if not shared.any():
            return 0.0
        counts = self._counts[some[order[np.repeat(shared, sizes)]]]
        inner = np.concatenate([[0], np.cumsum(sizes[shared])[:-1]])
        totals = np.add.reduceat(counts, inner)
        nats = xlogy(totals, totals) - np.add.reduceat(xlogy(counts, counts), inner)
        return max(float(nats.sum()), 0.0) / self._dataset.total


def _not_alone(hashes: Words) -> IntArray:
    """The places of all hashes that another one equals, and of a few more: sorting values is quicker than sorting places."""
    ordered = np.sort(hashes)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    marked = np.zeros(1 << _MARK_BITS, dtype=bool)
    marked[twice >> np.uint64(64 - _MARK_BITS)] = True
    return np.flatnonzero(marked[hashes >> np.uint64(64 - _MARK_BITS)])
