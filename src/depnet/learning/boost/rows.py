"""Rows that nodes are boosted from, as bits: which of them pass each test.

They are put in an order of their own, that of their hashes, equal rows one after the other, and a row of weight w stands
there w times. The random words of the rounding belong to places in this order: so neither the order of the rows in
the table matters, nor whether they come as weights or as repetitions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from depnet._native import boost as native
from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.rows.distinct import distinct_rows
from depnet.learning.rows.some_rows import some_rows
from depnet.model.stages import Test

MOST_ROWS = 100_000_000
"""Weights included."""


@dataclass(frozen=True, eq=False)
class BoostRows:
    """Rows in their own order, each once for its weight, and the tests that stages may split on."""

    dataset: Dataset
    tests: Sequence[Test]

    @classmethod
    def of(cls, dataset: Dataset, tests: Sequence[Test]) -> "BoostRows":
        """The rows of a dataset, put in order."""
        if dataset.total > MOST_ROWS:
            raise LearningError(
                f"`boost` goes through each row by itself, and the table has {dataset.total:,} with their weights; at most "
                f"{MOST_ROWS:,} are possible. Boost a sample of the rows, or leave `boost` out."
            )
        distinct = distinct_rows(dataset)
        order = np.repeat(distinct.rows, distinct.counts)
        return cls(some_rows(Dataset(dataset.domain, dataset.codes, None), order), tests)

    @cached_property
    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.uint16], NDArray[np.uint16]]:
        """The tests as arrays: variable, low, high."""
        flat = np.array(self.tests, dtype=np.int64).reshape(-1, 3)
        return flat[:, 0].astype(np.int32), flat[:, 1].astype(np.uint16), flat[:, 2].astype(np.uint16)

    @cached_property
    def bits(self) -> native.BitTable:
        """The native table of bits, made once."""
        return native.BitTable(self.dataset.codes, *self.arrays)

    def own(self, i: int) -> NDArray[np.uint16]:
        """The states of variable i."""
        return np.ascontiguousarray(self.dataset.column(i), dtype=np.uint16)
