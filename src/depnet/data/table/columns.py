"""A column of a table, whatever it came from: text by the places of its distinct values, the rest as numbers; and what a
frame was, so that results can come back as one like it.

What is done for every row is done in arrays; only a column's distinct values are looked at one by one.
"""

import datetime as dt
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, NoReturn, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from depnet.data.binning.bins import TIME_NUMBERS, TIME_TEXTS, Numbers
from depnet.data.binning.times import DATE, DURATION, MOMENT
from depnet.data.table.variable import Domain
from depnet.errors import DataError, brief

FrameKind: TypeAlias = Literal["pandas", "polars", "pyarrow", "numpy", "dicts"]

ColumnKind: TypeAlias = Literal[
    "label", "boolean", "integer", "float", "date", "datetime", "duration", "empty"
]
"""What the values of a column are; "empty": nothing but missing ones, of no type of their own."""

_SPACE = r"[ \t\n\f\r]*"
PATTERNS: dict[ColumnKind, str] = {
    "integer": rf"{_SPACE}[+-]?[0-9]+{_SPACE}",
    "float": rf"{_SPACE}[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?{_SPACE}",
    "boolean": "(?i)true|false",
    "date": DATE,
    "datetime": MOMENT,
    "duration": DURATION,
}
"""How text has values of these kinds, in Python and in SQL."""
_COMPILED = {kind: re.compile(pattern, re.ASCII) for kind, pattern in PATTERNS.items()}

_NOUNS = {
    "label": "text",
    "boolean": "booleans",
    "integer": "whole numbers",
    "float": "numbers",
    "date": "dates",
    "datetime": "dates with times",
    "duration": "durations",
}
_UNITS: dict[ColumnKind, str] = {
    "date": "datetime64[D]",
    "datetime": "datetime64[us]",
    "duration": "timedelta64[us]",
}


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """One column: its own key in the frame, what its values are, the frame's own dtype (None: the usual one).

    `values` are the frame's own objects for the states, where these are not the labels (intervals, say). `form` is how text
    has its moments (`Bins.form`).
    """

    key: Any
    kind: ColumnKind
    dtype: Any = None
    values: tuple[Any, ...] | None = None
    form: str | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """The kind of frame ("pandas", "polars", "pyarrow", "numpy" or "dicts") and its columns, in order.

    >>> from depnet.data import Variable
    >>> Layout.of(Domain((Variable("sex", ("female", "male")),)), "polars").columns[0].kind
    'label'
    """

    kind: FrameKind
    columns: tuple[ColumnLayout, ...]
    structured: bool = False

    def __post_init__(self) -> None:
        if self.kind not in get_args(FrameKind):
            raise DataError(
                f"the kind of a frame is one of {', '.join(get_args(FrameKind))}; got {brief(self.kind)}."
            )

    @classmethod
    def of(cls, domain: Domain, kind: FrameKind = "pandas") -> "Layout":
        """A layout for a domain that came from no frame: a model that was loaded, or a table of codes."""
        columns = []
        for variable in domain.variables:
            labels = [label for label in variable.states if label is not variable.missing]
            bins = variable.bins
            column: ColumnKind = bins.kind if bins is not None else _kind_of_labels(labels)
            columns.append(ColumnLayout(variable.name, column, form=None if bins is None else bins.form))
        return cls(kind, tuple(columns))


