r"""H(p^D(X_B | X_-B)) from distinct rows: at any number of variables, in O(N n) for all of them.

Rows that agree on X_-B share a *context*. With N_c rows in context c and N_x equal rows x,

.. math:: H(p^D(X_B \mid X_{-B})) = \frac1N \sum_c \Big( N_c \log N_c - \sum_{x \in c} N_x \log N_x \Big).

Contexts are found without looking at all columns again for every node: each (variable, code) has a random
128-bit word, a row's hash is the sum of its words, and the hash of its context is that sum less the words
of B. Rows are grouped by 64 bits and every group is checked on the other 64; a group that fails shows a
collision, and everything is done again with new words. Two contexts are taken for one only where all 128 bits
agree by chance: for a million rows and a thousand nodes that has a probability below 10^-23.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from depnet.arrays import IntArray
from depnet.data.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.rows import taken

Words = NDArray[np.uint64]


class _CollisionError(Exception):
    """Two different contexts with the same 64-bit hash."""


class _Groups(NamedTuple):
    order: IntArray  # rows, sorted so that groups are runs
    begin: IntArray  # where each run begins


class Contexts:
    """The distinct rows of a dataset with their hashes, ready to be grouped by any X_-B.

    `distinct` is the same table with each row once, weighted, in an order that does not depend on the order of
    rows.
    """

    distinct: Dataset

    def __init__(self, dataset: Dataset) -> None:
        if dataset.total == 0:
            raise LearningError("the dataset has no rows; it has no empirical distribution.")
        self._dataset = dataset
        self._hash(seed=0)

    def entropy_given_others(self, variables: Sequence[int]) -> float:
        """H(p^D(X_B | X_-B)) in nats, B being `variables`."""
        while True:
            try:
                return self._entropy(variables)
            except _CollisionError:
                self._hash(self._seed + 1)

    def _hash(self, seed: int) -> None:
        while True:
            self._seed = seed
            rng = np.random.default_rng(seed)
            cards = self._dataset.domain.cardinalities
            self._words = [rng.integers(0, 2**64, size=(2, k), dtype=np.uint64) for k in cards]
            first = np.zeros(self._dataset.rows, dtype=np.uint64)
            check = np.zeros(self._dataset.rows, dtype=np.uint64)
            for j, words in enumerate(self._words):
                column = self._dataset.column(j)
                first += words[0][column]
                check += words[1][column]
            try:
                order, begin = _grouped(first, check)
            except _CollisionError:
                seed += 1
                continue
            rows, weights = order[begin], self._dataset.weights
            counts = (
                np.diff(begin, append=len(order))
                if weights is None
                else np.add.reduceat(weights[order], begin)
            )
            self.distinct = taken(self._dataset, rows, counts)
            self._counts = counts.astype(np.float64)
            self._first, self._check = first[rows], check[rows]
            return

    def _entropy(self, variables: Sequence[int]) -> float:
        first, check = self._first.copy(), self._check.copy()
        for i in variables:
            column = self.distinct.column(i)
            first -= self._words[i][0][column]
            check -= self._words[i][1][column]
        order, begin = _grouped(first, check)
        sizes = np.diff(begin, append=len(order))
        shared = sizes > 1  # a context with one distinct row contributes exactly 0
        if not shared.any():
            return 0.0
        members = order[np.repeat(shared, sizes)]
        counts = self._counts[members]
        inner = np.concatenate([[0], np.cumsum(sizes[shared])[:-1]])
        totals = np.add.reduceat(counts, inner)
        nats = xlogy(totals, totals) - np.add.reduceat(xlogy(counts, counts), inner)
        return max(float(nats.sum()), 0.0) / self._dataset.total


def _grouped(first: Words, check: Words) -> _Groups:
    """Equal hashes as runs of a sorted order; unequal second hashes within a run are a collision."""
    order = np.argsort(first)
    ordered = first[order]
    new = np.ones(len(order), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    same = np.flatnonzero(~new)
    if (check[order[same]] != check[order[same - 1]]).any():
        raise _CollisionError
    return _Groups(order, np.flatnonzero(new))
