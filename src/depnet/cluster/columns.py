"""The states of columns whose rows lie in many parts: one rule with frames and files (`depnet.data.describe`).

Each part sorts its numbers once; what a column's variable depends on, a few values by rank and the numbers of values
below others, is asked of all parts (`RankedParts`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from depnet.cluster.dask_parts import Client, Future
from depnet.cluster.ranked_parts import RankedParts
from depnet.data.binning.bins import Numbers
from depnet.data.binning.ranked import Ranked, RankedArray
from depnet.data.frames.columns import ColumnKind
from depnet.data.frames.describe import BinChoice, Missing, Summary, check_options, variable_of
from depnet.data.frames.open import open_frame
from depnet.data.table.domain import Domain
from depnet.errors import DataError

FEW_NUMBERS = 1 << 20
"""So many are fetched as they are: cheaper than asking for them one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class PartColumn:
    """A column of one part. `ordered` are its numbers, sorted."""

    name: str
    kind: ColumnKind
    rows: int
    hidden: int
    first_hidden: int
    labels: tuple[Any, ...]
    declared: bool
    ordered: Numbers | None


def part_columns(frame: Any) -> tuple[PartColumn, ...]:
    """The columns of one part."""
    opened = open_frame(frame)
    found = []
    for place in range(len(opened.keys)):
        column = opened.column(place)
        found.append(
            PartColumn(
                column.name,
                column.kind,
                opened.rows,
                int(column.hidden.sum()),
                int(np.argmax(column.hidden)) if opened.rows else 0,
                tuple(column.labels),
                column.declared,
                None if column.numbers is None else np.sort(column.present),
            )
        )
    return tuple(found)


def without_numbers(columns: Sequence[PartColumn]) -> list[tuple[Any, ...]]:
    """What is small of the columns of a part: (name, kind, rows, hidden, first hidden, labels, declared)."""
    return [(c.name, c.kind, c.rows, c.hidden, c.first_hidden, c.labels, c.declared) for c in columns]


def _ranked(client: Client, parts: Sequence[Future], place: int, kind: ColumnKind, size: int) -> Ranked:
    def ask(function: Any, *arguments: Any) -> list[Any]:
        futures = [client.submit(_of_column, part, place, function, *arguments, pure=False) for part in parts]
        answers: list[Any] = client.gather(futures)
        return answers

    if size <= FEW_NUMBERS:
        return RankedArray.of(np.concatenate(ask(np.asarray)))
    return RankedParts(ask, np.dtype(np.float64 if kind == "float" else np.int64))


def _of_column(part: Sequence[PartColumn], place: int, function: Any, *arguments: Any) -> Any:
    ordered = part[place].ordered
    return function(np.zeros(0) if ordered is None else ordered, *arguments)


def describe_parts(
    client: Client,
    parts: Sequence[Future],
    *,
    bins: BinChoice,
    max_bins: int,
    missing: Missing,
) -> tuple[Domain, int]:
    """The domain of a table whose parts are futures of `part_columns`, and its number of rows."""
    heads = client.gather([client.submit(without_numbers, part, pure=False) for part in parts])
    names = [name for name, *_ in heads[0]]
    for number, head in enumerate(heads):
        if [name for name, *_ in head] != names:
            raise DataError(
                f"part {number} has the columns {[name for name, *_ in head]}, the first part {names}. "
                "All parts need the same columns, in the same order."
            )
    check_options(bins, max_bins, missing, names)
    variables = []
    for place, name in enumerate(names):
        kind = _common_kind(name, [head[place][1] for head in heads])
        rows = sum(head[place][2] for head in heads)
        hidden = sum(head[place][3] for head in heads)
        labels, declared = _labels(name, [head[place] for head in heads if head[place][1] != "empty"])
        numbers = None
        if kind not in ("label", "empty") and hidden < rows:
            numbers = _ranked(client, parts, place, kind, rows - hidden)
        summary = Summary(
            name, kind, rows, hidden, partial(_first_hidden, heads, place), labels, declared, numbers
        )
        variables.append(variable_of(summary, bins, max_bins, missing))
    return Domain(tuple(variables)), sum(head[0][2] for head in heads)


def _common_kind(name: str, kinds: Sequence[ColumnKind]) -> ColumnKind:
    found = set(kinds) - {"empty"}
    if found == {"integer", "float"}:
        return "float"
    if len(found) > 1:
        raise DataError(
            f"column {name!r} is {' and '.join(sorted(found))} in different parts. Make it one type."
        )
    return found.pop() if found else "empty"


def _labels(name: str, heads: Sequence[tuple[Any, ...]]) -> tuple[tuple[Any, ...], bool]:
    """The labels of all parts; the order that the parts declare, where it is the same in all."""
    orders = {head[5] for head in heads if head[6]}
    if len(orders) == 1 and all(head[6] for head in heads):
        return orders.pop(), True
    if orders:
        raise DataError(
            f"column {name!r}: the parts declare different categories. Give all parts the same ones, or text."
        )
    return tuple(dict.fromkeys(label for head in heads for label in head[5])), False


def _first_hidden(heads: Sequence[Any], place: int) -> int:
    """The first row, of all parts one after the other, without a value."""
    before = 0
    for head in heads:
        _, _, rows, hidden, first, _, _ = head[place]
        if hidden:
            return int(before + first)
        before += rows
    return before
