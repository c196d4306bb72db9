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
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.data.binning.times import cell_of_duration, texts_in
from depnet.data.files.arrow import kept_schema, schema_option
from depnet.data.files.engine import DEFAULT_MEMORY, identifier, locked_engine, text_literal
from depnet.data.files.source import FORMATS, Format
from depnet.data.frames.decode import drawn_columns
from depnet.data.frames.within import Within
from depnet.data.table.columns import Column
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.layout import ColumnKind, Layout
from depnet.data.table.open import open_frame
from depnet.errors import DataError, DataFileError, DataFileExistsError, DataFileNotFoundError, brief
from depnet.files import new_file, not_written, scratch_folder

if TYPE_CHECKING:
    import duckdb

ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
}
BLOCK = 50_000
"""Rows made into text at once."""

_TYPES: dict[ColumnKind, str] = {
    "boolean": "BOOLEAN",
    "integer": "BIGINT",
    "float": "DOUBLE",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "duration": "BIGINT",
}
_ARROW: dict[ColumnKind, str] = {
    "boolean": "bool",
    "integer": "int64",
    "float": "float64",
    "date": "date32",
    "datetime": "timestamp[us]",
    "duration": "duration[us]",
}

Holes: TypeAlias = Callable[[int], NDArray[np.bool_] | None]


class Blocks(NamedTuple):
    """A table as blocks of rows: its names, its columns' kinds, and the blocks' columns."""

    names: Sequence[str]
    kinds: Sequence[ColumnKind]
    blocks: Iterable[list[Column]]


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
    blocks = _blocks_of(table, rng, within, holes)
    if name == "-":
        if chosen == "parquet":
            raise DataError('Parquet is not for a terminal. Write to a file, or choose `format="csv"`.')
        _write_text(blocks, sys.stdout, chosen)
        return
    with table_file(name, force=force) as target:
        if chosen == "parquet":
            _write_parquet(table, blocks, target)
        else:
            with text_file(target, zipped=zipped) as file:
                _write_text(blocks, file, chosen)


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
            f"{name}: the name does not tell the format. End it in {', '.join(ENDINGS)} (or these with .gz), or say "
            '`format="csv"`.'
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


def _blocks_of(
    table: Any, rng: np.random.Generator | None, within: Within | None, holes: Holes | None
) -> Blocks:
    if isinstance(table, (Dataset, Holed)):
        table = iter([table])
    if isinstance(table, Iterator):
        first = next(table, None)
        if not isinstance(first, (Dataset, Holed)):
            raise DataError(f"an iterator to write gives Datasets, one at least; got {brief(first)}.")
        layout = Layout.of(first.domain, "dicts")
        blocks = (
            block
            for part in itertools.chain([first], table)
            for block in _decoded(part, layout, rng, within, holes)
        )
        return Blocks(first.domain.names, [column.kind for column in layout.columns], blocks)
    opened = open_frame(table)
    columns = [opened.column(place) for place in range(len(opened.names))]
    starts = range(0, opened.rows, BLOCK)
    cut = ([column.between(start, start + BLOCK) for column in columns] for start in starts)
    return Blocks(opened.names, [column.kind for column in columns], cut)


def _decoded(
    table: Dataset | Holed,
    layout: Layout,
    rng: np.random.Generator | None,
    within: Within | None,
    holes: Holes | None,
) -> Iterator[list[Column]]:
    if table.weights is not None:
        raise DataError(
            "a table with row weights has no rows to write. Repeat the rows, or leave the weights out."
        )
    for start in range(0, table.rows, BLOCK):
        codes = table.codes[start : start + BLOCK].astype(np.int64)
        if isinstance(table, Holed):
            codes[table.hidden[start : start + BLOCK]] = -1
        hidden = None if holes is None else holes(len(codes))
        yield drawn_columns(codes, table.domain, layout, rng, within, hidden)


def _write_text(blocks: Blocks, file: IO[str], chosen: Format) -> None:
    if chosen == "json":
        for block in blocks.blocks:
            for row in zip(*map(_values, block), strict=True):
                cells = dict(zip(blocks.names, row, strict=True))
                file.write(json.dumps(cells, ensure_ascii=False, separators=(",", ":")) + "\n")
        return
    writer = csv.writer(file, delimiter="\t" if chosen == "tsv" else ",", lineterminator="\n")
    writer.writerow(blocks.names)
    for block in blocks.blocks:
        writer.writerows(zip(*map(_values, block), strict=True))


