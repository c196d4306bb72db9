"""Cutting a column of numbers into bins: by quantiles, or at edges that somebody gives.

Quantile bins hold about as many rows each. Their number is K = ceil(N^(1/3)) for N values, but at least 2 and at most
`max_bins` (16). A value that alone makes up 1/K of the rows or more (the zeros of a zero-inflated column) gets a bin
of its own, and the values between such values share the other bins by their number of rows. Where there are no more
than K different values, each has its own bin. Edges are the roundest numbers, or dates, between two values.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from depnet.arrays import IntArray
from depnet.data.binning.bins import MAX_QUANTILES, RANGES, Bins, Kind, Number, Numbers
from depnet.data.binning.times import DAY, HOUR, MINUTE, SECOND

MAX_BINS = 16

LOOK = 1000
"""Numbers that are looked at before all others."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """N numbers in their order, all that states and bins are made from: the different `values`, ascending, and their ranks.

    >>> ranked = Ranked.of(np.array([7, 3, 3]))
    >>> len(ranked), ranked.at([1, 2]).tolist(), ranked.before(7)
    (3, [3, 7], 2)
    """

    values: Numbers
    ends: IntArray
    """0, and how many numbers are less than each value, or equal."""

    @classmethod
    def of(cls, values: Any, counts: Any = None) -> "Ranked":
        """Numbers in any order, and how often each comes; None: once."""
        if counts is None:
            ascending = np.sort(values)
            last = np.append(ascending[1:] != ascending[:-1], True)[: len(ascending)]
            return cls(ascending[last], np.concatenate(([0], np.flatnonzero(last) + 1)))
        found, where = np.unique(values, return_inverse=True)
        times = np.bincount(where, counts).astype(np.int64)
        return cls(found, np.concatenate(([0], np.cumsum(times))))

    def __len__(self) -> int:
        return int(self.ends[-1])

    def at(self, ranks: Sequence[int]) -> Numbers:
        """The numbers of these ranks, from 0 on."""
        return self.values[np.searchsorted(self.ends, np.asarray(ranks, dtype=np.int64), side="right") - 1]

    def before(self, value: Number) -> int:
        """How many numbers are less than this one."""
        return int(self.ends[np.searchsorted(self.values, value)])


def are_whole(values: Numbers) -> bool:
    """Are these all whole numbers, none of them too large for a float to tell it from the next?

    >>> are_whole(np.array([1.0, -3.0])), are_whole(np.array([0.5])), are_whole(np.array([1e300]))
    (True, False, False)
    """
    some = values[:LOOK]  # which say it of most columns of floats
    return all(bool(((np.abs(v) < 2**53) & (v == np.floor(v))).all()) for v in (some, values))


def number_of_bins(values: int, max_bins: int = MAX_BINS) -> int:
    """How many quantile bins N values get.

    >>> [number_of_bins(n) for n in (5, 150, 2201, 10**6)]
    [2, 6, 14, 16]
    """
    root: int = round(values ** (1 / 3))
    root += root**3 < values
    return max(1, min(max_bins, max(2, root)))


def quantile_bins(values: Numbers | Ranked, kind: Kind, number: int) -> Bins:
    """At most `number` bins of about as many values each; heavy values have their own.

    >>> quantile_bins(np.array([0.0] * 6 + [1.5, 2.5, 3.5, 7.5, 8.0, 9.5]), "float", 3).labels
    ('0', '[1, 6)', '[6, 10]')
    """
    ranked = values if isinstance(values, Ranked) else Ranked.of(values)
    return _bins(ranked, quantile_bounds(ranked, number), kind)


def one_value_bins(values: Sequence[int]) -> Bins:
    """A bin for each of these different whole numbers, ascending: of one in between or beyond, the bin of the nearest.

    >>> families = one_value_bins([1, 2, 6])
    >>> families.edges, families.locate([0, 3, 5, 9]).tolist()
    ((1, 2, 4, 7), [0, 1, 2, 2])
    """
    inner = [-(-(low + high) // 2) for low, high in itertools.pairwise(values)]
    edges = (values[0], *inner, _after(values[-1], "integer"))
    return Bins(edges, tuple((value,) for value in values), "integer")


def given_bins(values: Numbers | Ranked, edges: Sequence[Number], kind: Kind) -> Bins:
    """Bins with these edges; a bin without values keeps its middle to draw.

    >>> given_bins(np.array([5.0, 7.0]), [0, 10, 20], "float").quantiles
    ((5.0, 7.0), (15.0,))
    """
    ranked = values if isinstance(values, Ranked) else Ranked.of(values)
    middles = [[_middle(low, high, kind)] for low, high in itertools.pairwise(edges)]
    shape = Bins(tuple(edges), tuple(map(tuple, middles)), kind)
    bounds = [0, *(ranked.before(edge) for edge in shape.edges[1:-1]), len(ranked)]
    kept = quantiles_between(ranked, bounds)
    return Bins(
        shape.edges, tuple(own or middle for own, middle in zip(kept, shape.quantiles, strict=True)), kind
    )


def quantiles_between(ranked: Ranked, bounds: Sequence[int]) -> list[tuple[Number, ...]]:
    """At most 32 values of each bin of ranks, ascending: the middles of as many parts of equal size.

    >>> quantiles_between(Ranked.of(np.array([3, 3, 3, 4, 5])), [0, 3, 5])
    [(3,), (4, 5)]
    """
    quantiles: list[tuple[Number, ...]] = []
    for begin, end in itertools.pairwise(bounds):
        kept = min(end - begin, MAX_QUANTILES)
        places = [begin + (2 * k + 1) * (end - begin) // (2 * kept) for k in range(kept)]
        low, high, *own = ranked.at([begin, end - 1, *places]).tolist() if places else (0, 1)
        quantiles.append(tuple(own[:1] if low == high else own))
    return quantiles


def quantile_bounds(ranked: Ranked, number: int) -> list[int]:
    """The ranks at which bins begin, with N at the end.

    >>> quantile_bounds(Ranked.of(np.array([0] * 6 + [1, 2, 3, 7, 8, 9])), 3)
    [0, 6, 9, 12]
    """
    ends, different = ranked.ends, len(ranked.values)
    if different <= number:
        return list(map(int, ends))
    heavy = _heavy(np.diff(ends), number)
    parts = _between(heavy, different)
    masses = [int(ends[end] - ends[begin]) for begin, end in parts]
    shares = _shares(masses, [end - begin for begin, end in parts], number - len(heavy))
    starts = {0, different, *heavy, *(value + 1 for value in heavy)}
    for (begin, end), mass, share in zip(parts, masses, shares, strict=True):
        below = ends[begin:end] - ends[begin]
        starts.update(begin + _nearest_start(below, k * mass / share) for k in range(1, share))
    return list(map(int, ends[sorted(starts)]))


def _heavy(counts: IntArray, number: int) -> list[int]:
    """The places of values with a bin of their own: the heaviest first, as long as the parts between them get one each."""
    enough = np.flatnonzero(counts * number >= counts.sum())
    heavy: list[int] = []
    for value in enough[np.argsort(-counts[enough], kind="stable")].tolist():
        more = sorted([*heavy, value])
        if len(more) + len(_between(more, len(counts))) <= number:
            heavy = more
    return heavy


def _between(heavy: Sequence[int], different: int) -> list[tuple[int, int]]:
    """The parts [from, to) of values between the heavy ones."""
    edges = itertools.pairwise([-1, *heavy, different])
    return [(low + 1, high) for low, high in edges if low + 1 < high]


def _nearest_start(below: IntArray, target: float) -> int:
    """The value whose start is nearest to a target, the later of two; `below`: rows before each value but the first."""
    at = int(np.searchsorted(below, math.ceil(target)))  # of a float, all of `below` would become floats
    later = min(max(at, 1), len(below) - 1)
    earlier = max(later - 1, 1)
    return earlier if target - below[earlier] < below[later] - target else later


def _shares(masses: Sequence[int], most: Sequence[int], number: int) -> list[int]:
    """How many bins each part gets: one, and then the next to the part with most rows a bin."""
    shares = [1] * len(masses)
    for _ in range(number - len(masses)):
        room = [k for k in range(len(masses)) if shares[k] < most[k]]
        if not room:
            break
        shares[max(room, key=lambda k: masses[k] / shares[k])] += 1
    return shares


def _bins(ranked: Ranked, bounds: Sequence[int], kind: Kind) -> Bins:
    bottom, top = ranked.at([0, len(ranked) - 1]).tolist()
    inner = bounds[1:-1]
    margin = _margin(bottom, top, len(inner) + 1, kind)
    edges: list[Number] = [edge_between(bottom - margin, bottom, kind) if margin else bottom]
    around = iter(ranked.at([rank for start in inner for rank in (start - 1, start)]).tolist())
    edges += [edge_between(next(around), next(around), kind) for _ in inner]
    edges.append(_last_edge(edges[-1], top, margin, kind))
    return Bins(tuple(edges), tuple(quantiles_between(ranked, bounds)), kind)


def _last_edge(before: Number, top: Number, margin: Number, kind: Kind) -> Number:
    """The edge after all values, and after the one `before` it; the last bin of floats includes it."""
    if kind != "float":
        return edge_between(top, top + margin, kind) if margin else _after(top, kind)
    last = -edge_between(-top - margin, -top, kind) if margin else top
    if before < last:
        return last
    beyond = top + margin if top < top + margin else top + (abs(top) or 1.0)
    return edge_between(top, beyond, kind) if math.isfinite(beyond) else math.inf


def _margin(bottom: Number, top: Number, number: int, kind: Kind) -> Number:
    """How far the outermost edges may lie beyond the values, so as to be round: half a bin; none of whole numbers, days."""
    if kind == "float":
        half = (top - bottom) / (2 * number)
        return half if math.isfinite(top + half) and math.isfinite(bottom - half) else 0
    if kind in ("datetime", "duration"):
        low, high = RANGES[kind]
        return min(int(top - bottom) // (2 * number), int(bottom) - low, high - int(top))
    return 0


def _after(value: Number, kind: Kind) -> Number:
    return value + 1 if value < RANGES[kind][1] else math.inf


def _middle(low: Number, high: Number, kind: Kind) -> Number:
    if math.isnan(low) or math.isnan(high) or not low < high:
        return 0  # the edges' own check says what is wrong
    if math.isinf(low) and math.isinf(high):
        return 0
    if math.isinf(low):
        return math.nextafter(high, -math.inf) if kind == "float" else int(high) - 1
    if math.isinf(high):
        return low
    if kind == "float":
        return min(max(low, low / 2 + high / 2), math.nextafter(high, -math.inf))
    return (int(low) + int(high)) // 2


def edge_between(low: Number, high: Number, kind: Kind) -> Number:
    """An edge e with low < e <= high: one with the fewest digits, also of days, hours or minutes, or a day, month or
    year's start.

    >>> edge_between(24.37, 25.81, "float"), edge_between(118, 231, "integer")
    (25.0, 200)
    >>> from depnet.data.binning.times import days_of, text_of_day
    >>> text_of_day(edge_between(days_of("2024-01-15"), days_of("2024-03-02"), "date"))
    '2024-03-01'
    >>> edge_between(10 * MINUTE, 150 * MINUTE, "duration") == 2 * HOUR
    True
    """
    if kind == "float":
        return _round_float(float(low), float(high))
    if kind == "integer":
        return _round_whole(int(low), int(high))
    if kind == "duration":  # a round number of the longest unit that an edge can be a number of
        units = (each for each in (DAY, HOUR, MINUTE, SECOND) if low // each < high // each)
        longest = next(units, 1)
        return _round_whole(int(low) // longest, int(high) // longest) * longest
    unit = "D" if kind == "date" else "us"
    moment = np.array(int(high), dtype=f"datetime64[{unit}]")
    for coarse in ("Y", "M", "D", "h", "m", "s"):
        start = int(moment.astype(f"datetime64[{coarse}]").astype(f"datetime64[{unit}]").astype(np.int64))
        if start > low:
            return start
    return high


def _round_whole(low: int, high: int) -> int:
    step: int = 10 ** len(str(max(abs(low), abs(high))))
    while step > 1:
        candidate = high // step * step
        if candidate > low:
            return candidate
        step //= 10
    return high


def _round_float(low: float, high: float) -> float:
    """Of the multiples of the largest power of ten that has some in between, the one nearest to the middle.

    Numbers are taken as they are written: 0.3 is three tenths, though the float is a little less.
    """
    if low < 0.0 <= high:
        return 0.0
    first, last = Fraction(repr(low)), Fraction(repr(high))
    top = max(abs(low), abs(high))
    exponent = math.floor(math.log10(top)) + 1
    for power in range(exponent, exponent - 19, -1):
        step = Fraction(10) ** power
        least, most = first // step + 1, last // step
        if least <= most:
            edge = float(min(max(round((first + last) / (2 * step)), least), most) * step)
            if low < edge <= high:
                return edge
    return high
