"""Pass 1: the variable of every column, by the rule that frames have (`depnet.data.frames.describe.variable_of`)."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from depnet.data.binning.bins import Numbers
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
    variables: dict[int, Variable] = {}

    def make(place: int, numbers: Ranked | None) -> None:
        column = rows.columns[place]
        hidden = rows.rows - present[place]
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
        variables[place] = variable_of(summary, bins, max_bins, missing)
        tell(1)

    if missing == "error":  # the first column with a hole, before any work
        for place in range(len(rows.columns)):
            if present[place] < rows.rows:
                make(place, None)
    counted = [
        p for p, column in enumerate(rows.columns) if column.kind in ("integer", "float", "date", "datetime")
    ]
    counted = [place for place in counted if present[place]]
    for place in sorted(set(range(len(rows.columns))) - set(counted)):
        make(place, None)
    if rows.rows * _NUMBER_BYTES <= rows.memory // 2:
        for group in groups(rows, counted, rows.rows * _NUMBER_BYTES, rows.memory // 2):
            for place, numbers in _numbers(rows, group):
                make(place, RankedArray.of(numbers))
    else:
        for place in counted:
            whole = rows.columns[place].kind != "float"
            table = RankedTable.of(
                rows.connection, rows.of([place]), f"v{place}", present[place], whole=whole
            )
            make(place, table)
            table.close()
    return [variables[place] for place in range(len(rows.columns))]


def groups(rows: Rows, places: Sequence[int], bytes_each: int, memory: int) -> Iterator[Sequence[int]]:
    """Places in groups that fit in memory together, as they come and as they are read."""
    size = max(1, min(rows.width, memory // max(1, bytes_each)))
    for start in range(0, len(places), size):
        yield places[start : start + size]


def _counts(rows: Rows) -> list[int]:
    """How many values each column has; an infinity, and far too many labels, are refused here."""
    present: list[int] = []
    columns = list(enumerate(rows.columns))
    for start in range(0, len(columns), rows.width):
        group = columns[start : start + rows.width]
        parts = [f"count(v{place})" for place, _ in group]
        parts += [f"count(*) FILTER (WHERE isinf(v{place}))" for place, c in group if c.kind == "float"]
        large = rows.rows > _SMALL_ROWS
        parts += [f"approx_count_distinct(v{place})" for place, c in group if c.kind == "label" and large]
        (found,) = answer(rows.connection, f"SELECT {', '.join(parts)} FROM {rows.of(p for p, _ in group)}")
        counts = iter(found)
        present += [next(counts) for _ in group]
        for place, column in group:
            if column.kind == "float" and next(counts):
                row = _first(rows, place, f"isinf(v{place})")
                ((value,),) = answer(
                    rows.connection, f"SELECT v{place} FROM {rows.of([place])} WHERE isinf(v{place}) LIMIT 1"
                )
                raise endless_number(column.name, row, value)
        for _, column in group:
            if column.kind == "label" and large and (about := next(counts)) > 2 * MAX_CARDINALITY:
                raise DataError(
                    f"column {column.name!r} has about {how_many(about)} different labels in {rows.rows:,} rows; at most "
                    f"{MAX_CARDINALITY:,} are possible. It looks like an identifier: leave it out with `columns=[...]`."
                )
    return present


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


def _numbers(rows: Rows, group: Sequence[int]) -> Iterator[tuple[int, Numbers]]:
    arrays = _fetch(rows, group)
    for place in group:
        yield place, _there(arrays.pop(0))


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
