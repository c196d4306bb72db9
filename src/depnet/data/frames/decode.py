"""From codes back to a frame of the caller's kind, with the caller's dtypes, categories and column order."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import FloatArray
from depnet.data.binning.bins import TIMES, Numbers
from depnet.data.binning.times import cell_of_duration, texts_in
from depnet.data.frames.assemble import Filled, assemble, fill_holes
from depnet.data.frames.within import Within
from depnet.data.table.columns import Column
from depnet.data.table.dataset import check_shape, reject_codes_outside
from depnet.data.table.domain import Domain
from depnet.data.table.encode import places_of
from depnet.data.table.layout import ColumnKind, ColumnLayout, FrameKind, Layout
from depnet.data.table.mixture import Mixture
from depnet.data.table.open import Opened, open_frame
from depnet.data.table.variable import Variable
from depnet.errors import DataError, brief


def decode(
    codes: ArrayLike,
    domain: Domain,
    layout: Layout,
    *,
    rng: np.random.Generator | None = None,
    index: Any = None,
    within: Within | None = None,
    hidden: NDArray[np.bool_] | None = None,
) -> Any:
    """The frame of codes [N, n], column i being variable i; a code below 0 is a missing value, and so is what is `hidden`.

    Binned values are drawn from the quantiles of their bin with `rng`, a row's together where it is known how they go
    `within` bins; without one they are its median.
    `index` is the index of a pandas frame (None: 0, 1, ...).

    >>> from depnet.data import describe
    >>> domain, layout = describe([{"sex": "male"}, {"sex": "female"}])
    >>> decode([[0], [-1]], domain, layout)
    [{'sex': 'female'}, {'sex': None}]
    """
    table = checked_codes(codes, domain, layout)
    return assemble(drawn_columns(table, domain, layout, rng, within, hidden), layout, len(table), index)


def drawn_columns(
    codes: NDArray[Any],
    domain: Domain,
    layout: Layout,
    rng: np.random.Generator | None,
    within: Within | None,
    hidden: NDArray[np.bool_] | None = None,
) -> list[Column]:
    """All columns of rows of codes, binned values as `decode` has them; what is hidden is drawn, too, then left out."""
    drawn = {} if within is None or rng is None else within.draw(codes, domain, rng)
    columns = [
        column_of_codes(codes[:, i], variable, layout.columns[i], rng, drawn=drawn.get(i))
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
        made = column_of_codes(codes, variable, column, drawn=every)
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
    numbers: FloatArray | None = None,
    drawn: Numbers | None = None,
) -> Column:
    """A column's values: those of its states and every row's place among them, or numbers.

    `numbers` are given as they are. Else they are expected by the `law` [row, state], or were `drawn` in their bins, or are
    with `rng`, or are the median of their bin.
    """
    hidden = codes < 0
    if variable.missing is not None:
        hidden = hidden | (codes == variable.cardinality - 1)
    bins = variable.bins
    if law is not None and bins is None and layout.kind in ("float", "integer"):
        numbers = expected_states(law, variable)
    if numbers is not None:
        kind = layout.kind if bins is None else bins.kind
        whole = numbers if kind == "float" else np.rint(numbers).astype(np.int64)
        return _column_of_numbers(layout, kind, hidden, whole)
    if bins is None:
        states: tuple[Any, ...] = variable.present_states
        if layout.values is not None:
            states = layout.values
        elif layout.kind == "float":
            states = tuple(map(float, states))
        return Column(layout, hidden, ids=np.where(hidden, -1, codes.astype(np.int64)), labels=states)
    if law is not None:
        found = Mixture.of_bins(bins).expected(law)
    elif drawn is not None:
        found = drawn
    else:
        each = np.where(hidden, 0, codes).astype(np.int64)
        found = bins.middle()[each] if rng is None else bins.draw(each, rng)
    if layout.kind == "label" and bins.kind in TIMES:  # they were text
        distinct, ids = np.unique(found, return_inverse=True)
        text = cell_of_duration if bins.kind == "duration" else bins.text
        cells = map(text, distinct.tolist()) if bins.form is None else texts_in(distinct, bins.form)
        texts = tuple(cells)
        return Column(layout, hidden, ids=np.where(hidden, -1, ids), labels=texts)
    return _column_of_numbers(layout, bins.kind, hidden, found)


def _column_of_numbers(
    layout: ColumnLayout, kind: ColumnKind, hidden: NDArray[np.bool_], numbers: Numbers
) -> Column:
    """Numbers of a kind; whole ones as floats where the frame has them so."""
    if layout.kind == "float" and kind == "integer":
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


def expected_states(law: FloatArray, variable: Variable) -> Numbers | None:
    """One number a row of a variable whose states are numbers: the mean of floats, the median of whole numbers."""
    mixture = None if numbers_of(variable) is None else Mixture.of(variable)
    return None if mixture is None else mixture.expected(law)


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
    return fill_holes(opened, filled)


def _shape(opened: Opened, column: Column, layout: Layout, i: int) -> ColumnLayout:
    """The frame's own column, but where it has no type of its own, what the layout has, or the usual one."""
    learned, own = layout.columns[i], column.layout
    if own.kind != "empty":
        return replace(own, values=learned.values)
    untyped = str(own.dtype) in ("Null", "null")  # polars, and Arrow
    usual = learned.dtype if opened.kind == layout.kind else None
    return replace(learned, key=own.key, dtype=usual if untyped else own.dtype)
