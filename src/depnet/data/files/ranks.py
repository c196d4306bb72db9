"""A column of a file by its ranks where it does not fit in memory: sorted by the engine, on disk if need be.

The values are the exact order statistics, whatever the number of threads.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from depnet.data.binning.bins import Number, Numbers
from depnet.data.files.engine import answer

if TYPE_CHECKING:
    import duckdb

_TABLE = "in_order"


def number_literal(value: Number) -> str:
    """A number as SQL writes it, exactly: digits alone would be taken for a decimal.

    >>> number_literal(3), number_literal(0.1)
    ("CAST('3' AS BIGINT)", "CAST('0.1' AS DOUBLE)")
    """
    return f"CAST('{value!r}' AS {'DOUBLE' if isinstance(value, float) else 'BIGINT'})"


@dataclass(frozen=True, slots=True, eq=False)
class RankedTable:
    """The values of a column in a table of the engine, row k holding that of rank k."""

    connection: "duckdb.DuckDBPyConnection"
    rows: int
    whole: bool

    @classmethod
    def of(
        cls, connection: "duckdb.DuckDBPyConnection", relation: str, value: str, rows: int, *, whole: bool
    ) -> "RankedTable":
        """The `rows` values of one column of a relation; the one made before is forgotten."""
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {_TABLE} AS SELECT {value} AS v FROM {relation} WHERE {value} IS NOT NULL "
            "ORDER BY v"
        )
        return cls(connection, rows, whole)

    def close(self) -> None:
        """Give the space back."""
        self.connection.execute(f"DROP TABLE {_TABLE}")

    def __len__(self) -> int:
        return self.rows

    def at(self, ranks: Sequence[int]) -> Numbers:
        """The values of these ranks."""
        wanted = sorted({int(rank) for rank in ranks})
        if not wanted:
            return self._array([])
        found = answer(
            self.connection, f"SELECT rowid, v FROM {_TABLE} WHERE rowid IN ({', '.join(map(str, wanted))})"
        )
        values = dict(found)
        return self._array([values[int(rank)] for rank in ranks])

    def before(self, value: Number) -> int:
        """How many values are less than this one."""
        return self._count(f"v < {number_literal(value)}")

    def until(self, value: Number) -> int:
        """How many values are less than this one, or equal."""
        return self._count(f"v <= {number_literal(value)}")

    def distinct(self, limit: int) -> Numbers:
        """The different values, ascending, but no more than the `limit` lowest."""
        found = answer(self.connection, f"SELECT DISTINCT v FROM {_TABLE} ORDER BY v LIMIT {limit}")
        return self._array([value for (value,) in found])

    def all_whole(self) -> bool:
        """Are all values whole numbers?"""
        return self._count(f"abs(v) < {2**53} AND v = floor(v)") == self.rows

    def _count(self, condition: str) -> int:
        ((count,),) = answer(self.connection, f"SELECT count(*) FROM {_TABLE} WHERE {condition}")
        return int(count)

    def _array(self, values: list[Any]) -> Numbers:
        return np.array(values, dtype=np.int64 if self.whole else np.float64)
