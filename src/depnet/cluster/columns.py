"""The columns of a table whose rows lie in many chunks, as one opened table for `depnet.data.describe`.

Each chunk sorts its numbers once; what a column's variable depends on, a few values by rank and the numbers of values
below others, is asked of all chunks (`RankedChunks`).
"""

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from depnet.cluster.ranked_chunks import RankedChunks
from depnet.data.binning.ranked import Ranked, RankedArray
from depnet.data.table.columns import Column
from depnet.data.table.layout import ColumnKind, ColumnLayout, FrameKind
from depnet.data.table.open import Opened, open_frame
from depnet.data.table.variables import StateOptions, Summary
from depnet.errors import DataError

if TYPE_CHECKING:
    from depnet.cluster.places import Place

FEW_NUMBERS = 1 << 20
"""Numbers that are fetched as they are: cheaper than asking for them one by one."""


def summarise(frame: Any) -> tuple[Summary, ...]:
    """The columns of one chunk."""
    opened = open_frame(frame)
    return tuple(Summary.of(opened.column(place)) for place in range(len(opened.keys)))


def _without_numbers(columns: Sequence[Summary]) -> list[Summary]:
    return [replace(column, numbers=None) for column in columns]


def _of_column(columns: Sequence[Summary], at: int, function: Any, *arguments: Any) -> Any:
    numbers = columns[at].numbers
    assert numbers is None or isinstance(numbers, RankedArray)
    return function(np.zeros(0) if numbers is None else numbers.ordered, *arguments)


class ChunkedColumns(Opened):
    """A table whose chunks have these `summaries`, kept by `who` goes through the chunks."""

    kind: FrameKind = "dicts"

    def __init__(self, who: "Place", summaries: Sequence[Any]) -> None:
        self._who, self._summaries = who, summaries
        self._heads = who.ask(summaries, _without_numbers)
        names = [column.name for column in self._heads[0]]
        for number, head in enumerate(self._heads):
            own = [column.name for column in head]
            if own != names:
                raise DataError(
                    f"chunk {number} has the columns {own}, the first chunk {names}. "
                    "All chunks need the same columns, in the same order."
                )
        self.chunk_rows = tuple(head[0].rows for head in self._heads)
        super().__init__(names, sum(self.chunk_rows))

    def _read(self, place: int) -> Column:
        raise NotImplementedError  # its rows are nowhere together

    def layout(self, place: int) -> ColumnLayout:  # as `Opened` says
        return ColumnLayout(self.names[place], self._heads[0][place].kind)

    def summary(self, place: int, options: StateOptions) -> Summary:
        column = _in_all_chunks([head[place] for head in self._heads])
        if not options.as_they_are(column.name):
            column = column.with_times()
        if column.kind in ("label", "empty") or column.numbers is not None or column.hidden == column.rows:
            return column
        return replace(column, numbers=self._ranked(place, column.kind, column.rows - column.hidden))

    def _ranked(self, place: int, kind: ColumnKind, size: int) -> Ranked:
        def ask(function: Any, *arguments: Any) -> list[Any]:
            return self._who.ask(self._summaries, _of_column, place, function, *arguments)

        if size <= FEW_NUMBERS:
            return RankedArray.of(np.concatenate(ask(np.asarray)))
        return RankedChunks(ask, np.dtype(np.float64 if kind == "float" else np.int64))


def _in_all_chunks(columns: Sequence[Summary]) -> Summary:
    """One column of all chunks, one after the other, but for its numbers."""
    name = columns[0].name
    labels, declared = _labels(name, [column for column in columns if column.kind != "empty"])
    times = Counter[Any]()
    for column in columns:
        times.update(dict(zip(column.labels, column.counts, strict=True)))
    counts = tuple(times[label] for label in labels)
    before = list(itertools.accumulate((column.rows for column in columns), initial=0))
    first_number = columns[0].counts_from
    goes_on = first_number is not None and all(
        column.counts_from == first_number + start for column, start in zip(columns, before, strict=False)
    )
    return Summary(
        name,
        _common_kind(name, {column.kind for column in columns}),
        before[-1],
        sum(column.hidden for column in columns),
        next((start + c.first_hidden for start, c in zip(before, columns, strict=False) if c.hidden), 0),
        labels,
        declared,
        counts=counts,
        different=sum(count > 0 for count in counts),
        counts_from=first_number if goes_on else None,
        ordered=all(column.ordered for column in columns),
    )


def _common_kind(name: str, kinds: set[ColumnKind]) -> ColumnKind:
    found = kinds - {"empty"}
    if found == {"integer", "float"}:
        return "float"
    if len(found) > 1:
        raise DataError(
            f"column {name!r} is {' and '.join(sorted(found))} in different chunks. Make it one type."
        )
    return found.pop() if found else "empty"


def _labels(name: str, columns: Sequence[Summary]) -> tuple[tuple[Any, ...], bool]:
    """The labels of all chunks; the order that the chunks declare, where it is the same in all."""
    orders = {column.labels for column in columns if column.declared}
    if len(orders) == 1 and all(column.declared for column in columns):
        return orders.pop(), True
    if orders:
        raise DataError(
            f"column {name!r}: the chunks declare different categories. Give all chunks the same ones, or text."
        )
    return tuple(dict.fromkeys(label for column in columns for label in column.labels)), False