def _kind_of_labels(labels: Iterable[object]) -> ColumnKind:
    types = {type(label) for label in labels}
    if types == {bool}:
        return "boolean"
    if types == {int}:
        return "integer"
    if types and types <= {int, float}:
        return "float"
    return "label"


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """N values, read from a frame or to be put in one: `ids` into `labels` (-1: missing), or else `numbers`.

    Dates are days, moments microseconds since 1970, durations microseconds; `hidden` cells have any number. `declared`:
    the labels are the frame's own categories, in their order; `ordered`: that order means something, says the frame.
    """

    layout: ColumnLayout
    hidden: NDArray[np.bool_]
    numbers: Numbers | None = None
    ids: NDArray[Any] | None = None
    labels: tuple[Any, ...] = ()
    declared: bool = False
    ordered: bool = False

    @property
    def name(self) -> str:
        return str(self.layout.key)

    @property
    def kind(self) -> ColumnKind:
        return self.layout.kind

    @property
    def present(self) -> Numbers:
        assert self.numbers is not None
        return self.numbers[~self.hidden] if self.hidden.any() else self.numbers

    @property
    def times(self) -> Numbers:
        """The numbers, those of dates and moments as numpy's datetime64, of durations as its timedelta64."""
        assert self.numbers is not None
        unit = _UNITS.get(self.kind)
        return self.numbers if unit is None else self.numbers.view(unit)

    def hiding(self, holes: NDArray[np.bool_]) -> "Column":
        """The same with these cells missing, too."""
        ids = None if self.ids is None else np.where(holes, -1, self.ids)
        return replace(self, hidden=self.hidden | holes, ids=ids)

    def values(self) -> Iterator[Any]:
        """The values as states have them, None where they are missing: labels, numbers, dates as text."""
        if self.ids is not None:
            return (None if k < 0 else self.labels[k] for k in self.ids.tolist())
        assert self.numbers is not None
        pairs = zip(self.numbers.tolist(), self.hidden.tolist(), strict=True)
        return (None if hidden else value_of(self.kind, number) for number, hidden in pairs)

    def distinct(self) -> tuple[Any, ...]:
        """The different values of a column of numbers, ascending, as Python objects."""
        numbers = np.unique(self.present)
        return tuple(replace(self, numbers=numbers, hidden=np.zeros(len(numbers), dtype=bool)).objects())

    def objects(self) -> NDArray[Any]:
        """The values as Python objects, None where they are missing."""
        if self.ids is not None:
            table = np.empty(len(self.labels) + 1, dtype=object)
            table[:-1] = self.labels
            values: NDArray[Any] = table[self.ids]
            return values
        values = self.times.astype(object)
        if self.hidden.any():
            values[self.hidden] = None
        return values

    def between(self, start: int, stop: int) -> "Column":
        numbers = None if self.numbers is None else self.numbers[start:stop]
        ids = None if self.ids is None else self.ids[start:stop]
        return replace(self, hidden=self.hidden[start:stop], numbers=numbers, ids=ids)


def empty_column(layout: ColumnLayout, rows: int) -> Column:
    """A column without a single value."""
    return Column(layout, np.ones(rows, dtype=bool), ids=np.full(rows, -1))


def column_of_numbers(layout: ColumnLayout, numbers: NDArray[Any], hidden: NDArray[np.bool_]) -> Column:
    """A column of numbers, as int64 or float64; NaN is missing, and an infinity an error."""
    name = str(layout.key)
    if numbers.dtype.kind == "u" and numbers.size and numbers.max() > np.iinfo(np.int64).max:
        row = int(np.argmax(numbers))
        raise DataError(
            f"column {name!r}, row {row}: {numbers[row]} does not fit in 64 bits with a sign. "
            "Make the column floats, or text."
        )
    plain = numbers.astype(np.float64 if layout.kind == "float" else np.int64, copy=False)
    if layout.kind == "float":
        finite = np.isfinite(plain)
        if not finite.all():
            endless = np.isinf(plain) & ~hidden
            if endless.any():
                row = int(np.argmax(endless))
                raise DataError(
                    f"column {name!r}, row {row}: {plain[row]} has no place in a quantile bin. Replace infinities by "
                    "missing values, or by the largest number that makes sense."
                )
            hidden = hidden | ~finite
        if hidden.any():
            plain = np.where(hidden, 0.0, plain)
    return Column(layout, hidden, plain)


def column_of_array(key: Any, array: NDArray[Any]) -> Column:
    kind = array.dtype.kind
    if kind in "OUT":
        return column_of_objects(key, array.tolist(), array.dtype)
    if kind in "Mm":
        hidden = np.isnat(array)
        days = np.datetime_data(array.dtype)[0] in "YMWD"
        held: ColumnKind = "duration" if kind == "m" else "date" if days else "datetime"
        numbers = np.where(hidden, 0, array.astype(_UNITS[held]).astype(np.int64))
        return column_of_numbers(ColumnLayout(key, held, array.dtype), numbers, hidden)
    kinds: dict[str, ColumnKind] = {"b": "boolean", "i": "integer", "u": "integer", "f": "float"}
    if kind not in kinds:
        raise unreadable(str(key), str(array.dtype))
    layout = ColumnLayout(key, kinds[kind], array.dtype)
    return column_of_numbers(layout, array, np.zeros(len(array), dtype=bool))


