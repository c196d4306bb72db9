"""`depnet.read`: a table in a file, as codes, column by column and in bounded memory (docs/files.md)."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, Any, Literal, TypeAlias

from depnet.arrays import IntArray
from depnet.data.binning.cut import MAX_BINS
from depnet.data.files.engine import bytes_of, locked_engine
from depnet.data.files.rows import Request, open_rows
from depnet.data.files.source import find_source
from depnet.data.files.table import FileTable
from depnet.data.files.text import MISSING_VALUES, Dialect, in_utf8, open_csv, unreadable_by_engine
from depnet.data.table.dataset import Holed
from depnet.data.table.encode import HandleUnknown, described, encode_columns
from depnet.data.table.variable import Domain
from depnet.data.table.variables import (
    MAX_STATES,
    BinChoice,
    Keep,
    LeftOut,
    Missing,
    StateOptions,
    warn_left_out,
)
from depnet.errors import DataError
from depnet.files import scratch_folder

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
) -> Holed:
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
        memory: what reading may use beside the table of codes, such as "2GB"; None: 1 GB. One column of numbers is always
            in memory; what else does not fit is kept in a temporary directory (TMPDIR).
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
    options = StateOptions(bins, max_bins, missing, max_states)
    with open_file(path, request, format=format, memory=memory, max_cells=max_cells) as opened:
        chosen: Keep = [*request.text, *keep] if columns is None and keep != "all" else "all"
        found = described(opened, options, chosen, coded=True, tell=_steps(opened, progress))
    left_out(found.left_out)
    assert found.table is not None
    return found.table.dataset() if found.table.complete else found.table


def read_for(
    path: Any,
    domain: Domain,
    *,
    where: str | None = None,
    dialect: Dialect | None = None,
    handle_unknown: HandleUnknown = "error",
    optional: bool = False,
    progress: Progress | None = None,
) -> tuple[Holed, Mapping[int, IntArray]]:
    """A table for a model, in the codes of its domain, and of each variable the rows whose value is no state of it.

    Columns whose states are all words, such as 01, stay words. With `optional`, columns may be lacking; the domain of the
    table then lacks them, too.
    """
    words = tuple(
        variable.name
        for variable in domain.variables
        if variable.bins is None and all(isinstance(state, str) for state in variable.states)
    )
    request = Request(domain.names, (), where, words, dialect or Dialect(), optional)
    with open_file(path, request) as opened:
        there = Domain(tuple(variable for variable in domain.variables if variable.name in opened.names))
        try:
            return encode_columns(opened, there, handle_unknown, tell=_steps(opened, progress))
        except DataError as error:
            raise DataError(f"{opened.file}: ", *error.args) from error


def _steps(opened: FileTable, progress: Progress | None) -> Callable[[int], object]:
    """What hears of more columns that are done, and makes it steps done of all: loading the file is half of them."""
    steps = 2 * len(opened.names)
    done = len(opened.names)

    def tell(more: int) -> None:
        nonlocal done
        done += more
        if progress is not None:
            progress(done, steps)

    tell(0)
    return tell


@contextlib.contextmanager
def open_file(
    path: Any,
    request: Request,
    *,
    format: str | None = None,  # noqa: A002
    memory: int | str | None = None,
    max_cells: int | None = None,
) -> Iterator[FileTable]:
    """The rows and columns of a file that are asked for, opened for `describe` or `encode`."""
    import duckdb

    room, dialect = bytes_of(memory), request.dialect
    with scratch_folder() as scratch:
        source = find_source(path, scratch, format)
        if source.format == "json" and not dialect.is_utf8:
            source = in_utf8(source, dialect.encoding, scratch)
        csv = open_csv(source, dialect, scratch) if source.format in ("csv", "tsv") else None
        link = scratch / "table"  # a name that means nothing to the engine but this file
        link.symlink_to((csv.source if csv else source).path.resolve())
        try:
            share = room // 2 if source.format == "parquet" else max(room // 2, TEXT_MEMORY)
            with locked_engine(link, scratch, share, len(csv.names) if csv else 1) as connection:
                opened = open_rows(connection, source, csv, link, request, room)
                cells = opened.rows * len(opened.names)
                if (
                    max_cells is not None and cells > max_cells
                ):  # a packed file of a few bytes may hold very many
                    raise DataError(
                        f"{source.name} has {opened.rows:,} rows of {len(opened.names):,} columns, {cells:,} cells; "
                        f"{max_cells:,} at most are read here (`max_cells`)."
                    )
                yield opened
        except duckdb.Error as error:
            raise unreadable_by_engine(source, error) from error
