"""What to read of a file, opened as a `FileTable`: its columns, their kinds, and the rows that satisfy `where`."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from depnet.data.files.arrow import Declared, declared_types, microseconds_sql
from depnet.data.files.diagnose import line_of_row
from depnet.data.files.engine import (
    answer,
    columns_at_once,
    first_line,
    identifier,
    interrupted_after,
    text_literal,
)
from depnet.data.files.kinds import (
    FileColumn,
    MixedColumnError,
    column_of_text,
    column_of_type,
    find_kinds,
    moments_of_text,
)
from depnet.data.files.source import Source
from depnet.data.files.table import FileTable
from depnet.data.files.text import Csv, Dialect, load_csv, load_json, unreadable_by_engine
from depnet.errors import DataError, Hint, brief
from depnet.wording import nearest, some_of

if TYPE_CHECKING:
    import duckdb

WHERE_SECONDS = 30.0
WHERE_ROWS = 100_000
"""How long a `where` may take to look at all rows once: these seconds, and one more for this many rows."""

TEXTS = {"TEXT": False, "JSON": False, "VARCHAR": True}
"""Types of text whose meaning is found; and is it only looked whether it is dates or durations?"""

_INDEX = re.compile(r"__index_level_\d+__")  # a frame's row names, as pandas puts them in Parquet files


@dataclass(frozen=True, slots=True)
class Request:
    columns: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    where: str | None = None
    text: tuple[str, ...] = ()
    dialect: Dialect = field(default_factory=Dialect)
    optional: bool = False
    """Columns that are asked for need not be there."""

    def __post_init__(self) -> None:
        for option in ("columns", "without", "text"):
            names = getattr(self, option)
            if names is not None:
                object.__setattr__(self, option, _names_given(option, names))
        if self.columns is not None and not self.columns:
            raise DataError("columns is empty; a table has at least one column.")
        if self.columns is not None and self.without:
            raise DataError("columns names what is read, without what is not: give one of them.")
        if self.where is not None and (not isinstance(self.where, str) or not self.where.strip()):
            raise DataError(
                f'where is a condition on the columns in SQL, such as "age >= 18"; got {brief(self.where)}.'
            )

    def wants(self, name: str) -> bool:
        return name not in self.without if self.columns is None else name in self.columns


def _names_given(option: str, names: object) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise DataError(f"{option} is a list of names; got {brief(names)}.")
    given = tuple(names)
    for name, count in Counter(given).items():
        if count > 1:
            raise DataError(f"{option} names {brief(name)} twice.")
    return given


def check_names(names: Sequence[str], source: Source) -> None:
    """Refuse names that no name can be: with a NUL character, which ends a name for most that read it."""
    for place, name in enumerate(names):
        if "\0" in name:
            raise DataError(
                f"{source.name}: the name of column {place + 1:,}, {brief(name)}, has a NUL character. Rename it; if the "
                "file is UTF-16, read it with ",
                Hint("encoding", "utf-16"),
                ".",
            )


def places_of(names: Sequence[str], request: Request, source: Source) -> list[int]:
    """The places of the columns asked for; names that are empty or not unique are an error where they matter."""
    there = set(names)
    for name in () if request.optional else (*(request.columns or ()), *request.without, *request.text):
        if name not in there:
            raise DataError(
                f"{source.name} has no column {brief(name)}. {nearest(name, [n for n in names if n])}"
            )
    if request.optional and there.isdisjoint(request.columns or ()):
        raise DataError(f"{source.name} has none of the model's columns: {some_of(request.columns or ())}.")
    wanted = [place for place, name in enumerate(names) if request.wants(name)]
    first = _first_places(names, wanted if request.where is None else range(len(names)), source)
    if request.columns is not None:
        return [first[name] for name in request.columns if name in there]
    if not wanted:
        raise DataError(f"{source.name}: no column is left; a table has at least one.")
    return [place for place in wanted if not _INDEX.fullmatch(names[place])] or wanted


def _first_places(names: Sequence[str], used: Iterable[int], source: Source) -> dict[str, int]:
    """Where each name stands, of the columns that are used; each has a name of its own."""
    first: dict[str, int] = {}
    for place in used:
        name = names[place]
        if not name.strip():
            by_pandas = " (pandas writes its row numbers so, but for to_csv(..., index=False))"
            raise DataError(
                f"{source.name}: column {place + 1} of {len(names)} has no name{by_pandas if place == 0 else ''}. "
                "Name it, choose others with ",
                Hint("columns", [...]),
                ", or, where line 1 is no header, say ",
                Hint("header", False),
                ".",
            )
        if first.setdefault(name, place) != place:
            raise DataError(
                f"{source.name}: columns {first[name] + 1} and {place + 1} are both named {brief(name)}. Rename one",
                Hint("columns", [...], lead=", or choose others with "),
                ".",
            )
    return first


def open_rows(
    connection: "duckdb.DuckDBPyConnection",
    source: Source,
    csv: Csv | None,
    link: Path,
    request: Request,
    memory: int,
) -> FileTable:
    """Load the table, and find the columns that are asked for, their kinds, and the rows that satisfy `where`.

    `link` is how the engine may reach the source, or the `csv` in UTF-8 that was made of it; beside it there is room.
    """
    if csv is not None:
        check_names(csv.names, source)
        places_of(csv.names, request, source)  # what is asked for is there: seen before the work
    table = _loaded(connection, csv or source, link, request)
    check_names(table.names, source)
    places = places_of(table.names, request, source)
    ((rows,),) = answer(connection, f"SELECT count(*) FROM {table.relation}")
    width = columns_at_once(connection, table.file, memory // 2)
    wanted = range(len(table.names)) if request.where is not None else places
    declared = Declared()
    if source.format == "parquet":
        names = [table.names[place] for place in wanted if table.names[place] not in request.text]
        declared = declared_types(connection, link, source.name, names)
    try:
        typed = _columns(connection, table, rows, width, wanted, request, declared)
    except MixedColumnError as error:
        if csv is None:
            raise
        line = line_of_row(csv.source, csv.delimiter, error.row, header=csv.dialect.header)
        raise MixedColumnError(error.column, error.row, error.cell, error.others, line) from None
    relation: str = table.relation
    none: tuple[str | Hint, ...] = ("the table has no rows, so its columns have no states.",)
    if request.where is not None:
        none = "no row satisfies ", Hint("where", request.where), "."
        seconds = WHERE_SECONDS + rows / WHERE_ROWS
        relation, rows, typed = _filtered(connection, relation, typed, request.where, seconds)
    if not rows:
        raise DataError(f"{source.name}: ", *none)
    return FileTable(
        source.name, connection, [typed[place] for place in places], relation, rows, memory, width
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """A Parquet file: its columns' names, how SQL names them, and their types in SQL; TEXT is that of CSV's cells."""

    file: Path
    names: Sequence[str]
    types: Sequence[tuple[str, str]]

    @property
    def relation(self) -> str:
        return f"read_parquet({text_literal(str(self.file))}, hive_partitioning = false)"


def _loaded(
    connection: "duckdb.DuckDBPyConnection", source: Source | Csv, link: Path, request: Request
) -> _Table:
    """The table as a Parquet file: the one that is read, or one beside the link that text is loaded into."""
    target = link.parent / "rows.parquet"
    if isinstance(source, Csv):
        texts = [place for place, name in enumerate(source.names) if name in request.text]
        numbers = load_csv(connection, link, source, target, texts)
        types = [(f"c{place}", numbers.get(place, "TEXT")) for place in range(len(source.names))]
        return _Table(target, source.names, types)
    if source.format != "json":
        return _parquet_table(connection, source, link)
    load_json(connection, link, source, target)
    return _parquet_table(connection, source, target)


def _parquet_table(connection: "duckdb.DuckDBPyConnection", source: Source, table: Path) -> _Table:
    """The names as the file has them; SQL has others where they differ in case only."""
    import duckdb

    place = text_literal(str(table))
    try:
        schema = answer(connection, f"SELECT name, num_children FROM parquet_schema({place})")
        described = answer(
            connection, f"DESCRIBE SELECT * FROM read_parquet({place}, hive_partitioning = false)"
        )
    except duckdb.Error as error:
        said = str(error)
        if "No magic bytes" in said or "too small" in said or "footer" in said:
            raise DataError(
                f"{source.name}: this is not a Parquet file, or not the whole of one: its end is missing. Get it again."
            ) from error
        raise unreadable_by_engine(source, error) from error
    names, at = [], 1
    for _ in range(schema[0][1] or 0):  # the root's children, each with its own subtree
        names.append(schema[at][0])
        left = 1
        while left:
            left += (schema[at][1] or 0) - 1
            at += 1
    return _Table(table, names, [(identifier(row[0]), str(row[1])) for row in described])


def _columns(
    connection: "duckdb.DuckDBPyConnection",
    table: _Table,
    rows: int,
    width: int,
    wanted: Iterable[int],
    request: Request,
    declared: Declared,
) -> dict[int, FileColumn]:
    """The columns by their places: of a declared type, or of text whose meaning is found here."""
    found: dict[int, FileColumn] = {}
    texts: dict[bool, list[tuple[int, str]]] = {False: [], True: []}
    for place in wanted:
        name, (column, sql_type) = table.names[place], table.types[place]
        text = f"({column} ->> '$')" if sql_type == "JSON" else column
        if name in request.text:
            if sql_type not in TEXTS and column_of_type(name, column, sql_type).kind != "label":
                text = f"CAST({column} AS VARCHAR)"
            found[place] = column_of_text(name, "label", text)
        elif name in declared.categories:
            labels, ordered = declared.categories[name]
            found[place] = FileColumn(name, "label", column, categories=labels, ordered=ordered)
        elif name in declared.durations:
            length = microseconds_sql(column, declared.durations[name])
            found[place] = FileColumn(name, "duration", f"to_microseconds({length})")
        elif sql_type in TEXTS:
            texts[TEXTS[sql_type]].append((place, text))
        else:
            found[place] = column_of_type(name, column, sql_type)
    for only_times, group in texts.items():
        named = [(table.names[place], text) for place, text in group]
        kinds = find_kinds(connection, table.relation, named, rows, width, only_times=only_times)
        for (place, text), kind in zip(group, kinds, strict=True):
            found[place] = moments_of_text(connection, table.relation, table.names[place], kind, text)
    return found


def _filtered(
    connection: "duckdb.DuckDBPyConnection",
    base: str,
    typed: dict[int, FileColumn],
    where: str,
    seconds: float,
) -> tuple[str, int, dict[int, FileColumn]]:
    """A view of the rows that satisfy `where`, their number, and its columns, typed and under their own names.

    To look at all rows once may take so many `seconds`: a subquery may ask for more than ever comes to an end.
    """
    import duckdb

    names = [column.name for column in typed.values()]
    folded = Counter(map(str.casefold, names))
    for name in names:
        if folded[name.casefold()] > 1:
            raise DataError(
                f"column {name!r} differs from another in upper and lower case only, which SQL does not tell "
                "apart, so where=... cannot be used. Rename one."
            )
    shown = ", ".join(f"{column.typed} AS {identifier(column.name)}" for column in typed.values())
    try:
        connection.sql(f"SELECT {shown} FROM {base}").filter(where).create_view("satisfied")
    except duckdb.Error as error:
        raise _bad_where(where, error, names) from error
    try:
        with interrupted_after(connection, seconds):
            ((rows,),) = answer(connection, "SELECT count(*) FROM satisfied")
    except duckdb.InterruptException as error:
        raise DataError(
            Hint("where", where),
            f" was given up after {seconds:.0f} s. Write a condition on a row's own columns, or "
            "choose the rows beforehand.",
        ) from error
    except duckdb.Error as error:
        raise _bad_where(where, error) from error
    named = {place: replace(column, typed=identifier(column.name)) for place, column in typed.items()}
    return "satisfied", rows, named


def _bad_where(where: str, error: Exception, names: Sequence[str] = ()) -> DataError:
    said = first_line(error).split(" Candidate bindings")[0]
    if "disabled by configuration" in said:
        said = "it may use the columns of this table, and no other file"
    some = ", ".join(map(brief, names[:10])) + (", ..." if len(names) > 10 else "")
    return DataError(
        Hint("where", where),
        f' is no condition on a row of the table: {said}. It is SQL, such as "age" >= 18 AND '
        f"sex = 'female'" + (f"; the columns are {some}." if names else "."),
    )
