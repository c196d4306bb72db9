"""DuckDB, kept to the one file that is read: no other file, no network, no extensions, no settings.

Whatever a `where` says is run by an engine that can open the table and its own scratch directory, and nothing else.
"""

import contextlib
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depnet.checks import cores, is_whole
from depnet.errors import DataError, brief

if TYPE_CHECKING:
    import duckdb

DEFAULT_MEMORY = 10**9
LONGEST = 300
"""Characters of what the engine says, which may quote a whole line of the table."""
MAX_COLUMNS = 250
"""Columns a query: more are no quicker."""

_UNITS = {"": 1, "B": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_LEAST = 100 * 10**6
_COLUMN = 150_000  # bytes of some vectors of 2,048 texts: what one column of a text file takes on its way


def bytes_of(memory: int | str | None) -> int:
    """A size such as "2GB" in bytes.

    >>> bytes_of("2GB"), bytes_of("1.5 GiB"), bytes_of(None)
    (2000000000, 1610612736, 1000000000)
    """
    if memory is None:
        return DEFAULT_MEMORY
    size = None
    if is_whole(memory):
        size = int(memory)
    elif isinstance(memory, str):
        parts = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([kKmMgGtT]?)(i?)[bB]?\s*", memory)
        if parts:
            number, unit, binary = parts.groups()
            factor = _UNITS[unit.upper()]
            size = int(float(number) * (1024 ** (len(str(factor)) // 3) if binary else factor))
    if size is None or size < _LEAST:
        raise DataError(f'memory is a size of at least 100 MB, such as "2GB"; got {brief(memory)}.')
    return size


@contextlib.contextmanager
def locked_engine(
    table: Path | None, scratch: Path, memory: int, columns: int = 1
) -> Iterator["duckdb.DuckDBPyConnection"]:
    """A connection that can read the file at `table`, and read and write in `scratch`; give paths as they are here.

    Rows of that number of `columns` must fit in its memory, at least for one thread.
    """
    import duckdb

    memory = max(memory, columns * _COLUMN)
    threads = min(threads_for(memory), max(1, memory // (columns * _COLUMN)))
    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "python_enable_replacements": "false",  # names in `where` are columns, never Python's variables
            "temp_directory": str(scratch),
            "memory_limit": f"{memory // 10**6}MB",
            "threads": str(threads),
            "preserve_insertion_order": "true",
        },
    )
    try:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"SET allowed_directories = [{text_literal(str(scratch))}]")
        if table is not None:
            connection.execute(f"SET allowed_paths = [{text_literal(str(table))}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection
    finally:
        connection.close()


def threads_for(memory: int) -> int:
    """How many threads share a memory: each holds a part of every column that it reads."""
    return max(1, min(cores(), memory // (100 * 10**6)))


def columns_at_once(connection: "duckdb.DuckDBPyConnection", file: Path, memory: int) -> int:
    """How many columns of a Parquet file one query may read: a thread holds one row group of each."""
    largest = f"SELECT max(total_compressed_size + total_uncompressed_size) FROM parquet_metadata({text_literal(str(file))})"
    ((size,),) = answer(connection, largest)
    return max(1, min(MAX_COLUMNS, memory // (2 * threads_for(memory) * max(1, size or 1))))


def text_literal(text: str) -> str:
    """A text as SQL writes it.

    >>> text_literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A column's name as SQL writes it.

    >>> print(identifier('the "rate" in %'))
    "the ""rate"" in %"
    """
    return '"' + name.replace('"', '""') + '"'


def first_line(error: Exception) -> str:
    """What DuckDB says, without its advice and its picture of the query."""
    text = str(error).strip().split("\n\nLINE ")[0].split("\nPossible")[0].split("\nTry ")[0]
    said = re.sub(r"^[A-Za-z ]+ Error: ", "", " ".join(text.split())).rstrip(".")
    return said if len(said) <= LONGEST else f"{said[: LONGEST // 2]} ... {said[-LONGEST // 2 :]}"


@contextlib.contextmanager
def interrupted_after(connection: "duckdb.DuckDBPyConnection", seconds: float) -> Iterator[None]:
    """End what the engine does in this block after that time: it raises an InterruptException."""
    timer = threading.Timer(seconds, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def answer(connection: "duckdb.DuckDBPyConnection", sql: str) -> list[tuple[Any, ...]]:
    """All rows of a small result: a connection does nothing else before a result is fetched to its end."""
    return connection.execute(sql).fetchall()
