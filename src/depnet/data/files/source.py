"""A path or a stream as a local file of a known format: what cannot be a table is refused here, in words.

For a CSV file, everything but its rows is found: its names, its delimiter, and its text in UTF-8.
"""

import codecs
import contextlib
import csv
import errno
import gzip
import io
import itertools
import os
import re
import shutil
import stat
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias, get_args

from depnet.data.files.workbook import is_workbook, write_sheet
from depnet.errors import DataError, DataFileError, DataFileNotFoundError, Hint, brief

Format: TypeAlias = Literal["csv", "tsv", "parquet", "json"]
FORMATS: tuple[str, ...] = get_args(Format)

READ_ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
}
MAX_LINE = 2**24
"""Bytes of one row of text."""

_HEAD = 65_536
_GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
_MODEL = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"format"\s*:\s*"depnet network"')
_NOT_TABLES = {  # how files begin that people give for a table
    ZIP: "a zip archive. Unpack it",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet (.xls). Save the sheet as CSV",
    b"ARROW1": "an Arrow (Feather) file. Read it with pyarrow or polars and give the frame to depnet",
    b"SQLite format 3": "a SQLite database. Export the table as CSV",
    b"\x28\xb5\x2f\xfd": "compressed with zstd. Unpack it, or compress it with gzip",
    b"BZh": "compressed with bzip2. Unpack it, or compress it with gzip",
    b"\xfd7zXZ": "compressed with xz. Unpack it, or compress it with gzip",
}

DELIMITERS = (",", ";", "\t", "|")
SEEN, SEEN_ROWS = 2**16, 50
"""The characters and rows from which a delimiter is found."""

MISSING_VALUES = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", r"\N")
"""What a cell of a CSV file says where its value is missing."""

_UTF8 = ("utf-8", "utf-8-sig", "ascii")

