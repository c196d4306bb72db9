"""How odd cells and rows are, as plainly as it can be said: one cell at a time, in Python floats."""

import itertools
import math
import statistics
from collections.abc import Sequence


def upper_share(kept: Sequence[Sequence[float]], masses: Sequence[float], rows: int, value: float) -> float:
    """Which share of the last bin lies at or above a value of it; bins keep these values, and have these shares of rows."""
    own, mass = list(kept[-1]), masses[-1]
    m = len(own)
    least = min(1.0, 1 / (rows + 1) / mass)
    own_witness = m > 1 and mass * rows < 2 * m + 0.5 and own[-2] > kept[0][0]
    last = own[-2] if own_witness else own[-1]
    left = 1.5 / m if own_witness else 0.5 / m
    if value <= last:
        if m == 1:
            return 1.0
        points: dict[float, float] = {}
        for k, v in enumerate(own, start=1):
            if v <= last:
                points.setdefault(v, max(1 - (k - 0.5) / m, least))
        return _line(points, value)
    beyond = least if m == 1 else max(left, least)
    scale = _scale(kept, masses, last, mass if m == 1 else mass * left)
    return beyond * math.exp(-min((value - last) / scale, 600.0))


def _line(points: dict[float, float], value: float) -> float:
    """On straight lines between points; 1 before the first."""
    values = sorted(points)
    if value < values[0]:
        return 1.0
    for a, b in itertools.pairwise(values):
        if a <= value <= b:
            return points[a] + (points[b] - points[a]) * (value - a) / (b - a)
    return points[values[-1]]


def _scale(kept: Sequence[Sequence[float]], masses: Sequence[float], end: float, at_end: float) -> float:
    levels = [(v, mass / len(own)) for own, mass in zip(kept, masses, strict=True) for v in own]
    for share in (0.1, 0.5, 1.0):
        above, q = 0.0, levels[0][0]
        for v, mass in reversed(levels):
            above += mass
            if above >= share:
                q = v
                break
        if q < end and above > at_end:
            return (end - q) / math.log(above / at_end)
    return math.inf


def category_tail(theta: Sequence[float], x: int) -> float:
    """The probability of states at most as likely as x."""
    return min(1.0, sum(p for p in theta if p <= theta[x] * (1 + 1e-9)))


def ordered_tail(
    theta: Sequence[float],
    shares: Sequence[float],
    x: int,
    *,
    low: float = 1.0,
    high: float = 1.0,
    present: int,
) -> float:
    """Three times the least of low, high and unlikely; `low` and `high` are the shares of its bin at least as far out."""
    ratio = [p / q for p, q in zip(theta, shares, strict=True)]
    ways = [sum(p for p, r in zip(theta, ratio, strict=True) if r <= ratio[x] * (1 + 1e-9))]
    if x < present:
        ways.append(sum(theta[:x]) + theta[x] * low)
        ways.append(sum(theta[x + 1 : present]) + theta[x] * high)
    return min(1.0, 3 * min(ways))


def row_tail(tails: Sequence[float]) -> float:
    """The harmonic mean."""
    return len(tails) / sum(1 / t for t in tails) if tails else 1.0


def placed(column: Sequence[float | str | None], like: Sequence[float | str | None]) -> list[float | str]:
    """Cells in deviations from the median of the column `like`, or labels; a hole is what is ordinary there."""
    known = [v for v in like if v is not None]
    if any(isinstance(v, str) for v in known):
        most = max(sorted(set(known), key=str), key=known.count)
        return [most if v is None else v for v in column]
    numbers = [float(v) for v in known]
    scale = statistics.pstdev(numbers) or 1.0
    return [0.0 if v is None else (float(v) - statistics.median(numbers)) / scale for v in column]


def distance(a: Sequence[float | str], b: Sequence[float | str]) -> float:
    """Of two rows: deviations between numbers, and 1 for each label that is another one."""
    return sum(
        float(v != w) if isinstance(v, str) or isinstance(w, str) else abs(v - w)
        for v, w in zip(a, b, strict=True)
    )


def how_far(row: Sequence[float | str], others: Sequence[Sequence[float | str]]) -> float:
    """To the 20th nearest, not counting the first, which may be itself; of few others, the middle one."""
    return round(sorted(distance(row, other) for other in others)[min(20, len(others) // 2)], 9)


def apart_tail(own: Sequence[float], x: float) -> float:
    """The share of distances that are at least x; past what a tenth exceeds, an exponential through what 1 % exceeds."""
    n, ascending = len(own), sorted(own)
    end, far = (ascending[math.ceil(q * (n - 1))] for q in (0.9, 0.99))
    if x <= end:
        return _line({d: sum(e >= d for e in own) / n for d in own if d <= end}, x)
    beyond = max(sum(d > end for d in own) / n, 1 / (n + 1))
    scale = (far - end) / math.log(beyond / 0.01) if far > end and beyond > 0.01 else math.inf
    return beyond * math.exp(-min((x - end) / scale, 600.0))
