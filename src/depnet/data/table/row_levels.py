"""The levels of the numbers of some rows of a table, to learn from how numbers go within bins (`depnet.learning.within`).

They are those of at most `MOST_ROWS` rows, drawn without replacement and the same ones always
(`depnet.data.binning.levels`); the rows of a wide table are fewer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, IntArray, read_only
from depnet.data.binning.bins import Bins
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

    @classmethod
    def of(
        cls,
        domain: Domain,
        codes: CodeArray,
        values: Mapping[int, NDArray[Any]],
        rows: IntArray | None = None,
    ) -> "RowLevels":
        """The levels of numbers whose `values` are known, of some `rows`; None: as many as are learned from."""
        some = level_rows(len(codes), len(domain)) if rows is None else rows
        levels = np.full((len(some), len(domain)), -1, dtype=np.int32, order="F")
        for i, numbers in values.items():
            bins = domain.variables[i].bins
            if bins is not None:
                levels[:, i] = levels_of(bins, numbers[some], codes[some, i])
        return cls(read_only(some), read_only(levels))


def level_rows(rows: int, columns: int) -> IntArray:
    most = most_rows(columns)
    if rows <= most:
        return np.arange(rows)
    return np.sort(np.random.default_rng(0).choice(rows, most, replace=False))


def most_rows(columns: int) -> int:
    """Of a table of this many columns, the rows whose levels are kept at most."""
    return min(MOST_ROWS, max(FEWEST_ROWS, MOST_LEVELS // max(columns, 1)))


def levels_of(bins: Bins, numbers: NDArray[Any], codes: NDArray[np.integer]) -> LevelArray:
    """The levels of numbers whose codes are given; where a code is not that of a bin, any."""
    known = np.where((codes >= 0) & (codes < len(bins)), codes, 0)
    return Levels.of(bins).locate(numbers, known.astype(np.int64))
