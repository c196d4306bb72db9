"""Pass 2: the codes of every column that pass 1 did not find already, made by the engine; all put in their place."""

from collections.abc import Callable
from typing import Any

import numpy as np

from depnet.data.files.engine import text_literal
from depnet.data.files.number_codes import Coded, absent_of
from depnet.data.files.rows import Rows
from depnet.data.files.states import groups
from depnet.data.table.dataset import Dataset, code_type
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed, TableBuilder
from depnet.data.table.variable import Variable

_FEW_LABELS = 64
"""Up to here the place of a label in a list is found as fast as in an enumeration, also where rows repeat no labels."""


def encode_rows(
    rows: Rows,
    domain: Domain,
    known: dict[int, Coded],
    tell: Callable[[int], object],
) -> Dataset | Holed:
    """The table of codes, in the order of the file's rows; `Holed` where a value is missing.

    `known` are those of some columns, by their places; they are let go as they are put in.
    """
    dtype = code_type(domain)
    made = TableBuilder(domain, rows.rows)
    left = [place for place in range(len(domain)) if place not in known]
    for place in sorted(known):
        made.put(place, *known.pop(place))
        tell(1)
    sql = {place: _code(rows, place, domain.variables[place], dtype) for place in left}
    wide = max([8 if number else dtype.itemsize for _, number in sql.values()], default=1)
    for group in groups(rows, left, 4 * wide * rows.rows, rows.memory // 4):
        columns = ", ".join(f"{sql[place][0]} AS v{place}" for place in group)
        found = rows.connection.execute(f"SELECT {columns} FROM {rows.of(group)}").fetchnumpy()
        for place in group:
            cells, (_, number) = found.pop(f"v{place}"), sql[place]
            coded = Coded.of(cells, domain.variables[place]) if number else None
            made.put(place, *(coded or (np.ma.getdata(cells), absent_of(cells))))
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
    if kind != "label":
        return value, True
    labels = [str(state) for state in variable.present_states if state is not variable.other]
    if not labels:
        return f"CAST(NULL AS {whole})", False
    listed = ", ".join(map(text_literal, labels))
    if variable.other is not None:  # to cast what is no member of an enumeration takes long
        code = f"coalesce(list_position([{listed}], {value}) - 1, {len(labels)})"
        return f"CASE WHEN {value} IS NOT NULL THEN CAST({code} AS {whole}) END", False
    if len(labels) <= _FEW_LABELS:
        return f"CAST(list_position([{listed}], {value}) - 1 AS {whole})", False
    rows.connection.execute(f"CREATE TYPE states_{place} AS ENUM ({listed})")
    return f"CAST(enum_code(TRY_CAST({value} AS states_{place})) AS {whole})", False
