"""A table in chunks after its first pass: its domain, and its rows or a sample of them in one place.

A table that fits one place is brought there in codes, and learned from as any table is. Of a larger one the structure is
learned from a uniform sample of its rows, as many as fit; then every conditional table, and the 1- and 2-way counts, are
counted over all rows in one pass (`count`). A row is left out of the count of a node where a cell that the node reads is a
hole. What needs distinct rows, H(p^D) and with it KL(p^D || Q) and the FC-limit, is not known then.

In the first pass each chunk says what it has of every column: labels and numbers with their counts. Where these are too many
for one place, a chunk gives some of its different numbers, evenly spaced, each with the counts of those before it.
"""

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from depnet.arrays import IntArray
from depnet.cluster.places import Client, DaskPlace, LocalPlace, free_memory
from depnet.cluster.source import Chunk, OpenedTable, open_table
from depnet.data.binning.cut import Ranked
from depnet.data.files.table import bytes_of
from depnet.data.table.columns import ColumnKind, ColumnLayout, FrameKind
from depnet.data.table.dataset import Dataset, Holed, join_rows
from depnet.data.table.encode import describe_table, encode
from depnet.data.table.left_out import Keep, LeftOut, check_keep
from depnet.data.table.open import Columns, open_frame
from depnet.data.table.variable import Domain
from depnet.data.table.variables import ColumnSummary, StateOptions
from depnet.errors import DataError, LearningError
from depnet.model.marginals import MarginalCounts
from depnet.model.network import Network
from depnet.model.node import TableNode
from depnet.model.sources.source import InformationSource
from depnet.model.table import ConditionalTable, leaves_of, tabulate

CELL_BYTES = 16
"""Of memory for each cell, rows times columns, while a table is learned from: its codes, its columns of bits, the cuts of
its numbers and the rows of leaves (`python -m benchmarks cluster --memory`: 11 of numbers, 5 of categories beside codes)."""

VALUE_BYTES, FEWEST_VALUES = 16, 100
"""Bytes of a different number of a column with its count, and the fewest of these that a chunk of a large table gives."""

SHARE = 0.7
"""The share of the free memory that a table may take."""

PROGRAM_BYTES = 300_000_000
"""The part of a memory bound that the program itself takes, and a chunk while it is read."""


@dataclass(frozen=True, slots=True)
class TableRequest:
    """What is read of a source, and how: checked against what its files say of themselves when it is made."""

    source: Any
    columns: Sequence[str] | None = None
    without: Sequence[str] = ()
    states: StateOptions = field(default_factory=StateOptions)
    keep: Keep = ()
    chunk_rows: int | None = None
    """About how many rows a chunk has; None: some chunks for each thread."""
    opened: OpenedTable = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        opened = open_table(self.source, self.columns, self.without)
        self.states.check_names(opened.names)
        check_keep(self.keep, opened.names)
        object.__setattr__(self, "opened", opened)


@dataclass(frozen=True, slots=True)
class Where:
    """Who reads the rows, the workers of a `client` or this process, and how much `memory` learning may take here."""

    client: Client | None = None
    memory: int | str | None = None

    def __post_init__(self) -> None:
        self.room()

    def place(self) -> LocalPlace:
        return LocalPlace() if self.client is None else DaskPlace(self.client)

    def room(self) -> int:
        """The bytes that a table may take while it is learned from."""
        if self.memory is None:
            return int(SHARE * free_memory())
        room = bytes_of(self.memory) - PROGRAM_BYTES
        if room <= 0:
            raise DataError(
                f"memory is more than {PROGRAM_BYTES / 1e9:g}GB, for the program itself; got {self.memory!r}."
            )
        return room


@dataclass(frozen=True, slots=True, eq=False)
class ChunkedTable:
    """The chunks of a table, after the first pass over its rows."""

    place: LocalPlace
    chunks: Sequence[Chunk]
    chunk_rows: Sequence[int]
    """The rows of each chunk."""
    columns: int
    """The number of columns of the table, with those that were left out."""
    domain: Domain
    left_out: tuple[LeftOut, ...]
    room: int

    @property
    def total(self) -> int:
        return sum(self.chunk_rows)

    @property
    def fits(self) -> bool:
        """May all rows be learned from in one place?"""
        return _bytes(self.total, self.columns) <= self.room

    def rows(self) -> Holed:
        """All rows in codes, or, where these do not fit, a uniform sample of them: the same one whatever the chunks are."""
        share = 1.0 if self.fits else self.room / _bytes(self.total, self.columns)
        firsts = list(itertools.accumulate(self.chunk_rows, initial=0))
        coded = list(self.place.each(self.chunks, _code_chunk, self.domain, firsts, share))
        if not sum(chunk.rows for chunk in coded):
            raise LearningError(
                f"not one of {self.total:,} rows of {self.columns:,} columns fits into {self.room:,} bytes. Give more "
                "memory (memory=...)."
            )
        return join_rows(coded)

    def count(self, networks: Sequence[Network], tell: Any = None) -> list[Network]:
        """Networks learned from a sample, with tables and 1- and 2-way counts of all rows: one pass over them.

        A leaf that no row without holes comes to keeps the counts of the sample.
        """
        domain = networks[0].domain  # some holes may be states there
        nodes = [(node.variable, node.source) for network in networks for node in network.nodes]
        tables: list[IntArray] = []
        marginals = None
        for own, more in self.place.each(self.chunks, _count_chunk, domain, nodes):
            tables = [one + other for one, other in zip(tables, own, strict=True)] if tables else own
            marginals = more if marginals is None else marginals + more
            if tell is not None:
                tell()
        counts = iter(tables)
        return [
            replace(
                network,
                nodes=tuple(
                    TableNode(node.variable, node.source, _replace_counts(node.table, next(counts)))
                    for node in network.nodes
                ),
                counts=marginals,
            )
            for network in networks
        ]


