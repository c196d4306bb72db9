"""Pass 2: the codes of every column, made by the engine and put in their place in the table."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.data.files.engine import text_literal
from depnet.data.files.rows import Rows
from depnet.data.files.states import groups
from depnet.data.table.dataset import Dataset, code_type
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed, TableBuilder
from depnet.data.table.variable import Variable

_MANY_CUTS = 64
"""Above this many comparisons a row, bisection is quicker."""

_BLOCK = 1 << 16
"""Numbers that are compared with all cuts before the next ones: they stay in the processor's cache."""


def encode_rows(rows: Rows, domain: Domain, tell: Callable[[int], object]) -> Dataset | Holed:
    """The table of codes, in the order of the file's rows; `Holed` where a value is missing."""
    dtype = code_type(domain)
    made = TableBuilder(domain, rows.rows, levels=True)
    sql = [_code(rows, place, variable, dtype) for place, variable in enumerate(domain.variables)]
    wide = max(8 if number else dtype.itemsize for _, number in sql)
    for group in groups(rows, range(len(domain)), 4 * wide * rows.rows, rows.memory // 4):
        columns = ", ".join(f"{sql[place][0]} AS v{place}" for place in group)
        found = rows.connection.execute(f"SELECT {columns} FROM {rows.of(group)}").fetchnumpy()
        for place in group:
            cells, variable = found.pop(f"v{place}"), domain.variables[place]
            absent = np.ma.getmaskarray(cells) if isinstance(cells, np.ma.MaskedArray) else None
            values = np.ma.getdata(cells)
            codes = _located(values, variable, dtype) if sql[place][1] else values
            made.put(place, codes, absent, values if sql[place][1] else None)
            tell(1)
    return made.table()


def _code(rows: Rows, place: int, variable: Variable, dtype: Any) -> tuple[str, bool]:
    """The SQL of a column's code, or, and then True, of its number."""
    value, kind = f"v{place}", rows.columns[place].kind
    whole = "USMALLINT" if dtype == np.uint16 else "UTINYINT"
    if kind == "empty":
        return f"CAST(NULL AS {whole})", False
    if kind == "boolean":
        return f"CAST({value} AS {whole})", False
    if kind == "label":
        labels = [str(state) for state in variable.present_states if state is not variable.other]
        if not labels:
            return f"CAST(NULL AS {whole})", False
        listed = ", ".join(map(text_literal, labels))
        rows.connection.execute(f"CREATE TYPE states_{place} AS ENUM ({listed})")
        if variable.other is not None:
            known = f"enum_code(TRY_CAST({value} AS states_{place}))"
            code = f"CAST(coalesce({known}, {len(labels)}) AS {whole})"
            return f"CASE WHEN {value} IS NOT NULL THEN {code} END", False
        return f"CAST(enum_code(CAST({value} AS states_{place})) AS {whole})", False
    return value, True


def _cuts(variable: Variable) -> list[Any]:
    """Where the next code begins: a bin's lower edge, or the next state's number."""
    if variable.bins is not None:
        return list(variable.bins.edges[1:-1])
    return list(variable.present_states[1:])


def _located(values: NDArray[Any], variable: Variable, dtype: Any) -> NDArray[Any]:
    """The codes of numbers, whatever they are where one is missing: how many cuts it is not below."""
    cuts = _cuts(variable)
    if len(cuts) > _MANY_CUTS:
        return np.searchsorted(np.array(cuts), values, side="right")
    codes = np.zeros(len(values), dtype=dtype)
    for begin in range(0, len(values), _BLOCK):
        some, block = values[begin : begin + _BLOCK], codes[begin : begin + _BLOCK]
        for cut in cuts:
            block += some >= cut
    return codes
