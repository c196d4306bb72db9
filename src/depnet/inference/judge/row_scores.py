"""The scores of the rows of a table, the lowest first, with equal rows together."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.model.network import Network
from depnet.model.score import score_samples

CHUNK = 1_000_000
"""Cells that are scored between two reports of progress."""


@dataclass(frozen=True, slots=True, eq=False)
class RowScores:
    """`each[r]` is the score of row r, in nats, of the first rows of a table of `rows`; `order` has the lowest first.

    Equal rows stand together in `order`: `begins` has the place of the first of each kind, and the end.
    """

    each: FloatArray
    order: IntArray
    begins: IntArray
    rows: int

    @property
    def kinds(self) -> int:
        """How many different rows there are."""
        return len(self.begins) - 1


def row_scores(
    network: Network, data: Dataset, max_cells: int, progress: Callable[[float], object] = lambda share: None
) -> RowScores:
    """The scores of the rows of `data`, of the first rows where they have more than `max_cells` cells.

    `progress(share)` is called before the first and after every chunk; what it raises ends the work.
    """
    rows = min(data.rows, max(1, max_cells // len(network)))
    size = max(1, CHUNK // len(network))
    each = np.empty(rows)
    progress(0.0)
    for first in range(0, rows, size):
        last = min(first + size, rows)
        part = Dataset.from_codes(data.codes[first:last], domain=data.domain)
        each[first:last] = score_samples(network, part)
        progress(last / rows)
    order = np.argsort(each, kind="stable")
    new = np.ones(rows + 1, dtype=bool)
    new[1:-1] = False
    for i in range(len(data.domain)):
        column = data.column(i)[order]
        new[1:-1] |= column[1:] != column[:-1]
    return RowScores(each, order, np.flatnonzero(new), data.rows)
