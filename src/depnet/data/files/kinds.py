"""What the columns of a file hold, as one of the kinds that frames have, and as SQL.

Parquet says it, but for dates and durations that are text there. A column of text (CSV; JSON where types differ) is, by
all its cells that are not missing:

- whole numbers, or numbers, where every cell is one (decimal point; no thousands separators, no infinities);
- booleans, where every cell is true or false, in any case;
- dates (2024-02-29), or dates with times (2024-02-29 12:30, 2024-02-29T12:30:00Z), where every cell is one;
- durations (0 days 01:30:00, as pandas writes them), where every cell is one;
- numbers, dates or times of day as people write them ($1,234.50, 84.4%, 9/30/1990, 2:30 PM), where all cells have one form
  (`depnet.data.binning.forms`);
- labels otherwise. But where nine cells in ten or more are numbers, and more than 16 different ones, the others are
  taken for mistakes, and an error names the first.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from depnet.data.binning.bins import TIMES
from depnet.data.binning.forms import Form, find_form, likely_form, number_sql
from depnet.data.binning.times import form_of
from depnet.data.table import limits
from depnet.data.table.columns import PATTERNS, ColumnKind, is_kind
from depnet.data.table.kinds import HELD, KindError, KindWord
from depnet.data.table.mixed import MOSTLY
from depnet.errors import DataError, Hint, brief
from depnet.wording import plural

if TYPE_CHECKING:
    import duckdb

Connection: TypeAlias = "duckdb.DuckDBPyConnection"

FEW_NUMBERS = 16
_Matches: TypeAlias = dict[Any, int]
"""The number of a column's cells, under None, and of those of each kind, under that kind."""

_TYPES: dict[str, ColumnKind] = {
    **dict.fromkeys(("VARCHAR", "UUID", "ENUM"), "label"),
    **dict.fromkeys(('"NULL"', "NULL"), "empty"),
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT"), "integer"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"), "integer"),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL", "HUGEINT", "UHUGEINT"), "float"),
    "BOOLEAN": "boolean",
    "DATE": "date",
    "INTERVAL": "duration",
}
_NOT_IN_FLOATS = ("'_'", "'+-'", "chr(11)")
"""In what the engine takes for a float and the pattern does not: 1_000.5, +-1, a vertical tab around it."""
NUMBER_TYPES: dict[ColumnKind, str] = {"integer": "BIGINT", "float": "DOUBLE"}
"""How SQL calls numbers of these kinds."""

_CASTS: dict[ColumnKind, str] = {
    **NUMBER_TYPES,
    "boolean": "BOOLEAN",
    "date": "DATE",
    "datetime": "TIMESTAMPTZ",
    "duration": "INTERVAL",
}


_VALUES: dict[ColumnKind, str] = {
    **dict.fromkeys(("label", "empty"), "CAST({} AS VARCHAR)"),
    **dict.fromkeys(("integer", "boolean"), "CAST({} AS BIGINT)"),
    "float": "CAST({} AS DOUBLE)",
    "date": "CAST({} - DATE '1970-01-01' AS BIGINT)",
}


@dataclass(frozen=True, slots=True)
class FileColumn:
    """A column of the file: what it holds, and in `typed` its value as SQL would have it.

    `categories`: those that the file declares, in their order, which means something where they are `ordered`. `form` is how
    text has its values.
    """

    name: str
    kind: ColumnKind
    typed: str
    nanoseconds: bool = False
    categories: tuple[Any, ...] | None = None
    ordered: bool = False
    form: str | None = None

    @property
    def value(self) -> str:
        """The value in SQL as codes are made from it, NULL where it is missing.

        The text of a label, 0 or 1 of a boolean, a number (dates as days, moments as microseconds since 1970, durations as
        microseconds).
        """
        if self.nanoseconds:  # to microseconds downwards, where DuckDB rounds
            return f"(epoch_ns({self.typed}) - (epoch_ns({self.typed}) % 1000 + 1000) % 1000) // 1000"
        return _VALUES.get(self.kind, "epoch_us({})").format(self.typed)


def column_of_type(name: str, typed: str, sql_type: str) -> FileColumn:
    """A column of a type that the file declares; `typed` is how SQL names it."""
    head = "LIST" if sql_type.endswith("]") else re.split(r"[(\[ ]", sql_type, maxsplit=1)[0]
    kind = "datetime" if head.startswith("TIMESTAMP") else _TYPES.get(head)
    if kind is None:
        raise DataError(
            f"column {name!r}: a column holds text, booleans, numbers, dates, dates with times, or durations; got "
            f"{sql_type}. Convert it",
            Hint("columns", [...], lead=", or leave it out with "),
            ".",
        )
    return FileColumn(name, kind, typed, head == "TIMESTAMP_NS")


def column_of_text(name: str, kind: ColumnKind, text: str) -> FileColumn:
    return FileColumn(name, kind, text if kind in ("label", "empty") else _cast("CAST", kind, text))


