"""A column of a table, whatever it came from: text by the places of its distinct values, the rest as numbers.

What is done for every row is done in arrays; only a column's distinct values are looked at one by one.
"""

import datetime as dt
import math
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.data.binning.bins import Numbers
from depnet.data.binning.calendar import days_of, microseconds_of
from depnet.errors import DataError, brief

ColumnKind: TypeAlias = Literal["label", "boolean", "integer", "float", "date", "datetime", "empty"]
"""What the values are; "empty": nothing but missing ones, of no type of their own."""

_NOUNS = {
    "label": "text",
    "boolean": "booleans",
    "integer": "whole numbers",
    "float": "numbers",
    "date": "dates",
    "datetime": "dates with times",
}


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """N values. A label column has `ids` into `labels`, all others have `numbers`; `hidden` cells have neither.

    `declared`: the labels are the frame's own categories, in their order. `values` are the frame's own
    objects for them, where those are not labels themselves (intervals, say).
    """

    name: str
    kind: ColumnKind
    dtype: Any
    hidden: NDArray[np.bool_]
    numbers: Numbers | None = None
    ids: NDArray[Any] | None = None
    labels: tuple[Any, ...] = ()
    declared: bool = False
    values: tuple[Any, ...] | None = field(default=None)

    @property
    def present(self) -> Numbers:
        """The numbers that are there."""
        assert self.numbers is not None
        return self.numbers[~self.hidden] if self.hidden.any() else self.numbers


def column_of_numbers(
    name: str, kind: ColumnKind, dtype: Any, numbers: NDArray[Any], hidden: NDArray[np.bool_]
) -> Column:
    """A column of numbers, as int64 or float64; NaN is missing, and an infinity an error."""
    if numbers.dtype.kind == "u" and numbers.size and numbers.max() > np.iinfo(np.int64).max:
        row = int(np.argmax(numbers))
        raise DataError(
            f"column {name!r}, row {row}: {numbers[row]} does not fit in 64 bits with a sign. "
            "Make the column floats, or text."
        )
    plain = numbers.astype(np.float64 if kind == "float" else np.int64, copy=False)
    if kind == "float":
        finite = np.isfinite(plain)
        if not finite.all():
            endless = np.isinf(plain) & ~hidden
            if endless.any():
                row = int(np.argmax(endless))
                raise endless_number(name, row, float(plain[row]))
            hidden = hidden | ~finite
        if hidden.any():
            plain = np.where(hidden, 0.0, plain)
    return Column(name, kind, dtype, hidden, plain)


def endless_number(name: str, row: int, value: float) -> DataError:
    """The error for an infinity."""
    return DataError(
        f"column {name!r}, row {row}: {value} has no place among quantiles. Replace infinities: by missing values, "
        "or by the largest number that makes sense."
    )


def column_of_array(name: str, array: NDArray[Any]) -> Column:
    """A column of a numpy array."""
    kind = array.dtype.kind
    nothing_hidden = np.zeros(len(array), dtype=bool)
    if kind in "biu":
        return column_of_numbers(
            name, "boolean" if kind == "b" else "integer", array.dtype, array, nothing_hidden
        )
    if kind == "f":
        return column_of_numbers(name, "float", array.dtype, array, nothing_hidden)
    if kind == "M":
        hidden = np.isnat(array)
        days = np.datetime_data(array.dtype)[0] in "YMWD"
        numbers = array.astype("datetime64[D]" if days else "datetime64[us]").astype(np.int64)
        return column_of_numbers(
            name, "date" if days else "datetime", array.dtype, np.where(hidden, 0, numbers), hidden
        )
    if kind in "OUT":
        return column_of_objects(name, array.tolist(), array.dtype)
    raise unreadable(name, str(array.dtype))


