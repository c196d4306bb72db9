"""`depnet.cluster.learn`: the network of `depnet.learn`, from rows that are read a chunk at a time.

The rows are read twice (`table`). A table that fits one place is brought there in codes. Of a larger one the structure is
learned from a sample of its rows, and the tables are counted over all of them in a third pass.
"""

from collections.abc import Sequence
from typing import Any, Literal

from depnet.cluster.places import Client
from depnet.cluster.table import TableRequest, Where, chunked
from depnet.data.binning.cut import MAX_BINS
from depnet.data.table.variables import BinChoice, StateOptions, warn_left_out
from depnet.errors import DataError, brief
from depnet.learning.boost.settings import BoostLike
from depnet.learning.grow import TrainingRows
from depnet.learning.learn import learn_with_choice
from depnet.learning.options import LearnOptions, first_specs
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
        boost: as of `depnet.learn`. It needs a table that fits one place; else it is refused, before the rows are read where
            their number is known.
        cuts, max_seconds, progress: as of `depnet.learn`.
        options: those of `depnet.learn`: `penalty`, `smoothing`, `order`, `max_leaves`, `min_leaf_rows`, `roles` and
            `forbidden`.

    Returns:
        The network.
    """
    where = Where(client, memory)
    asked = LearnOptions.given("depnet.cluster.learn", {**options, "boost": boost, "cuts": cuts})
    if missing not in ("error", "state"):
        raise DataError(
            f'missing is "error" or "state" here; got {brief(missing)}. Missing values are completed by depnet fit '
            "--cluster, and by DependencyNetwork."
        )
    states = StateOptions(bins, max_bins, missing)
    table = TableRequest(source, columns, (), states, () if columns is None else "all", chunk_rows)
    found = chunked(table, where, boost=asked.stages is not None)
    first_specs(found.domain, asked)  # whose errors are told before the second pass
    warn_left_out(found.left_out)
    rows = TrainingRows(found.rows().dataset())
    network = learn_with_choice(rows, asked, Work.of(1, max_seconds, progress))[0]
    return network if found.fits else found.counted([network])[0]
