"""`depnet.cluster.learn`: the network of `depnet.learn`, from rows that lie in many parts.

Two passes over the rows: the first finds the states of the columns, the second the codes, which stay where they are: in
the workers' memory, or on disk. Then rounds of counts (`depnet.learning.grow.rounds`).
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from depnet.cluster.dask_parts import Client
from depnet.cluster.on_dask import DaskPlace
from depnet.cluster.on_disk import DiskPlace, checked_memory, scratch_directory
from depnet.cluster.parted_rows import PartedRows, Reports
from depnet.cluster.place import Place
from depnet.cluster.source import ROWS, parts_of
from depnet.data import Domain
from depnet.data.binning.cut import MAX_BINS
from depnet.data.frames.describe import BinChoice
from depnet.errors import DataError, LearningError, brief
from depnet.learning.choose.auto import learn_chosen, smoothing_unit
from depnet.learning.choose.ladder import Auto
from depnet.learning.grow.nodes import Progress
from depnet.learning.grow.resume import ResumeFile
from depnet.learning.grow.rounds import Parts, Round
from depnet.learning.options import Limits, Order, Role, Task, checked_seconds, order_of, plan, refuse_removed
from depnet.learning.penalty import Mdl, PenaltyLike, checked_penalty, penalty_value
from depnet.learning.rows.part_pairs import PartPairs
from depnet.model import Network
from depnet.model.table import checked_smoothing

LIVE = 64


def learn(
    source: Any,
    *,
    client: Client | None = None,
    memory: int | str | None = None,
    columns: Sequence[str] | None = None,
    bins: BinChoice = "quantile",
    max_bins: int = MAX_BINS,
    missing: Literal["error", "state"] = "error",
    rows_per_part: int = ROWS,
    scratch: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Network:
    """The network that `depnet.learn` gives for all the rows of `source` together, bit for bit.

    `source` are Parquet files (a path, a pattern, a directory or a list) that every worker can read, or a Dask data
    frame. With a `client`, rows are on the workers of its cluster. Without one they are on this machine's disk, in a
    directory of their own under `scratch` while it lasts, and `memory` ("2GB") bounds what is held of them.
    `columns`, `bins`, `max_bins` and `missing` are those of `Dataset.from_frame`; other `options` are those of
    `learn_parts`. With the `resume` file a driver that was killed continues.
    """
    _check_options(options)
    table = Table(columns, bins, max_bins, missing, rows_per_part)
    with _placed(source, table, client, memory, scratch) as rows:
        return learn_parts(rows.make, rows.domain, rows.total, live=rows.live, resume=resume, **options)


def learn_both(
    source: Any,
    *,
    order: Order = "auto",
    client: Client | None = None,
    memory: int | str | None = None,
    columns: Sequence[str] | None = None,
    bins: BinChoice = "quantile",
    max_bins: int = MAX_BINS,
    missing: Literal["error", "state"] = "error",
    rows_per_part: int = ROWS,
    scratch: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    **options: Any,
) -> tuple[Network, Network]:
    """The paper's network and the ordered law of the same rows, which are read and coded once: see `learn`.

    The law's nodes are kept in a second file beside `resume`, its name with ".law" after it. Each of the two may take half
    of `max_seconds`, and `progress` counts the nodes of both.
    """
    _check_options({**options, "order": order})
    table = Table(columns, bins, max_bins, missing, rows_per_part)
    budget = checked_seconds(options.pop("max_seconds", None))
    progress = options.pop("progress", None)
    with _placed(source, table, client, memory, scratch) as rows:
        parts: list[Parts] = []

        def make(tasks: Sequence[Task]) -> Parts:
            if not parts:
                parts.append(rows.make(tasks))
                return parts[0]
            return parts[0].planned(tasks)

        def one(number: int, chosen: Order) -> Network:
            path = None if resume is None else os.fspath(resume) + (".law" if number else "")
            nodes = len(rows.domain)
            return learn_parts(
                make,
                rows.domain,
                rows.total,
                live=rows.live,
                order=chosen,
                max_seconds=None if budget is None else budget / 2,
                progress=None
                if progress is None
                else lambda done, _: progress(number * nodes + done, 2 * nodes),
                resume=path,
                **options,
            )

        return one(0, None), one(1, order)


class Table(NamedTuple):
    """What is read of a source, and how."""

    columns: Sequence[str] | None
    bins: BinChoice
    max_bins: int
    missing: Literal["error", "state"]
    rows_per_part: int


class Placed(NamedTuple):
    """The rows of a source, where they are."""

    make: Callable[[Sequence[Task]], Parts]
    domain: Domain
    total: int
    live: int


@contextlib.contextmanager
def _placed(
    source: Any,
    table: Table,
    client: Client | None,
    memory: int | str | None,
    scratch: str | os.PathLike[str] | None,
) -> Iterator[Placed]:
    """The first pass over the rows; the second is `make`."""
    missing = table.missing
    if missing not in ("error", "state"):
        raise DataError(
            f'missing is "error" or "state" where rows lie in parts; got {brief(missing)}. Complete missing values with '
            "DependencyNetwork, on a table that fits one machine."
        )
    if (client is None) == (memory is None):
        raise ValueError(
            "depnet.cluster.learn takes either client=, a cluster's, or memory=, a bound on this machine."
        )
    budget = 0 if memory is None else checked_memory(memory)
    parts = parts_of(source, table.columns, table.rows_per_part)
    with contextlib.ExitStack() as stack:
        if client is None:
            place: Place = DiskPlace(stack.enter_context(scratch_directory(scratch)), budget)
        else:
            place = DaskPlace(client)
        domain, total = place.describe(parts, bins=table.bins, max_bins=table.max_bins, missing=missing)
        yield Placed(lambda tasks: place.parts(parts, domain, tasks, total), domain, total, place.live(total))


def _check_options(options: Mapping[str, Any]) -> None:
    """What is wrong with the options and can be known before the first pass, which is then not for nothing."""
    if isinstance(options.get("penalty"), Auto) or options.get("penalty") == "auto":
        smoothing_unit(options.get("smoothing", 0.0))
    order = options.get("order")
    if isinstance(order, str) and order != "auto":
        raise LearningError(
            f'order is None, "auto", or the names of all variables in order; got {brief(order)}.'
        )


def learn_parts(
    make: Callable[[Sequence[Task]], Parts],
    domain: Domain,
    total: int,
    *,
    penalty: "PenaltyLike | Auto" = Mdl(),  # noqa: B008  # a frozen value
    smoothing: float = 0.0,
    order: Order = None,
    max_leaves: int | None = None,
    min_leaf_rows: int = 0,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
    max_seconds: float | None = None,
    live: int = LIVE,
    progress: Progress | None = None,
    report: Callable[[Round], object] | None = None,
    resume: str | os.PathLike[str] | None = None,
    **removed: object,
) -> Network:
    """The network of `depnet.learn` on all rows together, whatever the parts: `make(tasks)` gives them.

    At most `live` nodes grow at once: each takes 4 bytes for every row, where the row is. `report` is called after
    each round, `progress(done, nodes)` after each node. `resume` is a file that grows node by node.
    """
    refuse_removed("depnet.cluster.learn", removed)
    limits = Limits(max_leaves, min_leaf_rows)
    smoothing = checked_smoothing(smoothing)
    max_seconds = checked_seconds(max_seconds)
    by_held_out = isinstance(penalty, Auto) or penalty == "auto"
    rule = Mdl() if isinstance(penalty, Auto) or penalty == "auto" else checked_penalty(penalty)
    if total == 0:
        raise DataError("a network is learned from at least one row; there are none.")
    penalty_value(rule, 1, total)
    links = tuple(forbidden)
    parts: Parts | None = None
    began = time.monotonic()

    def pairs() -> PartPairs:
        nonlocal parts, began
        parts = make(plan(domain))  # which order they are asked for is not known yet
        began = time.monotonic()
        return PartPairs(parts, domain.cardinalities)

    found = order_of(domain, order, pairs, roles=roles, forbidden=links)
    tasks = plan(domain, roles=roles, forbidden=links, order=found)
    if max_seconds is not None:
        max_seconds = max(max_seconds - (time.monotonic() - began), 0.0)
    parts = make(tasks) if parts is None else parts.planned(tasks)
    rows = PartedRows(parts, domain, tasks, total, limits, live, None if report is None else Reports(report))
    if by_held_out:
        network, _ = learn_chosen(
            rows,
            penalty if isinstance(penalty, Auto) else Auto(),
            smoothing=smoothing,
            max_seconds=max_seconds,
            progress=progress,
            resume=resume,
        )
        return network
    penalties = [rule] * len(tasks)
    with contextlib.ExitStack() as stack:
        fit = None
        if resume is not None:
            file = ResumeFile(resume, rows.fingerprint(penalties), tasks, domain.cardinalities)
            fit = stack.enter_context(file).fit()
        return rows.learn(
            penalties, smoothing=smoothing, max_seconds=max_seconds, progress=progress, resume=fit
        )
