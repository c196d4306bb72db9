"""`depnet.read`: a table in a file, as codes, column by column and in bounded memory (docs/files.md)."""

import contextlib
import itertools
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

from depnet.arrays import IntArray
from depnet.data.binning.cut import MAX_BINS
from depnet.data.files.arrow import declared_types
from depnet.data.files.diagnose import line_of_row
from depnet.data.files.kinds import Connection, MixedColumnError
from depnet.data.files.load import find_columns, keep_rows, load_file, unreadable_by_engine
from depnet.data.files.source import MISSING_VALUES, Csv, Dialect, Source, find_source, in_utf8, open_csv
from depnet.data.files.table import FileTable, bytes_of, columns_at_once, locked_engine
from depnet.data.table import limits
from depnet.data.table.dataset import Holed
from depnet.data.table.encode import HandleUnknown, describe_table, encode_columns, weights_in
from depnet.data.table.kinds import KindError, Kinds, has_labels
from depnet.data.table.left_out import Keep, LeftOut, warn_left_out
from depnet.data.table.mixed import Mixed, warn_mixed
from depnet.data.table.variable import Domain
from depnet.data.table.variables import MAX_STATES, BinChoice, Missing, StateOptions
from depnet.errors import DataError, Hint, brief
from depnet.files import scratch_folder
from depnet.wording import nearest, some_of

Progress: TypeAlias = Callable[[int, int], object]
"""Called as progress(steps done, all steps)."""

WHERE_SECONDS = 30.0
WHERE_ROWS = 100_000
"""How long a `where` may take to look at all rows once: these seconds, and one more for this many rows."""

_INDEX = re.compile(r"__index_level_\d+__")  # a frame's row names, as pandas puts them in Parquet files


