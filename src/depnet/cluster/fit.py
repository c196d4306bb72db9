"""Networks from rows that are read a chunk at a time: `depnet.cluster.learn`, and the model of `depnet fit --cluster`.

The rows are read twice (`table`). A table that fits one place is brought there in codes, and learned from as any other. Of a
larger one a sample of its rows chooses penalties, order, structure and which holes are states; then the tables are counted
over all rows in a third pass.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from depnet.arrays import xlogy
from depnet.cluster.places import Client
from depnet.cluster.table import TableRequest, Where, open_chunks
from depnet.data.binning.cut import MAX_BINS
from depnet.data.table.left_out import LeftOut, warn_left_out
from depnet.data.table.variable import Domain, Variable
from depnet.data.table.variables import BinChoice, StateOptions
from depnet.errors import DataError, LearningError, brief
from depnet.fitting.fit import FitOptions, Fitted, check_order, fit
from depnet.learning.cost import conditional_entropy
from depnet.learning.grow import TrainingRows
from depnet.learning.learn import learn_with_choice
from depnet.learning.options import BoostLike, LearnOptions, node_specs
from depnet.model.model import Model
from depnet.model.network import Network
from depnet.threads import Progress, Work

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
    asked = LearnOptions.parse("depnet.cluster.learn", {**options, "boost": boost, "cuts": cuts})
    if missing not in ("error", "state"):
        raise DataError(
            f'missing is "error" or "state" here; got {brief(missing)}. Missing values are completed by depnet fit '
            "--cluster, and by DependencyNetwork."
        )
    states = StateOptions(bins, max_bins, missing)
    table = TableRequest(source, columns, (), states, () if columns is None else "all", chunk_rows)
    found = open_chunks(table, where, boost=asked.boost is not None)
    node_specs(found.domain, asked)  # whose errors are told before the second pass
    warn_left_out(found.left_out)
    rows = TrainingRows(found.rows().dataset())
    network = learn_with_choice(rows, asked, Work.of(1, max_seconds, progress))[0]
    return network if found.fits else found.count([network])[0]


@dataclass(frozen=True, slots=True, eq=False)
class CountedModel(Model):
    """Both networks of a table too large for one place: structure from a sample, tables from all rows."""

    law: Network
    rows: int = field(kw_only=True)
    sample: int = field(kw_only=True)
    """The rows that the structure was learned from."""


def score(network: Network) -> float:
    """The mean over rows of the sum over nodes of log theta, from the counts in the tables."""
    found = 0.0
    for node in network.nodes:
        counts = node.table.counts
        assert counts is not None
        found += float(xlogy(counts, node.table.probabilities).sum() / counts.sum())
    return found


def entropy(network: Network) -> float:
    """The sum over nodes of H(p^D(X_i | Y_i)), in nats, from the counts in the tables."""
    counts = [node.table.counts for node in network.nodes]
    return sum(conditional_entropy(each, float(each.sum())) for each in counts if each is not None)


def check_options(table: TableRequest, options: FitOptions) -> None:
    """Errors of options that no rows of this table's columns could be fitted with: before any is read, or a worker asked.

    Which columns are variables, some being left out, is known only then; an order names all variables.
    """
    if options.mixture is not None:
        raise LearningError(
            "a mixture is learned from a table that is read at once: leave out the mixture, or the cluster and the bound on "
            "memory."
        )
    everyone, order = _stand_ins(table.opened.names), options.order
    node_specs(everyone, replace(options, order=None))
    if order is None or isinstance(order, str) or not set(order) <= set(everyone.names):
        check_order(everyone, options)
    else:
        check_order(_stand_ins(name for name in everyone.names if name in order), options)


def _stand_ins(names: Iterable[str]) -> Domain:
    """Variables of these names, and of no matter which states."""
    return Domain(tuple(Variable(name, (0, 1)) for name in names))


def fit_chunks(
    table: TableRequest,
    options: FitOptions,
    rng: np.random.Generator,
    where: Where,
    progress: Progress | None = None,
) -> tuple[Fitted | CountedModel, tuple[LeftOut, ...]]:
    """The model that `depnet fit` makes of the same rows, bit for bit; of a larger table one that is counted.

    And the columns that were left out.
    """
    tell = progress or (lambda done, steps: None)
    found = open_chunks(table, where, boost=options.boost is not None)
    left = found.left_out
    warn_left_out(left)
    rows = found.rows()
    nodes, chunks = options.steps(rows), 0 if found.fits else len(found.chunks)
    # The counts of all rows leave a teacher of a sample nothing to say; and what a sample keeps the other rows may break.
    given = () if options.constraints is None else options.constraints
    kept = [each for each in ((given,) if isinstance(given, str) else given) if each != "auto"]
    asked = options if found.fits else replace(options, distil=False, constraints=kept)
    model = fit(rows, asked, rng, lambda done: tell(done, nodes + chunks))
    if found.fits:
        return model, left
    done = iter(range(nodes + 1, nodes + chunks + 1))
    network, law = found.count([model.network, model.law], lambda: tell(next(done), nodes + chunks))
    return CountedModel(network, law, rows=found.total, sample=rows.rows), left