def _with_form(
    connection: Connection, table: str, column: FileColumn, text: str, some: Sequence[str]
) -> FileColumn:
    """A column of text, and how the text of all rows has its values, where it has a form; `some` texts are of it."""
    if column.kind == "label":
        form = _find_form(connection, table, text, some, find_form)
        if form is None or not _all_read(connection, table, text, number_sql(text, form)):
            return column
        return FileColumn(column.name, form.kind, number_sql(text, form), form=form.text)
    if column.kind != "datetime":
        return column
    zone = f"regexp_extract(substr({text}, 12), '[Z+-].*')"
    shape = f"substr({text}, 11, 1), length({text}) - length({zone}), {zone}"  # all that a form depends on
    found = connection.execute(
        f"SELECT min({text}), count(*) FROM {table} WHERE {text} IS NOT NULL GROUP BY {shape}"
    ).fetchall()
    return replace(column, form=form_of(*zip(*found, strict=True)))


def column_as_said(connection: Connection, table: str, name: str, kind: KindWord, text: str) -> FileColumn:
    """A column of text that is said to be numbers, dates or times; the first cell that is none is an error."""
    for held in HELD[kind]:
        if _all_read(connection, table, text, f"CASE WHEN {is_kind_sql(held, text)} THEN 1 END"):
            return _with_form(connection, table, column_of_text(name, held, text), text, ())
    first = connection.execute(f"SELECT {text} AS t FROM {table} LIMIT {limits.SAMPLE}").fetchnumpy()["t"]
    form = _find_form(connection, table, text, [*_times(first)], partial(likely_form, kinds=HELD[kind]))
    if form is not None:
        value = number_sql(text, form, loose=True)
    else:  # most are as ISO has them, if any is
        held = max(HELD[kind], key=lambda each: sum(is_kind(each, cell) for cell in _times(first)))
        value = f"CASE WHEN {is_kind_sql(held, text)} THEN 1 END"
    cells = f"SELECT row_number() OVER () - 1 AS row, {text} AS cell, {value} AS value FROM {table}"
    wrong = f"SELECT row, cell FROM ({cells}) WHERE cell IS NOT NULL AND value IS NULL ORDER BY row LIMIT 1"
    for row, cell in connection.execute(wrong).fetchall():
        raise KindError(name, kind, row, cell)
    assert form is not None  # else some cell is not of the kind
    return FileColumn(name, form.kind, value, form=form.text)


def _all_read(connection: Connection, table: str, text: str, value: str) -> bool:
    """Has every cell that is not missing such a value?"""
    ((present, read),) = connection.execute(f"SELECT count({text}), count({value}) FROM {table}").fetchall()
    return bool(present == read)


def _find_form(
    connection: Connection,
    table: str,
    text: str,
    some: Sequence[str],
    find: Callable[[Sequence[str]], Form | None],
) -> Form | None:
    """The form of some texts, those of the first rows, with the decimals that others have."""
    texts = sorted(some)
    form = find(texts)
    if form is not None and form.kind == "integer":
        number = number_sql(text, form._replace(kind="float"))
        more = f"SELECT DISTINCT {text} AS t FROM {table} WHERE {number} <> floor({number}) ORDER BY t LIMIT {limits.SAMPLE}"
        form = find(texts + [cell for (cell,) in connection.execute(more).fetchall()])
    return form


def _cast(how: str, kind: ColumnKind, text: str) -> str:
    """Text as a value of a kind, in SQL, which writes -1 days +23:00:00 without the plus."""
    plain = f"replace({text}, '+', '')" if kind == "duration" else text
    return f"{how}({plain} AS {_CASTS[kind]})"


def columns_of_text(
    connection: Connection,
    table: str,
    columns: Sequence[tuple[str, str]],
    rows: int,
    width: int,
    *,
    only_times: bool,
) -> list[FileColumn]:
    """Columns of text, given as (name, SQL of the text), `width` of them a query; JSON's can only be times.

    From some rows which kinds are possible; where there are more rows, from all of them whether they hold.
    """
    possible: list[ColumnKind] = list(TIMES) if only_times else list(PATTERNS)
    seen: list[Counter[str]] = []
    for group in _groups(columns, width):
        shown = ", ".join(f"{text} AS t{place}" for place, (_, text) in enumerate(group))
        cells = connection.execute(f"SELECT {shown} FROM {table} LIMIT {limits.SAMPLE}").fetchnumpy()
        seen += (_times(cells[f"t{place}"]) for place in range(len(group)))
    counts = [_matches_of_cells(times, possible) for times in seen]
    if rows > limits.SAMPLE:
        # The kinds that all of some cells are; and numbers, if most of them are.
        likely = [
            [k for k in possible if some[k] == some[None] or (k == "float" and 2 * some[k] > some[None])]
            for some in counts
        ]
        counts = []
        for group in _groups([*zip(columns, likely, strict=True)], min(width, limits.PATTERN_COLUMNS)):
            counts += _matches(connection, table, group)
    typed: list[FileColumn] = []
    for (name, text), found, times in zip(columns, counts, seen, strict=True):
        present = found[None]
        fits = [kind for kind in possible if found.get(kind) == present]
        if present and not fits and MOSTLY * present <= found.get("float", -1):
            _reject_few_texts(connection, table, name, text, present - found["float"])
        column = column_of_text(name, "empty" if not present else fits[0] if fits else "label", text)
        typed.append(_with_form(connection, table, column, text, [*times]))
    return typed


