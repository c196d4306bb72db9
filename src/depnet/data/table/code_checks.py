"""What are codes and row weights of a table, and where they are not: the cell, and what to do."""

from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import CodeArray, IntArray, read_only
from depnet.checks import is_whole
from depnet.data.table.domain import Domain
from depnet.errors import DataError, brief, how_many

MAX_TOTAL_WEIGHT = 2**53
"""Counts stay exact as float64 below this."""


def checked_codes(codes: ArrayLike, domain: Domain) -> CodeArray:
    try:
        raw: NDArray[Any] = np.asarray(codes)
    except ValueError as error:
        raise DataError(f"codes are a rectangular table of integers [rows, variables]; {error}.") from None
    if raw.ndim == 1 and raw.size == 0:
        raw = raw.reshape(0, len(domain))
    check_shape(raw, domain)
    if raw.size and raw.dtype.kind not in "bui":
        _reject_non_integers(raw, domain)
    checked: CodeArray = np.empty(raw.shape, dtype=code_type(domain), order="F")
    for i, k in enumerate(domain.cardinalities):
        column = raw[:, i]
        if column.size and (column.min() < 0 or column.max() >= k):  # before a cast that would wrap
            reject_codes_outside(raw, domain)
        checked[:, i] = column
    return read_only(checked)


def code_type(domain: Domain) -> np.dtype[np.uint8] | np.dtype[np.uint16]:
    """The type of a domain's codes: uint8, or uint16 past 256 states."""
    return np.dtype(np.uint16) if max(domain.cardinalities) > 256 else np.dtype(np.uint8)


def check_shape(codes: NDArray[Any], domain: Domain) -> None:
    if codes.ndim != 2 or codes.shape[1] != len(domain):
        raise DataError(
            f"codes have the shape {codes.shape}; expected [rows, {len(domain)}], one column for each variable."
        )


def reject_codes_outside(codes: NDArray[Any], domain: Domain) -> NoReturn:
    outside = (codes < 0) | (codes >= np.array(domain.cardinalities))
    i = int(np.flatnonzero(outside.any(axis=0))[0])
    row = int(np.flatnonzero(outside[:, i])[0])
    variable = domain.variables[i]
    raise DataError(
        f"column {variable.name!r}, row {row}: code {codes[row, i]} is outside "
        f"0..{variable.cardinality - 1} ({variable.cardinality} states)."
    )


def _reject_non_integers(raw: NDArray[Any], domain: Domain) -> NoReturn:
    """Say which cell is not an integer: a missing value before any other, since .astype(int) would hide it."""
    for wrong, what_to_do in (
        (lambda value: value is None or value != value, "Remove or complete missing values first."),
        (lambda value: not is_whole(value), "Convert with .astype(int) if these are whole numbers."),
    ):
        for i, variable in enumerate(domain.variables):
            for row, value in enumerate(raw[:, i].tolist()):
                if wrong(value):
                    raise DataError(
                        f"column {variable.name!r}, row {row}: codes are integers; got {brief(value)} "
                        f"({raw.dtype}). {what_to_do}"
                    )
    raise DataError(f"codes are integers; got an array of {raw.dtype}. Convert with .astype(int).")


def checked_weights(weights: ArrayLike | None, rows: int) -> IntArray | None:
    if weights is None:
        return None
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
