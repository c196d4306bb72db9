"""`depnet.cluster.learn`: the network of `depnet.learn`, from rows that lie in many parts.

The rows are read twice (`source`), and stay where they are: in the workers' memory, or on disk. Then nodes are
grown by rounds of counts (`depnet.learning.grow.rounds`).
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from depnet.cluster.columns import describe_parts
from depnet.cluster.on_dask import Client, DaskPlace
from depnet.cluster.on_disk import DiskPlace, checked_memory, disk_place
from depnet.cluster.source import ROWS, TablePart, parts_of
from depnet.data.binning.cut import MAX_BINS
from depnet.data.frames.left_out import Keep
from depnet.data.frames.variables import BinChoice, StateOptions
from depnet.data.table.domain import Domain
from depnet.errors import DataError, LearningError, brief
from depnet.learning.choose.auto import learn_rows
from depnet.learning.grow.node_specs import first_specs
from depnet.learning.grow.rounds import Reports, Round
from depnet.learning.options import LearnOptions, Order
from depnet.learning.rows.parts import PartedRows
from depnet.model import Network
from depnet.removed import without

Missing = Literal["error", "state"]
Report = Callable[[Round], object]


@without("blocks")
def learn(
    source: Any,
    *,
    client: Client | None = None,
    memory: int | str | None = None,
    columns: Sequence[str] | None = None,
    bins: BinChoice = "quantile",
    max_bins: int = MAX_BINS,
    missing: Missing = "error",
    rows_per_part: int = ROWS,
    scratch: str | os.PathLike[str] | None = None,
    report: Report | None = None,
    **options: Any,
) -> Network:
    """The network that `depnet.learn` gives for all the rows of `source` together, bit for bit.

    With a `client`, rows are on the workers of its cluster. Without one they are on this machine's disk.

    Args:
        source: Parquet files (a path, a pattern, a directory or a list) that every worker can read, or a Dask data
            frame.
        client: of a Dask cluster; None: this machine.
        memory: bounds what is held of rows on disk, such as "2GB".
        columns: the names of the columns to learn from; None: all.
        bins, max_bins, missing: those of `depnet.Dataset.from_frame`.
        rows_per_part: about so many rows are one part.
        scratch: rows on disk are in a directory of their own under this one, while it lasts.
        report: called after each round.
        options: those of `depnet.learn`: `penalty`, `smoothing`, `order`, `max_leaves`, `min_leaf_rows`, `roles`,
            `forbidden`, `max_seconds`, `progress` and `resume`, a file with which a driver that was killed continues.

    Returns:
        The network.
    """
    asked = _given("depnet.cluster.learn", options)
    table = Table(source, columns, bins, max_bins, missing, rows_per_part)
    with _placed(table, client, memory, scratch) as placed:
        return learn_rows(placed.rows(asked, report), asked)[0]


@without("blocks")
def learn_both(
    source: Any,
    *,
    order: Order = "auto",
    client: Client | None = None,
    memory: int | str | None = None,
    columns: Sequence[str] | None = None,
    bins: BinChoice = "quantile",
    max_bins: int = MAX_BINS,
    missing: Missing = "error",
    rows_per_part: int = ROWS,
    scratch: str | os.PathLike[str] | None = None,
    report: Report | None = None,
    **options: Any,
) -> tuple[Network, Network]:
    """The paper's network and the ordered law of the same rows, which are read and coded once: see `learn`.

    Args:
        source, client, memory, columns, bins, max_bins, missing, rows_per_part, scratch, report: as of `learn`.
        order: of the law: "auto", or all columns by name.
        options: as of `learn`. The law's nodes are kept in a second file beside `resume`, its name with ".law" after it.
            Each of the two may take half of `max_seconds`, and `progress` counts the nodes of both.

    Returns:
        The network, and the law.
    """
    asked = _given("depnet.cluster.learn_both", options)
    for_law = replace(asked, order=order)
    table = Table(source, columns, bins, max_bins, missing, rows_per_part)
    with _placed(table, client, memory, scratch) as placed:
        specs = first_specs(placed.domain, for_law)  # whose errors are told before the second pass
        rows = placed.rows(asked, report)
        network, _ = learn_rows(rows, _half(asked, len(placed.domain), 0))
        again = replace(rows.with_specs(specs), reports=Reports(report))
        law, _ = learn_rows(again, _half(for_law, len(placed.domain), 1))
        return network, law


def _half(options: LearnOptions, nodes: int, number: int) -> LearnOptions:
    """The options of one of two networks."""
    seconds, progress, resume = options.max_seconds, options.progress, options.resume
    return replace(
        options,
        max_seconds=None if seconds is None else seconds / 2,
        progress=progress and (lambda done, _: progress(number * nodes + done, 2 * nodes)),
        resume=f"{os.fspath(resume)}.law" if resume is not None and number else resume,
    )


class Table(NamedTuple):
    """What is read of a source, and how."""

    source: Any
    columns: Sequence[str] | None
    bins: BinChoice
    max_bins: int
    missing: Missing
    rows_per_part: int


class Placed(NamedTuple):
    """The parts of a table and their domain, after the first pass over the rows."""

    place: DaskPlace | DiskPlace
    parts: Sequence[TablePart]
    domain: Domain
    total: int

    def rows(self, options: LearnOptions, report: Report | None) -> PartedRows:
        """The second pass: the rows, for the nodes of these options."""
        if self.total == 0:
            raise DataError("a network is learned from at least one row; there are none.")
        live = self.place.live(self.total)
        specs = first_specs(self.domain, options)
        parts = self.place.load(self.parts, self.domain, specs, self.total)
        return PartedRows(
            self.place.workers, parts, self.domain, specs, self.total, options.limits, live, Reports(report)
        )


@contextlib.contextmanager
def _placed(
    table: Table, client: Client | None, memory: int | str | None, scratch: str | os.PathLike[str] | None
) -> Iterator[Placed]:
    """The first pass over the rows."""
    if table.missing not in ("error", "state"):
        raise DataError(
            f'missing is "error" or "state" where rows lie in parts; got {brief(table.missing)}. Complete missing values '
            "with DependencyNetwork, on a table that fits one machine."
        )
    if (client is None) == (memory is None):
        raise ValueError(
            "depnet.cluster.learn takes either client=, a cluster's, or memory=, a bound on this machine."
        )
    budget = 0 if memory is None else checked_memory(memory)
    parts = parts_of(table.source, table.columns, table.rows_per_part)
    with contextlib.ExitStack() as stack:
        place: DaskPlace | DiskPlace = (
            stack.enter_context(disk_place(scratch, budget)) if client is None else DaskPlace(client)
        )
        with place.columns(parts) as columns:
            options = StateOptions(table.bins, table.max_bins, table.missing)
            keep: Keep = () if table.columns is None else "all"
            domain, total = describe_parts(place.workers, columns, options, keep)
        del columns
        yield Placed(place, parts, domain, total)


def _given(who: str, options: Mapping[str, Any]) -> LearnOptions:
    """The options of learning; `boost`, which rows in parts cannot have, is an error of its own."""
    if options.get("boost") is not None:
        raise LearningError(
            f"{who}: `boost` goes through rows that lie in one place; rows in parts have one graph a node. Leave it out, "
            "or boost a sample of the rows with `depnet.learn`."
        )
    return LearnOptions.given(who, {name: value for name, value in options.items() if name != "boost"})
