"""Blocks of columns as a Parquet file, by DuckDB: for tables of codes, and frames whose library does not write it."""

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.data.files.durations import kept_schema, schema_option
from depnet.data.files.engine import DEFAULT_MEMORY, identifier, locked_engine, text_literal
from depnet.data.frames.columns import Column
from depnet.data.table.layout import ColumnKind
from depnet.errors import DataError
from depnet.files import scratch_folder

if TYPE_CHECKING:
    import duckdb

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


class Blocks(NamedTuple):
    """A table as blocks of rows: its names, its columns' kinds, and the blocks' columns."""

    names: Sequence[str]
    kinds: Sequence[ColumnKind]
    blocks: Iterable[list[Column]]


def write_parquet(blocks: Blocks, target: Path) -> None:
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
