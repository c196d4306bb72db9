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
    if kind == "duration":
        return value // dt.timedelta(microseconds=1)
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
