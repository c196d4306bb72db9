"""`depnet.write`: a table to a CSV, TSV, Parquet or JSON lines file, whole or not at all."""

import contextlib
import csv
import gzip
import importlib.util
import io
import itertools
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.data.binning.forms import texts_in
from depnet.data.binning.times import cell_of_duration
from depnet.data.files.arrow import schema_of, schema_option
from depnet.data.files.source import FORMATS, READ_ENDINGS, Format
from depnet.data.files.table import identifier, locked_engine, text_literal
from depnet.data.frames.decode import drawn_columns
from depnet.data.frames.within import Within
from depnet.data.table import limits
from depnet.data.table.columns import Column, ColumnKind, Layout
from depnet.data.table.dataset import Holed
from depnet.data.table.open import open_frame
from depnet.errors import DataError, DataFileError, DataFileExistsError, DataFileNotFoundError, Hint, brief
from depnet.files import new_file, not_written, scratch_folder

ENDINGS = {end: form for end, form in READ_ENDINGS.items() if end not in (".tab", ".pq", ".json")}
"""A table is not written where a model would be looked for, or under a name that few know."""

BLOCK = 50_000
"""Rows made into text at once."""

SQL_TYPES: dict[ColumnKind, str] = {
    "boolean": "BOOLEAN", "integer": "BIGINT", "float": "DOUBLE", "date": "DATE", "datetime": "TIMESTAMP",
    "duration": "BIGINT",
}  # fmt: skip
ARROW_TYPES: dict[ColumnKind, str] = {
    "boolean": "bool", "integer": "int64", "float": "float64", "date": "date32", "datetime": "timestamp[us]",
    "duration": "duration[us]",
}  # fmt: skip
"""The types of columns, in DuckDB's words and in Arrow's; of all others text."""

Holes: TypeAlias = Callable[[int], NDArray[np.bool_] | None]


class Chunks(NamedTuple):
    """A table as chunks of rows: its names, its columns' kinds, and the chunks' columns."""

    names: Sequence[str]
    kinds: Sequence[ColumnKind]
    chunks: Iterable[list[Column]]


def write(
    table: Any,
    path: str | os.PathLike[str],
    *,
    force: bool = False,
    format: Format | None = None,  # noqa: A002
    rng: np.random.Generator | None = None,
    within: Within | None = None,
    holes: Holes | None = None,
) -> None:
    """Write a frame, a `Dataset`, a `Holed` or an iterator over such tables of codes to a file; "-" is the standard output.

    The file appears when it is whole. Missing values are empty cells, null in JSON.

    Args:
        table: what to write. An iterator (`Sampler.blocks`) is written as it goes, a table at a time.
        path: the file's name, whose end says the format: .csv, .tsv, .parquet or .jsonl; .gz after it compresses, but
            not Parquet.
        force: whether an existing file may be replaced.
        format: the format, where the name does not say it.
        rng: draws binned values of a table of codes from the values that the bins keep; None: the medians of the bins.
        within: how a law's numbers go within their bins (`law.within`), for draws with `rng`; None: each alone.
        holes: of tables of codes, which cells of the next so many rows are left empty, [row, variable], or None.

    >>> write([{"sex": "male", "age": 40}, {"sex": None, "age": 30}], "-")
    sex,age
    male,40
    ,30
    """
    name = os.fsdecode(path) if isinstance(path, (str, os.PathLike)) else None
    if name is None:
        raise DataError(f"depnet.write(table, path): the path is a string or a Path; got {brief(path)}.")
    chosen, zipped = format_of(name, format)
    chunks = _chunks_of(table, rng, within, holes)
    if name == "-":
        if chosen == "parquet":
            raise DataError(
                "Parquet is not for a terminal. Write to a file",
                Hint("format", "csv", lead=", or choose "),
                ".",
            )
        _write_text(chunks, sys.stdout, chosen)
        return
    with table_file(name, force=force) as target:
        if chosen == "parquet":
            _write_parquet(table, chunks, target)
        else:
            with text_file(target, zipped=zipped) as file:
                _write_text(chunks, file, chosen)


