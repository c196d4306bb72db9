"""From codes back to a frame of the caller's kind, with the caller's dtypes, categories and column order."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.data.frames.assemble import Piece, assemble
from depnet.data.table.domain import Domain
from depnet.data.table.layout import ColumnLayout, Layout
from depnet.data.table.variable import Variable
from depnet.errors import DataError


def decode(
    codes: ArrayLike,
    domain: Domain,
    layout: Layout,
    *,
    rng: np.random.Generator | None = None,
    index: Any = None,
) -> Any:
    """The frame of codes [N, n], column i being variable i; a code below 0 is a missing value.

    Binned values are drawn from the quantiles of their bin with `rng`; without one they are its median.
    `index` is the index of a pandas frame (None: 0, 1, ...).

    >>> from depnet.data import describe
    >>> domain, layout = describe([{"sex": "male"}, {"sex": "female"}])
    >>> decode([[0], [-1]], domain, layout)
    [{'sex': 'female'}, {'sex': None}]
    """
    table = checked_codes(codes, domain, layout)
    pieces = [
        piece_of(table[:, i], variable, layout.columns[i], rng) for i, variable in enumerate(domain.variables)
    ]
    return assemble(pieces, layout, len(table), index)


def checked_codes(codes: ArrayLike, domain: Domain, layout: Layout) -> NDArray[Any]:
    """Codes [N, n] that fit a domain and a layout; those below 0 stand for missing values."""
    table = np.asarray(codes)
    if table.ndim != 2 or table.shape[1] != len(domain) or len(layout.columns) != len(domain):
        raise DataError(
            f"codes have the shape {table.shape} and the layout {len(layout.columns)} columns; expected "
            f"[rows, {len(domain)}] and {len(domain)} columns."
        )
    if table.size and table.dtype.kind not in "biu":
        raise DataError(f"codes are integers; got an array of {table.dtype}.")
    if table.size and (table.max(axis=0) >= domain.cardinalities).any():
        i = int(np.argmax(table.max(axis=0) >= domain.cardinalities))
        raise DataError(
            f"column {domain.variables[i].name!r}: code {table[:, i].max()} is outside "
            f"0..{domain.variables[i].cardinality - 1}."
        )
    return table


def piece_of(
    codes: NDArray[Any], variable: Variable, column: ColumnLayout, rng: np.random.Generator | None
) -> Piece:
    """A column's values: those of its states and every row's place among them, or numbers."""
    hidden = codes < 0
    if variable.missing is not None:
        hidden = hidden | (codes == variable.cardinality - 1)
    if variable.bins is None:
        states: tuple[Any, ...] = variable.states[: variable.cardinality - (variable.missing is not None)]
        if column.values is not None:
            states = column.values
        elif column.kind == "float":
            states = tuple(map(float, states))
        return Piece(column, hidden, np.where(hidden, -1, codes.astype(np.int64)), states)
    known = np.where(hidden, 0, codes).astype(np.int64)
    numbers = variable.bins.middle()[known] if rng is None else variable.bins.draw(known, rng)
    if variable.bins.kind == "datetime":
        numbers = numbers.view("datetime64[us]")
    elif variable.bins.kind == "date":
        numbers = numbers.view("datetime64[D]")
    return Piece(column, hidden, numbers=numbers)
