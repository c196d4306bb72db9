"""The distinct rows of a table, by hashes of 128 bits.

Each (variable, code) has a random word of 128 bits, and a row's hash is the sum of its words. Rows are grouped by 64
bits and every group is checked on the other 64; a group that fails shows a collision, and everything is done again with
the words of the next seed. The order of the distinct rows, ascending by hash, depends on the rows alone, not on
their order.
"""

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import IntArray
from depnet.data.table.dataset import Dataset

Words = NDArray[np.uint64]

KEPT_ROWS = 4_000_000
"""Of tables up to this size the distinct rows are kept as long as the table is: a fit asks for them five times."""


class CollisionError(Exception):
    """Two different rows, or contexts, with the same 64-bit hash."""


class Groups(NamedTuple):
    """Equal hashes as runs of a sorted order."""

    order: IntArray
    """Rows, sorted so that groups are runs."""
    begin: IntArray
    """Where each run begins."""


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """Distinct rows, ascending by hash."""

    seed: int
    first: Words
    """The 64 bits that rows are sorted by."""
    check: Words
    rows: IntArray
    """The number of one row of each kind."""
    counts: IntArray
    """How many rows there are of each kind, weights included."""


def words_of(cardinalities: Sequence[int], seed: int) -> list[Words]:
    """The words of every variable's codes: `[half, code]`."""
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 2**64, size=(2, k), dtype=np.uint64) for k in cardinalities]


_kept: weakref.WeakKeyDictionary[Dataset, Distinct] = weakref.WeakKeyDictionary()


def distinct_rows(dataset: Dataset, seed: int = 0) -> Distinct:
    """The distinct rows of a table, with the first seed from `seed` on that shows no collision."""
    kept = _kept.get(dataset)
    if kept is not None and kept.seed >= seed:
        return kept
    found = _distinct_rows(dataset, seed)
    if seed == 0 and dataset.rows <= KEPT_ROWS:
        _kept[dataset] = found
    return found


def _distinct_rows(dataset: Dataset, seed: int) -> Distinct:
    codes, weights = dataset.codes, dataset.weights
    while True:
        first, check = np.zeros(len(codes), dtype=np.uint64), np.zeros(len(codes), dtype=np.uint64)
        for j, words in enumerate(words_of(dataset.domain.cardinalities, seed)):
            first += words[0][codes[:, j]]
            check += words[1][codes[:, j]]
        try:
            order, begin = grouped(first, check)
        except CollisionError:
            seed += 1
            continue
        rows = order[begin]
        each = np.ones(len(order), dtype=np.int64) if weights is None else weights[order]
        counts: IntArray = np.add.reduceat(each, begin) if len(begin) else each
        return Distinct(seed, first[rows], check[rows], rows, counts)


def grouped(first: Words, check: Words) -> Groups:
    """Equal hashes as runs; unequal second hashes within a run are a collision."""
    order = np.argsort(first)
    ordered = first[order]
    new = np.ones(len(order), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    same = np.flatnonzero(~new)
    if (check[order[same]] != check[order[same - 1]]).any():
        raise CollisionError
    return Groups(order, np.flatnonzero(new))