@contextlib.contextmanager
def table_file(name: str, *, force: bool) -> Iterator[Path]:
    """A new file of that name, whole or not at all; errors of the system are those of a table's file."""
    try:
        with new_file(name, force=force) as place:
            yield place
    except DataError:
        raise
    except IsADirectoryError as error:
        raise DataError(f"{name}: {error.strerror}.") from None
    except FileExistsError as error:
        raise DataFileExistsError(
            error.errno, f"{error.strerror}. Choose another, or replace it with force=True", name
        ) from None
    except OSError as error:
        kind = DataFileNotFoundError if isinstance(error, FileNotFoundError) else DataFileError
        raise kind(*not_written("table", error, name)) from error


def format_of(name: str, given: str | None) -> tuple[Format, bool]:
    """The format of a table's file, by its name unless it is given; and is it to be compressed?"""
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    zipped = suffixes[-1:] == [".gz"]
    found = ENDINGS.get(["", *suffixes][-2 if zipped else -1])
    if given is not None:
        if given not in FORMATS:
            raise DataError(f"the format is one of {', '.join(FORMATS)}; got {brief(given)}.")
        found = given  # type: ignore[assignment]
    elif name == "-":
        found = "csv"
    if found is None:
        raise DataError(
            f"{name}: the name does not tell the format. End it in {', '.join(ENDINGS)} (or these with .gz), or say ",
            Hint("format", "csv"),
            ".",
        )
    if found == "parquet" and zipped:
        raise DataError(f"{name}: Parquet is compressed inside already. Leave out .gz.")
    return found, zipped


@contextlib.contextmanager
def text_file(target: Path, *, zipped: bool) -> Iterator[IO[str]]:
    with contextlib.ExitStack() as stack:
        raw: Any = stack.enter_context(target.open("wb"))
        if zipped:
            raw = stack.enter_context(gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0))
        yield stack.enter_context(io.TextIOWrapper(raw, "utf-8", newline=""))


def _chunks_of(
    table: Any, rng: np.random.Generator | None, within: Within | None, holes: Holes | None
) -> Chunks:
    if isinstance(table, Holed):
        table = iter([table])
    if not isinstance(table, Iterator):
        opened = open_frame(table)
        columns = [opened.column(place) for place in range(len(opened.names))]
        starts = range(0, opened.rows, BLOCK)
        cut = ([column.between(start, start + BLOCK) for column in columns] for start in starts)
        return Chunks(opened.names, [column.kind for column in columns], cut)
    first = next(table, None)
    if not isinstance(first, Holed):
        raise DataError(f"an iterator to write must give at least one Dataset; got {brief(first)}.")
    layout = Layout.of(first.domain, "dicts")

    def chunks() -> Iterator[list[Column]]:
        for part in itertools.chain([first], table):
            if part.weights is not None:
                raise DataError(
                    "a table with row weights has no rows to write. Repeat the rows, or leave the weights out."
                )
            for start in range(0, part.rows, BLOCK):
                codes = part.codes[start : start + BLOCK].astype(np.int64)
                if not part.complete:
                    codes[part.hidden[start : start + BLOCK]] = -1
                hidden = None if holes is None else holes(len(codes))
                known = part.values and {i: own[start : start + BLOCK] for i, own in part.values.items()}
                yield drawn_columns(codes, part.domain, layout, rng, within, hidden, known)

    return Chunks(first.domain.names, [column.kind for column in layout.columns], chunks())


def _write_text(chunks: Chunks, file: IO[str], chosen: Format) -> None:
    if chosen == "json":
        for chunk in chunks.chunks:
            for row in zip(*map(plain_values, chunk), strict=True):
                cells = dict(zip(chunks.names, row, strict=True))
                file.write(json.dumps(cells, ensure_ascii=False, separators=(",", ":")) + "\n")
        return
    writer = csv.writer(file, delimiter="\t" if chosen == "tsv" else ",", lineterminator="\n")
    writer.writerow(chunks.names)
    for chunk in chunks.chunks:
        writer.writerows(zip(*map(plain_values, chunk), strict=True))


