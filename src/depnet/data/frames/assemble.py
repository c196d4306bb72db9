"""Columns put together as a frame: pandas, polars, pyarrow, numpy, or a list of dictionaries."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.data.table.layout import ColumnLayout, Layout


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One column to be: every row's place (or -1) among `states`, or `numbers` (datetime64 for dates)."""

    column: ColumnLayout
    hidden: NDArray[np.bool_]
    places: NDArray[np.int64] | None = None
    states: tuple[Any, ...] = ()
    numbers: NDArray[Any] | None = None

    def objects(self) -> NDArray[Any]:
        """The values as Python objects, None where they are missing."""
        if self.places is None:
            assert self.numbers is not None
            values = self.numbers.astype(object)
            if self.hidden.any():
                values[self.hidden] = None
            return values
        table = np.empty(len(self.states) + 1, dtype=object)
        table[:-1] = self.states
        return table[self.places]


def assemble(pieces: list[Piece], layout: Layout, rows: int, index: Any) -> Any:
    """The frame of a layout with these columns."""
    if layout.kind == "pandas":
        return _pandas(pieces, rows, index)
    if layout.kind == "polars":
        import polars as pl

        return pl.DataFrame([polars_series(piece) for piece in pieces])
    if layout.kind == "pyarrow":
        import pyarrow as pa

        return pa.table([pyarrow_array(piece) for piece in pieces], names=[str(p.column.key) for p in pieces])
    if layout.kind == "numpy":
        return _numpy(pieces, layout, rows)
    keys = [piece.column.key for piece in pieces]
    return [dict(zip(keys, row, strict=True)) for row in zip(*(p.objects() for p in pieces), strict=True)]


def _pandas(pieces: list[Piece], rows: int, index: Any) -> Any:
    import pandas as pd

    index = pd.RangeIndex(rows) if index is None else index
    columns = {k: pandas_series(pandas_values(piece), index) for k, piece in enumerate(pieces)}
    frame = pd.DataFrame(columns, index=index)
    frame.columns = pd.Index([piece.column.key for piece in pieces])
    return frame


def pandas_series(values: Any, index: Any) -> Any:
    """A series of an array of values, of its dtype: objects stay objects, whatever they look like."""
    import pandas as pd

    return pd.Series(values, index=index, dtype=object if values.dtype == np.dtype(object) else None)


def pandas_values(piece: Piece) -> Any:
    """The array of a pandas column, of its own dtype."""
    import pandas as pd

    dtype, holes = piece.column.dtype, bool(piece.hidden.any())
    if isinstance(dtype, np.dtype) and dtype.kind == "O":
        return piece.objects()
    if isinstance(dtype, pd.CategoricalDtype):
        return pd.Categorical.from_codes(piece.places, dtype=dtype)
    if piece.places is not None:
        states: Any = pd.Series(list(piece.states), dtype=dtype)
        if not holes:
            return states.array.take(piece.places)
        values = states.to_numpy() if isinstance(states.dtype, np.dtype) else states.array
        return pd.api.extensions.take(values, piece.places, allow_fill=True)
    numbers = pd.Series(piece.numbers)
    if isinstance(dtype, pd.DatetimeTZDtype):
        numbers = numbers.dt.tz_localize("UTC").dt.tz_convert(dtype.tz)
    if holes:
        numbers = (numbers.astype("Int64") if numbers.dtype.kind in "iu" else numbers).mask(piece.hidden)
        if isinstance(dtype, np.dtype) and dtype.kind in "iu":
            return numbers.array
    return (numbers if dtype is None else numbers.astype(dtype)).array


def polars_series(piece: Piece) -> Any:
    """A polars series, of its own dtype."""
    import polars as pl

    name, dtype = str(piece.column.key), piece.column.dtype
    if piece.places is not None:
        if not piece.states:
            return pl.Series(name, [None] * len(piece.hidden), dtype=dtype)
        states = pl.Series(name, list(piece.states), dtype=dtype)
        places = pl.Series(piece.places)
        return states.gather(places.set(pl.Series(piece.hidden), None) if piece.hidden.any() else places)
    numbers = pl.Series(name, piece.numbers)
    if piece.hidden.any():
        seen = pl.lit(pl.Series(~piece.hidden))  # Series.set knows no dates before polars 2
        numbers = pl.select(pl.when(seen).then(pl.lit(numbers))).to_series().alias(name)
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is not None:
        numbers = numbers.dt.replace_time_zone("UTC").dt.convert_time_zone(dtype.time_zone)
    return numbers if dtype is None else numbers.cast(dtype)


def pyarrow_array(piece: Piece) -> Any:
    """An Arrow array, of its own type."""
    import pyarrow as pa

    dtype = piece.column.dtype
    if piece.places is not None:
        places = pa.array(piece.places, mask=piece.hidden)
        if dtype is not None and pa.types.is_dictionary(dtype):
            values = pa.array(piece.states, type=dtype.value_type)
            return pa.DictionaryArray.from_arrays(
                places.cast(dtype.index_type), values, ordered=dtype.ordered
            )
        return pa.array(piece.states, type=dtype).take(places)
    numbers = pa.array(piece.numbers, mask=piece.hidden)
    return numbers if dtype is None else numbers.cast(dtype)


def _numpy(pieces: list[Piece], layout: Layout, rows: int) -> NDArray[Any]:
    columns = [numpy_column(piece) for piece in pieces]
    if layout.structured:
        table = np.empty(rows, dtype=[(p.column.key, c.dtype) for p, c in zip(pieces, columns, strict=True)])
        for piece, column in zip(pieces, columns, strict=True):
            table[piece.column.key] = column
        return table
    kinds = {column.dtype for column in columns}
    numeric = all(kind.kind in "biuf" for kind in kinds)
    common = kinds.pop() if len(kinds) == 1 else np.result_type(*kinds) if numeric else np.dtype(object)
    if common.kind == "b" and len({p.column.dtype for p in pieces}) > 1:
        common = np.dtype(object)
    return np.column_stack([column.astype(common) for column in columns])


def numpy_column(piece: Piece) -> NDArray[Any]:
    """A numpy array, of its own dtype where that can hold what is missing."""
    dtype = piece.column.dtype
    values = piece.objects()
    if not piece.hidden.any():
        if piece.numbers is not None:
            values = piece.numbers
        return values if dtype is None else values.astype(dtype)
    kind = "O" if dtype is None else dtype.kind
    if kind in "iuf" or (kind == "O" and dtype is None and piece.numbers is not None):
        filled = np.where(piece.hidden, np.nan, np.where(piece.hidden, 0, values).astype(np.float64))
        return filled.astype(dtype) if kind == "f" else filled
    if kind == "M":
        gone = np.array("NaT", dtype=dtype)
        return np.where(piece.hidden, gone, values if piece.numbers is None else piece.numbers.astype(dtype))
    return values
