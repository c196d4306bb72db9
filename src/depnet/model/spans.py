"""Ranges on the number line of a variable: whole numbers and floats, days and moments, and states that are numbers.

The share of a state inside a range is counted among the values that are known of it: the number that it is, or the
values that its bin keeps (`Bins.quantiles`, at equal distances in rank). A bin of one value is inside or is not.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.binning.bins import Bins, Number
from depnet.data.binning.times import DAY
from depnet.data.table.variable import Variable

Closed = Literal["left", "right", "both", "neither"]
INFINITE = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Span:
    """The numbers from `low` to `high`; `closed` says which of the ends are in, as pandas says it of intervals.

    >>> 5 in Span(0, 5), 5 in Span(0, 5, "left")
    (True, False)
    """

    low: Number
    high: Number
    closed: Closed = "both"

    def __contains__(self, number: object) -> bool:
        return isinstance(number, (int, float)) and bool(self.covers(number))

    def covers(self, numbers: Any) -> Any:
        """Which of many numbers are in it; or, is one?"""
        above = numbers >= self.low if self.closed in ("left", "both") else numbers > self.low
        below = numbers <= self.high if self.closed in ("right", "both") else numbers < self.high
        return above & below

    @property
    def empty(self) -> bool:
        return self.low > self.high or (self.low == self.high and self.closed != "both")


def overlap(some: Sequence[Span], others: Sequence[Span]) -> tuple[Span, ...]:
    """What two unions of ranges share.

    >>> overlap([Span(0, 5), Span(8, 9)], [Span(3, 8, "left")])
    (Span(low=3, high=5, closed='both'),)
    """
    found = (_overlap_of_two(a, b) for a in some for b in others)
    return tuple(span for span in found if not span.empty)


def _overlap_of_two(a: Span, b: Span) -> Span:
    # The later begin; of equal ones that which leaves the end out. Ends likewise.
    low, out = max((span.low, span.closed not in ("left", "both")) for span in (a, b))
    high, into = min((span.high, span.closed in ("right", "both")) for span in (a, b))
    closed: dict[tuple[bool, bool], Closed] = {
        (False, True): "both", (False, False): "left", (True, True): "right", (True, False): "neither"
    }  # fmt: skip
    return Span(low, high, closed[out, into])


def complement(spans: Sequence[Span]) -> tuple[Span, ...]:
    """All numbers that are in none of the ranges.

    >>> complement([Span(0, 5, "left")])
    (Span(low=-inf, high=0, closed='neither'), Span(low=5, high=inf, closed='left'))
    """
    found: tuple[Span, ...] = (Span(-math.inf, math.inf, "neither"),)
    for span in spans:
        below = Span(-math.inf, span.low, "neither" if span.closed in ("left", "both") else "right")
        above = Span(span.high, math.inf, "neither" if span.closed in ("right", "both") else "left")
        found = overlap(found, (below, above))
    return found


def ends_of(variable: Variable, value: object) -> tuple[Number, Number]:
    """The first and the last number that a value means; they differ where a day stands for all its moments.

    Of words in an order it is the place of the state.

    >>> bins = Bins((0, 2 * DAY), ((DAY,),), "datetime")
    >>> ends_of(Variable("at", bins.labels, bins), "1970-01-02") == (DAY, 2 * DAY - 1)
    True
    """
    if variable.scale != "number":
        code = variable.code(value)
        return code, code
    bins = Bins((0, 1), ((0,),)) if variable.bins is None else variable.bins  # these read plain numbers
    number = bins.number(value)
    return number, number + DAY - 1 if bins.kind == "datetime" and _is_day(value) else number


def shares(variable: Variable, spans: Sequence[Span]) -> FloatArray:
    """[state but the missing one]: the share of its known values inside any of the ranges.

    Where that is nothing at all, though a range lies between values that a bin keeps, the length that it covers of the
    bin counts, but for no more than one kept value would. A single value that its bin does not keep counts for its length,
    too, of floats for half of a kept one; an infinite one for nothing.
    """
    bins = variable.bins
    if bins is None:
        numbers: Sequence[object] = variable.present_states
        if variable.scale != "number":
            numbers = range(len(numbers))
        return np.array([inside([number], spans) for number in numbers], dtype=np.float64)
    sizes = np.array([len(values) for values in bins.quantiles])
    values = np.concatenate(bins.quantiles)
    met = np.any([span.covers(values) for span in spans], axis=0)
    found: FloatArray = np.add.reduceat(met, np.cumsum(sizes) - sizes, dtype=np.int64) / sizes
    for span in (span for span in spans if span.low == span.high and span.low not in INFINITE):
        code = int(bins.locate(np.array([span.low]))[0])
        alone = _cover(bins, code, span) if bins.kind != "float" else 0.5 / len(bins.quantiles[code])
        found[code] = found[code] or alone
    if not found.any():
        found = np.array([sum(_cover(bins, code, span) for span in spans) for code in range(len(bins))])
    return found


def inside(values: Sequence[object], spans: Sequence[Span]) -> int:
    """How many of the values lie in any of the ranges."""
    return sum(any(value in span for span in spans) for value in values)


def extent(bins: Bins) -> tuple[Number, Number]:
    """The least and the greatest number of the bins, infinite ones too: the outermost edges, or values kept beyond."""
    last = bins.edges[-1] if bins.kind == "float" else bins.edges[-1] - 1
    return min(bins.edges[0], bins.quantiles[0][0]), max(last, bins.quantiles[-1][-1])


def within(bins: Bins, code: int, spans: Sequence[Span]) -> tuple[Number, ...]:
    """Values of a bin to draw from that lie in any of the ranges: those kept, else where a range begins in the bin.

    >>> within(Bins((0, 18), ((3, 9, 10, 17),), "integer"), 0, [Span(9, 12)])
    (9, 10)
    """
    kept = tuple(value for value in bins.quantiles[code] if inside([value], spans))
    covering = [span for span in spans if _cover(bins, code, span)]
    if kept or not covering:
        return kept
    begin, end = _overlap(bins, code, covering[0])
    if begin > -math.inf:
        return (begin,)
    return (math.nextafter(end, -math.inf) if bins.kind == "float" else end - 1,)


def _cover(bins: Bins, code: int, span: Span) -> float:
    """What a range covers of a bin's length, at most a kept value's part of it."""
    values = bins.quantiles[code]
    if len(values) == 1:
        return 0.0
    least, greatest = extent(bins)
    width = min(bins.edges[code + 1], _after(greatest, bins)) - max(bins.edges[code], least)
    begin, end = _overlap(bins, code, span)
    if not begin < end:
        return 0.0
    return 1 / len(values) if math.isinf(width) else min((end - begin) / width, 1 / len(values))


def _overlap(bins: Bins, code: int, span: Span) -> tuple[Number, Number]:
    """[begin, end) of what a range and a bin share; a whole number n has the length from n to n + 1."""
    least, greatest = extent(bins)
    begin = span.low if span.closed in ("left", "both") else _after(span.low, bins)
    end = _after(span.high, bins) if span.closed in ("right", "both") else span.high
    if bins.kind != "float":
        begin, end = (edge if math.isinf(edge) else math.ceil(edge) for edge in (begin, end))
    return max(begin, bins.edges[code], least), min(end, bins.edges[code + 1], _after(greatest, bins))


def _after(number: Number, bins: Bins) -> Number:
    """The next number: of whole ones, the next whole one."""
    if math.isinf(number):
        return number
    return math.nextafter(number, math.inf) if bins.kind == "float" else math.floor(number) + 1


def _is_day(value: object) -> bool:
    if isinstance(value, str):
        return len(value.strip()) <= len("2024-02-29")
    if isinstance(value, np.datetime64):
        return np.datetime_data(value.dtype)[0] in ("Y", "M", "W", "D")
    return not hasattr(value, "hour")
