"""The levels of the numbers of some rows of a table, to learn from how numbers go within bins (`depnet.learning.within`).

A table of codes knows the bins of its numbers. Of at most `MOST_ROWS` rows, drawn without replacement and the same ones
always, it keeps the levels beside them (`depnet.data.binning.levels`); the rows of a wide table are fewer.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import IntArray
from depnet.data.binning.bins import Bins
from depnet.data.binning.levels import LevelArray, Levels

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


def level_rows(rows: int, columns: int) -> IntArray:
    """The rows of a table whose levels are kept."""
    most = min(MOST_ROWS, max(FEWEST_ROWS, MOST_LEVELS // max(columns, 1)))
    if rows <= most:
        return np.arange(rows)
    return np.sort(np.random.default_rng(0).choice(rows, most, replace=False))


def levels_of(bins: Bins, numbers: NDArray[Any], codes: NDArray[np.integer]) -> LevelArray:
    """The levels of numbers whose codes are given; where a code is not that of a bin, any."""
    known = np.where((codes >= 0) & (codes < len(bins)), codes, 0)
    return Levels.of(bins).locate(numbers, known.astype(np.int64))
