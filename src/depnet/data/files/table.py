"""DuckDB, kept to the one file that is read, and a table in it, opened column by column for `describe` and `encode`.

Whatever a `where` says is run by an engine that can open the table and its own scratch directory, and nothing else: no other
file, no network, no extensions, no settings.

Numbers, and the text of tables that are not long, are fetched, some columns at a time, as many as fit in memory: they
are columns like those of a frame from then on. Labels of a long table are enumerated by the engine.
"""

import contextlib
import itertools
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from depnet.data.files.kinds import Connection, FileColumn
from depnet.data.table import limits
from depnet.data.table.columns import (
    Column,
    ColumnLayout,
    FrameKind,
    column_of_numbers,
    column_of_objects,
    empty_column,
)
from depnet.data.table.open import Opened
from depnet.data.table.variable import MAX_CARDINALITY
from depnet.data.table.variables import ColumnSummary, StateOptions
from depnet.errors import DataError, Hint, brief, is_whole
from depnet.threads import cores

LONGEST = 300
"""Characters of what the engine says, which may quote a whole line of the table."""

_UNITS = {"": 1, "B": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def bytes_of(memory: int | str | None) -> int:
    """A size such as "2GB" in bytes.

    >>> bytes_of("2GB"), bytes_of("1.5 GiB"), bytes_of(None)
    (2000000000, 1610612736, 1000000000)
    """
    if memory is None:
        return limits.DEFAULT_MEMORY
    size = None
    if is_whole(memory):
        size = int(memory)
    elif isinstance(memory, str):
        parts = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([kKmMgGtT]?)(i?)[bB]?\s*", memory)
        if parts:
            number, unit, binary = parts.groups()
            factor = _UNITS[unit.upper()]
            size = int(float(number) * (1024 ** (len(str(factor)) // 3) if binary else factor))
    if size is None or size < limits.LEAST_MEMORY:
        raise DataError(f'memory is a size of at least 100 MB, such as "2GB"; got {brief(memory)}.')
    return size


@contextlib.contextmanager
def locked_engine(table: Path, scratch: Path, memory: int, columns: int = 1) -> Iterator[Connection]:
    """A connection that can read the file at `table`, and read and write in `scratch`; give paths as they are here.

    Rows of that number of `columns` must fit in its memory, at least for one thread.
    """
    import duckdb

    memory = max(memory, columns * limits.COLUMN_MEMORY)
    threads = min(threads_for(memory), max(1, memory // (columns * limits.COLUMN_MEMORY)))
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
        connection.execute(f"SET allowed_paths = [{text_literal(str(table))}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection
    finally:
        connection.close()


def threads_for(memory: int) -> int:
    """How many threads share a memory: each holds a part of every column that it reads."""
    return max(1, min(cores(), memory // limits.LEAST_MEMORY))


def columns_at_once(connection: Connection, file: Path, memory: int) -> int:
    """How many columns of a Parquet file one query may read: a thread holds one row group of each."""
    largest = f"SELECT max(total_compressed_size + total_uncompressed_size) FROM parquet_metadata({text_literal(str(file))})"
    ((size,),) = connection.execute(largest).fetchall()
    return max(1, min(limits.MAX_COLUMNS, memory // (2 * threads_for(memory) * max(1, size or 1))))


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
def interrupted_after(connection: Connection, seconds: float) -> Iterator[None]:
    """Interrupt the engine after that time; it then raises an InterruptException."""
    timer = threading.Timer(seconds, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class FileTable(Opened):
    """Some `columns` of a `relation` of the engine, of the `file` of that name; `width`: how many a query may read."""

    kind: FrameKind = "dicts"

    def __init__(
        self,
        file: str,
        connection: Connection,
        columns: Sequence[FileColumn],
        relation: str,
        rows: int,
        memory: int,
        width: int,
    ) -> None:
        super().__init__([column.name for column in columns], rows)
        self.file = file
        self.connection, self.columns, self.relation = connection, tuple(columns), relation
        cells = (
            limits.SHORT_CELLS // rows
            if rows <= limits.SHORT_ROWS
            else memory // (2 * rows * limits.NUMBER_MEMORY)
        )
        self._at_once = max(1, min(width, cells))
        self._ahead: dict[int, Any] = {}
        self._known: tuple[int, tuple[str, ...]] = (-1, ())

    def layout(self, place: int) -> ColumnLayout:  # as `Opened` says
        column = self.columns[place]
        return ColumnLayout(column.name, column.kind, form=column.form)

    def summary(self, place: int, options: StateOptions) -> ColumnSummary:
        plain = not self._is_long_text(place) or self.columns[place].categories is not None
        if plain or self._known_labels(place, 2 * MAX_CARDINALITY) is not None:
            found, kind = ColumnSummary.of(self.column(place)), options.kinds.get(self.names[place])
            # Of text, as was found in the file.
            return found if kind is None else found.as_kind(kind, self.column(place))
        # More different labels than a variable has states: the most frequent ones are looked at.
        column, value, source = self.columns[place], f"v{place}", self._of([place])
        most = MAX_CARDINALITY if options.as_they_are(column.name) else options.max_states
        ((present, different),) = self._ask(f"SELECT count({value}), count(DISTINCT {value}) FROM {source}")
        times = dict(
            self._ask(
                f"SELECT {value}, count(*) AS times FROM {source} WHERE {value} IS NOT NULL GROUP BY {value} "
                f"ORDER BY times DESC, {value} LIMIT {most}"
            )
        )
        self._check_text(place, times)
        first = 0
        if options.missing == "error" and present < self.rows:
            first = self._first_row(place, f"{value} IS NULL")
        hidden, counts = self.rows - present, tuple(times.values())
        return ColumnSummary(
            column.name, "label", self.rows, hidden, first, tuple(times), counts=counts, different=different
        )

    def _is_long_text(self, place: int) -> bool:
        return self.columns[place].kind == "label" and self.rows > limits.SHORT_ROWS

    def _read(self, place: int) -> Column:
        column, layout = self.columns[place], self.layout(place)
        if column.kind == "empty":
            return empty_column(layout, self.rows)
        if self._is_long_text(place):
            found = self._enumerate(place)
        else:
            if place not in self._ahead:
                self._fetch(place)
            cells = self._ahead.pop(place)
            if column.kind != "label":
                return column_of_numbers(layout, np.ma.getdata(cells), np.ma.getmaskarray(cells))
            found = column_of_objects(column.name, cells.tolist(), None)
        self._check_text(place, found.labels)
        if column.categories is None:
            return found
        places = {str(label): k for k, label in enumerate(column.categories)}
        ids = np.array([*(places[label] for label in found.labels), -1])[found.ids]
        return Column(layout, found.hidden, None, ids, column.categories, True, column.ordered)

    def _enumerate(self, place: int) -> Column:
        """A column of labels whose text never becomes Python's, but for each different one."""
        known = self._known_labels(place)
        sql = f"SELECT enum_code(CAST(v{place} AS known)) AS code FROM {self._of([place])}"
        ids = np.ma.filled(self.connection.execute(sql).fetchnumpy()["code"].astype(np.int64), -1)
        return Column(self.layout(place), ids < 0, ids=ids, labels=known or ())

    def _known_labels(self, place: int, most: int | None = None) -> tuple[str, ...] | None:
        """The different labels of a column, which the engine then has as a type; None where there are more than `most`."""
        if self._known[0] != place:
            labels = f"SELECT DISTINCT v{place} FROM {self._of([place])} WHERE v{place} IS NOT NULL"
            limit = "" if most is None else f" LIMIT {most + 1}"
            self._known = -1, ()  # the type is another one from here on
            self.connection.execute(f"CREATE OR REPLACE TYPE known AS ENUM ({labels}{limit})")
            known = tuple(label for (label,) in self._ask("SELECT unnest(enum_range(NULL::known))"))
            if most is not None and len(known) > most:
                return None
            self._known = place, known
        return self._known[1]

    def _fetch(self, place: int) -> None:
        """Fetch a column, and those after it for which there is room."""
        wanted = (
            p
            for p in range(place, len(self.columns))
            if not self._is_long_text(p) and self.columns[p].kind != "empty"
        )
        places = list(itertools.islice(wanted, self._at_once))
        found = self.connection.execute(f"SELECT * FROM {self._of(places)}").fetchnumpy()
        self._ahead = {p: found.pop(f"v{p}") for p in places}

    def _of(self, places: Iterable[int]) -> str:
        """A relation with the columns v3, v8, ... for the places 3, 8, ...; no more, for there may be very many."""
        values = ", ".join(f"{self.columns[place].value} AS v{place}" for place in places)
        return f"(SELECT {values} FROM {self.relation})"

    def _ask(self, sql: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql).fetchall()

    def _first_row(self, place: int, condition: str) -> int:
        """The number of the first row, from 0, of which this holds."""
        rows = f"SELECT row_number() OVER () - 1 AS row, {condition} AS found FROM {self._of([place])}"
        ((row,),) = self._ask(f"SELECT row FROM ({rows}) WHERE found ORDER BY row LIMIT 1")
        return int(row)

    def _check_text(self, place: int, labels: Iterable[str]) -> None:
        for label in labels:
            if "\0" in label:
                row = self._first_row(place, f"contains(v{place}, chr(0))")
                raise DataError(
                    f"column {self.names[place]!r}, row {row}: {brief(label)} holds a NUL byte, which no text has. "
                    "The file is damaged",
                    Hint("encoding", "utf-16", lead=", or in another encoding: "),
                    " perhaps.",
                )
