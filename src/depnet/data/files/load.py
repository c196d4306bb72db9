"""A file in the engine: CSV, TSV and JSON become columns in a temporary Parquet file, read once from front to back; then
what the columns hold is found, and the rows that satisfy `where`.

CSV cells are kept as text here, or as numbers where all of a column are; what the texts mean is found later, from all rows
(`kinds`). A quoted field may hold delimiters, quotes (doubled) and line breaks. Empty lines are skipped, but where there is
one column only.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from depnet.data.files.arrow import Categories, microseconds_sql
from depnet.data.files.diagnose import diagnose_csv, diagnose_json
from depnet.data.files.kinds import (
    NUMBER_TYPES,
    Connection,
    FileColumn,
    column_as_said,
    column_of_text,
    column_of_type,
    columns_of_text,
    is_kind_sql,
    numbers_likely,
)
from depnet.data.files.source import MAX_LINE, Csv, Source, in_utf8
from depnet.data.files.table import first_line, identifier, interrupted_after, text_literal
from depnet.data.table import limits
from depnet.data.table.columns import ColumnKind
from depnet.data.table.kinds import HELD, Kinds
from depnet.errors import DataError, Hint, brief

TEXTS = {"TEXT": False, "JSON": False, "VARCHAR": True}
"""Types of text whose meaning is found; and is it only looked whether it is dates or durations?"""


@dataclass(frozen=True, slots=True)
class LoadedTable:
    """A Parquet file: its columns' names, how SQL names them, and their types in SQL; TEXT is that of CSV's cells."""

    file: Path
    names: Sequence[str]
    types: Sequence[tuple[str, str]]

    @property
    def relation(self) -> str:
        return f"read_parquet({text_literal(str(self.file))}, hive_partitioning = false)"


def load_file(
    connection: Connection, source: Source | Csv, link: Path, texts: Collection[str]
) -> LoadedTable:
    """The table as a Parquet file: the one that is read, or one beside the link that text is loaded into.

    The columns `texts` are labels, whatever they look like.
    """
    target = link.parent / "rows.parquet"
    if isinstance(source, Csv):
        labels = [place for place, name in enumerate(source.names) if name in texts]
        numbers = _load_csv(connection, link, source, target, labels)
        types = [(f"c{place}", numbers.get(place, "TEXT")) for place in range(len(source.names))]
        return LoadedTable(target, source.names, types)
    if source.format == "json":
        _load_json(connection, link, source, target)
        link = target
    return _parquet_table(connection, source, link)


def _parquet_table(connection: Connection, source: Source, table: Path) -> LoadedTable:
    """The names as the file has them; SQL has others where they differ in case only."""
    place = text_literal(str(table))
    schema = connection.execute(f"SELECT name, num_children FROM parquet_schema({place})").fetchall()
    described = f"DESCRIBE SELECT * FROM read_parquet({place}, hive_partitioning = false)"
    types = [(identifier(row[0]), str(row[1])) for row in connection.execute(described).fetchall()]
    names, at = [], 1
    for _ in range(schema[0][1] or 0):  # the root's children, each with its own subtree
        names.append(schema[at][0])
        left = 1
        while left:
            left += (schema[at][1] or 0) - 1
            at += 1
    return LoadedTable(table, names, types)


def find_columns(
    connection: Connection,
    table: LoadedTable,
    rows: int,
    width: int,
    wanted: Iterable[int],
    labels: Collection[str],
    declared: Mapping[str, Categories | str],
    kinds: Kinds,
) -> dict[int, FileColumn]:
    """The columns by their places: of a declared type, or of text whose meaning is said by `kinds` or found here.

    The columns `labels` stay text.
    """
    found: dict[int, FileColumn] = {}
    texts: dict[bool, list[tuple[int, str]]] = {False: [], True: []}
    for place in wanted:
        name, (column, sql_type) = table.names[place], table.types[place]
        text = f"({column} ->> '$')" if sql_type == "JSON" else column
        more = declared.get(name)
        if name in labels or (kinds.get(name) == "ordered" and sql_type in TEXTS):
            if sql_type not in TEXTS and column_of_type(name, column, sql_type).kind != "label":
                text = f"CAST({column} AS VARCHAR)"
            found[place] = column_of_text(name, "label", text)
        elif isinstance(more, Categories):
            found[place] = FileColumn(name, "label", column, categories=more.labels, ordered=more.ordered)
        elif more is not None:
            found[place] = FileColumn(name, "duration", f"to_microseconds({microseconds_sql(column, more)})")
        elif sql_type in TEXTS and isinstance(kind := kinds.get(name), str) and kind in HELD:
            found[place] = column_as_said(connection, table.relation, name, kind, text)  # type: ignore[arg-type]
        elif sql_type in TEXTS:
            texts[TEXTS[sql_type]].append((place, text))
        else:
            found[place] = column_of_type(name, column, sql_type)
    for only_times, group in texts.items():
        named = [(table.names[place], text) for place, text in group]
        typed = columns_of_text(connection, table.relation, named, rows, width, only_times=only_times)
        found |= dict(zip((place for place, _ in group), typed, strict=True))
    return found


def keep_rows(
    connection: Connection,
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
            ((rows,),) = connection.execute("SELECT count(*) FROM satisfied").fetchall()
    except duckdb.InterruptException as error:
        raise DataError(
            Hint("where", where),
            f" was stopped after {seconds:.0f} s. Write a condition on a row's own columns, or "
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


def _load_csv(
    connection: Connection, file: Path, table: Csv, target: Path, texts: Collection[int] = ()
) -> dict[int, str]:
    """Write the rows of a CSV file as columns c0, c1, ... to a Parquet file; missing cells are NULL.

    All are text but those columns, other than `texts`, that hold numbers only: they are read once, as the numbers that their
    first cells promise, and once more where a later cell is none. The result has the SQL types of these.
    """
    import duckdb

    try:
        return _load_typed(connection, _rows(file, table, zipped=table.source.zipped), table, target, texts)
    except duckdb.Error as error:
        wrong = diagnose_csv(table.source, len(table.names), table.delimiter)
        if wrong is not None or isinstance(error, duckdb.OutOfMemoryException):
            raise (wrong or unreadable_by_engine(table.source, error)) from error
        # Line ends of several kinds: once more with one.
        plain = in_utf8(table.source, "utf-8", target.parent)
        try:
            return _load_typed(connection, _rows(plain.path, table, zipped=False), table, target, texts)
        except duckdb.Error:
            raise unreadable_by_engine(table.source, error) from error


def _load_typed(
    connection: Connection, rows: str, table: Csv, target: Path, texts: Collection[int]
) -> dict[int, str]:
    places = range(len(table.names))
    some = connection.execute(f"SELECT * FROM {rows} LIMIT {limits.SAMPLE}").fetchnumpy()
    likely = numbers_likely({place: some[f"c{place}"] for place in places if place not in texts})
    while True:
        columns = ", ".join(
            _as_number(place, likely[place]) if place in likely else f"c{place}" for place in places
        )
        connection.execute(
            f"COPY (SELECT {columns} FROM {rows}) TO {text_literal(str(target))} (FORMAT parquet, COMPRESSION lz4_raw)"
        )
        if not likely:
            return {}
        wrong = ", ".join(f"coalesce(bool_or(w{place}), false)" for place in likely)
        (found,) = connection.execute(
            f"SELECT {wrong} FROM read_parquet({text_literal(str(target))})"
        ).fetchall()
        if not any(found):
            return {place: NUMBER_TYPES[kind] for place, kind in likely.items()}
        likely = {place: kind for (place, kind), bad in zip(likely.items(), found, strict=True) if not bad}


def _as_number(place: int, kind: ColumnKind) -> str:
    """A column of numbers, and one beside it that says where a cell is none: nearly always false, and so of no size."""
    text = f"c{place}"
    wrong = f"{text} IS NOT NULL AND NOT coalesce({is_kind_sql(kind, text)}, false)"
    return f"TRY_CAST({text} AS {NUMBER_TYPES[kind]}) AS {text}, {wrong} AS w{place}"


def _rows(file: Path, table: Csv, *, zipped: bool) -> str:
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(table.names)))
    null = ", ".join(text_literal(word) for word in table.dialect.missing_values)
    return (
        f"read_csv({text_literal(str(file))}, auto_detect = false, skip = {table.skip}, "
        f"header = {str(table.dialect.header).lower()}, delim = {text_literal(table.delimiter)}, "
        f"quote = '\"', escape = '\"', columns = {{{columns}}}, nullstr = [{null}], "
        f"compression = '{'gzip' if zipped else 'none'}', strict_mode = true, "
        f"max_line_size = {MAX_LINE}, buffer_size = {2 * MAX_LINE})"
    )


def unreadable_by_engine(source: Source, error: Exception) -> DataError:
    """The error where only DuckDB knows what is wrong."""
    said = first_line(error)
    if type(error).__name__ == "OutOfMemoryException":
        return DataError(
            f"{source.name}: reading needs more memory than it may use. Take fewer columns or rows, or allow more: "
            'memory="4GB".'
        )
    if any(mark in said for mark in ("No magic bytes", "too small", "footer")):
        return DataError(
            f"{source.name}: this is not a Parquet file, or not the whole of one: its end is missing. Get it again."
        )
    if too_large := re.search(
        r"Type U?\w+ with value (\d+) can't be cast .* source column (.*)$", said.rstrip(".")
    ):
        value, column = too_large.groups()
        return DataError(
            f"{source.name}, column {column!r}: {value} does not fit in 64 bits with a sign. Read the column as text, ",
            Hint("text", [column]),
            ", or leave it out.",
        )
    if "No space left" in said or "max_temp_directory_size" in said:
        said += ". Set TMPDIR to a directory with more room"
    return DataError(f"{source.name}: the table cannot be read: {said}.")


def _load_json(connection: Connection, file: Path, source: Source, target: Path) -> None:
    """Write the objects of JSON lines (or of one array) to a Parquet file, a column a field."""
    import duckdb

    place = (
        f"{text_literal(str(file))}, format = 'auto', compression = '{'gzip' if source.zipped else 'none'}'"
    )
    how = f"{place}, records = true"
    seen = "sample_size = -1, convert_strings_to_integers = false, dateformat = '-', timestampformat = '-'"
    try:
        described = connection.execute(f"DESCRIBE SELECT * FROM read_json({how}, {seen})").fetchall()
        _check_fields(connection, f"read_json_objects({place})", source, [row[0] for row in described])
        # A column of whole numbers of both signs is seen as HUGEINT, which Parquet does not have.
        types = ", ".join(
            f"{text_literal(row[0])}: {text_literal(str(row[1]).replace('HUGEINT', 'BIGINT'))}"
            for row in described
        )
        connection.execute(
            f"COPY (SELECT * FROM read_json({how}, columns = {{{types}}})) "
            f"TO {text_literal(str(target))} (FORMAT parquet, COMPRESSION lz4_raw)"
        )
    except duckdb.Error as error:
        raise (diagnose_json(source) or unreadable_by_engine(source, error)) from error


def _check_fields(connection: Connection, objects: str, source: Source, names: list[str]) -> None:
    """Fields that differ in case only: DuckDB gives the second another name, with a number, and would miss its values."""
    folded = {name.casefold() for name in names}
    for name in names:
        base, _, number = name.rpartition("_")
        if number.isdigit() and base.casefold() in folded:
            break
    else:
        return
    seen: dict[str, str] = {}
    for (name,) in connection.execute(
        f"SELECT DISTINCT unnest(json_keys(json)) AS name FROM {objects} ORDER BY name DESC"
    ).fetchall():
        if seen.setdefault(name.casefold(), name) != name:
            raise DataError(
                f"{source.name}: the fields {brief(seen[name.casefold()])} and {brief(name)} differ in upper and lower case "
                "only. Rename one."
            )
