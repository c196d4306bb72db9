"""Frames as plain lists: what the code of a value is, one value at a time, and where to cut, by trying all."""

import datetime as dt
import math
from collections import Counter
from typing import Any

from depnet import Variable

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def number_of(value: Any, kind: str) -> Any:
    """A value as a number of bins of a kind."""
    if kind == "date":
        return (value - EPOCH.date()).days
    if kind == "datetime":
        return (value.replace(tzinfo=value.tzinfo or dt.UTC) - EPOCH) // dt.timedelta(microseconds=1)
    return value


def bin_of(number: Any, edges: tuple[Any, ...]) -> int:
    """The last bin whose lower edge is not above the number; the first, where all are."""
    place = 0
    for k in range(1, len(edges) - 1):
        if edges[k] <= number:
            place = k
    return place


def code_of(value: Any, variable: Variable) -> int | None:
    """The code of a value that is there or not; None for a hole."""
    if is_nothing(value):
        return variable.cardinality - 1 if variable.missing is not None else None
    if variable.bins is not None:
        return bin_of(number_of(value, variable.bins.kind), variable.bins.edges)
    return next(code for code, state in enumerate(variable.states) if state == value)


def bits(classes: list[int]) -> float:
    """N H(S)."""
    return -sum(n * math.log2(n / len(classes)) for n in Counter(classes).values())


def fayyad_irani(pairs: list[tuple[Any, int]]) -> set[Any]:
    """The values at which a new bin begins: all cuts tried, the best kept if it pays, and so on in both parts."""
    values = sorted({value for value, _ in pairs})
    classes = [c for _, c in pairs]
    best = None
    for cut in values[1:]:
        low = [c for value, c in pairs if value < cut]
        high = [c for value, c in pairs if value >= cut]
        gain = bits(classes) - bits(low) - bits(high)
        if best is None or gain > best[0] + 1e-9:
            best = gain, cut, low, high
    if best is None:
        return set()
    gain, cut, low, high = best
    k, k_low, k_high = (len(set(part)) for part in (classes, low, high))
    saved = k * bits(classes) / len(classes) - k_low * bits(low) / len(low) - k_high * bits(high) / len(high)
    if gain <= math.log2(len(pairs) - 1) + math.log2(3**k - 2) - saved + 1e-9:
        return set()
    below = [pair for pair in pairs if pair[0] < cut]
    above = [pair for pair in pairs if pair[0] >= cut]
    return {cut} | fayyad_irani(below) | fayyad_irani(above)
