r"""How far a row is apart from a table's rows, by a tail mass: the share of these that are as far apart from each other.

A row may be odd though each of its cells fits the rest: one of a kind that the table hardly has. The distance of two rows is
a sum over columns: of numbers |x - x'| in standard deviations, of labels 1 where they are not the same. A hole is what is
ordinary, the median or the most frequent label. A row is as far apart as its 20th nearest row is away, out of up to 2,000 of
the table, drawn: farther neighbours tell a few rows that are odd alike from a kind.

The tail mass of a distance is the share of the table's rows whose own is at least that. Past the distance d that a tenth
of them exceeds it falls as an exponential, the one that goes on through what a hundredth exceeds: as numbers beyond the
ends of their columns do (`depnet.data.binning.tails`). It has no unit, and can stand beside the tail masses of cells.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.binning.tails import Tail
from depnet.data.frames.decode import numbers_of
from depnet.data.table.cells import known_cells
from depnet.data.table.dataset import Holed
from depnet.inference.answer.rows import pieces
from depnet.law import limits

ROWS, NEIGHBOURS = 2_000, 20
"""The most rows that others are compared with, and which of the nearest ones counts; of few rows, half of them."""
OUTER, FAR = 0.1, 0.01
"""The shares of rows between which the exponential is laid."""
DIGITS, MOST = 9, 1e12
"""Of distances: sums of floats are not exact, and those that are alike shall be. No number is farther from the middle."""
Columns: TypeAlias = tuple[tuple[float, float | None], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """Rows of a table that others are compared with."""

    columns: Columns
    """Of each what a hole counts as, a number or the code of a label; and the deviation of numbers, None of labels."""
    rows: FloatArray
    """[row, column]: numbers in standard deviations from the middle, codes of labels."""
    tail: Tail
    """Of the distances of these rows."""

    @classmethod
    def of(cls, table: Holed, rng: np.random.Generator) -> "Neighbours":
        """Up to `ROWS` rows of a table, drawn."""
        columns = tuple(_about(_cells(table, i)) for i in range(len(table.domain)))
        rows = _placed(table.rows_at(np.sort(rng.permutation(table.rows)[:ROWS])), columns)
        return cls(columns, rows, _tail(_distances(rows, rows, columns)))

    def tails(self, table: Holed) -> FloatArray:
        """[row]: the tail mass of how far it is apart."""
        found = np.empty(table.rows)
        for at in pieces(np.arange(table.rows), len(self.rows), limits.CELLS_AT_ONCE):
            placed = _placed(table.rows_at(at), self.columns)
            found[at] = self.tail.log_share(_distances(placed, self.rows, self.columns))
        return np.exp(found)


def _cells(table: Holed, i: int) -> tuple[FloatArray, bool]:
    """A column's numbers, or the codes of its labels, nan where there is none; and are they numbers?"""
    variable, numbers, codes = table.domain.variables[i], table.numbers(i), table.column(i)
    known, states = known_cells(table, i, np.arange(table.rows)), numbers_of(variable)
    if states is None:
        return np.where(known, codes, np.nan), False
    known &= codes < len(states)  # the last state may be that of holes
    numbers = states[np.minimum(codes, len(states) - 1)] if numbers is None else numbers
    return np.where(known, numbers, np.nan), True


def _about(cells: tuple[FloatArray, bool]) -> tuple[float, float | None]:
    own = cells[0][~np.isnan(cells[0])]
    if not len(own):
        return 0.0, 1.0 if cells[1] else None
    if not cells[1]:
        return float(np.bincount(own.astype(np.int64)).argmax()), None
    largest = float(np.abs(own).max()) or 1.0  # its square may be no float
    return float(np.median(own)), largest * float((own / largest).std()) or 1.0


def _placed(table: Holed, columns: Columns) -> FloatArray:
    """[row, column], as in `Neighbours`."""
    found = np.empty((table.rows, len(columns)), order="F")
    for i, (middle, scale) in enumerate(columns):
        cells, _ = _cells(table, i)
        cells = np.where(np.isnan(cells), middle, cells)
        with np.errstate(over="ignore"):
            found[:, i] = cells if scale is None else np.clip((cells - middle) / scale, -MOST, MOST)
    return found


def _distances(rows: FloatArray, others: FloatArray, columns: Columns) -> FloatArray:
    """[row]: how far the nearest of the others are."""
    found = np.zeros((len(rows), len(others)))
    for i, (_, scale) in enumerate(columns):
        own, other = rows[:, i, None], others[None, :, i]
        found += own != other if scale is None else np.abs(own - other)
    which = min(NEIGHBOURS, len(others) // 2)
    return np.round(np.partition(found, which, axis=1)[:, which], DIGITS)


def _tail(distances: FloatArray) -> Tail:
    """The high tail of distances."""
    end, far = np.quantile(distances, [1 - OUTER, 1 - FAR], method="higher")
    values = np.unique(distances[distances <= end])
    shares = 1 - np.searchsorted(np.sort(distances), values) / len(distances)
    beyond = max(float((distances > end).mean()), 1 / (len(distances) + 1))
    scale = float(far - end) / math.log(beyond / FAR) if far > end and beyond > FAR else math.inf
    return Tail(1, values, shares, beyond, scale)
