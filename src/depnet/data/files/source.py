"""A path or a stream as a local file of a known format: what cannot be a table is refused here, in words.

Of a spreadsheet of Excel's (.xlsx) the first sheet becomes a CSV file, values as they were last computed (extra `excel`). A
workbook is a zip archive of XML, so a small file may unpack to a very large one: what is unpacked is bounded before anything
is read, and cells as they come.
"""

import contextlib
import csv
import datetime as dt
import errno
import gzip
import io
import os
import re
import shutil
import stat
import sys
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias, get_args

from depnet.errors import DataError, DataFileError, DataFileNotFoundError, brief

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


MOST_BYTES = 500 * 10**6
"""Of all parts of a workbook together, unpacked."""

MOST_CELLS = 100 * 10**6

ERRORS = frozenset(("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA"))
"""What a cell says whose formula has no value: it is missing."""


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
        file, name = _copied(sys.stdin.buffer, scratch), "standard input"
    elif hasattr(path, "read"):
        file, name = _copied(path, scratch), brief(getattr(path, "name", "the stream"))
    elif isinstance(path, (str, os.PathLike)):
        name = os.fsdecode(path)
        file = Path(name)
        _check_file(file, name)
    else:
        raise DataError(f"depnet.read(path): a path, a file object or '-'; got {brief(path)}.")
    head, zipped = _head(file, name)
    if head.startswith(ZIP) and not zipped and _is_workbook(file):
        _write_sheet(file, name, scratch / "sheet.csv")
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


def _copied(stream: Any, scratch: Path) -> Path:
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
            f"the stream cannot be kept ({error.strerror}). Set TMPDIR to a place with room",
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


def _is_workbook(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return False


def _write_sheet(path: Path, name: str, target: Path) -> None:
    """Write the first sheet to `target` as CSV. Its first line that has a value names the columns."""
    try:
        import openpyxl
    except ImportError:
        raise DataError(
            f"{name}: spreadsheets are read with openpyxl: pip install 'depnet[excel]'. Or save the sheet as CSV."
        ) from None
    with zipfile.ZipFile(path) as archive:
        unpacked = sum(part.file_size for part in archive.infolist())
    if unpacked > MOST_BYTES:
        raise DataError(
            f"{name}: the workbook has {unpacked:,} bytes when it is unpacked; {MOST_BYTES:,} at most are read. Save the "
            "sheet as CSV."
        )
    try:
        with path.open("rb") as raw, target.open("w", encoding="utf-8", newline="") as file:
            sheet = openpyxl.load_workbook(raw, read_only=True, data_only=True).worksheets[0]
            sheet.reset_dimensions()  # a file may claim any
            _copy(sheet.iter_rows(values_only=True), csv.writer(file), name)
    except DataError:
        raise
    except Exception as error:  # whatever a damaged archive makes of the library
        raise DataError(
            f"{name}: this workbook cannot be read ({type(error).__name__}). Save the sheet as CSV, and read that."
        ) from error


def _copy(rows: Any, writer: Any, name: str) -> None:
    """The rows that have a value, as wide as the line of names."""
    width = cells = 0
    for row in rows:
        if width == 0:
            width = max((place for place, value in enumerate(row, 1) if value is not None), default=0)
        cells += max(width, len(row))
        if cells > MOST_CELLS:
            raise DataError(f"{name}: the sheet has more than {MOST_CELLS:,} cells. Save it as CSV.")
        if any(value is not None for value in row):
            cut = [cell_text(value) for value in row[:width]]
            writer.writerow([*cut, *[""] * (width - len(cut))])


def cell_text(value: Any) -> str:
    """A value as a CSV file has it.

    >>> cell_text(None), cell_text(True), cell_text(2.5), cell_text(dt.datetime(2024, 5, 1)), cell_text("#N/A")
    ('', 'true', '2.5', '2024-05-01', '')
    """
    if value is None or value in ERRORS:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.datetime):
        midnight = value.time() == dt.time()
        return value.date().isoformat() if midnight else value.isoformat(" ")
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    return str(value)