def _values(column: Column) -> list[Any]:
    """The values as JSON has them: text, numbers, booleans, dates and durations as text, None."""
    if column.kind == "empty":
        return [None] * len(column.hidden)
    if column.ids is not None:
        values = column.objects()
    elif column.layout.form is not None and column.numbers is not None:
        values = texts_in(column.numbers, column.layout.form)
    elif column.times.dtype.kind == "M":
        values = np.datetime_as_string(column.times)
    elif column.kind == "duration":
        lengths = column.times.astype(np.int64).tolist()
        values = np.array([cell_of_duration(length) for length in lengths], dtype=object)
    else:
        values = column.times.astype(bool) if column.kind == "boolean" else column.times
    if column.hidden.any() and column.ids is None:
        values = values.astype(object)
        values[column.hidden] = None
    listed: list[Any] = values.tolist()
    return listed


def _write_parquet(table: Any, blocks: Blocks, target: Path) -> None:
    """By the frame's own writer, which keeps its dtypes; what has none goes through DuckDB."""
    kind = type(table).__module__.split(".")[0]
    if kind == "polars":
        table.write_parquet(target)
    elif kind == "pyarrow":
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, target)
    elif kind == "pandas" and importlib.util.find_spec("pyarrow") is not None:
        table.to_parquet(target, index=False, engine="pyarrow")
    else:
        _write_with_engine(blocks, target)


def _write_with_engine(blocks: Blocks, target: Path) -> None:
    """Blocks of arrays into a table of DuckDB's, labels as their places, then all of it to the file."""
    import duckdb

    with (
        scratch_folder() as scratch,
        locked_engine(target, scratch, DEFAULT_MEMORY, len(blocks.names)) as connection,
    ):
        try:
            options = ["FORMAT parquet", "USE_TMP_FILE false"]
            if "duration" in blocks.kinds:
                kinds = [_ARROW.get(kind, "string") for kind in blocks.kinds]
                options.append(schema_option(kept_schema(list(blocks.names), kinds)))
            chosen = _fill_table(connection, blocks)
            connection.execute(
                f"COPY (SELECT {', '.join(chosen)} FROM kept) TO {text_literal(str(target))} ({', '.join(options)})"
            )
        except duckdb.Error as error:
            if isinstance(error, duckdb.IOException):
                raise OSError(str(error).splitlines()[0]) from error
            raise DataError(
                f"the table cannot be written as Parquet: {str(error).splitlines()[0]}."
            ) from error


def _fill_table(connection: "duckdb.DuckDBPyConnection", blocks: Blocks) -> list[str]:
    """The blocks in a table `kept`; how each column is made of it, in SQL."""
    types = [_TYPES.get(kind, "VARCHAR") for kind in blocks.kinds]
    parts = iter(blocks.blocks)
    first = next(parts, None)
    labels: list[tuple[Any, ...] | None] = [None] * len(types)
    if first is not None:
        labels = [None if column.ids is None else column.labels for column in first]
    kept = [kind if own is None else "UINTEGER" for kind, own in zip(types, labels, strict=True)]
    connection.execute(f"CREATE TEMP TABLE kept ({', '.join(f'c{i} {kind}' for i, kind in enumerate(kept))})")
    for block in itertools.chain([] if first is None else [first], parts):
        arrays: dict[str, NDArray[Any]] = {}
        chosen = [_put(column, i, labels[i], arrays) for i, column in enumerate(block)]
        arrays["rows"] = np.zeros(len(block[0].hidden), dtype=np.uint8)  # there may be no other
        connection.register("block", arrays)
        connection.execute(f"INSERT INTO kept SELECT {', '.join(chosen)} FROM block")
        connection.unregister("block")
    named = []
    for i, (name, kind, own) in enumerate(zip(blocks.names, types, labels, strict=True)):
        value = f"c{i}"
        if own is not None:  # a list begins at 1, and has NULL at 0
            # A truth value is true or false in SQL, a date as ISO has it.
            plain = (str(label).lower() if isinstance(label, bool) else str(label) for label in own)
            texts = ", ".join(map(text_literal, plain))
            value = f"CAST([{texts}] AS {kind}[])[{value}]"
        named.append(f"{value} AS {identifier(name)}")
    return named


def _put(column: Column, i: int, labels: tuple[Any, ...] | None, arrays: dict[str, NDArray[Any]]) -> str:
    """The arrays of a block's column, and how its cells are made of them, in SQL."""
    if column.kind == "empty":
        return "NULL"
    if column.ids is not None:
        if labels != column.labels:
            raise DataError(
                f"column {column.name!r} has other states in a later table: write one domain to a file."
            )
        arrays[f"c{i}"] = (column.ids + 1).astype(np.uint32)
        return f"c{i}"
    assert column.numbers is not None
    arrays[f"c{i}"] = column.numbers
    value = f"c{i}"
    if column.kind == "date":
        value = f"DATE '1970-01-01' + CAST(c{i} AS INTEGER)"
    elif column.kind == "datetime":
        value = f"make_timestamp(c{i})"
    if column.hidden.any():
        arrays[f"h{i}"] = column.hidden
        value = f"CASE WHEN h{i} THEN NULL ELSE {value} END"
    return value