def open_chunks(table: TableRequest, where: Where, *, boost: bool = False) -> ChunkedTable:
    """Make the first pass over the rows. Boosting needs all rows in one place, so a larger table is refused.

    Where the files say how many rows there are, that happens before any row is read.
    """
    place, opened, room = where.place(), table.opened, where.room()
    chunks = opened.chunks(table.chunk_rows, place.threads)
    total, columns = opened.rows, len(opened.names)
    if total is None:
        total = sum(place.each(chunks, _count_rows))
    if total == 0:
        raise DataError("learning a network needs at least one row; there are none.")
    needed = _bytes(total, columns)
    fits = needed <= room
    if boost and not fits:
        raise LearningError(
            f"boosting: {total:,} rows of {columns:,} columns need about {needed / 1e9:.2g} GB in one place, since it goes "
            f"through all rows again and again; there are {room / 1e9:.2g} GB. Learn without it, give this machine more "
            "memory, or boost a sample of the rows."
        )
    most = None if fits else max(room // (2 * VALUE_BYTES * columns * len(chunks)), FEWEST_VALUES)
    found = ChunkedColumns(list(place.each(chunks, summarise, most, keep=fits)))
    made = describe_table(found, table.states, table.keep)
    return ChunkedTable(place, chunks, found.chunk_rows, columns, made.domain, made.left_out, room)


def _count_rows(frame: Any, number: int) -> int:
    return len(frame)


def _bytes(rows: int, columns: int) -> int:
    """The memory that learning from such a table takes."""
    return rows * columns * CELL_BYTES


def _code_chunk(frame: Any, number: int, domain: Domain, firsts: Sequence[int], share: float) -> Holed:
    """The rows of a chunk, or a random share of them: each row of the table has a random number of its own."""
    table = encode(frame, domain)
    if share == 1:
        return table
    words = np.random.Generator(np.random.PCG64(0).advance(firsts[number]))
    return table.rows_at(np.flatnonzero(words.random(table.rows) < share))


def _count_chunk(
    frame: Any, number: int, domain: Domain, nodes: Sequence[tuple[int, InformationSource]]
) -> tuple[list[IntArray], MarginalCounts]:
    """N_yx of every node, and the 1- and 2-way counts of a chunk; holes that are no states are left out of them."""
    table = encode(frame, domain, values=False)
    rows = Dataset.of_checked(domain, table.codes)  # the code of a hole is 0: its leaf is not counted
    tables = []
    for variable, source in nodes:
        leaves, states, k = leaves_of(source, rows), rows.column(variable), domain.cardinalities[variable]
        if not table.complete:
            known = ~table.hidden[:, [variable, *source.inputs]].any(axis=1)
            leaves, states = leaves[known], states[known]
        tables.append(tabulate(leaves, states, source.size, k, rows))
    return tables, MarginalCounts.of(table)


def _replace_counts(table: ConditionalTable, counts: IntArray) -> ConditionalTable:
    assert table.counts is not None  # it was learned
    empty = counts.sum(axis=1, keepdims=True) == 0
    return table.with_counts(np.where(empty, table.counts, counts))


def summarise(frame: Any, number: int, most: int | None) -> tuple[ColumnSummary, ...]:
    """Summarise the columns of one chunk, with at most `most` different numbers each."""
    opened = open_frame(frame)
    found = (ColumnSummary.of(opened.column(place)) for place in range(len(opened.keys)))
    return tuple(replace(each, numbers=_thin(each.numbers, most)) for each in found)


def _thin(numbers: Ranked | None, most: int | None) -> Ranked | None:
    if numbers is None or most is None or len(numbers.values) <= most:
        return numbers
    kept = np.linspace(0, len(numbers.values) - 1, most).round().astype(np.int64)
    return Ranked(numbers.values[kept], numbers.ends[np.append(0, kept + 1)])


class ChunkedColumns(Columns):
    """A table whose chunks have these summaries."""

    kind: FrameKind = "dicts"

    def __init__(self, chunks: Sequence[tuple[ColumnSummary, ...]]) -> None:
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

    def summary(self, place: int, options: StateOptions) -> ColumnSummary:
        column = _in_all_chunks([chunk[place] for chunk in self.chunks])
        if column.name in options.kinds:
            return column.as_kind(options.kinds[column.name])
        return column if options.as_they_are(column.name) else column.with_times()


def _in_all_chunks(columns: Sequence[ColumnSummary]) -> ColumnSummary:
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
    return ColumnSummary(
        name,
        _common_kind(name, {column.kind for column in columns}),
        before[-1],
        sum(column.hidden for column in columns),
        next((start + c.first_hidden for start, c in zip(before, columns, strict=False) if c.hidden), 0),
        labels,
        declared,
        _join(numbers) if numbers else None,
        counts,
        sum(count > 0 for count in counts),
        first_number if goes_on else None,
        all(column.ordered for column in columns),
    )


def _join(numbers: Sequence[Ranked]) -> Ranked:
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


def _labels(name: str, columns: Sequence[ColumnSummary]) -> tuple[tuple[Any, ...], bool]:
    """The labels of all chunks; the order that the chunks declare, where it is the same in all."""
    orders = {column.labels for column in columns if column.declared}
    if len(orders) == 1 and all(column.declared for column in columns):
        return orders.pop(), True
    if orders:
        raise DataError(
            f"column {name!r}: the chunks declare different categories. Give all chunks the same ones, or text."
        )
    return tuple(dict.fromkeys(label for column in columns for label in column.labels)), False
