"""What `depnet fit --cluster` does: the model of `depnet fit`, from Parquet files that the workers of a cluster read.

A table that fits one place is fitted there as any other (`depnet.fitting.fit`). Of one that does not, both networks are
grown from counts of parts; the rows of trials, and those that say where numbers lie in their bins, are few, and are brought
here.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from depnet.arrays import CodeArray, xlogy
from depnet.cluster.placed import Placed, Report, TableRequest, Where, placed
from depnet.cluster.waiting import Client
from depnet.data.binning.levels import LevelArray
from depnet.data.frames.left_out import LeftOut, warn_left_out
from depnet.data.frames.within import Within
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.data.table.holed import nothing_hidden
from depnet.data.table.row_levels import RowLevels
from depnet.data.table.variable import Variable
from depnet.fitting.fit import (
    FEW_ROWS,
    NETWORK_SHARE,
    FitOptions,
    Fitted,
    check_order,
    fit,
    fit_law,
    network_of,
)
from depnet.learning.choose.auto import learn_rows
from depnet.learning.choose.trials import Choice
from depnet.learning.grow.node_specs import first_specs, node_specs
from depnet.learning.options import LearnOptions
from depnet.learning.rows.held_out import row_entropy
from depnet.learning.rows.part import Part
from depnet.learning.rows.parts import PartedRows
from depnet.learning.within import learn_within
from depnet.model.network import Network

Told = Callable[[int, int], object]


@dataclass(frozen=True, slots=True, eq=False)
class PartsFitted:
    """Both models of rows that stayed in parts; of the rows only what can be counted is known."""

    network: Network
    law: Network
    rows: int
    entropy: float
    """H(p^D) in nats: KL(p^D || Q) = -score - H(p^D), where Q is the law."""

    @property
    def kl(self) -> float:
        """KL(p^D || Q) of the law, exactly."""
        return -score(self.law) - self.entropy

    @property
    def one_leaf_kl(self) -> float:
        """The same of independent columns: the sum of H(p^D(X_i)), less H(p^D)."""
        counts = self.law.counts
        assert counts is not None
        shares = [each / each.sum() for each in counts.singles]
        return -sum(float(xlogy(share, share).sum()) for share in shares) - self.entropy


def score(network: Network) -> float:
    """The mean over the rows learned from of the sum over nodes of log theta, from the counts in the tables."""
    found = 0.0
    for node in network.nodes:
        counts = node.table.counts
        assert counts is not None
        found += float(xlogy(counts, node.table.probabilities).sum() / counts.sum())
    return found


@dataclass(frozen=True, slots=True, eq=False)
class ClusterFit:
    """A model, and the columns that were left out."""

    found: Fitted | PartsFitted
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
    if table.opened.rows is None or table.opened.rows >= FEW_ROWS:
        LearnOptions(options.penalty, options.smoothing)


def _stand_ins(names: Iterable[str]) -> Domain:
    """Variables of these names, and of no matter which states."""
    return Domain(tuple(Variable(name, (0, 1)) for name in names))


def fit_on_cluster(
    table: TableRequest,
    options: FitOptions,
    rng: np.random.Generator,
    client: Client,
    progress: Told | None = None,
    report: Report | None = None,
) -> ClusterFit:
    """The model that `depnet fit` makes of the same rows, bit for bit; `report` hears of rounds, if rows stay in parts."""
    told = progress or (lambda done, steps: None)
    boosts, completes = options.boost is not None, table.states.missing == "keep"
    with placed(table, Where(client), boost=boosts, complete=completes) as place:
        left = place.described.left_out
        warn_left_out(left)
        if not place.fits:
            return ClusterFit(_fit_parts(place, options, told, report), left)
        with place.gathered() as rows:
            steps = options.steps(rows)
            return ClusterFit(fit(rows, options, rng, lambda done: told(done, steps)), left)


class _PartedFitRows:
    """Rows in parts, as a fit asks for them."""

    def __init__(self, rows: PartedRows) -> None:
        self._rows = rows
        self.total = rows.total

    def learn(self, **arguments: Any) -> tuple[Network, Choice | None]:
        """A network, and what penalty="auto" chose; the parts have the cuts already, and count on as many threads."""
        options = LearnOptions(**{k: v for k, v in arguments.items() if k not in ("n_jobs", "cuts")})
        return learn_rows(self._rows.with_specs(first_specs(self._rows.domain, options)), options)

    def held_out(self) -> list[tuple[Dataset, Dataset]]:
        """(rows learned from, rows scored on) of the trials of penalty="auto"."""
        return [(learned.dataset, scored.dataset) for learned, scored in self._rows.held_out()]


def _fit_parts(place: Placed, options: FitOptions, told: Told, report: Report | None) -> PartsFitted:
    """As `depnet.fitting.fit`, of a table without holes."""
    check_order(place.domain, options)
    began, limit, nodes = time.monotonic(), options.max_seconds, len(place.domain)
    parts = place.rows(
        LearnOptions(max_leaves=options.max_leaves, min_leaf_rows=options.min_leaf_rows), report, cuts=True
    )
    rows = _PartedFitRows(parts)
    share = None if limit is None else NETWORK_SHARE * limit
    network, choice = network_of(rows, options.within(share), lambda done, _: told(done, 2 * nodes))
    left = None if limit is None else max(limit - (time.monotonic() - began), 0.0)
    law = fit_law(rows, options.within(left), lambda done, _: told(nodes + done, 2 * nodes), beside=choice)
    counts = parts.marginal_counts()
    law = replace(law, counts=counts, within=_within(parts, law, options))
    entropy = row_entropy(parts.workers, parts.parts, parts.total)
    return PartsFitted(replace(network, counts=counts), law, parts.total, entropy)


def _within(parts: PartedRows, law: Network, options: FitOptions) -> Within | None:
    """Where in their bins numbers lie, by the rows whose levels are known."""
    found = [
        each
        for each in parts.workers.gather(parts.workers.call(_level_rows, parts.parts))
        if each is not None
    ]
    if not found:
        return None
    codes, levels = (np.concatenate(each) for each in zip(*found, strict=True))
    known = RowLevels(np.arange(len(codes)), np.asfortranarray(levels))
    return learn_within(
        law, np.asfortranarray(codes), known, nothing_hidden(codes.shape), n_jobs=options.threads
    )


def _level_rows(part: Part) -> tuple[CodeArray, LevelArray] | None:
    return None if part.levels is None else (part.dataset.codes[part.levels.rows], part.levels.levels)
