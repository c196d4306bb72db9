"""The columns of a table whose rows lie in many chunks, for `depnet.data.table.encode.described`.

Each chunk says what it has of every column: labels and numbers with their counts. Where these are too many for one place, a
chunk gives some of its different numbers, evenly spaced, each with the counts of those before it.
"""

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from depnet.data.binning.cut import Ranked
from depnet.data.table.layout import ColumnKind, ColumnLayout, FrameKind
from depnet.data.table.open import Columns, open_frame
from depnet.data.table.variables import StateOptions, Summary
from depnet.errors import DataError


def summarise(frame: Any, number: int, most: int | None) -> tuple[Summary, ...]:
    """The columns of one chunk, with at most so many different numbers each."""
    opened = open_frame(frame)
    found = (Summary.of(opened.column(place)) for place in range(len(opened.keys)))
    return tuple(replace(each, numbers=_thinned(each.numbers, most)) for each in found)


def _thinned(numbers: Ranked | None, most: int | None) -> Ranked | None:
    if numbers is None or most is None or len(numbers.values) <= most:
        return numbers
    kept = np.linspace(0, len(numbers.values) - 1, most).round().astype(np.int64)
    return Ranked(numbers.values[kept], numbers.ends[np.append(0, kept + 1)])


class ChunkedColumns(Columns):
    """A table whose chunks have these summaries."""

    kind: FrameKind = "dicts"

    def __init__(self, chunks: Sequence[tuple[Summary, ...]]) -> None:
        names = [column.name for column in chunks[0]]
        for number, chunk in enumerate(chunks):
            own = [column.name for column in chunk]
            if own != names:
                raise DataError(
                    f"chunk {number} has the columns {own}, the first chunk {names}. "
                    "All chunks need the same columns, in the same order."
                )
        self.chunks = chunks
        self.chunk_rows = tuple(chunk[0].rows for chunk in chunks)
        super().__init__(names, sum(self.chunk_rows))

    def layout(self, place: int) -> ColumnLayout:  # as `Columns` says
        return ColumnLayout(self.names[place], self.chunks[0][place].kind)

    def summary(self, place: int, options: StateOptions) -> Summary:
        column = _in_all_chunks([chunk[place] for chunk in self.chunks])
        return column if options.as_they_are(column.name) else column.with_times()


def _in_all_chunks(columns: Sequence[Summary]) -> Summary:
    """One column of all chunks, one after the other."""
    name = columns[0].name
    labels, declared = _labels(name, [column for column in columns if column.kind != "empty"])
    times = Counter[Any]()
    for column in columns:
        times.update(dict(zip(column.labels, column.counts, strict=True)))
    counts = tuple(times[label] for label in labels)
    numbers = [column.numbers for column in columns if column.numbers is not None]
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
        _joined(numbers) if numbers else None,
        counts,
        sum(count > 0 for count in counts),
        first_number if goes_on else None,
        all(column.ordered for column in columns),
    )


def _joined(numbers: Sequence[Ranked]) -> Ranked:
    values = np.concatenate([each.values for each in numbers])
    return Ranked.of(values, np.concatenate([np.diff(each.ends) for each in numbers]))


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
