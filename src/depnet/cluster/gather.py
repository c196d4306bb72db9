"""The coded rows of all parts brought together: one byte a cell for most columns, as a table that was read here has them."""

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, IntArray, read_only
from depnet.cluster.columns import DescribedParts
from depnet.data.binning.bins import Numbers
from depnet.data.frames.encode import encode
from depnet.data.table.dataset import code_type
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed, nothing_hidden
from depnet.data.table.row_levels import level_rows
from depnet.data.table.values import Values


class CodedPart(NamedTuple):
    """The rows of a part in codes, as they travel."""

    codes: CodeArray
    hidden: NDArray[np.bool_] | None
    values: Values | None


def coded_rows(frame: Any, domain: Domain) -> CodedPart:
    """The rows of a part, with their numbers as they are."""
    table = encode(frame, domain, values=True)
    return CodedPart(table.codes, None if table.complete else table.hidden, table.values)


def level_rows_of_parts(table: DescribedParts) -> list[IntArray]:
    """For each part, its rows among those of the whole table whose levels are kept."""
    starts = np.cumsum([0, *table.rows])
    some = level_rows(table.total, table.columns)
    return [some[(first <= some) & (some < last)] - first for first, last in itertools.pairwise(starts)]


def gathered(table: DescribedParts, parts: Iterable[CodedPart]) -> Holed:
    """The whole table from its coded parts, which come one after the other, and are let go of."""
    domain = table.domain
    codes: CodeArray = np.empty((table.total, len(domain)), dtype=code_type(domain), order="F")
    hidden: NDArray[np.bool_] | None = None
    numbers: dict[int, list[Numbers]] = {}
    start = 0
    for part in parts:
        end = start + len(part.codes)
        codes[start:end] = part.codes
        if part.hidden is not None:
            if hidden is None:
                hidden = np.zeros(codes.shape, dtype=bool, order="F")
            hidden[start:end] = part.hidden
        for i, own in (part.values or {}).items():
            numbers.setdefault(i, []).append(own)
        start = end
    values = Values()
    for i in sorted(numbers):
        values.put(i, np.concatenate(numbers.pop(i)))
    return Holed(
        domain,
        read_only(codes),
        nothing_hidden(codes.shape) if hidden is None else read_only(hidden),
        values=values if len(values) else None,
    )
