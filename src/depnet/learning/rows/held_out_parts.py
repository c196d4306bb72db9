"""Rows held out of a table that lies in parts: as many of each distinct row as of the whole table (`held_out`).

Each part finds its distinct rows and their hashes. These come together a range of hashes at a time, in ascending order,
are added up over the parts and dealt as those of one table are; then each part is told how many of each of its rows are
held out. Which of equal rows in several parts these are does not matter to a count.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from depnet.arrays import IntArray
from depnet.learning.rows.distinct import CollisionError, Distinct, Words, added, grouped
from depnet.learning.rows.held_out import Deal

RANGE_ROWS = 1 << 20
"""About so many distinct rows of all parts come together at a time."""


class Part(Protocol):
    """A part of the rows, where it lies."""

    def distinct(self, seed: int) -> Distinct:
        """The distinct rows, with the words of this seed, or of a later one if that shows a collision."""

    def dealt(self, distinct: Distinct, held: IntArray) -> Any:
        """Two parts: the rows without, and those, that are held out, so many of each distinct row."""


Call = Callable[..., list[Any]]
"""`call(function, *columns)` for each part, where it lies; a column has a value for each. Results stay there, too."""
Fetch = Callable[[list[Any]], list[Any]]
"""Such results, brought here."""


def deal_parts(call: Call, fetch: Fetch, parts: Sequence[Any], total: int) -> list[tuple[list[Any], int]]:
    """For each part of `held_out`, what `Part.dealt` gives, where the parts are, and how many rows are held out."""
    seed = 0
    while True:
        found = call(_distinct, parts, [seed] * len(parts))
        heads = fetch(call(_head, found))
        highest = max(each.seed for each in heads)
        if any(each.seed < highest for each in heads):
            seed = highest
            continue
        try:
            shares = _shares(call, fetch, found, sum(each.size for each in heads), total)
        except CollisionError:  # of rows in different parts
            seed = highest + 1
            continue
        return [
            (call(_dealt, parts, found, held), sum(int(each.sum()) for each in held))
            for held in zip(*shares, strict=True)
        ]


class Hashed(NamedTuple):
    """Distinct rows of one part within a range of hashes, ascending."""

    first: Words
    check: Words
    counts: IntArray


def divided(answers: Sequence[Hashed], deal: Deal) -> list[IntArray]:
    """For each part `[held-out part, distinct row]`: how many are held out, of the next range of hashes."""
    first, check, counts = (np.concatenate(each) for each in zip(*answers, strict=True))
    order, begin = grouped(first, check)
    counts = counts[order]
    held = deal.next(added(counts, begin))
    run = np.repeat(np.arange(len(begin)), np.diff(begin, append=len(order)))
    before = np.cumsum(counts) - counts
    before -= before[begin][run]  # equal rows of the parts before
    shares = np.empty((len(held), len(order)), dtype=np.int64)
    shares[:, order] = np.clip(held[:, run] - before, 0, counts)  # the first so many of the equal rows
    return np.split(shares, np.cumsum([len(each.first) for each in answers])[:-1], axis=1)


def _shares(call: Call, fetch: Fetch, found: list[Any], rows: int, total: int) -> list[IntArray]:
    """For each part `[held-out part, distinct row]`: how many are held out."""
    deal = Deal(total)
    ranges = rows // RANGE_ROWS + 1
    pieces = []
    for number in range(ranges):
        low, high = (end * 2**64 // ranges for end in (number, number + 1))
        answers = fetch(call(_between, found, [low] * len(found), [high - 1] * len(found)))
        pieces.append([_narrow(share) for share in divided(answers, deal)])
    return [np.concatenate(each, axis=1) for each in zip(*pieces, strict=True)]


def _narrow(share: IntArray) -> IntArray:
    """In few bytes, since there is one for every distinct row of the table."""
    return share.astype(np.min_scalar_type(share.max(initial=0)))


class _Head(NamedTuple):
    seed: int
    size: int


def _distinct(part: Part, seed: int) -> Distinct:
    return part.distinct(seed)


def _head(distinct: Distinct) -> _Head:
    return _Head(distinct.seed, len(distinct.rows))


def _between(distinct: Distinct, low: int, high: int) -> Hashed:
    begin = np.searchsorted(distinct.first, np.uint64(low), "left")
    within = slice(begin, np.searchsorted(distinct.first, np.uint64(high), "right"))
    return Hashed(distinct.first[within], distinct.check[within], distinct.counts[within])


def _dealt(part: Part, distinct: Distinct, held: IntArray) -> Any:
    return part.dealt(distinct, held)
