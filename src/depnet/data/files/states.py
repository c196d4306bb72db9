"""Pass 1: the variable of every column, by the rule that frames have (`depnet.data.frames.variables.variable_of`).

Numbers that are in memory for it become codes at once: to read them takes longer than to locate them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, get_args

import numpy as np

from depnet.data.binning.bins import Kind
from depnet.data.binning.ranked import Ranked, RankedArray
from depnet.data.files.engine import answer
from depnet.data.files.number_codes import Coded
from depnet.data.files.ranks import RankedTable
from depnet.data.files.rows import Rows
from depnet.data.frames.columns import endless_number
from depnet.data.frames.left_out import Keep, LeftOut, counts_from, left_out
from depnet.data.frames.variables import StateOptions, Summary, variable_of
from depnet.data.table.variable import MAX_CARDINALITY, Variable
from depnet.errors import DataError, brief

_SMALL_CELLS = 2_000_000
_SMALL_ROWS = 20_000
_NUMBER_BYTES = 32  # a number on its way: in the engine, in numpy, without its holes, sorted


def find_variables(
    rows: Rows, options: StateOptions, keep: Keep, tell: Callable[[int], object]
) -> tuple[list[Variable | LeftOut], dict[int, Coded]]:
    """The variables of all columns, or why a column is left out; and codes of some, by their places.

    `tell` hears of each column that is done.
    """
    present, about = _counts(rows)
    labels = _labels(rows, about, options.max_states)
    missing = options.missing

    def make(place: int, numbers: Ranked | None = None, first: int | None = None) -> Variable | LeftOut:
        column, hidden = rows.columns[place], rows.rows - present[place]
        known = labels.get(place, _Labels())
        summary = Summary(
            column.name,
            column.kind,
            rows.rows,
            hidden,
            labels=known.labels,
            declared=column.categories is not None,
            numbers=numbers,
            counts=known.counts,
            different=known.different,
            counts_from=first,
            ordered=column.ordered,
            form=column.form,
        )
        unlikely = left_out(summary, options, keep)
        if unlikely is None and hidden and missing == "error":
            summary = replace(summary, first_hidden=_first(rows, place, f"v{place} IS NULL"))
        tell(1)
        return variable_of(summary, options) if unlikely is None else unlikely

    places = range(len(rows.columns))
    if missing == "error":  # the first column with a hole, before any work
        for place in places:
            if present[place] < rows.rows:
                make(place)
    numeric = [place for place in places if rows.columns[place].kind in get_args(Kind) and present[place]]
    variables = {place: make(place) for place in sorted(set(places) - set(numeric))}
    coded: dict[int, Coded] = {}
    for place, numbers, first, cells in _ranked(rows, numeric, present):
        found = variables[place] = make(place, numbers, first)
        if cells is not None and isinstance(found, Variable):
            coded[place] = Coded.of(cells, found)
    return [variables[place] for place in places], coded


def _ranked(
    rows: Rows, places: Sequence[int], present: Sequence[int]
) -> Iterator[tuple[int, Ranked, int | None, Any]]:
    """The numbers of each column by their ranks: in memory, or column after column in the engine's own storage.

    With each, the first of whole numbers that go up by one a row, and the cells of all rows, where they are in memory.
    """
    counting = [rows.columns[p].kind == "integer" and present[p] == rows.rows for p in range(len(present))]
    if rows.rows * _NUMBER_BYTES <= rows.memory // 2:
        for group in groups(rows, places, rows.rows * _NUMBER_BYTES, rows.memory // 2):
            arrays = _fetch(rows, group)
            for place in group:
                cells = arrays.pop(0)
                numbers = _there(cells)
                first = counts_from(numbers) if counting[place] else None
                yield place, RankedArray.of(numbers), first, cells
        return
    for place in places:
        whole = rows.columns[place].kind != "float"
        table = RankedTable.of(rows.connection, rows.of([place]), f"v{place}", present[place], whole=whole)
        yield place, table, _counts_from(rows, place, table) if counting[place] else None, None
        table.close()


def _counts_from(rows: Rows, place: int, numbers: Ranked) -> int | None:
    """As `counts_from`, of a column that does not fit in memory."""
    first, last = numbers.at([0, rows.rows - 1]).tolist()
    if last - first != rows.rows - 1:
        return None
    row = f"SELECT v{place} - row_number() OVER () AS before FROM {rows.of([place])}"
    ((others,),) = answer(rows.connection, f"SELECT count(*) FROM ({row}) WHERE before <> {first - 1}")
    return None if others else int(first)


def groups(rows: Rows, places: Sequence[int], bytes_each: int, memory: int) -> Iterator[Sequence[int]]:
    """Places in groups that fit in memory together, as they come and as they are read."""
    size = max(1, min(rows.width, memory // max(1, bytes_each)))
    for start in range(0, len(places), size):
        yield places[start : start + size]


def _counts(rows: Rows) -> tuple[list[int], list[int]]:
    """How many values each column has, and about how many labels where rows are many; an infinity is refused here."""
    present: list[int] = []
    about: list[int] = []
    for group in groups(rows, range(len(rows.columns)), 1, rows.memory):
        parts = ", ".join(f"count(v{place}), {_suspicion(rows, place)}" for place in group)
        (found,) = answer(rows.connection, f"SELECT {parts} FROM {rows.of(group)}")
        present += found[::2]
        about += found[1::2]
        for place, suspicious in zip(group, found[1::2], strict=True):
            column = rows.columns[place]
            if column.kind == "float" and suspicious:
                ((value,),) = answer(
                    rows.connection, f"SELECT v{place} FROM {rows.of([place])} WHERE isinf(v{place}) LIMIT 1"
                )
                raise endless_number(column.name, _first(rows, place, f"isinf(v{place})"), value)
    return present, about


def _suspicion(rows: Rows, place: int) -> str:
    """What to count, in SQL, before values are looked at: infinities, or, where there are many rows, about the labels."""
    kind = rows.columns[place].kind
    if kind == "float":
        return f"count(*) FILTER (WHERE isinf(v{place}))"
    return f"approx_count_distinct(v{place})" if kind == "label" and rows.rows > _SMALL_ROWS else "0"


class _Labels(NamedTuple):
    """The labels of a column and how many rows have each; of very many only the most frequent, `different` being all."""

    labels: tuple[Any, ...] = ()
    counts: tuple[int, ...] = ()
    different: int = 0


def _labels(rows: Rows, about: Sequence[int], max_states: int) -> dict[int, _Labels]:
    """The labels of every label column."""
    places = [place for place, column in enumerate(rows.columns) if column.kind == "label"]
    found: dict[int, _Labels] = {}
    if rows.rows <= _SMALL_ROWS:
        for group in groups(rows, places, rows.rows, _SMALL_CELLS):
            for place, cells in zip(group, _fetch(rows, group), strict=True):
                times = Counter(_there(cells).tolist())
                found[place] = _Labels(tuple(times), tuple(times.values()), len(times))
    else:
        for place in places:
            found[place] = _counted(rows, place, about[place] > 2 * MAX_CARDINALITY, max_states)
    for place, known in found.items():
        _check_text(rows, place, known.labels)
    return {place: _in_categories(rows.columns[place].categories, known) for place, known in found.items()}


def _counted(rows: Rows, place: int, many: bool, max_states: int) -> _Labels:
    """The labels of a column of a large table, by the engine; of too `many` for a variable the most frequent ones."""
    value, source = f"v{place}", rows.of([place])
    shown = f"SELECT {value}, count(*) AS times FROM {source} WHERE {value} IS NOT NULL GROUP BY {value}"
    if many:
        ((different,),) = answer(rows.connection, f"SELECT count(DISTINCT {value}) FROM {source}")
        shown += f" ORDER BY times DESC, {value} LIMIT {max_states}"
    times = answer(rows.connection, shown)
    labels, counts = zip(*times, strict=True) if times else ((), ())
    return _Labels(labels, counts, different if many else len(times))


def _in_categories(categories: tuple[Any, ...] | None, known: _Labels) -> _Labels:
    """Where the file declares categories, these, in their order, the unused ones too."""
    if categories is None:
        return known
    times = dict(zip(known.labels, known.counts, strict=True))
    return _Labels(categories, tuple(times.get(str(label), 0) for label in categories), known.different)


def _check_text(rows: Rows, place: int, labels: Sequence[str]) -> None:
    for label in labels:
        if "\0" in label:
            row = _first(rows, place, f"contains(v{place}, chr(0))")
            raise DataError(
                f"column {rows.columns[place].name!r}, row {row}: {brief(label)} holds a NUL byte, which no text has. "
                'The file is damaged, or in another encoding: `encoding="utf-16"` perhaps.'
            )


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
