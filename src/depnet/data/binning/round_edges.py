"""Edges that people can read: the roundest number, date or duration between two neighbouring values."""

import math
from fractions import Fraction

import numpy as np

from depnet.data.binning.bins import Kind, Number
from depnet.data.binning.calendar import DAY
from depnet.data.binning.durations import HOUR, MINUTE, SECOND


def edge_between(low: Number, high: Number, kind: Kind) -> Number:
    """An edge e with low < e <= high: one with the fewest digits, also of days, hours or minutes, or a day, month or
    year's start.

    >>> edge_between(24.37, 25.81, "float"), edge_between(118, 231, "integer")
    (25.0, 200)
    >>> from depnet.data.binning.calendar import days_of, text_of_day
    >>> text_of_day(edge_between(days_of("2024-01-15"), days_of("2024-03-02"), "date"))
    '2024-03-01'
    >>> edge_between(10 * MINUTE, 150 * MINUTE, "duration") == 2 * HOUR
    True
    """
    if kind == "float":
        return _round_float(float(low), float(high))
    if kind == "integer":
        return _round_whole(int(low), int(high))
    if kind == "duration":
        return _round_duration(int(low), int(high))
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


def _round_duration(low: int, high: int) -> int:
    """A round number of the longest unit of time that an edge can be a number of."""
    for unit in (DAY, HOUR, MINUTE, SECOND):
        if low // unit < high // unit:
            return _round_whole(low // unit, high // unit) * unit
    return _round_whole(low, high)


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
