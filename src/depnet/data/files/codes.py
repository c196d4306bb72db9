"""Pass 2: the codes of every column, made by the engine and put in their place in the table."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.data.files.engine import text_literal
from depnet.data.files.ranks import number_literal
from depnet.data.files.rows import Rows
from depnet.data.files.states import groups
from depnet.data.table.dataset import Dataset, code_type
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed, TableBuilder
from depnet.data.table.variable import Variable

_MANY_CUTS = 64
"""Above this many comparisons a row, bisection in numpy is quicker."""


def encode_rows(rows: Rows, domain: Domain, tell: Callable[[int], object]) -> Dataset | Holed:
    """The table of codes, in the order of the file's rows; `Holed` where a value is missing."""
    dtype = code_type(domain)
    made = TableBuilder(domain, rows.rows)
    sql = [_code(rows, place, variable, dtype) for place, variable in enumerate(domain.variables)]
    wide = max(8 if numpy else dtype.itemsize for _, numpy in sql)
    for group in groups(rows, range(len(domain)), 4 * wide * rows.rows, rows.memory // 4):
        columns = ", ".join(f"{sql[place][0]} AS v{place}" for place in group)
        found = rows.connection.execute(f"SELECT {columns} FROM {rows.of(group)}").fetchnumpy()
        for place in group:
            cells, variable = found.pop(f"v{place}"), domain.variables[place]
            absent = np.ma.getmaskarray(cells) if isinstance(cells, np.ma.MaskedArray) else None
            values = np.ma.getdata(cells)
            made.put(place, _bisected(values, variable) if sql[place][1] else values, absent)
            tell(1)
    return made.table()


def _code(rows: Rows, place: int, variable: Variable, dtype: Any) -> tuple[str, bool]:
    """The SQL of a column's code, or of its number where numpy shall bisect."""
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
    cuts = _cuts(variable)
    if len(cuts) > _MANY_CUTS:
        return value, True
    terms = [f"CAST({value} >= {number_literal(cut)} AS {whole})" for cut in cuts]
    return f"CASE WHEN {value} IS NOT NULL THEN CAST({' + '.join(['0', *terms])} AS {whole}) END", False


def _cuts(variable: Variable) -> list[Any]:
    """Where the next code begins: a bin's lower edge, or the next state's number."""
    if variable.bins is not None:
        return list(variable.bins.edges[1:-1])
    return list(variable.present_states[1:])


def _bisected(values: NDArray[Any], variable: Variable) -> NDArray[np.int64]:
    if variable.bins is not None:
        return variable.bins.locate(values)
    return np.searchsorted(np.array(_cuts(variable)), values, side="right")
