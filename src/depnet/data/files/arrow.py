"""Categories and durations of Parquet files, which only Arrow's schema declares: DuckDB neither shows nor writes them.

Categories, in their order, the unused ones too, are the states of their column: pandas, polars (Enums) and Arrow
(dictionaries) write them so. Durations are whole numbers in the file, of a unit that only Arrow's schema has, which is kept
in a note of the file. pyarrow reads both; where it is not installed, a file that says it has some is an error rather than
other states or numbers.
"""

import base64
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from depnet.data.binning.times import DAY
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
) -> dict[str, Categories | str]:
    """What the file declares, by name: the unit of a duration, or categories of a `wanted` column, text or whole numbers."""
    try:
        from pyarrow import parquet, types
    except ImportError:
        _refuse_what_is_not_seen(connection, file, name)
        return {}
    with parquet.ParquetFile(file) as opened:
        found: dict[str, Categories | str] = {**units_of(opened.schema_arrow)}
        for each in opened.schema_arrow:
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
        raise DataError(
            f"{name}: the file has durations, in a unit that only pyarrow reads. Install it, or write them as seconds."
        )


_PER_UNIT = {"s": 1_000_000, "ms": 1_000, "us": 1}
"""Microseconds; a nanosecond is a part of one."""


def units_of(schema: Any) -> dict[str, str]:
    """The units ("s", "ms", "us", "ns") of the durations of an Arrow schema, by the names of the columns."""
    from pyarrow import types

    return {each.name: each.type.unit for each in schema if types.is_duration(each.type)}


def microseconds_sql(column: str, unit: str) -> str:
    """The microseconds of a whole number of a unit; nanoseconds go to microseconds downwards, as numpy has it."""
    if unit == "ns":
        return f"(({column} - ({column} % 1000 + 1000) % 1000) // 1000)"
    return f"({column} * {_PER_UNIT[unit]})"


def number_sql(cell: str, unit: str) -> str:
    """The whole number of a unit that a cell of text says."""
    length = f"epoch_us(CAST(replace({cell}, '+', '') AS INTERVAL))"
    return f"({length} * 1000)" if unit == "ns" else f"({length} // {_PER_UNIT[unit]})"


def text_sql(column: str, unit: str) -> str:
    """The cell of text of a whole number of a unit, as `cell_of_duration` has it."""
    length = microseconds_sql(column, unit)
    rest = f"(({length} % {DAY} + {DAY}) % {DAY})"
    plus = f"CASE WHEN {length} < 0 THEN '+' ELSE '' END"
    return (
        f"((({length} - {rest}) // {DAY}) || ' days ' || {plus} || CAST(to_microseconds({rest}) AS VARCHAR))"
    )


def written_schema(file: Path) -> Any:
    """Arrow's schema of a Parquet file as DuckDB writes it again, which knows no categories; None without pyarrow."""
    try:
        from pyarrow import parquet, schema, types
    except ImportError:
        return None
    found = parquet.read_schema(file)
    return schema(
        [each.with_type(each.type.value_type) if types.is_dictionary(each.type) else each for each in found]
    )


def schema_of(names: list[str], types: list[str]) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise DataError(
            "durations are kept in Parquet in Arrow's way, which needs pyarrow. Install it, or write CSV."
        ) from None
    return pa.schema(list(zip(names, map(pa.type_for_alias, types), strict=True)))


def schema_option(schema: Any) -> str:
    """The option of SQL's COPY that keeps an Arrow schema in the file's notes."""
    note = base64.b64encode(schema.remove_metadata().serialize().to_pybytes()).decode()
    return f"KV_METADATA {{'ARROW:schema': {text_literal(note)}}}"
