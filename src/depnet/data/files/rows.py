"""The rows and columns that were asked for, to be asked for in SQL as v0, v1, ...: one value a cell, or NULL."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from depnet.data.files.categories import declared_categories
from depnet.data.files.diagnose import line_of_row
from depnet.data.files.engine import answer, columns_at_once, first_line, identifier, text_literal
from depnet.data.files.kinds import FileColumn, MixedColumnError, column_of_text, column_of_type, find_kinds
from depnet.data.files.source import Source
from depnet.data.files.text import Csv, Dialect, load_csv, load_json, unreadable_by_engine
from depnet.errors import DataError, brief
from depnet.wording import nearest

if TYPE_CHECKING:
    import duckdb

_INDEX = re.compile(r"__index_level_\d+__")  # a frame's row names, as pandas puts them in Parquet files


@dataclass(frozen=True, slots=True)
class Request:
    """What to read of a file."""

    columns: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    where: str | None = None
    text: tuple[str, ...] = ()
    dialect: Dialect = field(default_factory=Dialect)

    def __post_init__(self) -> None:
        for option in ("columns", "without", "text"):
            names = getattr(self, option)
            if isinstance(names, str) or not (names is None or isinstance(names, Iterable)):
                raise DataError(f"{option} is a list of names; got {brief(names)}.")
            if names is None:
                continue
            object.__setattr__(self, option, tuple(names))
            twice = [name for name, count in Counter(getattr(self, option)).items() if count > 1]
            if twice:
                raise DataError(f"{option} names {brief(twice[0])} twice.")
        if self.columns is not None and not self.columns:
            raise DataError("columns is empty; a table has at least one column.")
        if self.columns is not None and self.without:
            raise DataError("columns names what is read, without what is not: give one of them.")
        if self.where is not None and (not isinstance(self.where, str) or not self.where.strip()):
            raise DataError(
                f'where is a condition on the columns in SQL, such as "age >= 18"; got {brief(self.where)}.'
            )

    def wants(self, name: str) -> bool:
        """Is a column of that name to be read?"""
        return name not in self.without if self.columns is None else name in self.columns


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
    source: Source | Csv,
    link: Path,
    request: Request,
    scratch: Path,
    memory: int,
) -> Rows:
    """Find names and kinds, and make the view. `link` is how the engine may reach the source."""
    import duckdb

    names: Sequence[str]
    csv = source if isinstance(source, Csv) else None
    source = source.source if isinstance(source, Csv) else source
    table = link if source.format == "parquet" else scratch / "rows.parquet"
    if csv is not None:
        names = csv.names
        types = [(f"c{place}", "TEXT") for place in range(len(names))]
        checked_places(names, request, source)  # before the work
        load_csv(connection, link, csv, table)
    else:
        if source.format == "json":
            load_json(connection, link, source, table)
        names, types = _parquet_columns(connection, source, table)
        if source.format == "json":  # JSON has no dates: its text is looked at
            types = [(column, "JSON TEXT" if sql == "VARCHAR" else sql) for column, sql in types]
    places = checked_places(names, request, source)
    base = f"read_parquet({text_literal(str(table))}, hive_partitioning = false)"
    wanted = range(len(names)) if request.where is not None else places
    ((rows,),) = answer(connection, f"SELECT count(*) FROM {base}")
    width = columns_at_once(connection, table, memory // 2)
    try:
        typed = _columns(connection, base, rows, width, names, types, wanted, request)
    except MixedColumnError as error:
        if csv is None:
            raise
        line = line_of_row(source, csv.delimiter, error.row, header=csv.dialect.header)
        raise MixedColumnError(error.column, error.row, error.cell, error.others, line) from None
    if source.format == "parquet":
        labelled = [
            c.name for c in typed.values() if c.kind in ("label", "integer") and c.name not in request.text
        ]
        declared = declared_categories(connection, link, source.name, labelled)
        for place, column in typed.items():
            if column.name in declared:
                typed[place] = replace(column, kind="label", categories=declared[column.name])
    relation = base
    if request.where is not None:
        relation = _filtered(connection, base, typed, request.where)
        try:
            ((rows,),) = answer(connection, f"SELECT count(*) FROM {relation}")
        except duckdb.Error as error:
            raise _bad_where(request.where, error) from error
    if not rows:
        raise DataError(
            f"{source.name}: "
            + (
                f"no row satisfies `where={request.where!r}`."
                if request.where is not None
                else "the table has no rows, so its columns have no states."
            )
        )
    return Rows(connection, tuple(typed[place] for place in places), relation, rows, memory, width)


def _parquet_columns(
    connection: "duckdb.DuckDBPyConnection", source: Source, table: Path
) -> tuple[list[str], list[tuple[str, str]]]:
    """Names as the file has them, and how SQL names the columns (others where they differ in case only), and types."""
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
    return names, [(identifier(row[0]), str(row[1])) for row in described]


def checked_places(names: Sequence[str], request: Request, source: Source) -> list[int]:
    """The places of the columns asked for; names that are empty or not unique are an error where they matter."""
    first = {name: place for place, name in reversed(list(enumerate(names)))}
    for name in (*(request.columns or ()), *request.without, *request.text):
        if name not in first:
            raise DataError(
                f"{source.name} has no column {brief(name)}. {nearest(name, [n for n in names if n])}"
            )
    counts = Counter(names)
    for place, name in enumerate(names):
        if not request.wants(name) and request.where is None:
            continue
        if not name.strip():
            raise DataError(
                f"{source.name}: column {place + 1} of {len(names)} has no name"
                + (
                    " (pandas writes its row numbers so, but for to_csv(..., index=False))"
                    if place == 0
                    else ""
                )
                + ". Name it, choose others with `columns=[...]`, or, where line 1 is no header, say `header=False`."
            )
        if counts[name] > 1:
            other = next(p for p, n in enumerate(names) if n == name and p != place)
            raise DataError(
                f"{source.name}: columns {place + 1} and {other + 1} are both named {brief(name)}. Rename one, or "
                "choose others with `columns=[...]`."
            )
    if request.columns is None:
        wanted = [place for place, name in enumerate(names) if request.wants(name)]
        if not wanted:
            raise DataError(f"{source.name}: no column is left; a table has at least one.")
        return [place for place in wanted if not _INDEX.fullmatch(names[place])] or wanted
    return [first[name] for name in request.columns]


def _columns(
    connection: "duckdb.DuckDBPyConnection",
    base: str,
    rows: int,
    width: int,
    names: Sequence[str],
    types: Sequence[tuple[str, str]],
    wanted: Iterable[int],
    request: Request,
) -> dict[int, FileColumn]:
    """The columns by their places: of a declared type, or of text whose meaning is found here."""
    found: dict[int, FileColumn] = {}
    texts: dict[bool, list[tuple[int, str]]] = {False: [], True: []}
    for place in wanted:
        name, (column, sql_type) = names[place], types[place]
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
    for only_dates, group in texts.items():
        named = [(names[place], text) for place, text in group]
        kinds = find_kinds(connection, base, named, rows, width, only_dates=only_dates)
        for (place, text), kind in zip(group, kinds, strict=True):
            found[place] = column_of_text(names[place], kind, text)
    return found


def _filtered(
    connection: "duckdb.DuckDBPyConnection", base: str, typed: dict[int, FileColumn], where: str
) -> str:
    """A view of the rows that satisfy `where`; its typed columns have their own names."""
    import duckdb

    folded = Counter(column.name.casefold() for column in typed.values())
    for column in typed.values():
        if folded[column.name.casefold()] > 1:
            raise DataError(
                f"column {column.name!r} differs from another in upper and lower case only, which SQL does not tell "
                "apart, so where=... cannot be used. Rename one."
            )
    shown = ", ".join(f"{column.typed} AS {identifier(column.name)}" for column in typed.values())
    try:
        connection.sql(f"SELECT {shown} FROM {base}").filter(where).create_view("satisfied")
    except duckdb.Error as error:
        raise _bad_where(where, error, [column.name for column in typed.values()]) from error
    for place, column in typed.items():
        typed[place] = replace(column, typed=identifier(column.name))
    return "satisfied"


def _bad_where(where: str, error: Exception, names: Sequence[str] = ()) -> DataError:
    said = first_line(error).split(" Candidate bindings")[0]
    if "disabled by configuration" in said:
        said = "it may use the columns of this table, and no other file"
    some = ", ".join(map(brief, names[:10])) + (", ..." if len(names) > 10 else "")
    return DataError(
        f'`where={brief(where)}` is no condition on a row of the table: {said}. It is SQL, such as "age" >= 18 AND '
        f"sex = 'female'" + (f"; the columns are {some}." if names else ".")
    )
