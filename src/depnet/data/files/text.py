"""Text files: CSV, TSV and JSON become columns in a temporary Parquet file, read once from front to back.

CSV cells are kept as text here, or as numbers where all of a column are; what texts mean is found later, from all rows
(`kinds`). A quoted field may hold
delimiters, quotes (doubled) and line breaks. Empty lines are skipped, but where there is one column only.
"""

import codecs
import csv
import io
import itertools
import re
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from depnet.data.files.diagnose import diagnose_csv, diagnose_json, find_bad_bytes
from depnet.data.files.engine import answer, first_line, text_literal
from depnet.data.files.kinds import NUMBER_TYPES, SAMPLE, is_kind_sql, numbers_likely
from depnet.data.files.source import MAX_LINE, Source, empty_file, unreadable
from depnet.errors import DataError, Hint, brief

if TYPE_CHECKING:
    import duckdb

    from depnet.data.table.columns import ColumnKind

DELIMITERS = (",", ";", "\t", "|")
LARGE = 2**22
"""Bytes of a file, as it lies, from which on numbers are read as such at once: below, to look first takes as long."""
SEEN, SEEN_ROWS = 2**16, 50
"""Characters and rows by which a delimiter is told."""

MISSING_VALUES = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL")
"""What a cell of a CSV file says where its value is missing."""

_UTF8 = ("utf-8", "utf-8-sig", "ascii")


@dataclass(frozen=True, slots=True)
class Dialect:
    header: bool = True
    delimiter: str | None = None
    encoding: str = "utf-8"
    missing_values: tuple[str, ...] = MISSING_VALUES

    def __post_init__(self) -> None:
        if self.delimiter is not None and (
            not isinstance(self.delimiter, str) or len(self.delimiter) != 1 or self.delimiter in '"\r\n\0'
        ):
            raise DataError(f"the delimiter is one character; got {brief(self.delimiter)}.")
        try:
            codecs.lookup(self.encoding)
        except (LookupError, TypeError):
            raise DataError(
                f"there is no encoding {brief(self.encoding)}. Some that there are: utf-8, latin-1, cp1252, utf-16."
            ) from None
        for word in self.missing_values:
            if not isinstance(word, str):
                raise DataError(f"missing_values are texts; got {brief(word)}.")

    @property
    def is_utf8(self) -> bool:
        """Can DuckDB read it as it is?"""
        return codecs.lookup(self.encoding).name in _UTF8


def in_utf8(source: Source, encoding: str, scratch: Path) -> Source:
    """The same text in UTF-8, unpacked, with one kind of line ends."""
    target = scratch / "utf8"
    try:
        with source.open() as raw, target.open("w", encoding="utf-8", newline="\n") as out:
            text = io.TextIOWrapper(raw, encoding)  # any line end is "\n"
            while chunk := text.read(2**20):
                out.write(chunk.removeprefix("\ufeff") if out.tell() == 0 else chunk)
    except UnicodeError:
        raise find_bad_bytes(source, encoding) or DataError(
            f"{source.name}: the text is not {encoding}."
        ) from None
    except (EOFError, zlib.error, OSError) as error:
        raise unreadable(source.name, error) from error
    return Source(target, source.name, source.format, zipped=False)


def _first_record(source: Source, dialect: Dialect) -> tuple[list[str], str, int]:
    """The first record, the delimiter (the one given, a tab for TSV, else by the first rows), and the number of empty lines
    before the first.
    """
    skip = 0
    try:
        with source.open() as raw:
            if raw.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
                raise DataError(
                    f"{source.name}: this text is UTF-16. Read it with ", Hint("encoding", "utf-16"), "."
                )
            text = io.TextIOWrapper(raw, "utf-8-sig", newline="")
            first = text.readline(MAX_LINE)
            while first and not first.strip("\r\n"):
                first, skip = text.readline(MAX_LINE), skip + 1
            delimiter = dialect.delimiter or ("\t" if source.format == "tsv" else "")
            if not delimiter:
                first += text.read(SEEN) + text.readline(MAX_LINE)
                delimiter = _delimiter(first)
            lines = itertools.chain(io.StringIO(first, newline=""), text)
            record = next(csv.reader(lines, delimiter=delimiter), [])
    except UnicodeError:
        raise find_bad_bytes(source, "utf-8") or DataError(f"{source.name}: the text is not utf-8.") from None
    except csv.Error as error:
        raise DataError(f"{source.name}, line {skip + 1}: {error}.") from None
    except (EOFError, zlib.error, OSError) as error:
        raise unreadable(source.name, error) from error
    return record, delimiter, skip


