"""What learning from a table in one place takes of memory, told before any row is read.

A table of N rows and n columns takes N n bytes as codes. While it is learned from, its columns of bits, the cuts of its
numbers and the rows of leaves come on top: of tables of numbers 11 bytes a cell and more, of categories 5
(`python -m benchmarks cluster --memory`). What is forecast is the most of these.
"""

import importlib
from typing import Any

CELL_BYTES = 16
"""Of each cell, rows times columns."""

SHARE = 0.7
"""Of the memory that there is, what a table may take."""


def learning_bytes(rows: int, columns: int) -> int:
    """What it takes to learn from such a table in one place."""
    return rows * columns * CELL_BYTES


def room_of(client: Any) -> int:
    """The bytes that a table may take both here and on every worker of a `distributed.Client`."""
    psutil: Any = importlib.import_module("psutil")  # which Dask needs in any case

    limits = [int(psutil.virtual_memory().available)]
    limits += [each.get("memory_limit") or 0 for each in client.scheduler_info()["workers"].values()]
    return int(SHARE * min(limit for limit in limits if limit > 0))
