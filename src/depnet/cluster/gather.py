"""The coded rows of all parts brought together: one byte a cell for most columns, as a table that was read here has them."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, IntArray, read_only
from depnet.cluster.columns import DescribedParts
from depnet.data.binning.levels import LevelArray
from depnet.data.frames.encode import encode
from depnet.data.table.dataset import code_type
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed, nothing_hidden
from depnet.data.table.row_levels import RowLevels, level_rows


class CodedPart(NamedTuple):
    """The rows of a part in codes, as they travel."""

    codes: CodeArray
    hidden: NDArray[np.bool_] | None
    levels: LevelArray | None
    """Of some rows."""


def coded_rows(frame: Any, domain: Domain, some: IntArray) -> CodedPart:
    """The rows of a part, with the levels of the numbers of `some` of them."""
    table = encode(frame, domain, levels=some)
    levels = None if table.levels is None else table.levels.levels
    return CodedPart(table.codes, None if table.complete else table.hidden, levels)


def level_rows_of_parts(table: DescribedParts) -> list[IntArray]:
    """For each part, its rows among those of the whole table whose levels are kept."""
    starts = np.cumsum([0, *table.rows])
    some = level_rows(table.total, table.columns)
    return [some[(first <= some) & (some < last)] - first for first, last in itertools.pairwise(starts)]


def gathered(table: DescribedParts, parts: Iterable[CodedPart], some: Sequence[IntArray]) -> Holed:
    """The whole table from its coded parts, which come one after the other, and are let go of."""
    domain = table.domain
    codes: CodeArray = np.empty((table.total, len(domain)), dtype=code_type(domain), order="F")
    hidden: NDArray[np.bool_] | None = None
    levels: list[LevelArray] = []
    start = 0
    for part in parts:
        end = start + len(part.codes)
        codes[start:end] = part.codes
        if part.hidden is not None:
            if hidden is None:
                hidden = np.zeros(codes.shape, dtype=bool, order="F")
            hidden[start:end] = part.hidden
        if part.levels is not None:
            levels.append(part.levels)
        start = end
    starts = np.cumsum([0, *table.rows])
    rows = np.concatenate([first + own for first, own in zip(starts, some, strict=False)])
    known = (
        RowLevels(read_only(rows), read_only(np.asfortranarray(np.concatenate(levels)))) if levels else None
    )
    return Holed(
        domain,
        read_only(codes),
        nothing_hidden(codes.shape) if hidden is None else read_only(hidden),
        levels=known,
    )
