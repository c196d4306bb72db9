"""The numbers of a table as they came: what is said of its rows is computed from these, and never from bins.

A table of codes knows the bins of its numbers. Beside the codes it keeps the numbers of all rows, eight bytes each: up to
`limits.IN_MEMORY` bytes as arrays, and more in a temporary file that has no name, which the system reads as it is needed.
"""

import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import read_only
from depnet.data.binning.bins import Numbers
from depnet.data.table import limits


class Values(dict[int, Numbers]):
    """By the number of each variable with bins, the numbers of all rows as its bins count them; of a hole it is any.

    >>> kept = Values({1: np.array([1.5, 2.5])})
    >>> kept[1].tolist(), kept.rows_of(np.array([1]))[1].tolist()
    ([1.5, 2.5], [2.5])
    """

    def put(self, i: int, numbers: NDArray[Any]) -> None:
        """Keep the numbers of variable i: here, or on disk where there is no more room."""
        plain = numbers.astype(np.float64 if numbers.dtype.kind == "f" else np.int64, copy=False)
        here = sum(kept.nbytes for kept in self.values() if not isinstance(kept, np.memmap))
        if here + plain.nbytes <= limits.IN_MEMORY:
            self[i] = read_only(plain)
            return
        with tempfile.TemporaryFile(prefix="depnet-") as file:
            plain.tofile(file)
            self[i] = np.memmap(file, dtype=plain.dtype, mode="r", shape=plain.shape)

    def rows_of(self, rows: NDArray[Any]) -> "Values":
        kept = Values()
        for i, numbers in self.items():
            kept.put(i, np.asarray(numbers[rows]))
        return kept

    def renumber(self, places: Mapping[int, int]) -> "Values":
        """The same of the variables in `places`, which have other numbers there."""
        return Values({new: self[old] for old, new in places.items() if old in self})

    def __reduce__(self) -> Any:
        # What lies in a file without a name cannot travel as that.
        return Values, ({i: np.array(numbers) for i, numbers in self.items()},)