def column_of_objects(key: Any, objects: list[Any], dtype: Any) -> Column:
    """A column of Python objects, all of one kind but for missing ones (None, NaN, NaT, NA)."""
    name = str(key)
    distinct, ids = _distinct(name, objects)
    absent = np.array([is_missing(value) for value in distinct], dtype=bool)
    there = [value for value, gone in zip(distinct, absent, strict=True) if not gone]
    hidden = absent[ids]
    kind = _common_kind(name, objects, there)
    layout = ColumnLayout(key, kind, dtype)
    if kind == "empty":
        return empty_column(layout, len(objects))
    places = np.where(absent, -1, np.cumsum(~absent) - 1)[ids]
    if kind == "label":
        return Column(layout, hidden, ids=places, labels=tuple(map(str, there)))
    number = TIME_NUMBERS.get(kind, lambda value: value)
    try:
        each = np.array([*map(number, there), 0], dtype=np.float64 if kind == "float" else np.int64)
    except OverflowError:
        row = next(r for r, v in enumerate(objects) if isinstance(v, int) and v.bit_length() > 63)
        raise DataError(
            f"column {name!r}, row {row}: {brief(objects[row])} does not fit in 64 bits. Make the column "
            "floats, or text."
        ) from None
    return column_of_numbers(layout, each[places], hidden)


def _distinct(name: str, objects: list[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    try:
        place = {value: k for k, value in enumerate(dict.fromkeys(objects))}
        return list(place), np.fromiter(map(place.__getitem__, objects), dtype=np.int64, count=len(objects))
    except TypeError:
        row = next((r for r, value in enumerate(objects) if type(value).__hash__ is None), 0)
        raise unreadable(name, type(objects[row]).__name__, row) from None


def _common_kind(name: str, objects: list[Any], there: list[Any]) -> ColumnKind:
    """The one kind of all objects, of which `there` are the distinct ones that are not missing."""
    kinds = {kind_of_type(each) for each in set(map(type, objects))} - {"missing"}
    if kinds > {"float"} and not any(isinstance(value, (float, np.floating)) for value in there):
        kinds.discard("float")  # NaN in a column of something else
    if None in kinds:
        row = next(r for r, value in enumerate(objects) if kind_of_type(type(value)) is None)
        raise unreadable(name, type(objects[row]).__name__, row)
    if kinds == {"integer", "float"}:
        return "float"
    if len(kinds) > 1:
        _reject_mixture(name, objects)
    return kinds.pop() if kinds else "empty"


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
        ((dt.timedelta, np.timedelta64), "duration"),
    ):
        if issubclass(kind, types):
            return name
    return None


def is_kind(kind: ColumnKind, text: str) -> bool:
    """Is the text a value of this kind? `depnet.data.files.kinds` says the same in SQL.

    >>> is_kind("integer", "007"), is_kind("integer", str(2**63)), is_kind("date", "2023-02-29")
    (True, False, False)
    """
    if not _COMPILED[kind].fullmatch(text):
        return False
    if kind == "integer":
        digits = text.lstrip("+-").lstrip("0") or "0"
        # int() takes no thousands of digits
        return len(digits) < 20 and -(2**63) <= int(text[: text[0] in "+-"] + digits) < 2**63
    if kind == "float":
        return math.isfinite(float(text))
    try:
        return kind in ("boolean", "duration") or dt.datetime.fromisoformat(text) is not None
    except ValueError:
        return False


def value_of(kind: ColumnKind, number: Any) -> Any:
    """What a number of a column stands for: itself, a boolean, or a date or duration as text."""
    if kind == "boolean":
        return bool(number)
    return TIME_TEXTS[kind](number) if kind in TIME_TEXTS else number


def is_missing(value: object) -> bool:
    """None, NaN, NaT or NA.

    >>> is_missing(None), is_missing(float("nan")), is_missing(np.datetime64("NaT")), is_missing("")
    (True, True, True, False)
    """
    if isinstance(value, (float, np.floating)):
        return math.isnan(value)
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return bool(kind_of_type(type(value)) == "missing")


def unreadable(name: str, what: str, row: int | None = None) -> DataError:
    where = f"column {name!r}" + ("" if row is None else f", row {row}")
    return DataError(
        f"{where}: a column holds text, booleans, numbers, dates, dates with times, or durations; got {what}. "
        "Convert it (to floats, to seconds, or to text), or drop it."
    )


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
