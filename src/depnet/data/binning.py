"""Cutting a column of numbers into bins: by quantiles, or at edges that somebody gives.

Quantile bins hold about as many rows each. Their number is K = ceil(N^(1/3)) for N values, but at least 2 and at most
`max_bins` (16). A value that alone makes up 1/K of the rows or more (the zeros of a zero-inflated column) gets a bin
of its own, and the values between such values share the other bins by their number of rows. Where there are no more
than K different values, each has its own bin. Edges are the roundest numbers, or dates, between two values.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from depnet.data.bins import MAX_QUANTILES, Bins, Kind, Number, Numbers
from depnet.data.edges import edge_between
from depnet.errors import DataError

MAX_BINS = 16


def number_of_bins(values: int, max_bins: int = MAX_BINS) -> int:
    """How many quantile bins N values get.

    >>> [number_of_bins(n) for n in (5, 150, 2201, 10**6)]
    [2, 6, 14, 16]
    """
    root: int = round(values ** (1 / 3))
    root += root**3 < values
    return max(1, min(max_bins, max(2, root)))


def quantile_bins(values: Numbers, kind: Kind, number: int) -> Bins:
    """At most `number` bins of about as many values each; heavy values have their own.

    >>> quantile_bins(np.array([0.0] * 6 + [1.5, 2.5, 3.5, 7.5, 8.0, 9.5]), "float", 3).labels
    ('0', '(0, 6)', '[6, 10]')
    """
    ordered = np.sort(values)
    first = np.concatenate(([0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1))
    counts = np.diff(np.append(first, len(ordered)))
    distinct = ordered[first]
    if len(distinct) <= number:
        starts = np.arange(1, len(distinct))
        heavy = np.zeros(len(distinct), dtype=bool)
    else:
        heavy = _heavy(counts, number)
        starts = _starts(counts, heavy, number)
    return _bins(ordered, distinct, first, starts, heavy, kind)


def given_bins(values: Numbers, edges: Sequence[Number], kind: Kind) -> Bins:
    """Bins with these edges; a bin without values keeps its middle to draw.

    >>> given_bins(np.array([5.0, 7.0]), [0, 10, 20], "float").quantiles
    ((5.0, 7.0), (15.0,))
    """
    middles = [[_middle(low, high, kind)] for low, high in itertools.pairwise(edges)]
    shape = Bins(tuple(edges), tuple(map(tuple, middles)), kind)
    codes = shape.locate(np.sort(values))
    ends = np.searchsorted(codes, np.arange(len(shape) + 1))
    ordered = np.sort(values)
    kept = tuple(
        quantiles_of(ordered[start:end]) if end > start else shape.quantiles[k]
        for k, (start, end) in enumerate(itertools.pairwise(ends))
    )
    return Bins(shape.edges, kept, kind)


def quantiles_of(ordered: Numbers) -> tuple[Number, ...]:
    """At most 32 of a bin's values, ascending: the middles of as many parts of equal size.

    >>> quantiles_of(np.array([3, 3, 3])), len(quantiles_of(np.arange(1000)))
    ((3,), 32)
    """
    if ordered[0] == ordered[-1]:
        return (ordered[0].item(),)
    kept = min(len(ordered), MAX_QUANTILES)
    places = (2 * np.arange(kept) + 1) * len(ordered) // (2 * kept)
    return tuple(ordered[places].tolist())


def bins_at(ordered: Numbers, starts: NDArray[np.int64], kind: Kind) -> Bins:
    """Bins of sorted values that begin anew at the given distinct values (by their number)."""
    first = np.concatenate(([0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1))
    return _bins(ordered, ordered[first], first, starts, np.zeros(len(first), dtype=bool), kind)


def _heavy(counts: NDArray[np.int64], number: int) -> NDArray[np.bool_]:
    """The values with a bin of their own: the heaviest first, as long as the parts between them get one each."""
    heavy = np.zeros(len(counts), dtype=bool)
    enough = np.flatnonzero(counts * number >= counts.sum())
    for value in enough[np.argsort(-counts[enough], kind="stable")]:
        heavy[value] = True
        if heavy.sum() + _parts(heavy) > number:
            heavy[value] = False
    return heavy


def _parts(heavy: NDArray[np.bool_]) -> int:
    """The number of runs of values that are not heavy."""
    return int((~heavy & np.concatenate(([True], heavy[:-1]))).sum())


def _starts(counts: NDArray[np.int64], heavy: NDArray[np.bool_], number: int) -> NDArray[np.int64]:
    """The distinct values at which a bin begins, all but the first."""
    begins = np.flatnonzero(~heavy & np.concatenate(([True], heavy[:-1])))
    ends = np.flatnonzero(~heavy & np.concatenate((heavy[1:], [True]))) + 1
    masses = np.array([counts[b:e].sum() for b, e in zip(begins, ends, strict=True)], dtype=np.int64)
    shares = _shares(masses, ends - begins, number - int(heavy.sum()))
    starts = {*np.flatnonzero(heavy).tolist(), *(np.flatnonzero(heavy) + 1).tolist()}
    for begin, end, share in zip(begins.tolist(), ends.tolist(), shares, strict=True):
        below = np.cumsum(counts[begin:end]) - counts[begin:end]  # rows before each value of the part
        total = int(counts[begin:end].sum())
        targets = np.arange(1, share) * total / share
        later = np.searchsorted(below, targets)
        later = np.clip(later, 1, end - begin - 1)
        earlier = np.clip(later - 1, 1, end - begin - 1)
        nearer = targets - below[earlier] < below[later] - targets
        starts.update((begin + np.where(nearer, earlier, later)).tolist())
    starts -= {0, len(counts)}
    return np.array(sorted(starts), dtype=np.int64)


def _shares(masses: NDArray[np.int64], most: NDArray[np.int64], number: int) -> list[int]:
    """How many bins each part gets: one, and then the next to the part with most rows a bin."""
    shares = np.ones(len(masses), dtype=np.int64)
    for _ in range(number - len(masses)):
        room = shares < most
        if not room.any():
            break
        shares[np.argmax(np.where(room, masses / shares, -1))] += 1
    return shares.tolist()


def _bins(
    ordered: Numbers,
    distinct: Numbers,
    first: NDArray[np.int64],
    starts: NDArray[np.int64],
    heavy: NDArray[np.bool_],
    kind: Kind,
) -> Bins:
    bottom, top = distinct[0].item(), distinct[-1].item()
    margin = (top - bottom) / (2 * len(starts) + 2)  # half of a bin
    if kind != "float":
        margin = int(margin)
    edges: list[Number] = [bottom if heavy[0] or not margin else edge_between(bottom - margin, bottom, kind)]
    for start in starts.tolist():
        low, high = distinct[start - 1].item(), distinct[start].item()
        if heavy[start - 1]:
            edges.append(_after(low, kind))
        elif heavy[start]:
            edges.append(high)
        else:
            edges.append(edge_between(low, high, kind))
    if kind == "float" and edges[-1] < top:
        edges.append(-edge_between(-top - margin, -top, kind) if margin and math.isfinite(margin) else top)
    elif heavy[-1] or not margin:
        edges.append(_after(top, kind))
    else:
        edges.append(edge_between(top, top + margin, kind))
    bounds = [0, *first[starts].tolist(), len(ordered)]
    quantiles = tuple(quantiles_of(ordered[b:e]) for b, e in itertools.pairwise(bounds))
    return Bins(tuple(edges), quantiles, kind)


def _after(value: Number, kind: Kind) -> Number:
    return math.nextafter(value, math.inf) if kind == "float" else value + 1


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


def check_number(number: int, what: str) -> None:
    """A number of bins is a whole number of at least 1."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise DataError(f"{what} is a whole number of at least 1; got {number!r}.")
