"""The numbers of a column by rank, over all chunks, in few questions.

Each chunk gives a sketch once: some of its sorted values, evenly spaced. The sketches together say between which two
values that of a rank lies, for certain; what all chunks hold between the two is then fetched, counted, and kept for the
questions that follow. So the answers are exact, and what travels is a small share of the values.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from depnet.arrays import IntArray
from depnet.data.binning.bins import Number, Numbers
from depnet.data.binning.ranked import RankedArray, RankedCounts, are_whole

POINTS = 4096
"""Values in the sketch of a chunk."""


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """Some of a chunk's sorted values, the first and last among them, and their ranks."""

    values: Numbers
    ranks: IntArray
    size: int


def sketch(ordered: Numbers, points: int = POINTS) -> Sketch:
    """The sketch of a chunk; all of its values where they are few."""
    size = len(ordered)
    ranks = np.unique(np.linspace(0, size - 1, min(points, size)).round().astype(np.int64))
    return Sketch(np.asarray(ordered[ranks]), ranks, size)


def between(ordered: Numbers, low: Number, high: Number) -> tuple[int, Numbers, IntArray]:
    """How many values are less than `low`, and the different ones in [low, high] with their counts."""
    begin, end = np.searchsorted(ordered, low, "left"), np.searchsorted(ordered, high, "right")
    values, counts = np.unique(np.asarray(ordered[begin:end]), return_counts=True)
    return int(begin), values, counts.astype(np.int64)


def lowest(ordered: Numbers, limit: int) -> Numbers:
    """The `limit` lowest different values."""
    return RankedArray(ordered).distinct(limit)


class _Stretch(NamedTuple):
    """All different values in [low, high], and how many values lie before."""

    low: Number
    high: Number
    first: int
    inside: RankedCounts


class RankedChunks:
    """N numbers by rank, as `Ranked` is; `ask(function, *arguments)` calls it on each chunk's sorted values."""

    def __init__(self, ask: Callable[..., list[Any]], kind: "np.dtype[Any]") -> None:
        self._ask = ask
        self._type = kind
        self._sketches: list[Sketch] = [each for each in ask(sketch) if each.size]
        pivots = np.sort(np.concatenate([each.values.astype(kind) for each in self._sketches]))
        # About as many pivots as one sketch has points are enough.
        self._pivots = np.unique(np.append(pivots[:: len(self._sketches)], pivots[-1]))
        self._size = sum(each.size for each in self._sketches)
        self._less = np.zeros(len(self._pivots), dtype=np.int64)
        self._until = np.zeros(len(self._pivots), dtype=np.int64)
        for each in self._sketches:
            ranks = np.append(each.ranks, each.size)
            # An upper bound of the chunk's values less than a pivot, and a lower bound of those less or equal.
            self._less += ranks[np.searchsorted(each.values, self._pivots, "left")]
            last = np.searchsorted(each.values, self._pivots, "right")
            self._until += np.where(last > 0, each.ranks[np.maximum(last, 1) - 1] + 1, 0)
        self._fetched: list[_Stretch] = []

    def __len__(self) -> int:
        return self._size

    def at(self, ranks: Sequence[int]) -> Numbers:
        """The values of these ranks."""
        found = np.zeros(len(ranks), dtype=self._type)
        for place, rank in enumerate(ranks):
            stretch = next((s for s in self._fetched if 0 <= rank - s.first < len(s.inside)), None)
            if stretch is None:
                low = self._pivots[np.searchsorted(self._less, rank, "right") - 1]
                high = self._pivots[np.searchsorted(self._until, rank, "right")]
                stretch = self._fetch(low.item(), high.item())
            found[place] = stretch.inside.at([rank - stretch.first])[0]
        return found

    def before(self, value: Number) -> int:
        """How many values are less than this one."""
        stretch = self._around(value)
        return stretch.first + stretch.inside.before(value)

    def until(self, value: Number) -> int:
        """How many values are less than this one, or equal."""
        stretch = self._around(value)
        return stretch.first + stretch.inside.until(value)

    def distinct(self, limit: int) -> Numbers:
        """The different values, ascending, but no more than the `limit` lowest."""
        return np.unique(np.concatenate([each.astype(self._type) for each in self._ask(lowest, limit)]))[
            :limit
        ]

    def all_whole(self) -> bool:
        """Are all values whole numbers?"""
        return all(self._ask(are_whole))

    def _around(self, value: Number) -> _Stretch:
        """A stretch that tells the rank of a value: that of the ends, where it lies beyond."""
        value = min(max(value, self._pivots[0].item()), self._pivots[-1].item())
        stretch = next((s for s in self._fetched if s.low <= value <= s.high), None)
        if stretch is not None:
            return stretch
        place = int(np.searchsorted(self._pivots, value, "right"))
        high = self._pivots[min(place, len(self._pivots) - 1)]
        return self._fetch(self._pivots[place - 1].item(), high.item())

    def _fetch(self, low: Number, high: Number) -> _Stretch:
        first, values, counts = zip(*self._ask(between, low, high), strict=True)
        each = np.concatenate([own.astype(self._type) for own in values])
        stretch = _Stretch(low, high, sum(first), RankedCounts.of(each, np.concatenate(counts)))
        self._fetched.append(stretch)
        return stretch