def _groups(items: Sequence[Any], size: int) -> Iterator[Any]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _times(cells: Any) -> "Counter[str]":
    """How often each text comes among cells that were fetched."""
    return Counter(cells.compressed() if isinstance(cells, np.ma.MaskedArray) else cells)


def _matches_of_cells(times: "Counter[str]", kinds: Iterable[ColumnKind]) -> _Matches:
    fits: _Matches = {kind: sum(n for text, n in times.items() if is_kind(kind, text)) for kind in kinds}
    return {None: times.total(), **fits}


def _matches(
    connection: Connection, table: str, group: Sequence[tuple[tuple[str, str], Sequence[ColumnKind]]]
) -> list[_Matches]:
    """The matches of each column, by all of its cells. (Where every condition is NULL, count_if would be NULL, too.)"""
    parts: list[str] = []
    for (_, text), kinds in group:
        matching = (f"count(*) FILTER (WHERE {is_kind_sql(kind, text)})" for kind in kinds)
        parts += [f"count({text})", *matching]
    (found,) = connection.execute(f"SELECT {', '.join(parts)} FROM {table}").fetchall()
    counts = iter(found)
    return [{key: next(counts) for key in (None, *kinds)} for _, kinds in group]


def is_kind_sql(kind: ColumnKind, text: str) -> str:
    """`is_kind` in SQL; NULL or false where it is not.

    Patterns are slow, and numbers many. A whole number that is written as the engine writes it needs none; and to refuse
    the characters of what the engine takes for a float, and the pattern does not, is quicker than the pattern.
    """
    if kind == "float":
        others = " OR ".join(f"contains({text}, {part})" for part in _NOT_IN_FLOATS)
        return f"isfinite(TRY_CAST({text} AS DOUBLE)) AND NOT ({others})"
    shape = f"regexp_full_match({text}, '{PATTERNS[kind]}')"
    if kind == "boolean":
        return shape
    value = _cast("TRY_CAST", kind, text)
    matches = f"{shape} AND {value} IS NOT NULL"
    return (
        f"CASE WHEN CAST({value} AS VARCHAR) = {text} THEN true ELSE {matches} END"
        if kind == "integer"
        else matches
    )


def numbers_likely(cells: Mapping[int, Any]) -> dict[int, ColumnKind]:
    """The columns, by place, whose cells so far are all numbers, with the kind of number."""
    found: dict[int, ColumnKind] = {}
    for place, column in cells.items():
        matches = _matches_of_cells(_times(column), NUMBER_TYPES)
        fits = [kind for kind in NUMBER_TYPES if 0 < matches[None] == matches[kind]]
        if fits:
            found[place] = fits[0]
    return found


def _reject_few_texts(connection: Connection, table: str, name: str, text: str, others: int) -> None:
    number = is_kind_sql("float", text)
    some = f"SELECT DISTINCT {text} FROM {table} WHERE {number} LIMIT {FEW_NUMBERS + 1}"
    if len(connection.execute(some).fetchall()) <= FEW_NUMBERS:
        return  # labels that look like numbers: 1, 2, 3 and "4 or more"
    cells = f"SELECT row_number() OVER () - 1 AS row, {text} AS cell, coalesce({number}, false) AS ok FROM {table}"
    first = f"SELECT row, cell FROM ({cells}) WHERE cell IS NOT NULL AND NOT ok ORDER BY row LIMIT 1"
    ((row, cell),) = connection.execute(first).fetchall()
    raise MixedColumnError(name, row, cell, others)


class MixedColumnError(DataError):
    def __init__(self, name: str, row: int, cell: str, others: int, line: int | None = None) -> None:
        self.row, self._made_of = row, (name, row, cell, others)
        where = f"row {row:,}" if line is None else f"row {row:,} (line {line:,})"
        more = f"; {plural(others - 1, 'more cell')} like it" if others > 1 else ""
        super().__init__(
            f"column {name!r} is numbers, but {where} has {brief(cell)}{more}. If it means a missing value, say ",
            Hint("missing_values", [cell, ...]),
            "; if the column is text, say ",
            Hint("text", [name]),
            "; else correct it.",
        )

    def at(self, line: int | None) -> "MixedColumnError":
        """The same, with the line of the file."""
        return MixedColumnError(*self._made_of, line)
