"""From codes back to a frame of the caller's kind, with the caller's dtypes, categories and column order.

Frames are of pandas, polars or pyarrow, numpy arrays, or lists of dictionaries.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import FloatArray
from depnet.data.binning.bins import Numbers
from depnet.data.binning.forms import texts_in
from depnet.data.binning.times import cell_of_duration
from depnet.data.frames.within import Within
from depnet.data.table.columns import Column, ColumnLayout, FrameKind, Layout
from depnet.data.table.dataset import check_shape, reject_codes_outside
from depnet.data.table.encode import places_of
from depnet.data.table.open import Opened, open_frame
from depnet.data.table.variable import Domain, Variable
from depnet.errors import DataError, brief

Filled: TypeAlias = tuple[NDArray[np.bool_], Column]
"""The cells of a column to be filled, and the column that has their values."""


def decode(
    codes: ArrayLike,
    domain: Domain,
    layout: Layout,
    *,
    rng: np.random.Generator | None = None,
    index: Any = None,
    within: Within | None = None,
    hidden: NDArray[np.bool_] | None = None,
    numbers: Mapping[int, Numbers] | None = None,
) -> Any:
    """The frame of codes [N, n], column i being variable i; a code below 0 is a missing value, and so is what is `hidden`.

    Binned values are drawn from the quantiles of their bin with `rng`, a row's together where it is known how they go
    `within` bins; without one they are its median. `numbers` are those of some columns, where they are known.
    `index` is the index of a pandas frame (None: 0, 1, ...).

    >>> from depnet.data import describe
    >>> domain, layout = describe([{"sex": "male"}, {"sex": "female"}])
    >>> decode([[0], [-1]], domain, layout)
    [{'sex': 'female'}, {'sex': None}]
    """
    table = checked_codes(codes, domain, layout)
    columns = drawn_columns(table, domain, layout, rng, within, hidden, numbers)
    return assemble(columns, layout, len(table), index)


def drawn_columns(
    codes: NDArray[Any],
    domain: Domain,
    layout: Layout,
    rng: np.random.Generator | None,
    within: Within | None,
    hidden: NDArray[np.bool_] | None = None,
    numbers: Mapping[int, Numbers] | None = None,
) -> list[Column]:
    """All columns of rows of codes, binned values as `decode` has them; what is hidden is drawn, too, then left out."""
    drawn = numbers or {}
    if within is not None and rng is not None and numbers is None:
        drawn = within.draw(codes, domain, rng)
    columns = [
        column_of_codes(codes[:, i], variable, layout.columns[i], rng, numbers=drawn.get(i))
        for i, variable in enumerate(domain.variables)
    ]
    return columns if hidden is None else [column.hiding(hidden[:, i]) for i, column in enumerate(columns)]


def check_column(variable: Variable, column: ColumnLayout, kind: FrameKind) -> None:
    """Raise a `DataError` unless a frame's column of this layout can hold every state and value of the variable.

    It is tried: which types go with which values is for the frame's library to say.
    """
    bins = variable.bins
    every = None if bins is None else bins.every()
    codes = np.arange(len(variable.present_states)) if every is None else np.zeros(len(every), dtype=np.int64)
    if variable.missing is not None:
        codes = np.append(codes, -1)
        every = None if every is None else np.append(every, every[:1])
    try:
        made = column_of_codes(codes, variable, column, numbers=every)
        assemble([made], Layout(kind, (column,)), len(made.hidden), None)
    except Exception as error:  # whatever the libraries raise
        raise DataError(
            f"a column of {brief(column.dtype)} does not hold the values of variable {brief(variable.name)} "
            f"({brief(str(error), 100)})."
        ) from None


def checked_codes(codes: ArrayLike, domain: Domain, layout: Layout) -> NDArray[Any]:
    """Codes [N, n] that fit a domain and a layout; those below 0 stand for missing values."""
    table = np.asarray(codes)
    check_shape(table, domain)
    if len(layout.columns) != len(domain):
        raise DataError(f"the layout has {len(layout.columns)} columns; expected {len(domain)}.")
    if table.size and table.dtype.kind not in "biu":
        raise DataError(f"codes are integers; got an array of {table.dtype}.")
    if table.size and (table.max(axis=0) >= domain.cardinalities).any():
        reject_codes_outside(np.maximum(table, 0), domain)
    return table


def column_of_codes(
    codes: NDArray[Any],
    variable: Variable,
    layout: ColumnLayout,
    rng: np.random.Generator | None = None,
    law: FloatArray | None = None,
    numbers: Numbers | None = None,
) -> Column:
    """A column's values: those of its states and every row's place among them, or numbers.

    `numbers` are given as they are. Else they are expected by the `law` [row, state], or drawn in their bins with `rng`, or
    are the median of their bin.
    """
    hidden = codes < 0
    if variable.missing is not None:
        hidden = hidden | (codes == variable.cardinality - 1)
    bins = variable.bins
    kind = layout.kind if bins is None else bins.kind
    if numbers is None and law is not None and kind != "label" and numbers_of(variable) is not None:
        levels = variable.levels()
        assert levels is not None
        numbers = levels.expect(law)
    elif numbers is None and bins is not None:
        each = np.where(hidden, 0, codes).astype(np.int64)
        numbers = bins.middle()[each] if rng is None else bins.draw(each, rng)
    if numbers is None:
        states: tuple[Any, ...] = variable.present_states
        if layout.values is not None:
            states = layout.values
        elif kind == "float":
            states = tuple(map(float, states))
        return Column(layout, hidden, ids=np.where(hidden, -1, codes.astype(np.int64)), labels=states)
    if kind != "float" and numbers.dtype.kind == "f":
        numbers = np.rint(numbers).astype(np.int64)
    if bins is not None and layout.kind == "label":
        distinct, ids = np.unique(numbers, return_inverse=True)  # they were text
        text = cell_of_duration if bins.kind == "duration" else bins.text
        cells = map(text, distinct.tolist()) if bins.form is None else texts_in(distinct, bins.form)
        return Column(layout, hidden, ids=np.where(hidden, -1, ids), labels=tuple(cells))
    if layout.kind == "float" and kind == "integer":  # the frame has whole numbers as floats
        return Column(layout, hidden, numbers.astype(np.float64))
    return Column(replace(layout, kind=kind), hidden, numbers)


def numbers_of(variable: Variable) -> FloatArray | None:
    """A number for each state: the middle of its bin, or itself; None for categories, and for two numbers, which are one.

    >>> numbers_of(Variable("rooms", (1, 2, 4))).tolist()
    [1.0, 2.0, 4.0]
    >>> numbers_of(Variable("survived", (0, 1)))
    """
    if variable.bins is not None:
        return variable.bins.middle().astype(np.float64)
    states = variable.present_states
    return np.array(states, dtype=np.float64) if variable.scale == "number" and len(states) > 2 else None


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
    return _fill_holes(opened, filled)


def _shape(opened: Opened, column: Column, layout: Layout, i: int) -> ColumnLayout:
    """The frame's own column, but where it has no type of its own, what the layout has, or the usual one."""
    learned, own = layout.columns[i], column.layout
    if own.kind != "empty":
        return replace(own, values=learned.values)
    untyped = str(own.dtype) in ("Null", "null")  # polars, and Arrow
    usual = learned.dtype if opened.kind == layout.kind else None
    return replace(learned, key=own.key, dtype=usual if untyped else own.dtype)


