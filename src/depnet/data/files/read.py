"""`depnet.read`: a table in a file, as codes, in two passes and bounded memory (docs/files.md)."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, TypeAlias

from depnet.data.binning.cut import MAX_BINS
from depnet.data.files.codes import encode_rows
from depnet.data.files.engine import bytes_of, locked_engine
from depnet.data.files.request import Request
from depnet.data.files.rows import Rows, names_of, open_rows
from depnet.data.files.source import Source, find_source
from depnet.data.files.states import find_variables
from depnet.data.files.text import Csv, Dialect, in_utf8, open_csv, unreadable_by_engine
from depnet.data.frames.left_out import Keep, LeftOut, check_keep, check_some_left, warn_left_out
from depnet.data.frames.variables import MAX_STATES, BinChoice, Missing, StateOptions
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed
from depnet.errors import DataError
from depnet.files import scratch_folder

if TYPE_CHECKING:
    import duckdb

MISSING_VALUES = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL")
"""What a cell of a CSV file says where its value is missing."""

TEXT_MEMORY = 250 * 10**6
"""Bytes that loading a text file needs at least: its buffers of long lines, and a row group of Parquet."""

Progress: TypeAlias = Callable[[int, int], object]
"""Called as progress(steps done, all steps)."""


def read(
    path: str | os.PathLike[str] | IO[Any],
    *,
    columns: Iterable[str] | None = None,
    without: Iterable[str] = (),
    where: str | None = None,
    bins: BinChoice = "quantile",
    max_bins: int = MAX_BINS,
    missing: Missing = "keep",
    keep: Keep = (),
    max_states: int = MAX_STATES,
    text: Iterable[str] = (),
    header: bool = True,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    missing_values: Iterable[str] = MISSING_VALUES,
    format: Literal["csv", "tsv", "parquet", "json"] | None = None,  # noqa: A002
    progress: Progress | None = None,
    memory: int | str | None = None,
    max_cells: int | None = None,
    left_out: Callable[[tuple[LeftOut, ...]], object] = warn_left_out,
) -> Dataset | Holed:
    r"""Read a table from a CSV, TSV, Parquet, JSON lines or Excel file, text gzip or not, from a stream, or from "-".

    States and bins follow the same rules as those of frames (`Dataset.from_frame`); rows keep their order. Columns that
    nothing can be learned from (names, identifiers) are left out, but for those that `columns`, `bins`, `text` or `keep`
    name.

    Args:
        path: the file's name, a file object, or "-" for the standard input. Of an Excel workbook (.xlsx) it is the first
            sheet; that needs the extra `excel`.
        columns: the names of the columns to read, in this order; None: all of them.
        without: the names of columns to leave out.
        where: a condition in SQL on the columns by their names, such as ``"age >= 18 AND sex = 'female'"``. It sees this
            table and nothing else.
        bins: how numbers become states: "quantile", a number of bins, a list of edges, "categories", or a mapping of
            column names to these.
        max_bins: the most bins of a column that `bins` leaves free.
        missing: "keep" gives a `Holed` where values are missing (a `Dataset` where none is), "state" makes "missing" a
            state, "error" refuses.
        keep: names of columns to read although they look like names, identifiers or row numbers.
        max_states: of text, all but the most frequent values are one state, "other".
        text: of text files, names of columns to take as labels even if they are all numbers.
        header: of text files, whether the first line has the names; without one they are X0, X1, ...
        delimiter: of text files, what stands between cells; None: found in the first line.
        encoding: of text files, any that Python knows.
        missing_values: of text files, the cells that mean a missing value.
        format: "csv", "tsv", "parquet" or "json"; None: as the name or the content says.
        progress: called as progress(done, steps) while reading.
        memory: what reading may use beside the table of codes, such as "2GB"; None: 1 GB. What does not fit is kept in a
            temporary directory (TMPDIR).
        max_cells: a table with more, rows times columns, is refused before it is read, for those who take any file.
        left_out: called with the columns that were left out; by default it warns.

    Returns:
        A `Dataset`, or a `Holed` where values are missing and kept so.

    >>> import io
    >>> table = read(io.StringIO("sex,age\nmale,40\nfemale,30\n"))
    >>> table.codes.tolist(), table.domain.variables[0].states
    ([[1, 1], [0, 0]], ('female', 'male'))
    """
    if isinstance(missing_values, str):
        missing_values = (missing_values,)
    dialect = Dialect(header, delimiter, encoding, tuple(missing_values))
    request = Request(columns, without, where, text, dialect)  # type: ignore[arg-type]  # any names: it keeps tuples
    room = bytes_of(memory)
    options = StateOptions(bins, max_bins, missing, max_states)
    with _opened(path, format, dialect, room) as (source, csv, link, connection):
        rows = open_rows(connection, source, csv, link, request, room)
        _check_cells(source, rows, max_cells)
        chosen: Keep = [*request.text, *keep] if columns is None and keep != "all" else "all"
        table, left = _coded(rows, options, chosen, _Steps(progress, source, rows))
    left_out(left)
    return table


def column_names(source: Source, dialect: Dialect) -> Sequence[str]:
    """The names of a table's columns, in their order."""
    with _opened(source, None, dialect, bytes_of(None)) as (found, csv, link, connection):
        return names_of(connection, found, csv, link)


