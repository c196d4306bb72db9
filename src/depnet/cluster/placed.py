"""A table in parts after its first pass: what it was found to be, where its parts are, and whether it fits one place.

One that fits is brought there in codes (`gather`) and learned from as any table is, its nodes over the workers (`nodes`). Of
one that does not, the rows stay where they are and counts travel (`depnet.learning.grow.rounds`).
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from depnet.cluster.columns import DescribedParts, describe_parts
from depnet.cluster.forecast import learning_bytes
from depnet.cluster.gather import gathered, level_rows_of_parts
from depnet.cluster.on_dask import DaskPlace
from depnet.cluster.on_disk import DiskPlace, checked_memory, disk_place
from depnet.cluster.source import Coding, OpenedTable, TablePart, opened_table
from depnet.cluster.waiting import Client
from depnet.data.frames.left_out import Keep, check_keep
from depnet.data.frames.variables import StateOptions
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed
from depnet.errors import DataError, LearningError
from depnet.learning.grow.cuts import CutDomain
from depnet.learning.grow.node_specs import first_specs
from depnet.learning.grow.rounds import Reports, Round
from depnet.learning.node_workers import nodes_on
from depnet.learning.options import LearnOptions
from depnet.learning.rows.parts import PartedRows, with_cuts

Report = Callable[[Round], object]


@dataclass(frozen=True, slots=True)
class TableRequest:
    """What is read of a source, and how: checked against what its files say of themselves when it is made."""

    source: Any
    columns: Sequence[str] | None = None
    without: Sequence[str] = ()
    states: StateOptions = field(default_factory=StateOptions)
    keep: Keep = ()
    rows_per_part: int | None = None
    opened: OpenedTable = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        opened = opened_table(self.source, self.columns, self.without)
        self.states.check_names(opened.names)
        check_keep(self.keep, opened.names)
        object.__setattr__(self, "opened", opened)


@dataclass(frozen=True, slots=True)
class Where:
    """Where rows are put: on the workers of a `client`, or here, in `memory` and under the directory `scratch`."""

    client: Client | None = None
    memory: int | str | None = None
    scratch: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        if (self.client is None) == (self.memory is None):
            raise ValueError(
                "depnet.cluster.learn takes either client=, a cluster's, or memory=, a bound on this machine."
            )
        if self.memory is not None:
            checked_memory(self.memory)

    @contextlib.contextmanager
    def place(self) -> Iterator[DaskPlace | DiskPlace]:
        """The place, while it lasts."""
        if self.memory is None:
            yield DaskPlace(self.client)
            return
        with disk_place(self.scratch, checked_memory(self.memory)) as place:
            yield place


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """The parts of a table, after the first pass over the rows."""

    place: DaskPlace | DiskPlace
    parts: Sequence[TablePart]
    described: DescribedParts
    fits: bool
    """May it be learned from in one place?"""

    @property
    def domain(self) -> Domain:
        """Of all variables."""
        return self.described.domain

    @contextlib.contextmanager
    def gathered(self) -> Iterator[Holed]:
        """The second pass, of a table that fits one place: all of it; its nodes are learned on the workers meanwhile."""
        table = gathered(self.described, self.place.coded(self.parts, self.domain))
        with nodes_on(self.place.nodes()):
            yield table

    def rows(self, options: LearnOptions, report: Report | None, *, cuts: bool = False) -> PartedRows:
        """The second pass, of a table that stays in parts: its rows, for the nodes of these options.

        With `cuts`, sources may also split binned variables at a cut.
        """
        total, domain = self.described.total, self.domain
        live = self.place.live(total)
        specs = first_specs(domain, options)
        wide = CutDomain(domain) if cuts else None
        read = wide if wide is not None and wide.cuts else None
        coding = Coding(domain, with_cuts(specs, read), read, level_rows_of_parts(self.described))
        parts = self.place.load(self.parts, coding, total)
        return PartedRows(
            self.place.workers, parts, domain, specs, total, options.limits, live, Reports(report), read
        )


@contextlib.contextmanager
def placed(
    table: TableRequest, where: Where, *, boost: bool = False, complete: bool = False
) -> Iterator[Placed]:
    """The first pass over the rows.

    What needs a table in one place, to `boost` its nodes or to `complete` its holes, is refused where it does not fit:
    before any row is read, as far as the files say how large they are.
    """
    with where.place() as place:
        opened, room = table.opened, place.room()
        parts = opened.parts(table.rows_per_part, place.threads)
        small = False
        if opened.rows is not None:
            holes = complete and opened.nulls > 0
            small = _check_one_place(opened.rows, len(opened.names), room, boost, holes)
        with place.columns(parts, once=small) as columns:
            described = describe_parts(place.workers, columns, table.states, table.keep)
        del columns
        total, width = described.total, described.columns
        if total == 0:
            raise DataError("a network is learned from at least one row; there are none.")
        fits = _check_one_place(total, width, room, boost, complete and described.holes > 0)
        yield Placed(place, parts, described, fits)


def _check_one_place(rows: int, columns: int, room: int, boost: bool, complete: bool) -> bool:
    """Does the table fit one place? An error where it does not, and needs to."""
    needed = learning_bytes(rows, columns)
    if needed <= room:
        return True
    what = f"{rows:,} rows of {columns:,} columns need about {needed / 1e9:.2g} GB in one place, here and on every worker"
    there = f"there are {room / 1e9:.2g} GB"
    if boost:
        raise LearningError(
            f"boosting: {what}, since it goes through all rows again and again; {there}. Learn without it, give the driver "
            "and the workers more memory, or boost a sample of the rows."
        )
    if complete:
        raise DataError(
            f"missing values are completed by drawing all rows again and again: {what}; {there}. Make missing a state with "
            '`missing="state"`, or give the driver and the workers more memory.'
        )
    return False
