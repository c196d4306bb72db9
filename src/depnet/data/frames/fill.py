"""The caller's own frame with its holes filled: what was there stays as it was, to the last digit."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import FloatArray
from depnet.data.binning.expected import expected_piece
from depnet.data.frames.assemble import (
    Piece,
    numpy_column,
    pandas_series,
    pandas_values,
    polars_series,
    pyarrow_array,
)
from depnet.data.frames.columns import Column
from depnet.data.frames.decode import checked_codes, piece_of
from depnet.data.frames.encode import places_of
from depnet.data.frames.open import Opened, open_frame
from depnet.data.table.domain import Domain
from depnet.data.table.layout import ColumnLayout, Layout
from depnet.errors import DataError


def fill(
    frame: Any,
    codes: ArrayLike,
    domain: Domain,
    layout: Layout,
    *,
    hidden: NDArray[np.bool_] | None = None,
    laws: Mapping[str, FloatArray] | None = None,
    rng: np.random.Generator | None = None,
) -> Any:
    """A copy of `frame` in which each missing value has become what `codes` [N, n] says of its cell.

    Values that are there, columns that the domain does not know, the order of columns and a pandas index stay; `hidden`
    marks other cells than the missing ones to be filled. Binned values are expected by the `laws` [row, state] of their
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
    filled: dict[int, tuple[Column, Piece]] = {}
    for i, place in enumerate(places_of(opened, domain, "missing")):
        if place is None:
            continue
        column, variable = opened.column(place), domain.variables[i]
        if hidden is not None:
            column = replace(column, hidden=hidden[:, i])
        if column.hidden.any():
            shape = _shape(opened, place, column, layout, i)
            if laws is None:
                piece = piece_of(table[:, i], variable, shape, rng)
            else:
                piece = expected_piece(table[:, i], laws[variable.name], variable, shape)
            filled[place] = column, piece
    return _with(frame, opened, filled)


def _shape(opened: Opened, place: int, column: Column, layout: Layout, i: int) -> ColumnLayout:
    """The frame's own column, but where it has no type of its own, what the layout has, or the usual one."""
    known = layout.columns[i]
    dtype = column.dtype
    if column.kind == "empty" and str(dtype) in ("Null", "null"):  # polars, and Arrow
        dtype = known.dtype if opened.kind == layout.kind else None
    kind = known.kind if column.kind == "empty" else column.kind
    return ColumnLayout(opened.keys[place], kind, dtype, known.values)


def _with(frame: Any, opened: Opened, filled: dict[int, tuple[Column, Piece]]) -> Any:
    if opened.kind == "pandas":
        return _pandas(opened.native, filled)
    if opened.kind == "polars":
        series = {}
        for place, (column, piece) in filled.items():
            new = polars_series(piece)
            old = opened.native.to_series(place).cast(new.dtype)
            series[opened.keys[place]] = new.zip_with(_polars_mask(column), old)
        return opened.native.with_columns(**series) if series else opened.native.clone()
    if opened.kind == "pyarrow":
        table = opened.native
        for place, (column, piece) in filled.items():
            table = table.set_column(
                place, table.column_names[place], _pyarrow(table.column(place), column, piece)
            )
        return table
    if opened.kind == "numpy":
        return _numpy(opened, filled)
    rows = [dict(row) for row in frame]
    for place, (column, piece) in filled.items():
        objects, key = piece.objects(), opened.keys[place]
        for row in np.flatnonzero(column.hidden & ~piece.hidden).tolist():
            rows[row][key] = objects[row]
    return rows


def _pandas(frame: Any, filled: dict[int, tuple[Column, Piece]]) -> Any:
    import pandas as pd

    table = frame.copy()
    for place, (column, piece) in filled.items():
        series, key = frame.iloc[:, place], piece.column.key
        here = column.hidden & ~piece.hidden
        if isinstance(series.dtype, pd.CategoricalDtype):
            values = pd.Series(piece.objects()[here], dtype=object)
            new = [value for value in values.unique() if value not in series.cat.categories]
            array = (series.cat.add_categories(new) if new else series).array.copy()
            array[here] = values.to_numpy()
        else:
            objects = series.dtype == np.dtype(object)
            array = series.to_numpy(copy=True) if objects else series.array.copy()
            array[here] = pandas_values(piece)[here]
        table[key] = pandas_series(array, frame.index)
    return table


def _polars_mask(column: Column) -> Any:
    import polars as pl

    return pl.Series(column.hidden)


def _pyarrow(old: Any, column: Column, piece: Piece) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    new = pyarrow_array(piece)
    if pa.types.is_dictionary(old.type):
        plain = pc.if_else(
            pa.array(column.hidden), new.cast(old.type.value_type), old.cast(old.type.value_type)
        )
        return plain.dictionary_encode().cast(old.type)
    return pc.if_else(pa.array(column.hidden), new, old.cast(new.type))


def _numpy(opened: Opened, filled: dict[int, tuple[Column, Piece]]) -> NDArray[Any]:
    table: NDArray[Any] = np.array(opened.native)
    for place, (column, piece) in filled.items():
        here = column.hidden & ~piece.hidden
        target = table[opened.names[place]] if opened.structured else table[:, place]
        target[here] = numpy_column(piece)[here]
    return table
