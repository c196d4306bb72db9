"""Tables in Parquet files, for tests of chunks."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from depnet import Network


def mixed_table(rows: int, seed: int) -> Any:
    """A pandas frame of categories, text, booleans, whole and other numbers and dates, that depend on each other."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    mood = rng.integers(0, 4, rows)
    noise = rng.random((rows, 6))
    return pd.DataFrame(
        {
            "class": pd.Categorical.from_codes(
                np.where(noise[:, 0] < 0.8, mood % 3, rng.integers(0, 3, rows)), ["third", "second", "first"]
            ),
            "port": np.array(["a", "ü", "b"], dtype=object)[
                np.where(noise[:, 1] < 0.8, mood // 2, rng.integers(0, 3, rows))
            ],
            "alive": noise[:, 2] < 0.2 + 0.2 * mood,
            "parts": np.where(noise[:, 3] < 0.6, mood, rng.integers(0, 6, rows)),
            "fare": np.where(noise[:, 4] < 0.3, 0.0, np.round(rng.normal(mood * 3, 2), 2)),
            "born": pd.Timestamp("1880-01-01")
            + pd.to_timedelta(mood * 1000 + rng.integers(0, 3000, rows), "D"),
        }
    )


def write_parts(frame: Any, directory: Path, parts: int, row_group: int = 500) -> None:
    """The rows of a frame in so many Parquet files."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    cuts = np.linspace(0, len(frame), parts + 1).astype(int)
    for number in range(parts):
        piece = table.slice(cuts[number], cuts[number + 1] - cuts[number])
        parquet.write_table(piece, directory / f"part-{number:03}.parquet", row_group_size=row_group)


def assert_same_network(found: Network, expected: Network) -> None:
    assert found.domain == expected.domain
    assert found.order == expected.order
    assert found.held_out == expected.held_out
    for one, other in zip(found.nodes, expected.nodes, strict=True):
        assert one.variable == other.variable
        assert one.source.operations == other.source.operations  # type: ignore[attr-defined]
        assert np.array_equal(one.table.counts, other.table.counts)  # type: ignore[arg-type]
        assert np.array_equal(one.table.probabilities, other.table.probabilities)
