"""The levels of the numbers of some rows of a table, to learn from how numbers go within bins (`depnet.learning.within`).

A table of codes knows the bins of its numbers. Of at most `MOST_ROWS` rows, drawn without replacement and the same ones
always, it keeps the levels beside them (`depnet.data.binning.levels`); the rows of a wide table are fewer.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import IntArray, read_only
from depnet.data.binning.levels import LevelArray, Levels
from depnet.data.table.domain import Domain

MOST_ROWS = 50_000
FEWEST_ROWS = 10_000
MOST_LEVELS = 1_500_000
"""Levels that are kept in all, but for those of `FEWEST_ROWS` rows."""


@dataclass(frozen=True, slots=True, eq=False)
class RowLevels:
    """`levels[r, i]` is the level of X_i in row `rows[r]`; -1 where it is not known, a variable without bins for example.

    Of a hole it is any.
    """

    rows: IntArray
    levels: LevelArray


class RowLevelsBuilder:
    """The levels put in column by column."""

    def __init__(self, domain: Domain, rows: int) -> None:
        self._domain = domain
        binned = sum(variable.bins is not None for variable in domain.variables)
        most = min(MOST_ROWS, max(FEWEST_ROWS, MOST_LEVELS // max(binned, 1)))
        chosen = np.arange(rows)
        if rows > most:
            chosen = np.sort(np.random.default_rng(0).choice(rows, most, replace=False))
        self._rows = chosen
        self._levels: LevelArray | None = None

    def put(self, i: int, numbers: NDArray[np.generic], codes: NDArray[np.integer]) -> None:
        """The levels of variable i, whose numbers in all rows are given with their codes."""
        bins = self._domain.variables[i].bins
        if bins is None:
            return
        if self._levels is None:
            self._levels = np.full((len(self._rows), len(self._domain)), -1, dtype=np.int32, order="F")
        own = codes[self._rows].astype(np.int64)
        known = np.where((own >= 0) & (own < len(bins)), own, 0)  # of a hole or a missing value, any
        self._levels[:, i] = Levels.of(bins).locate(numbers[self._rows], known)

    def made(self) -> RowLevels | None:
        """The levels; None where no variable has bins."""
        return None if self._levels is None else RowLevels(read_only(self._rows), read_only(self._levels))
