"""Rows on this machine's disk, with a bound on the memory that is held of them.

Sorted columns and codes are files in a directory of their own, read through memory maps, whose pages the system may take
back at any time. What must be held are 4 bytes for each row and live node, and where there is room the table in bits.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import read_only
from depnet.cluster.columns import part_columns
from depnet.cluster.gather import CodedPart, coded_rows
from depnet.cluster.source import Coding, ParquetPart, TablePart, coded_part
from depnet.data.binning.ranked import RankedArray
from depnet.data.files.engine import bytes_of
from depnet.data.frames.variables import Summary
from depnet.data.table.domain import Domain
from depnet.errors import DataError
from depnet.files import scratch_folder
from depnet.learning.rows.part import Part
from depnet.learning.rows.workers import LocalWorkers

FIXED = 300_000_000
"""Bytes for the program itself and one part while it is loaded."""

LIVE = 64
"""Nodes that grow at once, at most."""


def checked_memory(memory: int | str) -> int:
    """The bytes that are left of `memory` beside the program itself."""
    left = bytes_of(memory) - FIXED
    if left <= 0:
        raise DataError(f"memory is more than {FIXED / 1e9:g}GB, for the program itself; got {memory!r}.")
    return left


@contextlib.contextmanager
def disk_place(under: str | os.PathLike[str] | None, memory: int) -> Iterator["DiskPlace"]:
    """A place in a new directory that only this user reads, gone at the end."""
    with scratch_folder(under) as directory:
        yield DiskPlace(directory, memory)


class DiskPlace:
    """A directory, and how many bytes of memory there are for rows."""

    def __init__(self, directory: Path, memory: int) -> None:
        self._directory, self._memory, self._files = directory, memory, 0
        self.workers = LocalWorkers()
        self.threads = 1

    def room(self) -> int:
        """The bytes that a table may take in memory."""
        return self._memory

    def nodes(self) -> None:
        """No workers elsewhere."""

    @contextlib.contextmanager
    def columns(self, parts: Sequence[TablePart], *, once: bool) -> Iterator[list[Any]]:
        """The first pass: sorted columns are files while it lasts. The files are read again, in any case."""
        with tempfile.TemporaryDirectory(dir=self._directory, ignore_cleanup_errors=True) as directory:

            def on_disk(column: Summary, name: str) -> Summary:
                if not isinstance(column.numbers, RankedArray):
                    return column
                return replace(
                    column, numbers=RankedArray(_mapped(column.numbers.ordered, Path(directory, name)))
                )

            yield [
                tuple(
                    on_disk(column, f"{number}-{place}.npy")
                    for place, column in enumerate(part_columns(_frame(part)))
                )
                for number, part in enumerate(parts)
            ]

    def load(self, parts: Sequence[TablePart], coding: Coding, total: int) -> list[Part]:
        """The second pass: codes are files."""
        planes = sum(k - 1 for k in coding.domain.cardinalities) + len(
            coding.cuts.cuts if coding.cuts else ()
        )
        in_bits = total * planes // 4 <= self._memory // 2  # by row and by column
        return [
            coded_part(_frame(part), number, coding, in_bits, self._keep) for number, part in enumerate(parts)
        ]

    def coded(self, parts: Sequence[TablePart], domain: Domain) -> Iterator[CodedPart]:
        """The second pass, for rows that fit in memory: coded part by part."""
        for part in parts:
            yield coded_rows(_frame(part), domain)

    def live(self, total: int) -> int:
        """As many nodes as half of the memory holds rows of."""
        nodes = self._memory // 2 // (4 * total + 1)
        if nodes < 1:
            raise DataError(
                f"{total:,} rows need {(8 * total + FIXED) / 1e9:.2g}GB of memory to grow one node at a time. "
                "Give more with `memory=...`, or use a cluster."
            )
        return min(nodes, LIVE)

    def _keep(self, array: NDArray[Any]) -> NDArray[Any]:
        """The same array, on disk."""
        self._files += 1
        return _mapped(array, self._directory / f"part-{self._files}.npy")


def _frame(part: TablePart) -> Any:
    if isinstance(part, ParquetPart):
        return part.load()
    frame = part.partition.compute()
    return frame if part.columns is None else frame[list(part.columns)]


def _mapped(array: NDArray[Any], path: Path) -> NDArray[Any]:
    if not array.size:  # which no file is mapped for
        return read_only(array)
    np.save(path, array)
    mapped: NDArray[Any] = np.load(path, mmap_mode="r")
    return mapped
