"""Survey weights: how many members of the population each row stands for.

Rows of unequal weights say less of the population than as many rows of equal ones: as much as N = (sum w)^2 / sum w^2 of
them, Kish's effective number. Weights are scaled to sum to N, which is then the N of penalties, answers and intervals, and
rounded to multiples of 2^-16: sums of them are exact, so that results are the same bits in any order and on any machine.
Where all weights are equal they are those of a table without weights.

A table has them as floats. Its whole weights are another thing, repetitions: so many equal rows (`Dataset.from_codes`).
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import FloatArray, IntArray, read_only
from depnet.errors import DataError, brief, how_many

MAX_TOTAL_WEIGHT = 2**53
"""Counts stay exact as float64 below this."""

FRACTION = 1 << 16
"""Weights, and the counts that are sums of them, are multiples of one over this."""


def survey_weights(weights: ArrayLike, rows: int, name: str = "sample_weight") -> FloatArray | None:
    """Weights scaled and rounded; None where all are equal.

    >>> survey_weights([1, 1, 2], 3).tolist(), survey_weights([5.0, 5.0], 2)
    ([0.6666717529296875, 0.6666717529296875, 1.3333282470703125], None)
    """
    try:
        raw: NDArray[Any] = np.asarray(weights)
        each = raw.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} has a number for each of the {rows:,} rows; got {brief(weights)}.") from None
    if each.shape != (rows,):
        raise DataError(f"{name} has a number for each of the {rows:,} rows; got the shape {each.shape}.")
    for wrong, what in ((np.isnan(each), "missing"), (np.isinf(each), "infinite"), (each < 0, "negative")):
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(
                f"{name}, row {row}: the weight is {what} ({brief(raw[row].item())}). A row has a weight of 0 or more; "
                "remove rows without one."
            )
    if rows and not each.any():
        raise DataError(f"{name}: all weights are zero; at least one row needs a positive weight.")
    if not rows or (each == each[0]).all():
        return None
    each = each / each.max()  # no overflow, and exact sums below
    total = math.fsum(each)
    effective = total * total / math.fsum(each * each)
    scaled: FloatArray = np.rint(each * (effective / total * FRACTION)) / FRACTION
    return read_only(scaled)


def checked_weights(weights: ArrayLike, rows: int) -> IntArray:
    """Repetitions, as whole numbers."""
    try:
        raw: NDArray[Any] = np.asarray(weights)
    except ValueError as error:
        raise DataError(f"row weights are {rows} integers, one a row; {error}.") from None
    if raw.shape != (rows,) or (raw.size and raw.dtype.kind not in "ui"):
        raise DataError(f"row weights are {rows} integers, one a row; got shape {raw.shape} of {raw.dtype}.")
    if raw.size and raw.min() < 0:
        row = int(np.argmin(raw))
        raise DataError(f"row {row} has the weight {raw[row]}; weights are not negative.")
    if raw.size and int(raw.max()) * rows >= MAX_TOTAL_WEIGHT:  # else the sum is below it, too
        total = sum(map(int, raw.tolist()))
        if total >= MAX_TOTAL_WEIGHT:
            raise DataError(f"the row weights sum to {how_many(total)}; counts are exact only below 2^53.")
    return read_only(np.array(raw, dtype=np.int64))


def are_fractions(numbers: NDArray[Any]) -> bool:
    """Are these floats such weights, or counts of them?"""
    return bool(np.isfinite(numbers).all()) and bool(
        (numbers * FRACTION == np.floor(numbers * FRACTION)).all()
    )


def in_units(weights: NDArray[Any] | None) -> IntArray | None:
    """Weights as the native core counts them: whole numbers, of survey weights in units of 2^-16."""
    if weights is None or weights.dtype != np.float64:
        return weights
    return (weights * FRACTION).astype(np.int64)


def from_units(counts: IntArray, weights: NDArray[Any] | None) -> Any:
    """Counts that the native core has made of such weights."""
    return counts if weights is None or weights.dtype != np.float64 else counts / FRACTION


def repetitions(weights: NDArray[Any]) -> IntArray:
    """How often each row comes where rows must come whole times: survey weights are rounded so that sums stay near.

    >>> repetitions(np.array([0.5, 0.5, 1.25, 0.75])).tolist(), repetitions(np.array([2, 1])).tolist()
    ([1, 0, 1, 1], [2, 1])
    """
    if weights.dtype != np.float64:
        return weights
    until: FloatArray = np.floor(np.cumsum(weights) + 0.5)
    return np.diff(until, prepend=0.0).astype(np.int64)
