"""Durations in Parquet files: whole numbers of a unit that only Arrow's schema has, which is kept in a note of the file.

pandas, polars and Arrow write them so, and find them by that note. DuckDB neither reads it nor writes it.
"""

import base64
from pathlib import Path
from typing import Any

from depnet.data.binning.calendar import DAY
from depnet.data.files.engine import text_literal
from depnet.errors import DataError

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


def kept_schema(names: list[str], types: list[str]) -> Any:
    """An Arrow schema of columns of these types, in Arrow's words."""
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