_CHUNK = 2**20


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read: `path` on this machine, `name` for messages."""

    path: Path
    name: str
    format: Format
    zipped: bool

    @contextlib.contextmanager
    def open(self) -> Iterator[io.BufferedReader]:
        with self.path.open("rb") as file:
            yield io.BufferedReader(gzip.GzipFile(fileobj=file)) if self.zipped else file


def find_source(path: object, scratch: Path, format: str | None = None) -> Source:  # noqa: A002
    """The file behind a path, "-" (standard input) or a file object; a stream is copied to `scratch`.

    The first sheet of a workbook is written there as CSV. A `Source` was found before, and is itself.
    """
    if isinstance(path, Source):
        return path
    if format is not None and format not in FORMATS:
        raise DataError(f"the format is one of {', '.join(FORMATS)}, or None to see; got {brief(format)}.")
    if path == "-":
        check_ends(sys.stdin.buffer)
        file, name = _copy(sys.stdin.buffer, scratch), "standard input"
    elif hasattr(path, "read"):
        file, name = _copy(path, scratch), brief(getattr(path, "name", "the stream"))
    elif isinstance(path, (str, os.PathLike)):
        name = os.fsdecode(path)
        file = Path(name)
        _check_file(file, name)
    else:
        raise DataError(f"depnet.read(path): a path, a file object or '-'; got {brief(path)}.")
    head, zipped = _head(file, name)
    if head.startswith(ZIP) and not zipped and is_workbook(file):
        write_sheet(file, name, scratch / "sheet.csv")
        return Source(scratch / "sheet.csv", name, "csv", False)
    _check_head(head, name)
    found: Any = format or _format_of(Path(name).suffixes, head)
    if found == "parquet" and zipped:
        raise DataError(
            f"{name}: Parquet is compressed inside already. Unpack the file (gunzip) and read that."
        )
    return Source(file, name, found, zipped)


def _check_head(head: bytes, name: str) -> None:
    for magic, what in _NOT_TABLES.items():
        if head.startswith(magic):
            raise DataError(f"{name}: this is {what}.")
    if _MODEL.match(head):
        raise DataError(f"{name}: this is a depnet model, not a table. Use depnet.load({brief(name)}).")
    if not head:
        raise empty_file(name)


def empty_file(name: str) -> DataError:
    return DataError(f"{name}: the file is empty. A table has a line with the columns' names, and rows.")


def unreadable(name: str, error: Exception) -> DataError:
    """The error for bytes that cannot be had: of a damaged gzip file, or by an error of the system."""
    if isinstance(error, EOFError):
        return DataError(f"{name}: the compressed file ends too early: it is not complete. Get it again.")
    if isinstance(error, OSError) and error.errno is not None:
        return DataFileError(error.errno, f"the table cannot be read ({error.strerror})", name)
    return DataError(f"{name}: the compressed file is damaged ({error}). Get it again.")


def _check_file(path: Path, name: str) -> None:
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise DataError(f"{name}: this is a directory. Name a file in it.")
        if not stat.S_ISREG(mode):
            raise DataError(f"{name}: this is not a file. Give a stream as depnet.read(sys.stdin.buffer).")
    except FileNotFoundError:
        raise DataFileNotFoundError(errno.ENOENT, "there is no such file", name) from None
    except DataError:
        raise
    except OSError as error:
        raise unreadable(name, error) from error
    except ValueError as error:  # a name that no file can have
        raise DataError(f"{brief(name)}: {error}.") from None


def check_ends(stream: Any) -> None:
    """Refuse a device such as /dev/zero as standard input: it never ends."""
    try:
        status, null = os.fstat(stream.fileno()), Path(os.devnull).stat()
    except (OSError, ValueError, AttributeError):  # what has no descriptor ends some time
        return
    if stat.S_ISCHR(status.st_mode) and not stream.isatty() and status.st_rdev != null.st_rdev:
        raise DataError("standard input: this is a device, not a table.")


def _copy(stream: Any, scratch: Path) -> Path:
    target = scratch / "stream"
    first = stream.read(_HEAD)
    try:
        with (
            target.open("w", encoding="utf-8", newline="")
            if isinstance(first, str)
            else target.open("wb") as file
        ):
            out: IO[Any] = file
            out.write(first)
            shutil.copyfileobj(stream, out, _HEAD * 16)
    except OSError as error:
        raise DataFileError(
            error.errno,
            f"the stream cannot be saved ({error.strerror}). Set TMPDIR to a place with room",
            target,
        ) from error
    return target


def _head(file: Path, name: str) -> tuple[bytes, bool]:
    """The first bytes, unpacked, and whether they were packed."""
    try:
        with file.open("rb") as raw:
            head = raw.read(_HEAD)
            if not head.startswith(_GZIP):
                return head, False
            raw.seek(0)
            return gzip.GzipFile(fileobj=raw).read(_HEAD), True
    except (EOFError, zlib.error, OSError) as error:
        raise unreadable(name, error) from None


def _format_of(suffixes: list[str], head: bytes) -> Format:
    if head.startswith(b"PAR1"):
        return "parquet"
    for suffix in reversed(suffixes):
        if suffix.lower() in READ_ENDINGS:
            return READ_ENDINGS[suffix.lower()]
        if suffix.lower() not in (".gz", ".gzip"):
            break
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return "json"
    first = head.splitlines()[0] if head.splitlines() else b""
    return "tsv" if first.count(b"\t") > first.count(b",") else "csv"


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
                f"there is no encoding {brief(self.encoding)}. Examples: utf-8, latin-1, cp1252, utf-16."
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


def find_bad_bytes(source: Source, encoding: str) -> DataError | None:
    """Bytes that are not text in this encoding, or a compressed file that is not whole: the first such place."""
    decoder = codecs.getincrementaldecoder(encoding)()
    lines, in_line = 0, 0

    def pass_over(text: str) -> None:
        nonlocal lines, in_line
        lines += text.count("\n")
        in_line = (len(text) - text.rfind("\n") - 1) if "\n" in text else in_line + len(text)

    try:
        with source.open() as raw:
            while chunk := raw.read(_CHUNK):
                pass_over(decoder.decode(chunk))
            decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        pass_over(error.object[: error.start].decode(encoding, errors="ignore"))
        other = "latin-1" if codecs.lookup(encoding).name.startswith("utf") else "utf-8"
        return DataError(
            f"{source.name}, line {lines + 1:,}, character {in_line + 1:,}: the byte 0x{error.object[error.start]:02X} "
            f"is not {encoding} text. Say what the file is in, such as ",
            Hint("encoding", other),
            " or ",
            Hint("encoding", "cp1252"),
            ".",
        )
    except UnicodeError as error:  # UTF-16 without a mark, for example
        return DataError(f"{source.name}: the text is not {encoding} ({error}).")
    except (EOFError, zlib.error, OSError) as error:
        return unreadable(source.name, error)
    return None
