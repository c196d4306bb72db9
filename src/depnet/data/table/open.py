"""Tables opened for reading, column by column: frames through narwhals, numpy arrays, lists of dictionaries.

A table in a file is one more (`depnet.data.files.table`). Whatever they are, `describe` asks an opened table for the summary
of a column, from which its variable is made, and `encode` for the column itself.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.data.binning.times import DAY
from depnet.data.table.columns import (
    Column,
    ColumnKind,
    ColumnLayout,
    FrameKind,
    column_of_array,
    column_of_numbers,
    column_of_objects,
    empty_column,
    unreadable,
)
from depnet.data.table.variables import ColumnSummary, StateOptions
from depnet.errors import DataError, brief


class Columns(ABC):
    """What can be described of a table: its kind, its columns' own `keys` and their names as text, and their summaries."""

    kind: FrameKind
    structured = False
    positional = False
    """Columns have places, and no names of their own."""

    def __init__(self, keys: Sequence[Any], rows: int) -> None:
        self.keys = tuple(keys)
        self.rows = rows
        self.names = _checked_names(self.keys)

    @abstractmethod
    def summary(self, place: int, options: StateOptions) -> ColumnSummary:
        """What the variable of a column depends on; text that is all dates or durations is these, or stays as it is."""

    @abstractmethod
    def layout(self, place: int) -> ColumnLayout: ...


class Opened(Columns):
    """A table whose columns can be read, one after the other."""

    native: Any
    _last: tuple[int, Column] | None = None

    @abstractmethod
    def _read(self, place: int) -> Column: ...

    def column(self, place: int) -> Column:
        """The column at a place; the last one is kept."""
        if self._last is None or self._last[0] != place:
            self._last = None  # let go of before the next one is read
            self._last = place, self._read(place)
        return self._last[1]

    def summary(self, place: int, options: StateOptions) -> ColumnSummary:
        found, kind = ColumnSummary.of(self.column(place)), options.kinds.get(self.names[place])
        if kind is not None:
            return found.as_kind(kind, self.column(place))
        return found if options.as_they_are(self.names[place]) else found.with_times()

    def layout(self, place: int) -> ColumnLayout:
        return self.column(place).layout


def open_frame(frame: Any) -> Opened:
    """Open a table of any kind that depnet reads; one that is open already is itself."""
    if isinstance(frame, Opened):
        return frame
    if isinstance(frame, np.ndarray):
        return _Array(frame)
    if isinstance(frame, (list, tuple)):
        return _Dicts(frame)
    return _open_with_narwhals(frame)


class _Array(Opened):
    kind: FrameKind = "numpy"

    def __init__(self, array: NDArray[Any]) -> None:
        if isinstance(array, np.ma.MaskedArray):  # what is masked is missing
            mask = np.ma.getmaskarray(array)
            array = array.data.astype(object)
            array[mask] = None
        self.native = self.array = array
        if array.dtype.names is not None and array.ndim == 1:
            self.structured = True
            super().__init__(array.dtype.names, len(array))
            return
        if array.ndim != 2:
            raise DataError(
                f"a table as a numpy array is 2-D, [rows, columns]; got the shape {array.shape}. "
                "One column is array.reshape(-1, 1)."
            )
        self.positional = True
        super().__init__([f"X{i}" for i in range(array.shape[1])], len(array))

    def _read(self, place: int) -> Column:
        key = self.keys[place]
        return column_of_array(key, self.array[key] if self.structured else self.array[:, place])


class _Dicts(Opened):
    kind: FrameKind = "dicts"

    def __init__(self, rows: Sequence[Any]) -> None:
        for r, row in enumerate(rows):
            if not isinstance(row, Mapping):
                raise DataError(
                    f"a table as a list has a dictionary for each row; row {r} is {brief(row)}. "
                    "Make it a numpy array or a frame."
                )
        self.table = self.native = rows
        super().__init__(list(dict.fromkeys(key for row in rows for key in row)), len(rows))

    def _read(self, place: int) -> Column:
        key = self.keys[place]
        return column_of_objects(key, [row.get(key) for row in self.table], np.dtype(object))


class _Narwhals(Opened):
    def __init__(self, frame: Any, kind: FrameKind) -> None:
        self.frame, self.native = frame, frame.to_native()
        self.kind = kind
        super().__init__(frame.columns, len(frame))

    def _read(self, place: int) -> Column:
        import narwhals as nw

        key = self.keys[place]
        series = self.frame.get_column(key)
        native, dtype = series.to_native(), series.dtype
        own = native.type if self.kind == "pyarrow" else native.dtype
        if isinstance(own, np.dtype) and own.kind in "biufMm":  # the common case, and the quick one
            return column_of_array(key, native.to_numpy())
        if self.kind == "pandas" and getattr(own, "tz", None) is not None:
            # Narwhals knows no zone with a _.
            found = column_of_array(key, native.dt.tz_convert(None).to_numpy())
            return replace(found, layout=replace(found.layout, dtype=own))
        if dtype == nw.Object:
            return column_of_objects(key, native.tolist() if self.kind == "pandas" else native.to_list(), own)
        if dtype in (nw.Categorical, nw.Enum):
            return self._categories(place, native, own)
        if dtype == nw.String:
            ids, labels = _factorise(native, self.kind)
            return Column(ColumnLayout(key, "label", own), ids < 0, ids=ids, labels=tuple(labels))
        return _numbers(key, series, own)

    def _categories(self, place: int, native: Any, own: Any) -> Column:
        """A column of categories, in their own order; those of polars' Categorical have none, only an Enum's do."""
        kind, declared = self.kind, True
        if kind == "pandas" and hasattr(native, "cat"):
            ids, values = np.asarray(native.cat.codes).astype(np.int64), native.cat.categories.tolist()
        elif kind == "polars" and hasattr(own, "categories") and type(own).__name__ == "Enum":
            ids = native.to_physical().cast(int).fill_null(-1).to_numpy()
            values = own.categories.to_list()
        elif kind == "pyarrow" and not is_polars_categorical(self.native.schema.field(place)):
            ids, values = _arrow_dictionary(native)
        else:  # also a dictionary of Arrow's in a pandas frame
            text = native.cast(own.value_type) if kind == "pyarrow" else native
            (ids, values), declared = _factorise(text.cast(str) if kind == "polars" else text, kind), False
        labels = tuple(value if isinstance(value, (str, int, float)) else str(value) for value in values)
        layout = ColumnLayout(self.keys[place], "label", own, tuple(values) if declared else None)
        ordered = declared and bool(getattr(own, "ordered", kind == "polars"))  # an Enum compares by place
        return Column(layout, ids < 0, ids=ids, labels=labels, declared=declared, ordered=ordered)


def _numbers(key: Any, series: Any, own: Any) -> Column:
    """A column of numbers, booleans, dates or durations that numpy does not hold as they are."""
    import narwhals as nw

    dtype = series.dtype
    hidden = series.is_null().to_numpy().astype(bool)
    if dtype == nw.Unknown and hidden.all():  # a column of nulls has no type of its own
        return empty_column(ColumnLayout(key, "empty", own), len(hidden))
    kinds: list[tuple[bool, ColumnKind]] = [
        (dtype == nw.Boolean, "boolean"),
        (dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128), "integer"),
        (dtype.is_float(), "float"),
        (dtype == nw.Datetime, "datetime"),
        (dtype == nw.Date, "date"),
        (dtype == nw.Duration, "duration"),
    ]
    kind = next((kind for holds, kind in kinds if holds), None)
    if kind is None:
        raise unreadable(str(key), str(own))
    there = series.filter(~series.is_null()) if hidden.any() else series
    if kind in ("date", "datetime"):
        there = there.dt.timestamp("us")
    values: NDArray[Any] = there.to_numpy()
    if kind in ("float", "duration"):
        values = values.astype("float64" if kind == "float" else "timedelta64[us]")
    if values.dtype.kind not in "iuf":
        values = values.astype(np.int64)
    if kind == "date":
        values = values // DAY  # not in place: it may be the frame's own
    if hidden.any():
        values, there = np.zeros(len(hidden), dtype=values.dtype), values
        values[~hidden] = there
    return column_of_numbers(ColumnLayout(key, kind, own), values, hidden)


def _open_with_narwhals(frame: Any) -> Opened:
    import narwhals as nw

    try:
        opened: Any = nw.from_native(frame)
        if isinstance(opened, nw.LazyFrame):
            opened = opened.collect()
    except TypeError:
        of = type(frame)
        got = "None" if frame is None else f"a {of.__module__}.{of.__qualname__}"
        raise DataError(
            f"a table is a pandas, polars or pyarrow frame, or one that narwhals reads, a 2-D numpy array, or a "
            f"list of dictionaries; got {got}."
        ) from None
    except nw.exceptions.DuplicateError as error:
        raise DataError(
            f"two columns have the same name ({' '.join(str(error).split())}). Rename one, or drop it."
        ) from None
    kind = str(opened.implementation)
    if kind not in ("pandas", "polars", "pyarrow"):
        opened, kind = nw.from_native(opened.to_arrow()), "pyarrow"
    return _Narwhals(opened, kind)  # type: ignore[arg-type]  # one of the three


def is_polars_categorical(field: Any) -> bool:
    """An Arrow field that was a Categorical of polars': categories in the order of their appearance, which says nothing."""
    return "_PL_CATEGORICAL" in str(field.metadata)


def _checked_names(keys: tuple[Any, ...]) -> tuple[str, ...]:
    names = tuple(map(str, keys))
    if not names:
        raise DataError("a table needs at least one column; got none.")
    first: dict[str, int] = {}
    for place, name in enumerate(names):
        if not name or keys[place] is None or keys[place] != keys[place]:  # NaN is no name
            raise DataError(f"column {place} has no name. Name it, or drop it.")
        if first.setdefault(name, place) != place:
            raise DataError(
                f"columns {first[name]} and {place} are both named {brief(name)}. Rename one, or drop it."
            )
    return names


def _factorise(native: Any, kind: FrameKind) -> tuple[NDArray[Any], list[Any]]:
    """Every row's place among the distinct values, or -1 for a missing one."""
    if kind == "pandas":
        import pandas as pd

        ids, distinct = pd.factorize(native)
        return ids, distinct.tolist()
    if kind == "polars":
        import polars as pl

        labels = native.drop_nulls().unique()
        places = native.cast(pl.Enum(labels)).to_physical().cast(pl.Int64).fill_null(-1)
        return places.to_numpy(), labels.to_list()
    return _arrow_dictionary(native.dictionary_encode())


def _arrow_dictionary(native: Any) -> tuple[NDArray[Any], list[Any]]:
    import pyarrow as pa

    if native.num_chunks == 0:
        return np.zeros(0, dtype=np.int64), []
    one = native.unify_dictionaries().combine_chunks()
    one = one.chunk(0) if isinstance(one, pa.ChunkedArray) else one
    ids = one.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    labels = one.dictionary.to_pylist()
    if None in labels:  # a null among the dictionary's values
        there = np.array([label is not None for label in labels])
        places = np.append(np.where(there, np.cumsum(there) - 1, -1), -1)
        ids, labels = places[ids], [label for label in labels if label is not None]
    return ids, labels
