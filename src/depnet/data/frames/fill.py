"""The caller's own frame with its holes filled: what was there stays as it was, to the last digit."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import FloatArray
from depnet.data.frames.assemble import (
    numpy_column,
    pandas_series,
    pandas_values,
    polars_series,
    pyarrow_array,
)
from depnet.data.frames.columns import Column
from depnet.data.frames.decode import checked_codes, column_of_codes
from depnet.data.frames.encode import places_of
from depnet.data.frames.open import Opened, open_frame
from depnet.data.table.domain import Domain
from depnet.data.table.layout import ColumnLayout, Layout
from depnet.errors import DataError

Filled: TypeAlias = tuple[NDArray[np.bool_], Column]
"""The cells of a column to be filled, and the column that has their values."""


def fill(
    frame: Any,
    codes: ArrayLike,
    domain: Domain,
    layout: Layout,
    *,
    hidden: NDArray[np.bool_] | None = None,
    laws: Mapping[str, FloatArray] | None = None,
    numbers: Mapping[int, FloatArray] | None = None,
    rng: np.random.Generator | None = None,
) -> Any:
    """A copy of `frame` in which each missing value has become what `codes` [N, n] says of its cell.

    Values that are there, columns that the domain does not know, the order of columns and a pandas index stay; `hidden`
    marks other cells than the missing ones to be filled. `numbers` are those of the rows of some columns, by their places in
    the domain. Other binned values are expected by the `laws` [row, state] of their
    bins, or drawn with `rng`, or else are the median of their bin. A code below 0 leaves its cell missing.

    >>> from depnet.data import describe
    >>> rows = [{"sex": "male", "age": 30.5}, {"sex": None, "age": 31.5}]
    >>> domain, layout = describe(rows)
    >>> fill(rows, [[0, 0], [0, 0]], domain, layout)
    [{'sex': 'male', 'age': 30.5}, {'sex': 'male', 'age': 31.5}]
    """
    opened = open_frame(frame)
    table = checked_codes(codes, domain, layout)
    if len(table) != opened.rows:
        raise DataError(f"codes have {len(table):,} rows for the frame's {opened.rows:,}; expected as many.")
    filled: dict[int, Filled] = {}
    for i, place in enumerate(places_of(opened, domain, "missing")):
        if place is None:
            continue
        column, variable = opened.column(place), domain.variables[i]
        holes = column.hidden if hidden is None else hidden[:, i]
        if holes.any():
            shape = _shape(opened, column, layout, i)
            law = None if laws is None else laws[variable.name]
            own = None if numbers is None else numbers.get(i)
            filled[place] = holes, column_of_codes(table[:, i], variable, shape, rng, law, own)
    return _with(frame, opened, filled)


def _shape(opened: Opened, column: Column, layout: Layout, i: int) -> ColumnLayout:
    """The frame's own column, but where it has no type of its own, what the layout has, or the usual one."""
    learned, own = layout.columns[i], column.layout
    if own.kind != "empty":
        return replace(own, values=learned.values)
    untyped = str(own.dtype) in ("Null", "null")  # polars, and Arrow
    usual = learned.dtype if opened.kind == layout.kind else None
    return replace(learned, key=own.key, dtype=usual if untyped else own.dtype)


def _with(frame: Any, opened: Opened, filled: dict[int, Filled]) -> Any:
    if opened.kind == "pandas":
        return _pandas(opened.native, filled)
    if opened.kind == "polars":
        import polars as pl

        series = {}
        for place, (holes, new) in filled.items():
            values = polars_series(new)
            old = opened.native.to_series(place).cast(values.dtype)
            series[opened.keys[place]] = values.zip_with(pl.Series(holes), old)
        return opened.native.with_columns(**series) if series else opened.native.clone()
    if opened.kind == "pyarrow":
        table = opened.native
        for place, (holes, new) in filled.items():
            table = table.set_column(
                place, table.column_names[place], _pyarrow(table.column(place), holes, new)
            )
        return table
    if opened.kind == "numpy":
        return _numpy(opened, filled)
    rows = [dict(row) for row in frame]
    for place, (holes, new) in filled.items():
        objects, key = new.objects(), opened.keys[place]
        for row in np.flatnonzero(holes & ~new.hidden).tolist():
            rows[row][key] = objects[row]
    return rows


def _pandas(frame: Any, filled: dict[int, Filled]) -> Any:
    import pandas as pd

    table = frame.copy()
    for place, (holes, new) in filled.items():
        series = frame.iloc[:, place]
        here = holes & ~new.hidden
        if isinstance(series.dtype, pd.CategoricalDtype):
            values = pd.Series(new.objects()[here], dtype=object)
            more = [value for value in values.unique() if value not in series.cat.categories]
            array = (series.cat.add_categories(more) if more else series).array.copy()
            array[here] = values.to_numpy()
        else:
            objects = series.dtype == np.dtype(object)
            array = series.to_numpy(copy=True) if objects else series.array.copy()
            array[here] = pandas_values(new)[here]
        table[new.layout.key] = pandas_series(array, frame.index)
    return table


def _pyarrow(old: Any, holes: NDArray[np.bool_], column: Column) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    new = pyarrow_array(column)
    if pa.types.is_dictionary(old.type):
        plain = pc.if_else(pa.array(holes), new.cast(old.type.value_type), old.cast(old.type.value_type))
        return plain.dictionary_encode().cast(old.type)
    return pc.if_else(pa.array(holes), new, old.cast(new.type))


def _numpy(opened: Opened, filled: dict[int, Filled]) -> NDArray[Any]:
    table: NDArray[Any] = np.array(opened.native)
    for place, (holes, new) in filled.items():
        here = holes & ~new.hidden
        target = table[opened.names[place]] if opened.structured else table[:, place]
        target[here] = numpy_column(new)[here]
    return table
