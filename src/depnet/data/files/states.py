"""Pass 1: the variable of every column, by the rule that frames have (`depnet.data.frames.describe.variable_of`)."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_args

import numpy as np

from depnet.data.binning.bins import Kind
from depnet.data.binning.ranked import Ranked, RankedArray
from depnet.data.files.engine import answer
from depnet.data.files.ranks import RankedTable
from depnet.data.files.rows import Rows
from depnet.data.frames.columns import endless_number
from depnet.data.frames.describe import BinChoice, Missing, Summary, variable_of
from depnet.data.table.variable import MAX_CARDINALITY, Variable
from depnet.errors import DataError, brief, how_many

_SMALL_CELLS = 2_000_000
_SMALL_ROWS = 20_000
_NUMBER_BYTES = 32  # a number on its way: in the engine, in numpy, without its holes, sorted


def find_variables(
    rows: Rows, bins: BinChoice, max_bins: int, missing: Missing, tell: Callable[[int], object]
) -> list[Variable]:
    """The variables of all columns; `tell` hears of each column that is done."""
    present = _counts(rows)
    labels = _labels(rows, present)

    def make(place: int, numbers: Ranked | None = None) -> Variable:
        column, hidden = rows.columns[place], rows.rows - present[place]
        summary = Summary(
            column.name,
            column.kind,
            rows.rows,
            hidden,
            _first(rows, place, f"v{place} IS NULL") if hidden and missing == "error" else 0,
            labels.get(place, ()) if column.categories is None else column.categories,
            column.categories is not None,
            numbers,
        )
        variable = variable_of(summary, bins, max_bins, missing)
        tell(1)
        return variable

    places = range(len(rows.columns))
    if missing == "error":  # the first column with a hole, before any work
        for place in places:
            if present[place] < rows.rows:
                make(place)
    numeric = [place for place in places if rows.columns[place].kind in get_args(Kind) and present[place]]
    variables = {place: make(place) for place in sorted(set(places) - set(numeric))}
    for place, numbers in _ranked(rows, numeric, present):
        variables[place] = make(place, numbers)
    return [variables[place] for place in places]


def _ranked(rows: Rows, places: Sequence[int], present: Sequence[int]) -> Iterator[tuple[int, Ranked]]:
    """The numbers of each column by their ranks: in memory, or column after column in the engine's own storage."""
    if rows.rows * _NUMBER_BYTES <= rows.memory // 2:
        for group in groups(rows, places, rows.rows * _NUMBER_BYTES, rows.memory // 2):
            arrays = _fetch(rows, group)
            for place in group:
                yield place, RankedArray.of(_there(arrays.pop(0)))
        return
    for place in places:
        whole = rows.columns[place].kind != "float"
        table = RankedTable.of(rows.connection, rows.of([place]), f"v{place}", present[place], whole=whole)
        yield place, table
        table.close()


def groups(rows: Rows, places: Sequence[int], bytes_each: int, memory: int) -> Iterator[Sequence[int]]:
    """Places in groups that fit in memory together, as they come and as they are read."""
    size = max(1, min(rows.width, memory // max(1, bytes_each)))
    for start in range(0, len(places), size):
        yield places[start : start + size]


def _counts(rows: Rows) -> list[int]:
    """How many values each column has; an infinity, and far too many labels, are refused here."""
    present: list[int] = []
    for group in groups(rows, range(len(rows.columns)), 1, rows.memory):
        parts = ", ".join(f"count(v{place}), {_suspicion(rows, place)}" for place in group)
        (found,) = answer(rows.connection, f"SELECT {parts} FROM {rows.of(group)}")
        present += found[::2]
        for place, suspicious in zip(group, found[1::2], strict=True):
            column = rows.columns[place]
            if column.kind == "float" and suspicious:
                ((value,),) = answer(
                    rows.connection, f"SELECT v{place} FROM {rows.of([place])} WHERE isinf(v{place}) LIMIT 1"
                )
                raise endless_number(column.name, _first(rows, place, f"isinf(v{place})"), value)
            if column.kind == "label" and suspicious > 2 * MAX_CARDINALITY:
                raise DataError(
                    f"column {column.name!r} has about {how_many(suspicious)} different labels in {rows.rows:,} rows; at "
                    f"most {MAX_CARDINALITY:,} are possible. It looks like an identifier: leave it out with "
                    "`columns=[...]`."
                )
    return present


def _suspicion(rows: Rows, place: int) -> str:
    """What to count, in SQL, so as to refuse a column: infinities, or, where there are many rows, about the labels."""
    kind = rows.columns[place].kind
    if kind == "float":
        return f"count(*) FILTER (WHERE isinf(v{place}))"
    return f"approx_count_distinct(v{place})" if kind == "label" and rows.rows > _SMALL_ROWS else "0"


def _labels(rows: Rows, present: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The distinct labels of every label column."""
    places = [
        place
        for place, column in enumerate(rows.columns)
        if column.kind == "label" and column.categories is None and present[place]
    ]
    found: dict[int, tuple[str, ...]] = {}
    if rows.rows <= _SMALL_ROWS:
        for group in groups(rows, places, rows.rows, _SMALL_CELLS):
            for place, cells in zip(group, _fetch(rows, group), strict=True):
                found[place] = tuple(dict.fromkeys(_there(cells).tolist()))
    else:
        for place in places:
            distinct = answer(
                rows.connection,
                f"SELECT DISTINCT v{place} FROM {rows.of([place])} WHERE v{place} IS NOT NULL",
            )
            found[place] = tuple(label for (label,) in distinct)
    for place, labels in found.items():
        for label in labels:
            if "\0" in label:
                row = _first(rows, place, f"contains(v{place}, chr(0))")
                raise DataError(
                    f"column {rows.columns[place].name!r}, row {row}: {brief(label)} holds a NUL byte, which no text has. "
                    'The file is damaged, or in another encoding: `encoding="utf-16"` perhaps.'
                )
    return found


def _fetch(rows: Rows, group: Sequence[int]) -> list[Any]:
    found = rows.connection.execute(f"SELECT * FROM {rows.of(group)}").fetchnumpy()
    return [found.pop(f"v{place}") for place in group]


def _there(cells: Any) -> Any:
    """The values that are not missing."""
    return cells.compressed() if isinstance(cells, np.ma.MaskedArray) else cells


def _first(rows: Rows, place: int, condition: str) -> int:
    """The number of the first row, from 0, of which this holds."""
    ((row,),) = answer(
        rows.connection,
        f"SELECT row FROM (SELECT row_number() OVER () - 1 AS row, {condition} AS found FROM {rows.of([place])}) "
        "WHERE found ORDER BY row LIMIT 1",
    )
    return int(row)
