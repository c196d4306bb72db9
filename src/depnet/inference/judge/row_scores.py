"""How odd the rows of a table are, the oddest first, with equal rows together."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.holed import Holed
from depnet.inference.judge.cell_laws import log_tails
from depnet.model.counting import check_same_domain
from depnet.model.network import Network

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
    each = np.empty(rows)
    progress(0.0)
    for first in range(0, rows, size):
        last = min(first + size, rows)
        each[first:last] = log_tails(network, some_rows(data, slice(first, last)))
        progress(last / rows)
    columns = list(_columns(data, rows))
    order = np.lexsort((_mixed(columns, rows), each))
    new = np.ones(rows + 1, dtype=bool)
    new[1:-1] = False
    for column in columns:
        ordered = column[order]
        new[1:-1] |= ordered[1:] != ordered[:-1]
    return RowScores(each, order, np.flatnonzero(new), data.rows)


def some_rows(data: Dataset | Holed, rows: slice | IntArray) -> Dataset | Holed:
    """Some rows of a table, with their values and holes, without weights."""
    codes = np.asfortranarray(data.codes[rows])
    places = np.arange(data.rows)[rows]
    values = None if data.values is None else data.values.rows_of(places)
    if isinstance(data, Holed) and not data.complete:
        return Holed(data.domain, codes, np.asfortranarray(data.hidden[rows]), values=values)
    return Dataset.of_checked(data.domain, codes, values=values)


def _columns(data: Dataset | Holed, rows: int) -> "list[NDArray[np.int64]]":
    """Of each variable, whole numbers that are equal where its values are, holes included."""
    found = []
    for i in range(len(data.domain)):
        numbers, known = data.numbers(i), data.known(i)
        own = data.column(i)[:rows].astype(np.int64)
        if numbers is not None:
            plain = np.asarray(numbers[:rows])
            plain = (plain + 0.0).view(np.int64) if plain.dtype.kind == "f" else plain  # -0.0 is 0
            own = plain if known is None else np.where(known[:rows], plain, 0)
        if known is not None:
            found.append(known[:rows].astype(np.int64))
            own = np.where(known[:rows], own, 0)
        found.append(own)
    return found


def _mixed(columns: "list[NDArray[np.int64]]", rows: int) -> NDArray[np.uint64]:
    """A number for each row, the same of equal rows: by it they are brought together."""
    mixed = np.zeros(rows, dtype=np.uint64)
    for column in columns:
        mixed = (mixed ^ column.view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed
