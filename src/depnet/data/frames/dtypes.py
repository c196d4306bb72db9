"""Column types as plain values and back: what a model file keeps of the frame that it was learned from.

A type is kept as the name that its library itself reads again ("Int64", "<f8", "timestamp[us]"), and where a name does not
say all, as a dictionary: {"time": unit, "zone": zone} of moments with a time zone, and {"categories": type of the labels,
"ordered": ..., "index": type of the codes} of categories, whose labels are the variable's states. A type that would not come
back the same is None: the usual one.
"""

import importlib.util
import warnings
from typing import Any

import numpy as np

from depnet.data.table.columns import FrameKind
from depnet.errors import DataError, brief

LONGEST = 200
"""The greatest length of a type's name."""

MAX_TEXT_BYTES = 1 << 18
"""The largest cell of numpy's fixed-width text: 65,536 characters."""

POLARS = (
    *("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64"),
    *("Boolean", "String", "Date", "Categorical"),
)

DURATIONS = ("Duration(ms)", "Duration(us)", "Duration(ns)")
"""Those of polars."""


def available(kind: FrameKind) -> bool:
    """Can frames of this kind be made here?"""
    return kind == "dicts" or importlib.util.find_spec(kind) is not None


def plain_dtype(dtype: Any, kind: FrameKind, states: tuple[Any, ...]) -> Any:
    """A column's type as a plain value; None where that would not give it back.

    >>> plain_dtype(np.dtype(np.int16), "pandas", (0, 1))
    '<i2'
    """
    if dtype is None:
        return None
    try:
        plain = _plain(dtype, kind)
        return plain if dtype_of(plain, kind, states) == dtype else None
    except (DataError, TypeError, ValueError, AttributeError):
        return None


def dtype_of(plain: Any, kind: FrameKind, states: tuple[Any, ...]) -> Any:
    """The type that a plain value stands for; a `DataError` says what is wrong with it.

    >>> dtype_of("<i2", "numpy", (0, 1))
    dtype('int16')
    """
    if plain is None:
        return None
    read = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}.get(kind, _numpy)
    if isinstance(plain, str) and len(plain) <= LONGEST:
        fields: dict[str, Any] = {"name": plain}
    elif isinstance(plain, dict) and set(plain) in ({"time", "zone"}, {"categories", "ordered", "index"}):
        fields = plain
    else:
        raise DataError(
            f"a column's type is a name, or has the fields time and zone, or categories, ordered and index; "
            f"got {brief(plain)}."
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of names that a later library will not know
            return read(fields, states)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise DataError(f"{brief(plain)} is not a type of {kind} here ({brief(str(error), 100)}).") from None


def _plain(dtype: Any, kind: FrameKind) -> Any:
    if isinstance(dtype, np.dtype):
        return "object" if dtype.kind == "O" else dtype.str
    if kind == "pandas":
        import pandas as pd

        if isinstance(dtype, pd.CategoricalDtype):
            return _categories(_plain(dtype.categories.dtype, kind), bool(dtype.ordered))
        if isinstance(dtype, pd.StringDtype) and dtype.name == "string":
            return f"string[{dtype.storage}]"
        return str(dtype)
    if kind == "polars":
        import polars as pl

        if isinstance(dtype, pl.Datetime):
            return {"time": dtype.time_unit, "zone": dtype.time_zone}
        if isinstance(dtype, pl.Duration):
            return f"Duration({dtype.time_unit})"
        return _categories("String", True) if isinstance(dtype, pl.Enum) else str(dtype.base_type())
    import pyarrow as pa

    if pa.types.is_dictionary(dtype):
        return _categories(str(dtype.value_type), dtype.ordered, str(dtype.index_type))
    return {"time": dtype.unit, "zone": dtype.tz} if pa.types.is_timestamp(dtype) else str(dtype)


def _categories(labels: Any, ordered: bool, index: str | None = None) -> dict[str, Any]:
    return {"categories": labels, "ordered": ordered, "index": index}


def _numpy(fields: dict[str, Any], states: tuple[Any, ...]) -> Any:
    dtype = np.dtype(fields["name"])
    if dtype.kind not in "biufMmOUT" or dtype.names is not None or dtype.itemsize > MAX_TEXT_BYTES:
        raise ValueError("a column holds booleans, numbers, dates, durations or text")
    return dtype


def _pandas(fields: dict[str, Any], states: tuple[Any, ...]) -> Any:
    import pandas as pd

    if "categories" in fields:
        labels = pd.Index(list(states), dtype=_pandas({"name": fields["categories"]}, ()))
        return pd.CategoricalDtype(labels, ordered=fields["ordered"])
    dtype = pd.api.types.pandas_dtype(fields["name"])
    return _numpy(fields, states) if isinstance(dtype, np.dtype) else dtype


def _polars(fields: dict[str, Any], states: tuple[Any, ...]) -> Any:
    import polars as pl

    if "categories" in fields:
        return pl.Enum(list(states))
    if "time" in fields:
        return pl.Datetime(fields["time"], fields["zone"])
    if fields["name"] in DURATIONS:
        return pl.Duration(fields["name"][-3:-1])
    if fields["name"] not in POLARS:
        raise ValueError("not one of those that depnet reads")
    return getattr(pl, fields["name"])()


def _pyarrow(fields: dict[str, Any], states: tuple[Any, ...]) -> Any:
    import pyarrow as pa

    if "categories" in fields:
        index, labels = (pa.type_for_alias(fields[name]) for name in ("index", "categories"))
        return pa.dictionary(index, labels, ordered=fields["ordered"])
    if "time" in fields:
        return pa.timestamp(fields["time"], tz=fields["zone"])
    return pa.type_for_alias(fields["name"])
