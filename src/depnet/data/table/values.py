"""The numbers of a table as they came: what is said of its rows is computed from these, and never from bins.

A table of codes knows the bins of its numbers. Beside the codes it keeps the numbers of all rows, eight bytes each: up to
`IN_MEMORY` bytes as arrays, and more in a temporary file that has no name, which the system reads as it is needed.
"""

import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import read_only
from depnet.data.binning.bins import Numbers

IN_MEMORY = 256 * 10**6
"""Bytes of numbers that a table keeps in memory."""


class Values(Mapping[int, Numbers]):
    """By the number of each variable with bins, the numbers of all rows as its bins count them; of a hole it is any.

    >>> kept = Values({1: np.array([1.5, 2.5])})
    >>> kept[1].tolist(), kept.rows_of(np.array([1]))[1].tolist()
    ([1.5, 2.5], [2.5])
    """

    def __init__(self, columns: Mapping[int, NDArray[Any]] | None = None, in_memory: int = IN_MEMORY) -> None:
        self._columns: dict[int, Numbers] = {}
        self._room = in_memory
        for i, numbers in (columns or {}).items():
            self.put(i, numbers)

    def put(self, i: int, numbers: NDArray[Any]) -> None:
        """Keep the numbers of variable i: here, or on disk where there is no more room."""
        plain = numbers.astype(np.float64 if numbers.dtype.kind == "f" else np.int64, copy=False)
        if plain.nbytes <= self._room:
            self._room -= plain.nbytes
            self._columns[i] = read_only(plain)
            return
        with tempfile.TemporaryFile(prefix="depnet-") as file:
            plain.tofile(file)
            self._columns[i] = np.memmap(file, dtype=plain.dtype, mode="r", shape=plain.shape)

    def __getitem__(self, i: int) -> Numbers:
        return self._columns[i]

    def __iter__(self) -> Iterator[int]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def rows_of(self, rows: NDArray[Any]) -> "Values":
        return Values({i: np.asarray(numbers[rows]) for i, numbers in self._columns.items()})

    def renumbered(self, places: Mapping[int, int]) -> "Values":
        """The same of the variables in `places`, which have other numbers there."""
        kept = Values()
        kept._room = self._room
        kept._columns = {new: self._columns[old] for old, new in places.items() if old in self._columns}
        return kept

    def __getstate__(self) -> dict[str, Any]:
        # What lies in a file without a name cannot travel as that.
        return {
            "_columns": {i: np.array(numbers) for i, numbers in self._columns.items()},
            "_room": self._room,
        }
