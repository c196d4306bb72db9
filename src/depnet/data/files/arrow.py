"""Categories of Parquet files, which only Arrow's schema declares: DuckDB does not show them.

In their order, the unused ones too, they are the states of their column: pandas, polars (Enums) and Arrow (dictionaries)
write them so. pyarrow reads them; where it is not installed, a file that says it has some is an error rather than other
states. Durations are whole numbers in the file, of a unit that only Arrow's schema has: they are refused.
"""

import base64
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from depnet.data.files.kinds import Connection
from depnet.data.files.table import text_literal
from depnet.data.table.open import is_polars_categorical
from depnet.errors import DataError, Hint, is_whole


class Categories(NamedTuple):
    """Labels in their order; `ordered`: that order means something, says the file."""

    labels: tuple[Any, ...]
    ordered: bool


def declared_types(
    connection: Connection, file: Path, name: str, wanted: Collection[str]
) -> dict[str, Categories]:
    """The categories that the file declares, by name, of the `wanted` columns of text or whole numbers."""
    try:
        from pyarrow import parquet, types
    except ImportError:
        _refuse_what_is_not_seen(connection, file, name)
        return {}
    with parquet.ParquetFile(file) as opened:
        found: dict[str, Categories] = {}
        for each in opened.schema_arrow:
            if types.is_duration(each.type) and each.name in wanted:
                raise _no_durations(f"{name}, column {each.name!r}")
            if types.is_dictionary(each.type) and each.name in wanted and not is_polars_categorical(each):
                labels = _labels(opened, each.name)
                if labels and all(isinstance(value, str) or is_whole(value) for value in labels):
                    ordered = each.type.ordered or "_PL_ENUM" in str(each.metadata)
                    found[each.name] = Categories(labels, ordered)
    return found


def _labels(opened: Any, name: str) -> tuple[Any, ...]:
    values: dict[Any, None] = {}
    for group in range(opened.num_row_groups):
        for chunk in opened.read_row_group(group, columns=[name]).column(0).chunks:
            values.update(dict.fromkeys(chunk.dictionary.to_pylist()))
    return tuple(values)


def _refuse_what_is_not_seen(connection: Connection, file: Path, name: str) -> None:
    """By the notes of pandas, and by the name that polars gives the values of an Enum."""
    notes = connection.execute(
        f"SELECT key, value FROM parquet_kv_metadata({text_literal(str(file))})"
    ).fetchall()
    found = {bytes(key): bytes(value) for key, value in notes}
    schema = base64.b64decode(found.get(b"ARROW:schema", b""))
    if b'"categorical"' in found.get(b"pandas", b"") or b"_PL_ENUM" in schema:
        raise DataError(
            f"{name}: the file has categories, in an order of their own, which only pyarrow reads. Install it, or "
            "take the columns as text, in the order of the alphabet: ",
            Hint("text", [...]),
            ".",
        )
    if b'"timedelta64' in found.get(b"pandas", b""):
        raise _no_durations(name)


def _no_durations(where: str) -> DataError:
    return DataError(
        f"{where}: durations of a Parquet file are not read. Write them as text (1 days 02:30:00) or seconds, give depnet "
        "the frame, or leave the column out with ",
        Hint("without", [...]),
        ".",
    )
