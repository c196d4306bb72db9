"""Columns put together as a frame: pandas, polars, pyarrow, numpy, or a list of dictionaries."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.data.table.columns import Column
from depnet.data.table.layout import Layout
from depnet.data.table.open import Opened


def assemble(columns: list[Column], layout: Layout, rows: int, index: Any) -> Any:
    keys = [column.layout.key for column in columns]
    if layout.kind == "pandas":
        import pandas as pd

        index = pd.RangeIndex(rows) if index is None else index
        series = {k: pandas_series(pandas_values(column), index) for k, column in enumerate(columns)}
        return pd.DataFrame(series, index=index).set_axis(pd.Index(keys), axis=1)
    if layout.kind == "polars":
        import polars as pl

        return pl.DataFrame([*map(polars_series, columns)])
    if layout.kind == "pyarrow":
        import pyarrow as pa

        return pa.table([*map(pyarrow_array, columns)], names=[column.name for column in columns])
    if layout.kind == "numpy":
        return _numpy(columns, layout, rows)
    return [dict(zip(keys, row, strict=True)) for row in zip(*(c.objects() for c in columns), strict=True)]


def pandas_series(values: Any, index: Any) -> Any:
    """A series of an array of values, of its dtype: objects stay objects, whatever they look like."""
    import pandas as pd

    return pd.Series(values, index=index, dtype=object if values.dtype == np.dtype(object) else None)


def pandas_values(column: Column) -> Any:
    import pandas as pd

    dtype, holes = column.layout.dtype, bool(column.hidden.any())
    if isinstance(dtype, np.dtype) and dtype.kind == "O":
        return column.objects()
    if isinstance(dtype, pd.CategoricalDtype):
        return pd.Categorical.from_codes(column.ids, dtype=dtype)
    if column.ids is not None:
        states: Any = pd.Series(list(column.labels), dtype=dtype)
        if not holes:
            return states.array.take(column.ids)
        values = states.to_numpy() if isinstance(states.dtype, np.dtype) else states.array
        return pd.api.extensions.take(values, column.ids, allow_fill=True)
    numbers = pd.Series(column.times)
    if isinstance(dtype, pd.DatetimeTZDtype):
        numbers = numbers.dt.tz_localize("UTC").dt.tz_convert(dtype.tz)
    if holes:
        numbers = (numbers.astype("Int64") if numbers.dtype.kind in "iu" else numbers).mask(column.hidden)
        if isinstance(dtype, np.dtype) and dtype.kind in "iu":
            return numbers.array
    return (numbers if dtype is None else numbers.astype(dtype)).array


def polars_series(column: Column) -> Any:
    import polars as pl

    name, dtype = column.name, column.layout.dtype
    if column.ids is not None:
        if not column.labels:
            return pl.Series(name, [None] * len(column.hidden), dtype=dtype)
        states = pl.Series(name, list(column.labels), dtype=dtype)
        if dtype is not None and states.dtype != dtype:  # polars 1 leaves text where a date is asked for
            states = states.cast(dtype)
        places = pl.Series(column.ids)
        return states.gather(places.set(pl.Series(column.hidden), None) if column.hidden.any() else places)
    numbers = pl.Series(name, column.times)
    if column.hidden.any():
        seen = pl.lit(pl.Series(~column.hidden))  # Series.set knows no dates before polars 2
        numbers = pl.select(pl.when(seen).then(pl.lit(numbers))).to_series().alias(name)
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is not None:
        numbers = numbers.dt.replace_time_zone("UTC").dt.convert_time_zone(dtype.time_zone)
    return numbers if dtype is None else numbers.cast(dtype)


def pyarrow_array(column: Column) -> Any:
    import pyarrow as pa

    dtype = column.layout.dtype
    if column.ids is not None:
        places = pa.array(column.ids, mask=column.hidden)
        if dtype is not None and pa.types.is_dictionary(dtype):
            values = pa.array(column.labels, type=dtype.value_type)
            return pa.DictionaryArray.from_arrays(
                places.cast(dtype.index_type), values, ordered=dtype.ordered
            )
        return pa.array(column.labels, type=dtype).take(places)
    numbers = pa.array(column.times, mask=column.hidden)
    if dtype is None:
        return numbers
    coarse = getattr(dtype, "unit", None) in ("s", "ms")  # what lies between its values is rounded
    return numbers.cast(dtype, safe=not coarse)


def _numpy(columns: list[Column], layout: Layout, rows: int) -> NDArray[Any]:
    arrays = [numpy_column(column) for column in columns]
    if layout.structured:
        keys = [column.layout.key for column in columns]
        table = np.empty(rows, dtype=[(key, each.dtype) for key, each in zip(keys, arrays, strict=True)])
        for key, each in zip(keys, arrays, strict=True):
            table[key] = each
        return table
    kinds = {each.dtype for each in arrays}
    numeric = all(kind.kind in "biuf" for kind in kinds)
    common = kinds.pop() if len(kinds) == 1 else np.result_type(*kinds) if numeric else np.dtype(object)
    if common.kind == "b" and len({column.layout.dtype for column in columns}) > 1:
        common = np.dtype(object)
    return np.column_stack([each.astype(common) for each in arrays])


def numpy_column(column: Column) -> NDArray[Any]:
    """A numpy array, of its own dtype where that can hold what is missing."""
    dtype = column.layout.dtype
    if not column.hidden.any():
        values = column.objects() if column.numbers is None else column.times
        return values if dtype is None else values.astype(dtype)
    if dtype is None and column.numbers is not None and column.times.dtype.kind in "Mm":
        dtype = column.times.dtype
    values = column.objects()
    kind = "O" if dtype is None else dtype.kind
    if kind in "iuf" or (kind == "O" and dtype is None and column.numbers is not None):
        filled = np.where(column.hidden, np.nan, np.where(column.hidden, 0, values).astype(np.float64))
        return filled.astype(dtype) if kind == "f" else filled
    if kind in "Mm":
        gone = np.array("NaT", dtype=dtype)
        return np.where(column.hidden, gone, values if column.numbers is None else column.times.astype(dtype))
    return values


Filled: TypeAlias = tuple[NDArray[np.bool_], Column]
"""The cells of a column to be filled, and the column that has their values."""


def fill_holes(opened: Opened, filled: dict[int, Filled]) -> Any:
    """A copy of the frame that was opened, with values for some cells of its columns, by their places."""
    table: Any = opened.native
    if opened.kind == "numpy":
        table = np.array(table)
    elif opened.kind == "dicts":
        table = [dict(row) for row in table]
    elif opened.kind != "pyarrow":
        table = table.copy() if opened.kind == "pandas" else table.clone()
    for place, (holes, new) in filled.items():
        key, here = opened.keys[place], holes & ~new.hidden
        if opened.kind == "pandas":
            table[key] = _filled_pandas(opened.native.iloc[:, place], here, new)
        elif opened.kind == "polars":
            import polars as pl

            values = polars_series(new)
            old = opened.native.to_series(place).cast(values.dtype)
            table = table.with_columns(values.zip_with(pl.Series(holes), old).alias(key))
        elif opened.kind == "pyarrow":
            table = table.set_column(place, key, _filled_pyarrow(table.column(place), holes, new))
        elif opened.kind == "numpy":
            target = table[key] if opened.structured else table[:, place]
            target[here] = numpy_column(new)[here]
        else:
            objects = new.objects()
            for row in np.flatnonzero(here).tolist():
                table[row][key] = objects[row]
    return table


def _filled_pandas(series: Any, here: NDArray[np.bool_], new: Column) -> Any:
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        values = pd.Series(new.objects()[here], dtype=object)
        more = [value for value in values.unique() if value not in series.cat.categories]
        array = (series.cat.add_categories(more) if more else series).array.copy()
        array[here] = values.to_numpy()
    else:
        objects = series.dtype == np.dtype(object)
        array = series.to_numpy(copy=True) if objects else series.array.copy()
        array[here] = pandas_values(new)[here]
    return pandas_series(array, series.index)


def _filled_pyarrow(old: Any, holes: NDArray[np.bool_], column: Column) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    new = pyarrow_array(column)
    if pa.types.is_dictionary(old.type):
        plain = pc.if_else(pa.array(holes), new.cast(old.type.value_type), old.cast(old.type.value_type))
        return plain.dictionary_encode().cast(old.type)
    return pc.if_else(pa.array(holes), new, old.cast(new.type))
