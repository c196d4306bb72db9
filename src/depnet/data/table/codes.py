"""What a table of codes must be, and which cell is not: whole numbers [row, variable], each a state of its variable."""

from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import CodeArray, code_type, read_only
from depnet.data.table.variable import Domain
from depnet.errors import DataError, brief, is_whole


def checked_codes(codes: ArrayLike, domain: Domain) -> CodeArray:
    """Codes as a table keeps them: column-major, in as few bytes as they need."""
    try:
        raw: NDArray[Any] = np.asarray(codes)
    except ValueError as error:
        raise DataError(f"codes are a rectangular table of integers [rows, variables]; {error}.") from None
    if raw.ndim == 1 and raw.size == 0:
        raw = raw.reshape(0, len(domain))
    check_shape(raw, domain)
    if raw.size and raw.dtype.kind not in "bui":
        _reject_non_integers(raw, domain)
    checked: CodeArray = np.empty(raw.shape, dtype=code_type(domain.cardinalities), order="F")
    for i, k in enumerate(domain.cardinalities):
        column = raw[:, i]
        if column.size and (column.min() < 0 or column.max() >= k):  # before a cast that would wrap
            reject_codes_outside(raw, domain)
        checked[:, i] = column
    return read_only(checked)


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