def plain_values(column: Column) -> list[Any]:
    """The values as JSON has them: text, numbers, booleans, dates and durations as text, None."""
    if column.numbers is None:
        return list(column.objects())
    values: NDArray[Any] = column.times
    if column.layout.form is not None:
        values = texts_in(column.numbers, column.layout.form)
    elif values.dtype.kind == "M":
        values = np.datetime_as_string(values)
    elif column.kind == "duration":
        values = np.array([*map(cell_of_duration, column.numbers.tolist())], dtype=object)
    elif column.kind == "boolean":
        values = values.astype(bool)
    if column.hidden.any():
        values = values.astype(object)
        values[column.hidden] = None
    listed: list[Any] = values.tolist()
    return listed


def _write_parquet(table: Any, chunks: Chunks, target: Path) -> None:
    """By the frame's own writer, which keeps its dtypes; what has none goes through DuckDB."""
    kind = type(table).__module__.split(".")[0]
    if kind in ("polars", "pyarrow") or (
        kind == "pandas" and importlib.util.find_spec("pyarrow") is not None
    ):
        import narwhals as nw

        nw.maybe_reset_index(nw.from_native(table)).write_parquet(target)
    else:
        _write_with_engine(chunks, target)


def _write_with_engine(chunks: Chunks, target: Path) -> None:
    """Chunks of arrays into a table of DuckDB's, then all of it to the file."""
    import duckdb

    types = [SQL_TYPES.get(kind, "VARCHAR") for kind in chunks.kinds]
    options = ["FORMAT parquet", "USE_TMP_FILE false"]
    if "duration" in chunks.kinds:
        arrow = [ARROW_TYPES.get(kind, "string") for kind in chunks.kinds]
        options.append(schema_option(schema_of(list(chunks.names), arrow)))
    with (
        scratch_folder() as scratch,
        locked_engine(target, scratch, limits.DEFAULT_MEMORY, len(chunks.names)) as connection,
    ):
        try:
            parts = iter(chunks.chunks)
            first = next(parts, [])
            # Places of labels are much quicker than texts, each of which is a Python object.
            labels: dict[int, dict[str, int]] = {
                i: {}
                for i, column in enumerate(first)
                if column.numbers is None and len(column.labels) <= limits.FEW_LABELS
            }
            own = ", ".join(f"c{i} {'UINTEGER' if i in labels else kind}" for i, kind in enumerate(types))
            connection.execute(f"CREATE TEMP TABLE kept ({own})")
            for chunk in itertools.chain([first] if first else [], parts):
                cells = {f"c{i}": _cells(column, labels.get(i)) for i, column in enumerate(chunk)}
                connection.register("chunk", cells)
                connection.execute("INSERT INTO kept SELECT * FROM chunk")
                connection.unregister("chunk")
            cells_sql = [f"c{i}" for i in range(len(types))]
            for i, own_labels in labels.items():  # a list begins at 1, and has NULL at 0
                cells_sql[i] = f"CAST([{', '.join(map(text_literal, own_labels))}] AS {types[i]}[])[c{i}]"
            named = ", ".join(
                f"{cell} AS {identifier(name)}" for cell, name in zip(cells_sql, chunks.names, strict=True)
            )
            place = text_literal(str(target))
            connection.execute(f"COPY (SELECT {named} FROM kept) TO {place} ({', '.join(options)})")
        except duckdb.Error as error:
            said = str(error).splitlines()[0]
            if isinstance(error, duckdb.IOException):
                raise OSError(said) from error
            raise DataError(f"the table cannot be written as Parquet: {said}.") from error


def _cells(column: Column, places: dict[str, int] | None) -> Any:
    """The cells of a column as DuckDB takes them; of labels that have places, which grow in number, these, and 0 of none."""
    if column.numbers is not None:
        dated = column.kind in ("date", "datetime")
        values: NDArray[Any] = column.times.astype("datetime64[us]") if dated else column.numbers
    elif places is not None:
        own = [places.setdefault(str(label), len(places) + 1) for label in column.labels]
        return np.where(column.hidden, 0, np.array([*own, 0])[column.ids]).astype(np.uint32)
    else:
        values = np.array([*map(str, column.labels), ""], dtype=object)[column.ids]
    return np.ma.masked_array(values, mask=column.hidden) if column.hidden.any() else values
