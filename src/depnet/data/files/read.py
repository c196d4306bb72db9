"""`depnet.read`: a table in a file, as codes, in two passes and bounded memory (docs/files.md)."""

import os
from collections.abc import Callable, Iterable
from typing import IO, Any, Literal, TypeAlias

from depnet.data.binning.cut import MAX_BINS
from depnet.data.files.codes import encode_rows
from depnet.data.files.engine import bytes_of, locked_engine
from depnet.data.files.request import Request
from depnet.data.files.rows import Rows, open_rows
from depnet.data.files.source import Source, find_source
from depnet.data.files.states import find_variables
from depnet.data.files.text import Dialect, in_utf8, open_csv, unreadable_by_engine
from depnet.data.frames.describe import BinChoice, Missing, check_options
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed
from depnet.files import scratch_folder

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
    text: Iterable[str] = (),
    header: bool = True,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    missing_values: Iterable[str] = MISSING_VALUES,
    format: Literal["csv", "tsv", "parquet", "json"] | None = None,  # noqa: A002
    progress: Progress | None = None,
    memory: int | str | None = None,
) -> Dataset | Holed:
    r"""Read a table from a CSV, TSV, Parquet or JSON lines file, gzip or not, from a stream, or from "-".

    States and bins follow the same rules as those of frames (`Dataset.from_frame`); rows keep their order.

    - `columns`: the names of those to read, in this order; or `without`, those to leave out. `where`: a condition in SQL
      on the columns by their names, such as ``"age >= 18 AND sex = 'female'"``; it sees this table and nothing else.
    - `missing`: "keep" gives a `Holed` where values are missing (a `Dataset` where none is), "state" makes
      "missing" a state, "error" refuses.
    - For text files: `text` names columns to take as labels even if they are all numbers; `header=False` names
      the columns X0, X1, ...; `missing_values` are the cells that mean a missing value.
    - `memory`: what reading may use beside the table of codes, such as "2GB" (1 GB). What does not fit is kept in
      a temporary directory (TMPDIR). `progress(done, steps)` is called as it goes.

    >>> import io
    >>> table = read(io.StringIO("sex,age\nmale,40\nfemale,30\n"))
    >>> table.codes.tolist(), table.domain.variables[0].states
    ([[1, 1], [0, 0]], ('female', 'male'))
    """
    import duckdb

    if isinstance(missing_values, str):
        missing_values = (missing_values,)
    dialect = Dialect(header, delimiter, encoding, tuple(missing_values))
    request = Request(columns, without, where, text, dialect)  # type: ignore[arg-type]  # any names: it keeps tuples
    room = bytes_of(memory)
    check_options(bins if isinstance(bins, (int, str)) else "quantile", max_bins, missing, ())
    with scratch_folder() as scratch:
        source = find_source(path, scratch, format)
        if source.format == "json" and not request.dialect.is_utf8:
            source = in_utf8(source, encoding, scratch)
        csv = open_csv(source, request.dialect, scratch) if source.format in ("csv", "tsv") else None
        link = scratch / "table"  # a name that means nothing to the engine but this file
        link.symlink_to((csv.source if csv else source).path.resolve())
        try:
            share = room // 2 if source.format == "parquet" else max(room // 2, TEXT_MEMORY)
            with locked_engine(link, scratch, share, len(csv.names) if csv else 1) as connection:
                rows = open_rows(connection, source, csv, link, request, room)
                return _coded(rows, bins, max_bins, missing, _Steps(progress, source, rows))
        except duckdb.Error as error:
            raise unreadable_by_engine(source, error) from error


def _coded(rows: Rows, bins: BinChoice, max_bins: int, missing: Missing, steps: "_Steps") -> Dataset | Holed:
    check_options(bins, max_bins, missing, [column.name for column in rows.columns])
    variables = find_variables(rows, bins, max_bins, missing, steps.tell)
    return encode_rows(rows, Domain(tuple(variables)), steps.tell)


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