def column_of_objects(name: str, objects: list[Any], dtype: Any) -> Column:
    """A column of Python objects, all of one kind but for missing ones (None, NaN, NaT, NA)."""
    kinds = {kind_of_type(each) for each in set(map(type, objects))}
    try:
        distinct = list(dict.fromkeys(objects))
        place = {value: k for k, value in enumerate(distinct)}
        ids = np.fromiter(map(place.__getitem__, objects), dtype=np.int64, count=len(objects))
    except TypeError:
        row = next(r for r, value in enumerate(objects) if not _hashable(value))
        raise unreadable(name, type(objects[row]).__name__, row) from None
    absent = np.array([is_missing(value) for value in distinct], dtype=bool)
    kinds.discard("missing")
    if kinds > {"float"} and not any(
        isinstance(v, (float, np.floating)) for v in distinct if not is_missing(v)
    ):
        kinds.discard("float")  # NaN in a column of something else
    if None in kinds:
        row = next(r for r, value in enumerate(objects) if kind_of_type(type(value)) is None)
        raise unreadable(name, type(objects[row]).__name__, row)
    if kinds == {"integer", "float"}:
        kinds = {"float"}
    if len(kinds) > 1:
        _reject_mixture(name, objects)
    hidden = absent[ids] if len(distinct) else np.zeros(0, dtype=bool)
    if not kinds:
        return Column(name, "empty", dtype, hidden)
    (kind,) = kinds
    if kind == "label":
        labels = [value for value, gone in zip(distinct, absent, strict=True) if not gone]
        lut = np.full(len(distinct), -1, dtype=np.int64)
        lut[~absent] = np.arange(len(labels))
        return Column(name, "label", dtype, hidden, ids=lut[ids], labels=tuple(map(str, labels)))
    number = {"date": days_of, "datetime": microseconds_of}.get(kind, lambda value: value)
    numbers = [0 if gone else number(value) for value, gone in zip(distinct, absent, strict=True)]
    try:
        each: NDArray[Any] = np.array(numbers, dtype=np.float64 if kind == "float" else np.int64)
    except OverflowError:
        row = next(r for r, v in enumerate(objects) if isinstance(v, int) and v.bit_length() > 63)
        raise DataError(
            f"column {name!r}, row {row}: {brief(objects[row])} does not fit in 64 bits. Make the column "
            "floats, or text."
        ) from None
    return column_of_numbers(name, kind, dtype, each[ids], hidden)


def kind_of_type(kind: type) -> Any:
    """The kind of the values of a Python type: a `ColumnKind`, "missing", or None for what no column holds."""
    if kind is type(None) or kind.__name__ in ("NaTType", "NAType"):
        return "missing"
    for types, name in (
        ((bool, np.bool_), "boolean"),
        ((int, np.integer), "integer"),
        ((float, np.floating), "float"),
        (str, "label"),
        ((dt.datetime, np.datetime64), "datetime"),
        (dt.date, "date"),
    ):
        if issubclass(kind, types):
            return name
    return None


def is_missing(value: object) -> bool:
    """None, NaN, NaT or NA.

    >>> is_missing(None), is_missing(float("nan")), is_missing(np.datetime64("NaT")), is_missing("")
    (True, True, True, False)
    """
    if isinstance(value, (float, np.floating)):
        return math.isnan(value)
    if isinstance(value, np.datetime64):
        return bool(np.isnat(value))
    return bool(kind_of_type(type(value)) == "missing")


def unreadable(name: str, what: str, row: int | None = None) -> DataError:
    """The error for a column that cannot be read."""
    where = f"column {name!r}" + ("" if row is None else f", row {row}")
    return DataError(
        f"{where}: a column holds text, booleans, numbers, dates, or dates with times; got {what}. "
        "Convert it (to floats, to seconds, or to text), or drop it."
    )


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _reject_mixture(name: str, objects: list[Any]) -> NoReturn:
    first: dict[str, int] = {}
    for row, value in enumerate(objects):
        if not is_missing(value):
            first.setdefault(kind_of_type(type(value)), row)
    (one, row), (other, later) = list(first.items())[:2]
    raise DataError(
        f"column {name!r} mixes {_NOUNS[one]} (row {row}: {brief(objects[row])}) and {_NOUNS[other]} "
        f"(row {later}: {brief(objects[later])}). Make it one type, text for example: .astype(str)."
    )
