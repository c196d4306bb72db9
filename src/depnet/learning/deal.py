"""Rows dealt out like cards: parts of a table that do not depend on the order of its rows.

Rows are sorted by a 64-bit hash of their codes, which is as good as shuffled, and then dealt in turn. Equal rows stand
together, so that each part has its fair share of them, within one row.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import IntArray
from depnet.data.dataset import Dataset
from depnet.learning.rows import taken


def dealt(dataset: Dataset, shares: Sequence[int], of: int | None = None) -> list[Dataset]:
    """Parts of the rows: part k gets `shares[k]` of every `of` rows (of all shares together, if not said).

    >>> table = Dataset.from_codes([[0, 0], [0, 1], [1, 0]] * 10, [2, 2])
    >>> [part.total for part in dealt(table, (4, 1))]
    [24, 6]
    """
    cycle = sum(shares) if of is None else of
    order = np.argsort(_hashes(dataset))  # rows of one hash are equal: their order does not matter
    parts, first = [], 0
    for share in shares:
        if dataset.weights is None:
            turn = np.tile(_turn(cycle, first, share), dataset.rows // cycle + 1)
            kept, counts = np.flatnonzero(turn[: dataset.rows]), None
        else:
            kept, counts = _weighted(dataset.weights[order], cycle, first, share)
        parts.append(taken(dataset, order[kept], counts))
        first += share
    return parts


def _turn(cycle: int, first: int, share: int) -> NDArray[np.bool_]:
    """Of one cycle, the places that the part gets."""
    place = np.arange(cycle)
    return (first <= place) & (place < first + share)


def _weighted(weights: IntArray, cycle: int, first: int, share: int) -> tuple[NDArray[np.intp], IntArray]:
    """The rows that the part gets some of, a row of weight w standing at w places, and how many places of each."""
    ends = np.cumsum(weights)
    # Of the places 0 .. x - 1, so many have a remainder within first .. first + share - 1.
    before, after = (
        x // cycle * share + np.clip(x % cycle - first, 0, share) for x in (ends - weights, ends)
    )
    kept = np.flatnonzero(after > before)
    return kept, (after - before)[kept]


def _hashes(dataset: Dataset) -> NDArray[np.uint64]:
    """A hash of every row: eight bytes of codes at a time are mixed by SplitMix64 with words of their own, and added."""
    codes = dataset.codes
    a_word = 8 // codes.itemsize
    found = np.zeros(dataset.rows, dtype=np.uint64)
    words = np.random.default_rng(0).integers(0, 2**64, size=codes.shape[1] // a_word + 1, dtype=np.uint64)
    for number, j in enumerate(range(0, codes.shape[1], a_word)):
        some = np.zeros((dataset.rows, a_word), dtype=codes.dtype)
        some[:, : codes.shape[1] - j] = codes[:, j : j + a_word]
        z = some.view(np.uint64)[:, 0] + words[number]
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            z ^= z >> np.uint64(shift)
            z *= np.uint64(factor)
        found += z ^ (z >> np.uint64(31))
    return found