@contextlib.contextmanager
def _opened(
    path: Any, form: str | None, dialect: Dialect, room: int
) -> Iterator[tuple[Source, Csv | None, Path, "duckdb.DuckDBPyConnection"]]:
    """The table's file, its first line where it is CSV, the name under which an engine may read it, and that engine."""
    import duckdb

    with scratch_folder() as scratch:
        source = find_source(path, scratch, form)
        if source.format == "json" and not dialect.is_utf8:
            source = in_utf8(source, dialect.encoding, scratch)
        csv = open_csv(source, dialect, scratch) if source.format in ("csv", "tsv") else None
        link = scratch / "table"  # a name that means nothing to the engine but this file
        link.symlink_to((csv.source if csv else source).path.resolve())
        try:
            share = room // 2 if source.format == "parquet" else max(room // 2, TEXT_MEMORY)
            with locked_engine(link, scratch, share, len(csv.names) if csv else 1) as connection:
                yield source, csv, link, connection
        except duckdb.Error as error:
            raise unreadable_by_engine(source, error) from error


def _check_cells(source: Source, rows: Rows, most: int | None) -> None:
    """A packed file of a few bytes may hold very many rows."""
    cells = rows.rows * len(rows.columns)
    if most is not None and cells > most:
        raise DataError(
            f"{source.name} has {rows.rows:,} rows of {len(rows.columns):,} columns, {cells:,} cells; {most:,} at most are "
            "read here (`max_cells`)."
        )


def _coded(
    rows: Rows, options: StateOptions, keep: Keep, steps: "_Steps"
) -> tuple[Dataset | Holed, tuple[LeftOut, ...]]:
    names = [column.name for column in rows.columns]
    options.check_names(names)
    check_keep(keep, names)
    found, coded = find_variables(rows, options, keep, steps.tell)
    left = tuple(each for each in found if isinstance(each, LeftOut))
    check_some_left(left, len(found))
    variables = [each for each in found if not isinstance(each, LeftOut)]
    kept = [place for place, each in enumerate(found) if not isinstance(each, LeftOut)]
    known = {new: coded.pop(old) for new, old in enumerate(kept) if old in coded}
    steps.tell(len(left))
    chosen = replace(rows, columns=tuple(rows.columns[place] for place in kept))
    return encode_rows(chosen, Domain(tuple(variables)), known, steps.tell), left


class _Steps:
    """Steps done of all: each column once in each pass, and as many again where a text file was loaded before."""

    def __init__(self, progress: Progress | None, source: Source, rows: Rows) -> None:
        loaded = len(rows.columns) if source.format != "parquet" else 0
        self.done, self.all = loaded, 2 * len(rows.columns) + loaded
        self.progress = progress
        self.tell(0)

    def tell(self, more: int) -> None:
        self.done += more
        if self.progress is not None:
            self.progress(self.done, self.all)