@dataclass(frozen=True, slots=True)
class Request:
    columns: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    where: str | None = None
    text: tuple[str, ...] = ()
    dialect: Dialect = field(default_factory=Dialect)
    optional: bool = False
    """Columns that are asked for need not be there."""
    kinds: Kinds = field(default_factory=dict)

    def __post_init__(self) -> None:
        for option in ("columns", "without", "text"):
            names = getattr(self, option)
            if names is not None:
                object.__setattr__(self, option, _names_given(option, names))
        if self.columns is not None and not self.columns:
            raise DataError("columns is empty; a table has at least one column.")
        if self.columns is not None and self.without:
            raise DataError("columns names what to read, without what to leave out: give one of them.")
        if self.where is not None and (not isinstance(self.where, str) or not self.where.strip()):
            raise DataError(
                f'where is a condition on the columns in SQL, such as "age >= 18"; got {brief(self.where)}.'
            )

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns that are labels, whatever they look like; in Parquet files an order may be declared."""
        return (
            *self.text,
            *(name for name, kind in self.kinds.items() if has_labels(kind) and kind != "ordered"),
        )

    def wants(self, name: str) -> bool:
        return name not in self.without if self.columns is None else name in self.columns


def _names_given(option: str, names: object) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise DataError(f"{option} is a list of names; got {brief(names)}.")
    given = tuple(names)
    for name, count in Counter(given).items():
        if count > 1:
            raise DataError(f"{option} names {brief(name)} twice.")
    return given


def _places_of(names: Sequence[str], request: Request, source: Source) -> list[int]:
    """The places of the columns asked for; names that are empty or not unique are an error where they matter.

    A name with a NUL character, which ends a name for most that read it, is an error anywhere.
    """
    for place, name in enumerate(names):
        if "\0" in name:
            raise DataError(
                f"{source.name}: the name of column {place + 1:,}, {brief(name)}, has a NUL character. Rename it; if the "
                "file is UTF-16, read it with ",
                Hint("encoding", "utf-16"),
                ".",
            )
    there = set(names)
    for name in () if request.optional else (*(request.columns or ()), *request.without, *request.text):
        if name not in there:
            raise DataError(
                f"{source.name} has no column {brief(name)}. {nearest(name, [n for n in names if n])}"
            )
    if request.optional and there.isdisjoint(request.columns or ()):
        raise DataError(f"{source.name} has none of the model's columns: {some_of(request.columns or ())}.")
    wanted = [place for place, name in enumerate(names) if request.wants(name)]
    first = _first_places(names, wanted if request.where is None else range(len(names)), source)
    if request.columns is not None:
        return [first[name] for name in request.columns if name in there]
    if not wanted:
        raise DataError(f"{source.name}: no column is left; a table has at least one.")
    return [place for place in wanted if not _INDEX.fullmatch(names[place])] or wanted


def _first_places(names: Sequence[str], used: Iterable[int], source: Source) -> dict[str, int]:
    """Where each name stands, of the columns that are used; each has a name of its own."""
    first: dict[str, int] = {}
    for place in used:
        name = names[place]
        if not name.strip():
            by_pandas = " (pandas writes its row numbers so, but for to_csv(..., index=False))"
            raise DataError(
                f"{source.name}: column {place + 1} of {len(names)} has no name{by_pandas if place == 0 else ''}. "
                "Name it, choose others with ",
                Hint("columns", [...]),
                ", or, where line 1 is no header, say ",
                Hint("header", False),
                ".",
            )
        if first.setdefault(name, place) != place:
            raise DataError(
                f"{source.name}: columns {first[name] + 1} and {place + 1} are both named {brief(name)}. Rename one",
                Hint("columns", [...], lead=", or choose others with "),
                ".",
            )
    return first


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
    kinds: Kinds | None = None,
    weights: str | None = None,
    header: bool = True,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    missing_values: Iterable[str] = MISSING_VALUES,
    format: Literal["csv", "tsv", "parquet", "json"] | None = None,  # noqa: A002
    progress: Progress | None = None,
    memory: int | str | None = None,
    max_cells: int | None = None,
    left_out: Callable[[tuple[LeftOut, ...]], object] = warn_left_out,
    mixed: Callable[[tuple[Mixed, ...]], object] = warn_mixed,
) -> Holed:
    r"""Read a table from a CSV, TSV, Parquet, JSON lines or Excel file, text gzip or not, from a stream, or from "-".

    States and bins follow the same rules as those of frames (`Dataset.from_frame`); rows keep their order. Columns that
    nothing can be learned from (names, identifiers) are left out, but for those that `columns`, `bins`, `kinds`, `text` or
    `keep` name.

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
        kinds: what columns are, by name: "number", "category", "ordered" (or a list of its values in order), "date", "time"
            or "skip" (docs/frames.md). A value that is none of the kind is an error that says its row.
        weights: the name of the column of survey weights (docs/weights.md), which is then no variable.
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
        mixed: the same of columns that are text because of a few values.

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
    options = StateOptions(bins, max_bins, missing, max_states, kinds or {})
    request = Request(columns, without, where, text, dialect, kinds=options.kinds)  # type: ignore[arg-type]  # any names: it keeps tuples
    with open_file(path, request, format=format, memory=memory, max_cells=max_cells) as opened:
        chosen: Keep = [*request.text, *keep] if columns is None and keep != "all" else "all"
        found = describe_table(
            opened, options, chosen, coded=True, weights=weights, tell=_steps(opened, progress)
        )
    mixed(found.mixed)
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
    weights: str | None = None,
    progress: Progress | None = None,
) -> tuple[Holed, Mapping[int, IntArray]]:
    """A table for a model, in the codes of its domain, and of each variable the rows whose value is no state of it.

    With `optional`, columns may be lacking; the domain of the
    table then lacks them, too. The column `weights` has the survey weights of the rows.
    """
    names = domain.names if weights is None or weights in domain.names else (*domain.names, weights)
    with open_for(path, domain, columns=names, where=where, dialect=dialect, optional=optional) as opened:
        there = Domain(tuple(variable for variable in domain.variables if variable.name in opened.names))
        try:
            table, unknown = encode_columns(opened, there, handle_unknown, tell=_steps(opened, progress))
            if weights is not None:
                table = table.weighed(weights_in(opened, weights), f"column {weights!r}")
            return table, unknown
        except DataError as error:
            raise DataError(f"{opened.file}: ", *error.args) from error


