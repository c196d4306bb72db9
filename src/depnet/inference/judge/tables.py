"""Tables side by side as arrays [row, column]: numbers as they are, all else as places among the values of all tables.

A hole is nan. Numbers, dates and durations are numbers; whole numbers of which a table has only two, text, booleans and what
was said to be categories are not (`depnet.data.table.variables`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.frames.decode import decode
from depnet.data.table.columns import Column, Layout, value_of
from depnet.data.table.dataset import Holed
from depnet.data.table.encode import code_column, weights_in
from depnet.data.table.kinds import Kinds
from depnet.data.table.open import Opened, open_frame
from depnet.data.table.variable import Variable, text_of
from depnet.data.table.variables import StateOptions, variable_of
from depnet.errors import DataError


class Tables(NamedTuple):
    """The columns that all tables have, and which of them are numbers."""

    names: tuple[str, ...]
    numeric: NDArray[np.bool_]
    rows: tuple[FloatArray, ...]
    left_out: tuple[str, ...]
    """Columns of the first table, or of the second, that another lacks."""


def open_table(table: Any) -> Opened:
    """A table of any kind: a frame, an open file, or codes, which are opened as the values that they stand for."""
    if not isinstance(table, Holed):
        return open_frame(table)
    layout, numbers = Layout.of(table.domain, "dicts"), dict(table.values or {})
    codes = np.asarray(table.codes)
    return open_frame(decode(codes, table.domain, layout, hidden=table.hidden, numbers=numbers or None))


def read_tables(
    tables: Sequence[Any],
    most: Sequence[int],
    rng: np.random.Generator,
    variables: Mapping[str, Variable] | None = None,
    kinds: Kinds | None = None,
    weights: str | None = None,
) -> Tables:
    """Up to so many rows of each table, in an order of chance; the second, of real rows, says what columns are.

    Rows with survey `weights` are kept with a probability in proportion to them, so that those kept all count alike.
    """
    opened = [open_table(table) for table in tables]
    taken = [
        _some_rows(*each, rng, weights if k else None)  # rows that were drawn all count alike
        for k, each in enumerate(zip(tables, opened, most, strict=False))
    ]
    whole = [name for name in opened[1].names if name != weights]
    names = [name for name in whole if all(name in each.names for each in opened)]
    if not names:
        raise DataError("quality: the drawn and the real rows have no column in common.")
    options, columns, numeric = StateOptions(kinds=kinds or {}), [], []
    for name in names:
        known = (variables or {}).get(name) or _variable(opened[1], name, options)
        places: dict[str, int] = {}
        columns.append(
            [
                _values(each.column(each.names.index(name)), known, places)[rows]
                for each, rows in zip(opened, taken, strict=True)
            ]
        )
        numeric.append(known is not None and known.bins is not None)
    rows = tuple(np.column_stack([column[k] for column in columns]) for k in range(len(opened)))
    left = [name for name in dict.fromkeys([*opened[0].names, *whole]) if name not in names]
    return Tables(
        tuple(names),
        np.array(numeric),
        rows,
        tuple(left),
    )


def _some_rows(
    table: Any, opened: Opened, most: int, rng: np.random.Generator, weights: str | None
) -> IntArray:
    """Rows that all count alike, in an order of chance."""
    rows, each = np.arange(opened.rows), table.weights if isinstance(table, Holed) else None
    if weights is not None:
        each = np.nan_to_num(weights_in(opened, weights))
    if each is not None and (np.any(each < 0) or not np.any(each)):
        raise DataError("quality: weights are numbers of at least 0, and not all are 0.")
    if each is not None and each.dtype == np.int64:
        rows = np.repeat(rows, each)
    elif each is not None:
        rows = rows[rng.random(len(rows)) * each.max() < each]
    if not len(rows):
        raise DataError("quality: a table has no rows to compare.")
    return np.asarray(rng.permutation(rows)[:most])


def _variable(opened: Opened, name: str, options: StateOptions) -> Variable | None:
    """What a column is found to be; None: nothing is in it."""
    summary = opened.summary(opened.names.index(name), options)
    return None if summary.hidden == summary.rows else variable_of(summary, options)


def _values(column: Column, variable: Variable | None, places: dict[str, int]) -> FloatArray:
    """The numbers of a column, or the places of its values, which are added to where they are new."""
    if variable is not None and variable.bins is not None:
        coded = code_column(column, variable)
        if coded.numbers is None and not column.hidden.all():
            raise DataError(
                f"column {variable.name!r} has {variable.bins.kind} values in one table, and "
                f"{next(v for v in column.values() if v is not None)!r} in another."
            )
        numbers = np.zeros(len(column.hidden)) if coded.numbers is None else coded.numbers
        return np.where(column.hidden, np.nan, numbers.astype(np.float64))
    labels, ids = column.labels, column.ids
    if ids is None:
        assert column.numbers is not None
        distinct, ids = np.unique(column.numbers, return_inverse=True)
        labels = tuple(value_of(column.kind, number) for number in distinct.tolist())
    each = [places.setdefault(text_of(label), len(places)) for label in labels]
    return np.where(column.hidden, np.nan, np.array([*each, np.nan])[ids])