def assemble(columns: list[Column], layout: Layout, rows: int, index: Any) -> Any:
    keys = [column.layout.key for column in columns]
    if layout.kind == "pandas":
        import pandas as pd

        index = pd.RangeIndex(rows) if index is None else index
        series = {k: _pandas_series(_pandas_values(column), index) for k, column in enumerate(columns)}
        return pd.DataFrame(series, index=index).set_axis(pd.Index(keys), axis=1)
    if layout.kind == "polars":
        import polars as pl

        return pl.DataFrame([*map(_polars_series, columns)])
    if layout.kind == "pyarrow":
        import pyarrow as pa

        return pa.table([*map(_pyarrow_array, columns)], names=[column.name for column in columns])
    if layout.kind == "numpy":
        return _numpy_table(columns, layout, rows)
    return [dict(zip(keys, row, strict=True)) for row in zip(*(c.objects() for c in columns), strict=True)]


def _pandas_series(values: Any, index: Any) -> Any:
    """A series of an array of values, of its dtype: objects stay objects, whatever they look like."""
    import pandas as pd

    return pd.Series(values, index=index, dtype=object if values.dtype == np.dtype(object) else None)


def _pandas_values(column: Column) -> Any:
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


def _polars_series(column: Column) -> Any:
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


def _pyarrow_array(column: Column) -> Any:
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


def _numpy_table(columns: list[Column], layout: Layout, rows: int) -> NDArray[Any]:
    arrays = [_numpy_column(column) for column in columns]
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


def _numpy_column(column: Column) -> NDArray[Any]:
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


def _fill_holes(opened: Opened, filled: dict[int, Filled]) -> Any:
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
            table[key] = _fill_pandas(opened.native.iloc[:, place], here, new)
        elif opened.kind == "polars":
            import polars as pl

            values = _polars_series(new)
            old = opened.native.to_series(place).cast(values.dtype)
            table = table.with_columns(values.zip_with(pl.Series(holes), old).alias(key))
        elif opened.kind == "pyarrow":
            table = table.set_column(place, key, _fill_pyarrow(table.column(place), holes, new))
        elif opened.kind == "numpy":
            target = table[key] if opened.structured else table[:, place]
            target[here] = _numpy_column(new)[here]
        else:
            objects = new.objects()
            for row in np.flatnonzero(here).tolist():
                table[row][key] = objects[row]
    return table


def _fill_pandas(series: Any, here: NDArray[np.bool_], new: Column) -> Any:
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        values = pd.Series(new.objects()[here], dtype=object)
        more = [value for value in values.unique() if value not in series.cat.categories]
        array = (series.cat.add_categories(more) if more else series).array.copy()
        array[here] = values.to_numpy()
    else:
        objects = series.dtype == np.dtype(object)
        array = series.to_numpy(copy=True) if objects else series.array.copy()
        array[here] = _pandas_values(new)[here]
    return _pandas_series(array, series.index)


def _fill_pyarrow(old: Any, holes: NDArray[np.bool_], column: Column) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    new = _pyarrow_array(column)
    if pa.types.is_dictionary(old.type):
        plain = pc.if_else(pa.array(holes), new.cast(old.type.value_type), old.cast(old.type.value_type))
        return plain.dictionary_encode().cast(old.type)
    return pc.if_else(pa.array(holes), new, old.cast(new.type))
