"""`depnet.cluster.learn`: the network of `depnet.learn`, from rows that lie in many parts.

The rows are read twice (`placed`). A table that fits one place is brought there in codes, and its nodes are shared out; else
rows stay where they are, in the workers' memory or on disk, and nodes are grown by rounds of counts
(`depnet.learning.grow.rounds`).
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from depnet.cluster.placed import Report, TableRequest, Where, placed
from depnet.cluster.waiting import Client
from depnet.data.binning.cut import MAX_BINS
from depnet.data.frames.left_out import Keep, warn_left_out
from depnet.data.frames.variables import BinChoice, StateOptions
from depnet.errors import DataError, brief
from depnet.learning.boost.settings import BoostLike, checked_boost
from depnet.learning.choose.auto import learn_rows
from depnet.learning.grow.node_specs import first_specs
from depnet.learning.grow.rounds import Reports
from depnet.learning.learn import learn_asked
from depnet.learning.options import LearnOptions, Order
from depnet.learning.rows.prepared import PreparedRows
from depnet.model import Network
from depnet.removed import without

Missing = Literal["error", "state"]


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
    rows_per_part: int | None = None,
    scratch: str | os.PathLike[str] | None = None,
    report: Report | None = None,
    boost: BoostLike = None,
    cuts: bool = False,
    **options: Any,
) -> Network:
    """The network that `depnet.learn` gives for all the rows of `source` together, bit for bit.

    With a `client`, the workers of its cluster read the rows. Without one they are on this machine's disk. A table whose
    codes fit this machine's memory, and every worker's, is learned from in one place, its nodes over the workers;
    the rows of any other stay where they are, and counts travel.

    Args:
        source: Parquet files (a path, a pattern, a directory or a list) that every worker can read, or a Dask data
            frame.
        client: of a Dask cluster; None: this machine.
        memory: bounds what is held of rows on this machine, such as "2GB".
        columns: the names of the columns to learn from; None: all.
        bins, max_bins, missing: those of `depnet.Dataset.from_frame`.
        rows_per_part: about how many rows make one part; None: some parts for each thread of the workers.
        scratch: rows on disk are in a directory of their own under this one, while it lasts.
        report: called after each round, where rows stay in parts.
        boost: as of `depnet.learn`. It needs a table that fits one place; else it is refused, before the rows are read where
            their number is known.
        cuts: as of `depnet.learn`.
        options: those of `depnet.learn`: `penalty`, `smoothing`, `order`, `max_leaves`, `min_leaf_rows`, `roles`,
            `forbidden`, `max_seconds`, `progress` and `resume`, a file with which a driver that was killed continues.

    Returns:
        The network.
    """
    asked = LearnOptions.given("depnet.cluster.learn", options)
    where = Where(client, memory, scratch)
    table = _table(source, columns, StateOptions(bins, max_bins, _checked(missing)), rows_per_part)
    stages = checked_boost(boost)
    with placed(table, where, boost=stages is not None) as found:
        warn_left_out(found.described.left_out)
        if found.fits:
            with found.gathered() as rows:
                return learn_asked(rows.dataset(), asked, boost=stages, cuts=cuts)[0]
        return learn_rows(found.rows(asked, report, cuts=cuts), asked)[0]


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
    rows_per_part: int | None = None,
    scratch: str | os.PathLike[str] | None = None,
    report: Report | None = None,
    boost: BoostLike = None,
    cuts: bool = False,
    **options: Any,
) -> tuple[Network, Network]:
    """The paper's network and the ordered law of the same rows, which are read and coded once: see `learn`.

    Args:
        source, client, memory, columns, bins, max_bins, missing, rows_per_part, scratch, report, boost, cuts: as of
            `learn`.
        order: of the law: "auto", or all columns by name.
        options: as of `learn`. The law's nodes are kept in a second file beside `resume`, its name with ".law" after it.
            Each of the two may take half of `max_seconds`, and `progress` counts the nodes of both.

    Returns:
        The network, and the law.
    """
    asked = LearnOptions.given("depnet.cluster.learn_both", options)
    for_law = replace(asked, order=order)
    where = Where(client, memory, scratch)
    table = _table(source, columns, StateOptions(bins, max_bins, _checked(missing)), rows_per_part)
    stages = checked_boost(boost)
    with placed(table, where, boost=stages is not None) as found:
        specs = first_specs(found.domain, for_law)  # whose errors are told before the second pass
        warn_left_out(found.described.left_out)
        halves = [_half(each, len(found.domain), number) for number, each in enumerate((asked, for_law))]
        if found.fits:
            with found.gathered() as gathered:
                prepared = PreparedRows(gathered.dataset())
                network, law = (learn_asked(prepared, each, boost=stages, cuts=cuts)[0] for each in halves)
                return network, law
        rows = found.rows(asked, report, cuts=cuts)
        network, _ = learn_rows(rows, halves[0])
        law, _ = learn_rows(replace(rows.with_specs(specs), reports=Reports(report)), halves[1])
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


def _table(
    source: Any, columns: Sequence[str] | None, states: StateOptions, rows_per_part: int | None
) -> TableRequest:
    """What is read; columns that are named are kept, whatever they look like."""
    keep: Keep = () if columns is None else "all"
    return TableRequest(source, columns, (), states, keep, rows_per_part)


def _checked(missing: Missing) -> Missing:
    if missing not in ("error", "state"):
        raise DataError(
            f'missing is "error" or "state" here; got {brief(missing)}. Missing values are completed by depnet fit '
            "--cluster, and by DependencyNetwork."
        )
    return missing