def open_for(
    path: Any, domain: Domain, *, dialect: Dialect | None = None, **asked: Any
) -> contextlib.AbstractContextManager[FileTable]:
    """A file opened for a model: columns whose states are all words, such as 01, stay words."""
    words = tuple(
        variable.name
        for variable in domain.variables
        if variable.bins is None and all(isinstance(state, str) for state in variable.states)
    )
    return open_file(path, Request(text=words, dialect=dialect or Dialect(), **asked))


def _steps(opened: FileTable, progress: Progress | None) -> Callable[[int], object]:
    """What hears of more columns that are done, and makes it steps done of all: loading the file is half of them."""
    columns = len(opened.names)
    done = itertools.count(columns)
    if progress is None:
        return lambda _: None
    progress(next(done), 2 * columns)
    return lambda _: progress(next(done), 2 * columns)


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
            share = room // 2 if source.format == "parquet" else max(room // 2, limits.TEXT_MEMORY)
            with locked_engine(link, scratch, share, len(csv.names) if csv else 1) as connection:
                opened = _open_rows(connection, source, csv, link, request, room)
                cells = opened.rows * len(opened.names)
                # A packed file of a few bytes may hold very many.
                if max_cells is not None and cells > max_cells:
                    raise DataError(
                        f"{source.name} has {opened.rows:,} rows of {len(opened.names):,} columns, {cells:,} cells; "
                        f"{max_cells:,} at most are read here (`max_cells`)."
                    )
                yield opened
        except duckdb.Error as error:
            raise unreadable_by_engine(source, error) from error


def _open_rows(
    connection: Connection,
    source: Source,
    csv: Csv | None,
    link: Path,
    request: Request,
    memory: int,
) -> FileTable:
    """Load the table, and find the columns that are asked for, their kinds, and the rows that satisfy `where`.

    `link` is how the engine may reach the source, or the `csv` in UTF-8 that was made of it; beside it there is room.
    """
    if csv is not None:
        _places_of(csv.names, request, source)  # what is asked for is there: seen before the work
    labels, kinds = request.labels, request.kinds
    ordered = [name for name, kind in kinds.items() if kind == "ordered"]
    table = load_file(connection, csv or source, link, [*labels, *ordered])
    places = _places_of(table.names, request, source)
    ((rows,),) = connection.execute(f"SELECT count(*) FROM {table.relation}").fetchall()
    width = columns_at_once(connection, table.file, memory // 2)
    wanted = range(len(table.names)) if request.where is not None else places
    declared = {}
    if source.format == "parquet":
        names = [table.names[place] for place in wanted if table.names[place] not in labels]
        declared = declared_types(connection, link, source.name, names)
    try:
        typed = find_columns(connection, table, rows, width, wanted, labels, declared, kinds)
    except (MixedColumnError, KindError) as error:
        if csv is None or error.row is None:
            raise
        line = line_of_row(csv.source, csv.delimiter, error.row, header=csv.dialect.header)
        raise error.at(line) from None
    relation: str = table.relation
    none: tuple[str | Hint, ...] = ("the table has no rows, so its columns have no states.",)
    if request.where is not None:
        none = "no row satisfies ", Hint("where", request.where), "."
        seconds = WHERE_SECONDS + rows / WHERE_ROWS
        relation, rows, typed = keep_rows(connection, relation, typed, request.where, seconds)
    if not rows:
        raise DataError(f"{source.name}: ", *none)
    return FileTable(
        source.name, connection, [typed[place] for place in places], relation, rows, memory, width
    )
