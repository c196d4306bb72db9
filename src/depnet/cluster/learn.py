"""`depnet.cluster.learn`: the network of `depnet.learn`, from rows that are read a chunk at a time.

The rows are read twice (`table`). A table that fits one place is brought there in codes. Of a larger one the structure is
learned from a sample of its rows, and the tables are counted over all of them in a third pass.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from depnet.cluster.places import Client
from depnet.cluster.table import TableRequest, Where, chunked
from depnet.data.binning.cut import MAX_BINS
from depnet.data.table.variables import BinChoice, StateOptions, warn_left_out
from depnet.errors import DataError, brief
from depnet.learning.boost.settings import BoostLike
from depnet.learning.grow import TrainingRows
from depnet.learning.learn import learn_with_choice
from depnet.learning.options import LearnOptions, Order, first_specs
from depnet.learning.work import Progress, Work
from depnet.model import Network

Missing = Literal["error", "state"]


def learn(
    source: Any,
    *,
    client: Client | None = None,
    memory: int | str | None = None,
    columns: Sequence[str] | None = None,
    bins: BinChoice = "quantile",
    max_bins: int = MAX_BINS,
    missing: Missing = "error",
    chunk_rows: int | None = None,
    scratch: str | os.PathLike[str] | None = None,
    boost: BoostLike = None,
    cuts: bool = False,
    max_seconds: float | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Network:
    """A network from Parquet files or a Dask data frame, of any number of rows.

    With a `client`, the workers of its cluster read, describe, code and count the rows; without one this process does, a
    chunk at a time. Where the rows fit into this machine's memory, the network is that of `depnet.learn` for all of them,
    bit for bit. Of a larger table the structure is learned from a uniform sample of the rows, as many as fit, and every
    conditional table is counted over all rows.

    Args:
        source: Parquet files (a path, a pattern, a directory or a list) that every worker can read, or a Dask data
            frame.
        client: of a Dask cluster; None: this process.
        memory: bounds what learning takes on this machine, such as "2GB"; None: 0.7 of what is free.
        columns: the names of the columns to learn from; None: all.
        bins, max_bins, missing: those of `depnet.Dataset.from_frame`.
        chunk_rows: about how many rows make one chunk; None: some chunks for each thread of the workers.
        scratch: without a client, sorted columns are in a directory of their own under this one, while it lasts.
        boost: as of `depnet.learn`. It needs a table that fits one place; else it is refused, before the rows are read where
            their number is known.
        cuts, max_seconds, progress: as of `depnet.learn`.
        options: those of `depnet.learn`: `penalty`, `smoothing`, `order`, `max_leaves`, `min_leaf_rows`, `roles` and
            `forbidden`.

    Returns:
        The network.
    """
    asked = LearnOptions.given("depnet.cluster.learn", {**options, "boost": boost, "cuts": cuts})
    (network,) = _learned(
        Where(client, memory, scratch),
        _table(source, columns, (bins, max_bins, missing), chunk_rows),
        [asked],
        (max_seconds, progress),
    )
    return network


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
    chunk_rows: int | None = None,
    scratch: str | os.PathLike[str] | None = None,
    boost: BoostLike = None,
    cuts: bool = False,
    max_seconds: float | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> tuple[Network, Network]:
    """The paper's network and the ordered law of the same rows, which are read and coded once: see `learn`.

    Args:
        source, client, memory, columns, bins, max_bins, missing, chunk_rows, scratch, boost, cuts, options: as of `learn`.
        order: of the law: "auto", or all columns by name.
        max_seconds: of both together.
        progress: counts the nodes of both.

    Returns:
        The network, and the law.
    """
    asked = LearnOptions.given("depnet.cluster.learn_both", {**options, "boost": boost, "cuts": cuts})
    network, law = _learned(
        Where(client, memory, scratch),
        _table(source, columns, (bins, max_bins, missing), chunk_rows),
        [asked, replace(asked, order=order)],
        (max_seconds, progress),
    )
    return network, law


def _learned(
    where: Where,
    table: TableRequest,
    asked: Sequence[LearnOptions],
    limits: tuple[float | None, Progress | None],
) -> Sequence[Network]:
    """A network for each of some options, which share the seconds and the progress of `limits`."""
    with chunked(table, where, boost=asked[0].stages is not None) as found:
        nodes, many = len(found.domain), len(asked)
        for options in asked:
            first_specs(found.domain, options)  # whose errors are told before the second pass
        warn_left_out(found.left_out)
        rows = TrainingRows(found.rows().dataset())
        work = Work.of(1, *limits)
        networks = []
        for k, options in enumerate(asked):
            own = work.share(1 / (many - k))
            if own.progress is not None:
                own = replace(own, progress=_counted_on(own.progress, k * nodes, many * nodes))
            networks.append(learn_with_choice(rows, options, own)[0])
        return networks if found.fits else found.counted(networks)


def _counted_on(progress: Progress, before: int, nodes: int) -> Progress:
    """Progress of one of many networks."""
    return lambda done, _: progress(before + done, nodes)


def _table(
    source: Any, columns: Sequence[str] | None, states: tuple[BinChoice, int, Missing], chunk_rows: int | None
) -> TableRequest:
    """What is read; columns that are named are kept, whatever they look like."""
    if states[2] not in ("error", "state"):
        raise DataError(
            f'missing is "error" or "state" here; got {brief(states[2])}. Missing values are completed by depnet fit '
            "--cluster, and by DependencyNetwork."
        )
    return TableRequest(
        source, columns, (), StateOptions(*states), () if columns is None else "all", chunk_rows
    )
