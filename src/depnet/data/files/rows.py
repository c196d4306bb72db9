"""The rows and columns that were asked for, to be asked for in SQL as v0, v1, ...: one value a cell, or NULL."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from depnet.data.files.declared import declared_types
from depnet.data.files.diagnose import line_of_row
from depnet.data.files.durations import microseconds_sql
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
from depnet.data.files.request import Request, check_names, places_of
from depnet.data.files.source import Source
from depnet.data.files.text import Csv, load_csv, load_json, unreadable_by_engine
from depnet.errors import DataError, brief

if TYPE_CHECKING:
    import duckdb


WHERE_SECONDS = 30.0
WHERE_ROWS = 100_000
"""How long a `where` may take to look at all rows once: these seconds, and one more for this many rows."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What is read: `columns` of a `relation` of the engine, its number of rows, and how many columns fit in a query."""

    connection: "duckdb.DuckDBPyConnection"
    columns: tuple[FileColumn, ...]
    relation: str
    rows: int
    memory: int
    width: int

    def of(self, places: Iterable[int]) -> str:
        """A relation with the columns v3, v8, ... for the places 3, 8, ...; no more, for there may be very many."""
        values = ", ".join(f"{self.columns[place].value} AS v{place}" for place in places)
        return f"(SELECT {values} FROM {self.relation})"


def open_rows(
    connection: "duckdb.DuckDBPyConnection",
    source: Source,
    csv: Csv | None,
    link: Path,
    request: Request,
    memory: int,
) -> Rows:
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
    try:
        typed = _columns(connection, table, rows, width, wanted, request)
    except MixedColumnError as error:
        if csv is None:
            raise
        line = line_of_row(csv.source, csv.delimiter, error.row, header=csv.dialect.header)
        raise MixedColumnError(error.column, error.row, error.cell, error.others, line) from None
    if source.format == "parquet":
        typed = _with_declared(connection, link, source, typed, request)
        typed = _with_times(connection, table, typed, rows, width, request)
    relation, none = table.relation, "the table has no rows, so its columns have no states."
    if request.where is not None:
        none = f"no row satisfies `where={request.where!r}`."
        seconds = WHERE_SECONDS + rows / WHERE_ROWS
        relation, rows, typed = _filtered(connection, relation, typed, request.where, seconds)
    if not rows:
        raise DataError(f"{source.name}: {none}")
    return Rows(connection, tuple(typed[place] for place in places), relation, rows, memory, width)


def names_of(
    connection: "duckdb.DuckDBPyConnection", source: Source, csv: Csv | None, link: Path
) -> Sequence[str]:
    """The names of all columns, as `open_rows` would find them."""
    return csv.names if csv is not None else _loaded(connection, source, link, Request()).names


@dataclass(frozen=True, slots=True)
class _Table:
    """A Parquet file: its columns' names, how SQL names them, and their types in SQL.

    The type TEXT is of cells of CSV and "JSON TEXT" of JSON's, of which only dates and durations are looked for.
    """

    file: Path
    names: Sequence[str]
    types: Sequence[tuple[str, str]]

    @property
    def relation(self) -> str:
        """The rows, in SQL."""
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
    table = _parquet_table(connection, source, target)
    types = [(column, "JSON TEXT" if sql == "VARCHAR" else sql) for column, sql in table.types]
    return replace(table, types=types)


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
) -> dict[int, FileColumn]:
    """The columns by their places: of a declared type, or of text whose meaning is found here."""
    names = table.names
    found: dict[int, FileColumn] = {}
    texts: dict[bool, list[tuple[int, str]]] = {False: [], True: []}
    for place in wanted:
        name, (column, sql_type) = names[place], table.types[place]
        if sql_type in ("TEXT", "JSON", "JSON TEXT"):
            text = f"({column} ->> '$')" if sql_type == "JSON" else column
            if name in request.text:
                found[place] = column_of_text(name, "label", text)
            else:
                texts[sql_type == "JSON TEXT"].append((place, text))
        else:
            found[place] = column_of_type(name, column, sql_type)
            if name in request.text and found[place].kind != "label":
                found[place] = column_of_text(name, "label", f"CAST({column} AS VARCHAR)")
    for only_times, group in texts.items():
        named = [(names[place], text) for place, text in group]
        kinds = find_kinds(connection, table.relation, named, rows, width, only_times=only_times)
        for (place, text), kind in zip(group, kinds, strict=True):
            found[place] = moments_of_text(connection, table.relation, names[place], kind, text)
    return found


def _with_declared(
    connection: "duckdb.DuckDBPyConnection",
    file: Path,
    source: Source,
    typed: dict[int, FileColumn],
    request: Request,
) -> dict[int, FileColumn]:
    """The columns, those that a Parquet file declares to be categories or durations being these."""
    labelled = [
        column.name
        for column in typed.values()
        if column.kind in ("label", "integer") and column.name not in request.text
    ]
    declared = declared_types(connection, file, source.name, labelled)
    found = dict(typed)
    for place, column in typed.items():
        if column.name in declared.categories:
            labels, ordered = declared.categories[column.name]
            found[place] = replace(column, kind="label", categories=labels, ordered=ordered)
        elif column.name in declared.durations and column.kind != "label":
            length = microseconds_sql(column.typed, declared.durations[column.name])
            found[place] = replace(column, kind="duration", typed=f"to_microseconds({length})")
    return found


def _with_times(
    connection: "duckdb.DuckDBPyConnection",
    table: _Table,
    typed: dict[int, FileColumn],
    rows: int,
    width: int,
    request: Request,
) -> dict[int, FileColumn]:
    """The columns, those of text that a Parquet file has being dates or durations where all of their cells are."""
    texts = {
        place: column
        for place, column in typed.items()
        if table.types[place][1] == "VARCHAR"
        and column.categories is None
        and column.name not in request.text
    }
    named = [(column.name, column.typed) for column in texts.values()]
    kinds = find_kinds(connection, table.relation, named, rows, width, only_times=True)
    found = zip(texts.items(), kinds, strict=True)
    times = {
        place: moments_of_text(connection, table.relation, column.name, kind, column.typed)
        for (place, column), kind in found
        if kind not in ("label", "empty")
    }
    return {**typed, **times}


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
            f"`where={brief(where)}` was given up after {seconds:.0f} s. Write a condition on a row's own columns, or "
            "choose the rows beforehand."
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
        f'`where={brief(where)}` is no condition on a row of the table: {said}. It is SQL, such as "age" >= 18 AND '
        f"sex = 'female'" + (f"; the columns are {some}." if names else ".")
    )
