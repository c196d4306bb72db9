"""How odd the rows of a table are, the oddest first, with equal rows together."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset, Holed, with_holes
from depnet.inference.judge.cell_laws import row_tails
from depnet.model.counting import check_same_domain
from depnet.model.network import Network

MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without a pattern in its bits."""

HOLE = 0x7FF8_0000_DEAD_0001
"""Stands for a hole: no number that a table has, since as a float it would be none."""

CHUNK = 1_000_000
"""Cells that are scored between two reports of progress."""


@dataclass(frozen=True, slots=True, eq=False)
class RowScores:
    """`each[r]` is the log of the tail mass of row r, of the first rows of a table of `rows`; `order` has the lowest first.

    Equal rows, whose values and holes are the same, stand together in `order`: `begins` has the place of the first of each
    kind, and the end.
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
    network: Network,
    data: Dataset | Holed,
    max_cells: int,
    progress: Callable[[float], object] = lambda share: None,
) -> RowScores:
    """The log tail masses of the rows of `data`, of the first rows where they have more than `max_cells` cells.

    `network` is the one whose nodes judge each cell given the rest (`depnet.inference.judge.oddness`). `progress(share)` is
    called before the first and after every chunk; what it raises ends the work.
    """
    check_same_domain("row_scores", network.domain, data)
    rows = min(data.rows, max(1, max_cells // len(network)))
    size = max(1, CHUNK // len(network))
    each, table = np.empty(rows), with_holes(data)
    progress(0.0)
    for first in range(0, rows, size):
        last = min(first + size, rows)
        part = table if last - first == data.rows else table.rows_at(np.arange(first, last))
        each[first:last] = row_tails(network, part)
        progress(last / rows)
    each = np.log(each)
    alike = _alike(data, rows)
    order = np.argsort(each, kind="stable")
    same = each[order[1:]] == each[order[:-1]]
    tied = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
    order[tied] = order[tied][np.lexsort((alike[order[tied]], each[order[tied]]))]
    new = np.ones(rows + 1, dtype=bool)
    new[1:-1] = alike[order[1:]] != alike[order[:-1]]
    return RowScores(each, order, np.flatnonzero(new), data.rows)


def _alike(data: Dataset | Holed, rows: int) -> NDArray[np.uint64]:
    """A number for each row, the same of rows with equal values and holes; of others, all but surely another one."""
    mixed = np.zeros(rows, dtype=np.uint64)
    for i in range(len(data.domain)):
        numbers, known = data.numbers(i), data.known(i)
        own = data.column(i)[:rows].astype(np.int64)
        if numbers is not None:
            plain = np.asarray(numbers[:rows])
            own = (plain + 0.0).view(np.int64) if plain.dtype.kind == "f" else plain  # -0.0 is 0
        if known is not None:
            own = np.where(known[:rows], own, HOLE)
        mixed = (mixed ^ own.view(np.uint64)) * MIX
        mixed ^= mixed >> np.uint64(29)
    return mixed
