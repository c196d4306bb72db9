"""The figures of drawn rows, as their definitions say them: lists of values (None: missing), one at a time."""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from statistics import correlation
from typing import Any

Column = Sequence[Any]


def known(column: Column) -> list[Any]:
    return [value for value in column if value is not None]


def ks_complement(real: Column, other: Column) -> float:
    real, other = known(real), known(other)

    def share_below(column: Column, value: float) -> float:
        return float(sum(each <= value for each in column) / len(column))

    return 1.0 - float(max(abs(share_below(real, x) - share_below(other, x)) for x in [*real, *other]))


def tv_complement(real: Column, other: Column) -> float:
    p, q = Counter(known(real)), Counter(known(other))
    return 1 - sum(abs(p[x] / p.total() - q[x] / q.total()) for x in {*p, *q}) / 2


def range_coverage(real: Column, other: Column) -> float:
    real, other = known(real), known(other)
    width = max(real) - min(real)
    low, high = max(min(other) - min(real), 0) / width, max(max(real) - max(other), 0) / width
    return float(max(1 - low - high, 0))


def category_coverage(real: Column, other: Column) -> float:
    return len({*known(real)} & {*known(other)}) / len({*known(real)})


def correlation_similarity(real: tuple[Column, Column], other: tuple[Column, Column]) -> float:
    found = []
    for pair in (real, other):
        rows = [row for row in zip(*pair, strict=True) if None not in row]
        found.append(correlation(*zip(*rows, strict=True)))
    return 1 - abs(found[0] - found[1]) / 2


def binned(column: Column, real: Column, *, right: bool = False) -> list[Any]:
    """Which of ten bins of one width each number lies in; a number on an edge in the one above, or below."""
    low, high = min(known(real)), max(known(real))
    edges = [low + (high - low) * k / 10 for k in range(1, 10)]
    return [None if x is None else sum(edge < x if right else edge <= x for edge in edges) for x in column]


def contingency_similarity(real: tuple[Column, Column], other: tuple[Column, Column]) -> float:
    p, q = (Counter(zip(*pair, strict=True)) for pair in (real, other))
    return 1 - sum(abs(p[x] / p.total() - q[x] / q.total()) for x in {*p, *q}) / 2


def closest(rows: Sequence[Column], reference: Sequence[Column], numeric: Sequence[bool]) -> list[float]:
    """Of each row the distance to the closest of the reference."""
    widths = []
    for i, number in enumerate(numeric):
        values = known([row[i] for row in reference])
        widths.append(max(values) - min(values) if number and values else 0)

    def apart(a: Any, b: Any, number: bool, width: float) -> float:
        if a is None or b is None:
            return float(a is not b)
        return min(abs(a - b) / width, 1.0) if number and width else float(a != b)

    return [
        min(sum(map(apart, row, other, numeric, widths)) / len(numeric) for other in reference)
        for row in rows
    ]


def nearer(ours: Sequence[float], theirs: Sequence[float]) -> float:
    pairs = [*product(ours, theirs)]
    return sum((a < b) + (a == b) / 2 for a, b in pairs) / len(pairs)


def guessed(rows: Sequence[Column], known_rows: Sequence[Column], asked: int) -> float:
    """How often the known rows that differ in the fewest other columns have the row's own value."""
    found = 0.0
    for row in rows:
        unlike = [
            sum(a != b for i, (a, b) in enumerate(zip(row, other, strict=True)) if i != asked)
            for other in known_rows
        ]
        nearest = [other for other, count in zip(known_rows, unlike, strict=True) if count == min(unlike)]
        found += sum(other[asked] == row[asked] for other in nearest) / len(nearest)
    return found / len(rows)
