"""Categories that a Parquet file declares, in their order, the unused ones too: the states of such a column.

pandas categories, polars Enums and Arrow dictionaries are written so. DuckDB does not show them, pyarrow does; where
it is not installed, a file that says it has categories is an error rather than another order of states.
"""

import base64
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depnet.checks import is_whole
from depnet.data.files.engine import answer, text_literal
from depnet.data.frames.open import is_polars_categorical
from depnet.errors import DataError

if TYPE_CHECKING:
    import duckdb


def declared_categories(
    connection: "duckdb.DuckDBPyConnection", file: Path, name: str, wanted: Collection[str]
) -> dict[str, tuple[Any, ...]]:
    """The categories of the columns that have some, of text or whole numbers."""
    try:
        from pyarrow import parquet, types
    except ImportError:
        if _says_categories(connection, file):
            raise DataError(
                f"{name}: the file has categories, in an order of their own, which only pyarrow reads. Install it, or "
                "take the columns as text, in the order of the alphabet: `text=[...]`."
            ) from None
        return {}
    found: dict[str, tuple[Any, ...]] = {}
    with parquet.ParquetFile(file) as opened:
        for field in opened.schema_arrow:
            if (
                not types.is_dictionary(field.type)
                or field.name not in wanted
                or is_polars_categorical(field)
            ):
                continue
            values: dict[Any, None] = {}
            for group in range(opened.num_row_groups):
                for chunk in opened.read_row_group(group, columns=[field.name]).column(0).chunks:
                    values.update(dict.fromkeys(chunk.dictionary.to_pylist()))
            if values and all(isinstance(value, str) or is_whole(value) for value in values):
                found[field.name] = tuple(values)
    return found


def _says_categories(connection: "duckdb.DuckDBPyConnection", file: Path) -> bool:
    """By the notes of pandas, and by the name that polars gives the values of an Enum."""
    notes = answer(connection, f"SELECT key, value FROM parquet_kv_metadata({text_literal(str(file))})")
    found = {bytes(key): bytes(value) for key, value in notes}
    schema = base64.b64decode(found.get(b"ARROW:schema", b""))
    return b'"categorical"' in found.get(b"pandas", b"") or b"_PL_ENUM" in schema
