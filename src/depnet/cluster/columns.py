"""The states of columns whose rows lie in many chunks: one rule with frames and files (`depnet.data.describe`).

Each chunk sorts its numbers once; what a column's variable depends on, a few values by rank and the numbers of values
below others, is asked of all chunks (`RankedChunks`).
"""

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from depnet.cluster.ranked_chunks import RankedChunks
from depnet.data.binning.ranked import Ranked, RankedArray, RankedCounts
from depnet.data.binning.times import form_of
from depnet.data.table.columns import kind_of_times, numbers_of_times
from depnet.data.table.domain import Domain
from depnet.data.table.layout import ColumnKind
from depnet.data.table.open import open_frame
from depnet.data.table.variable import Variable
from depnet.data.table.variables import (
    Keep,
    LeftOut,
    StateOptions,
    Summary,
    check_keep,
    check_some_left,
    left_out,
    variable_of,
)
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
    """What is small of the columns of a chunk."""
    return [replace(column, numbers=None) for column in columns]


def _ranked(place: "Place", summaries: Sequence[Any], at: int, kind: ColumnKind, size: int) -> Ranked:
    def ask(function: Any, *arguments: Any) -> list[Any]:
        return place.ask(summaries, _of_column, at, function, *arguments)

    if size <= FEW_NUMBERS:
        return RankedArray.of(np.concatenate(ask(np.asarray)))
    return RankedChunks(ask, np.dtype(np.float64 if kind == "float" else np.int64))


def _of_column(columns: Sequence[Summary], at: int, function: Any, *arguments: Any) -> Any:
    numbers = columns[at].numbers
    assert numbers is None or isinstance(numbers, RankedArray)
    return function(np.zeros(0) if numbers is None else numbers.ordered, *arguments)


class DescribedTable(NamedTuple):
    """What a table in chunks was found to be."""

    domain: Domain
    rows: tuple[int, ...]
    """Of each chunk."""
    columns: int
    """Of the table, those that were left out among them."""
    left_out: tuple[LeftOut, ...]

    @property
    def total(self) -> int:
        """The rows of all chunks."""
        return sum(self.rows)


def describe_chunks(
    place: "Place", summaries: Sequence[Any], options: StateOptions, keep: Keep
) -> DescribedTable:
    """What a table is whose chunks have these `summaries`, where the place keeps them."""
    heads = place.ask(summaries, _without_numbers)
    names = [column.name for column in heads[0]]
    for number, head in enumerate(heads):
        own = [column.name for column in head]
        if own != names:
            raise DataError(
                f"chunk {number} has the columns {own}, the first chunk {names}. "
                "All chunks need the same columns, in the same order."
            )
    options.check_names(names)
    check_keep(keep, names)
    variables: list[Variable] = []
    left: list[LeftOut] = []
    for at, columns in enumerate(zip(*heads, strict=True)):
        column = _in_all_chunks(columns)
        if not options.as_they_are(column.name):
            column = _times_of_text(column)
        unlikely = left_out(column, options, keep)
        if unlikely is not None:
            left.append(unlikely)
            continue
        if column.kind not in ("label", "empty") and column.numbers is None and column.hidden < column.rows:
            numbers = _ranked(place, summaries, at, column.kind, column.rows - column.hidden)
            column = replace(column, numbers=numbers)
        variables.append(variable_of(column, options))
    check_some_left(left, len(names))
    rows = tuple(head[0].rows for head in heads)
    return DescribedTable(Domain(tuple(variables)), rows, len(names), tuple(left))


def _times_of_text(column: Summary) -> Summary:
    """A column of text that is all dates, dates with times, or durations is that: seen in the texts of all chunks."""
    kind = None if column.kind != "label" or column.declared else kind_of_times(column.labels)
    if kind is None:
        return column
    numbers = RankedCounts.of(numbers_of_times(column.labels, kind), column.counts)
    form = form_of(column.labels, column.counts) if kind == "datetime" else None
    return replace(column, kind=kind, numbers=numbers, labels=(), counts=(), different=0, form=form)


def _in_all_chunks(columns: Sequence[Summary]) -> Summary:
    """One column of all chunks, one after the other, but for its numbers."""
    name = columns[0].name
    kind = _common_kind(name, [column.kind for column in columns])
    labels, declared = _labels(name, [column for column in columns if column.kind != "empty"])
    times = Counter[Any]()
    for column in columns:
        times.update(dict(zip(column.labels, column.counts, strict=True)))
    counts = tuple(times[label] for label in labels)
    before = list(itertools.accumulate((column.rows for column in columns), initial=0))
    first = next((start + c.first_hidden for start, c in zip(before, columns, strict=False) if c.hidden), 0)
    hidden = sum(column.hidden for column in columns)
    first_number = columns[0].counts_from
    goes_on = first_number is not None and all(
        column.counts_from == first_number + start for column, start in zip(columns, before, strict=False)
    )
    return Summary(
        name,
        kind,
        before[-1],
        hidden,
        first,
        labels,
        declared,
        counts=counts,
        different=sum(count > 0 for count in counts),
        counts_from=first_number if goes_on else None,
        ordered=all(column.ordered for column in columns),
    )


def _common_kind(name: str, kinds: Sequence[ColumnKind]) -> ColumnKind:
    found = set(kinds) - {"empty"}
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
