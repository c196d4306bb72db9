"""Rows on this machine's disk, with a bound on the memory that is held of them.

Sorted columns and codes are files in a directory of their own, read through memory maps, whose pages the system may take
back at any time. What must be held are 4 bytes for each row and live node, and where there is room the table in bits.
"""

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.cluster.columns import PartColumn, describe_parts, part_columns
from depnet.cluster.place import TablePart, coded
from depnet.cluster.source import ParquetPart
from depnet.data.frames.describe import BinChoice, Missing
from depnet.data.table.domain import Domain
from depnet.errors import DataError
from depnet.learning.grow.local_parts import LocalParts
from depnet.learning.grow.part_rows import PartRows
from depnet.learning.options import Task

UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
FIXED = 300_000_000
"""Bytes for the program itself and one part while it is loaded."""


@contextlib.contextmanager
def scratch_directory(under: str | os.PathLike[str] | None) -> Iterator[Path]:
    """A new directory that only this user reads, gone at the end."""
    path = Path(tempfile.mkdtemp(prefix="depnet-", dir=under))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def bytes_of(memory: int | str) -> int:
    """A number of bytes, or a text such as "2GB".

    >>> bytes_of("2GB"), bytes_of("1.5 MB")
    (2000000000, 1500000)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?b?)\s*", str(memory).lower())
    unit = "" if found is None else found[2] if found[2].endswith("b") or not found[2] else found[2] + "b"
    if found is None or isinstance(memory, bool):
        raise ValueError(f'memory is a number of bytes or a text such as "2GB"; got {memory!r}.')
    return int(float(found[1]) * UNITS[unit])


def checked_memory(memory: int | str) -> int:
    """The bytes that are left of `memory` beside the program itself."""
    left = bytes_of(memory) - FIXED
    if left <= 0:
        raise ValueError(f"memory is more than {FIXED / 1e9:g}GB, for the program itself; got {memory!r}.")
    return left


class DiskPlace:
    """A directory, and how many bytes of memory there are for rows."""

    def __init__(self, directory: Path, memory: int) -> None:
        self._directory = directory
        self._memory = memory
        self._files = 0

    def describe(
        self, parts: Sequence[TablePart], *, bins: BinChoice, max_bins: int, missing: Missing
    ) -> tuple[Domain, int]:
        """The first pass: sorted columns are files while it lasts."""
        with scratch_directory(self._directory) as directory:
            columns = [
                tuple(
                    _on_disk(column, directory / f"{number}-{place}.npy")
                    for place, column in enumerate(found)
                )
                for number, found in enumerate(part_columns(_frame(part)) for part in parts)
            ]
            return describe_parts(_Here(), columns, bins=bins, max_bins=max_bins, missing=missing)

    def parts(
        self, parts: Sequence[TablePart], domain: Domain, tasks: Sequence[Task], total: int
    ) -> LocalParts:
        """The second pass: codes are files."""
        planes = sum(k - 1 for k in domain.cardinalities)
        in_bits = total * planes // 4 <= self._memory // 2  # by row and by column
        return LocalParts(
            [
                PartRows(
                    self._keep(coded(_frame(part), domain).codes),
                    domain.cardinalities,
                    tasks,
                    in_bits=in_bits,
                    keep=self._keep,
                )
                for part in parts
            ]
        )

    def live(self, total: int) -> int:
        """As many nodes as half of the memory holds rows of."""
        nodes = self._memory // 2 // (4 * total + 1)
        if nodes < 1:
            raise DataError(
                f"{total:,} rows need {(8 * total + FIXED) / 1e9:.2g}GB of memory to grow one node at a time. "
                "Give more with memory=, or use a cluster."
            )
        return min(nodes, 64)

    def _keep(self, array: NDArray[Any]) -> NDArray[Any]:
        """The same array, on disk."""
        self._files += 1
        return _mapped(array, self._directory / f"part-{self._files}.npy")


class _Here:
    """What `describe_parts` needs of a client, in this process."""

    def submit(self, function: Callable[..., Any], *arguments: Any, pure: bool = False) -> Any:
        return function(*arguments)

    def gather(self, results: Sequence[Any]) -> list[Any]:
        return list(results)


def _frame(part: TablePart) -> Any:
    if isinstance(part, ParquetPart):
        return part.load()
    frame = part.partition.compute()
    return frame if part.columns is None else frame[list(part.columns)]


def _on_disk(column: PartColumn, path: Path) -> PartColumn:
    if column.ordered is None:
        return column
    return replace(column, ordered=_mapped(column.ordered, path))


def _mapped(array: NDArray[Any], path: Path) -> NDArray[Any]:
    if not array.size:  # which no file is mapped for
        return array
    np.save(path, array)
    mapped: NDArray[Any] = np.load(path, mmap_mode="r")
    return mapped