def _delimiter(text: str) -> str:
    r"""Of the delimiters with which the first rows all have as many fields as the first line, the one that is most frequent
    there; where there is none, the most frequent of all. A name may hold others.

    >>> _delimiter("width (cm; in; ft),height\n1,2\n")
    ','
    """
    line = text.split("\n", 1)[0]
    outside = "".join(line.split('"')[::2])  # quoted fields left out
    fitting = [delimiter for delimiter in DELIMITERS if delimiter in outside and _fits(text, delimiter)]
    return max(fitting or DELIMITERS, key=outside.count)


def _fits(text: str, delimiter: str) -> bool:
    """Do the first rows have as many fields as the first line?"""
    try:
        records = list(
            itertools.islice(
                filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)), SEEN_ROWS
            )
        )
    except csv.Error:
        return False
    return len(set(map(len, records))) == 1


@dataclass(frozen=True, slots=True)
class Csv:
    """A CSV file of which all is known but the rows: its names, the delimiter, the empty lines before line 1."""

    source: Source
    names: tuple[str, ...]
    delimiter: str
    skip: int
    dialect: Dialect


def open_csv(source: Source, dialect: Dialect, scratch: Path) -> Csv:
    """See what a CSV file is, after writing it anew where it is not in UTF-8."""
    if not dialect.is_utf8:
        source = in_utf8(source, dialect.encoding, scratch)
    record, delimiter, skip = _first_record(source, dialect)
    if not record:
        raise empty_file(source.name)
    names = tuple(record) if dialect.header else tuple(f"X{i}" for i in range(len(record)))
    return Csv(source, names, delimiter, skip, dialect)


def load_csv(
    connection: "duckdb.DuckDBPyConnection", file: Path, table: Csv, target: Path, texts: Collection[int] = ()
) -> dict[int, str]:
    """Write the rows of a CSV file as columns c0, c1, ... to a Parquet file; missing cells are NULL.

    All are text, but of a large file those columns, other than `texts`, that hold numbers only: they are read once, as the
    numbers that their first cells promise, and once more where a later cell is none. The result has the SQL types of these.
    """
    import duckdb

    try:
        return _load_typed(connection, _rows(file, table, zipped=table.source.zipped), table, target, texts)
    except duckdb.Error as error:
        wrong = diagnose_csv(table.source, len(table.names), table.delimiter)
        if wrong is not None or isinstance(error, duckdb.OutOfMemoryException):
            raise (wrong or unreadable_by_engine(table.source, error)) from error
        plain = in_utf8(
            table.source, "utf-8", target.parent
        )  # line ends of several kinds: once more with one
        try:
            return _load_typed(connection, _rows(plain.path, table, zipped=False), table, target, texts)
        except duckdb.Error:
            raise unreadable_by_engine(table.source, error) from error


def _load_typed(
    connection: "duckdb.DuckDBPyConnection", rows: str, table: Csv, target: Path, texts: Collection[int]
) -> dict[int, str]:
    places = range(len(table.names))
    likely: dict[int, ColumnKind] = {}
    if table.source.path.stat().st_size >= LARGE:
        some = connection.execute(f"SELECT * FROM {rows} LIMIT {SAMPLE}").fetchnumpy()
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
        (found,) = answer(connection, f"SELECT {wrong} FROM read_parquet({text_literal(str(target))})")
        if not any(found):
            return {place: NUMBER_TYPES[kind] for place, kind in likely.items()}
        likely = {place: kind for (place, kind), bad in zip(likely.items(), found, strict=True) if not bad}


def _as_number(place: int, kind: "ColumnKind") -> str:
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


def load_json(connection: "duckdb.DuckDBPyConnection", file: Path, source: Source, target: Path) -> None:
    """Write the objects of JSON lines (or of one array) to a Parquet file, a column a field."""
    import duckdb

    place = (
        f"{text_literal(str(file))}, format = 'auto', compression = '{'gzip' if source.zipped else 'none'}'"
    )
    how = f"{place}, records = true"
    seen = "sample_size = -1, convert_strings_to_integers = false, dateformat = '-', timestampformat = '-'"
    try:
        described = answer(connection, f"DESCRIBE SELECT * FROM read_json({how}, {seen})")
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


def _check_fields(
    connection: "duckdb.DuckDBPyConnection", objects: str, source: Source, names: list[str]
) -> None:
    """Fields that differ in case only: DuckDB gives the second another name, with a number, and would miss its values."""
    folded = {name.casefold() for name in names}
    for name in names:
        base, _, number = name.rpartition("_")
        if number.isdigit() and base.casefold() in folded:
            break
    else:
        return
    seen: dict[str, str] = {}
    for (name,) in answer(
        connection, f"SELECT DISTINCT unnest(json_keys(json)) AS name FROM {objects} ORDER BY name DESC"
    ):
        if seen.setdefault(name.casefold(), name) != name:
            raise DataError(
                f"{source.name}: the fields {brief(seen[name.casefold()])} and {brief(name)} differ in upper and lower case "
                "only. Rename one."
            )
