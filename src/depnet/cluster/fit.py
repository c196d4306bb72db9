"""What `depnet fit --cluster` does: the model of `depnet fit`, from Parquet files that are read a chunk at a time.

A table that fits one place is fitted there as any other (`depnet.fitting.fit`). A larger one is fitted by a sample of its
rows, which chooses penalties, order, structure and which holes are states; then the tables of both networks are counted over
all rows.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from depnet.arrays import xlogy
from depnet.cluster.table import TableRequest, Where, chunked
from depnet.data.table.domain import Domain
from depnet.data.table.variable import Variable
from depnet.data.table.variables import LeftOut, warn_left_out
from depnet.fitting.fit import FitOptions, Fitted, check_order, fit
from depnet.learning.cost import conditional_entropy
from depnet.learning.options import node_specs
from depnet.model.model import Model
from depnet.model.network import Network

Told = Callable[[int, int], object]


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


@dataclass(frozen=True, slots=True, eq=False)
class ClusterFit:
    """A model, and the columns that were left out."""

    found: Fitted | CountedModel
    left_out: tuple[LeftOut, ...]


def check_options(table: TableRequest, options: FitOptions) -> None:
    """Errors of options that no rows of this table's columns could be fitted with: before any is read, or a worker asked.

    Which columns are variables, some being left out, is known only then; an order names all variables.
    """
    everyone, order = _stand_ins(table.opened.names), options.order
    node_specs(everyone, roles=options.roles, forbidden=options.forbidden)
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
    progress: Told | None = None,
) -> ClusterFit:
    """The model that `depnet fit` makes of the same rows, bit for bit; of a larger table one that is counted."""
    told = progress or (lambda done, steps: None)
    found = chunked(table, where, boost=options.boost is not None)
    left = found.left_out
    warn_left_out(left)
    rows = found.rows()
    nodes, chunks = options.steps(rows), 0 if found.fits else len(found.chunks)
    # The counts of all rows leave a teacher of a sample nothing to say.
    asked = options if found.fits else replace(options, distil=False)
    model = fit(rows, asked, rng, lambda done: told(done, nodes + chunks))
    if found.fits:
        return ClusterFit(model, left)
    done = iter(range(nodes + 1, nodes + chunks + 1))
    network, law = found.counted(model.networks, lambda: told(next(done), nodes + chunks))
    return ClusterFit(CountedModel(network, law, rows=found.total, sample=rows.rows), left)
