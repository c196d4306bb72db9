"""`depnet.cluster.learn`: the network of `depnet.learn`, from rows that lie in many parts.

Two passes over the rows: the first finds the states of the columns, the second the codes, which stay where they are: in
the workers' memory, or on disk. Then rounds of counts (`depnet.learning.rounds`).
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from depnet.cluster.dask_parts import Client
from depnet.cluster.on_dask import DaskPlace
from depnet.cluster.on_disk import DiskPlace, checked_memory, scratch_directory
from depnet.cluster.parted_rows import PartedRows, Reports
from depnet.cluster.place import Place
from depnet.cluster.source import ROWS, parts_of
from depnet.data import Domain
from depnet.data.binning import MAX_BINS
from depnet.data.describe import BinChoice
from depnet.errors import DataError, brief
from depnet.learning.auto import learn_chosen, smoothing_unit
from depnet.learning.ladder import Auto
from depnet.learning.options import Limits, Role, Task, checked_seconds, plan, refuse_removed
from depnet.learning.penalty import Mdl, PenaltyLike, checked_penalty, penalty_value
from depnet.learning.resume import ResumeFile
from depnet.learning.rounds import Parts, Round
from depnet.learning.tasks import Progress
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
    if missing not in ("error", "state"):
        raise DataError(
            f'missing is "error" or "state" where rows lie in parts; got {brief(missing)}. Complete missing values with '
            "DependencyNetwork, on a table that fits one machine."
        )
    if (client is None) == (memory is None):
        raise ValueError(
            "depnet.cluster.learn takes either client=, a cluster's, or memory=, a bound on this machine."
        )
    if isinstance(options.get("penalty"), Auto) or options.get("penalty") == "auto":
        smoothing_unit(options.get("smoothing", 0.0))  # or the first pass is for nothing
    budget = 0 if memory is None else checked_memory(memory)
    parts = parts_of(source, columns, rows_per_part)
    with contextlib.ExitStack() as stack:
        if client is None:
            place: Place = DiskPlace(stack.enter_context(scratch_directory(scratch)), budget)
        else:
            place = DaskPlace(client)
        domain, total = place.describe(parts, bins=bins, max_bins=max_bins, missing=missing)
        return learn_parts(
            lambda tasks: place.parts(parts, domain, tasks, total),
            domain,
            total,
            live=place.live(total),
            resume=resume,
            **options,
        )


def learn_parts(
    make: Callable[[Sequence[Task]], Parts],
    domain: Domain,
    total: int,
    *,
    penalty: "PenaltyLike | Auto" = Mdl(),  # noqa: B008  # a frozen value
    smoothing: float = 0.0,
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
    tasks = plan(domain, roles=roles, forbidden=forbidden)
    rows = PartedRows(
        make(tasks), domain, tasks, total, limits, live, None if report is None else Reports(report)
    )
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
