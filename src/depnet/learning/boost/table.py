"""A network learned from a table with boosted nodes: its decision graphs first, then the stages."""

import time
from collections.abc import Sequence
from dataclasses import replace

from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.boost.kept import kept_stages
from depnet.learning.boost.learn import Effort, boosted_network, chosen_boost
from depnet.learning.boost.settings import AutoBoost, Boost
from depnet.learning.choose.auto import in_order, learn_rows
from depnet.learning.choose.trials import Choice
from depnet.learning.grow.node_specs import node_specs
from depnet.learning.grow.nodes import learn_nodes
from depnet.learning.options import LearnOptions, Limits
from depnet.learning.penalty import Mdl
from depnet.learning.rows.table import TableRows
from depnet.model.network import Network

GRAPHS_SHARE = 0.3
"""Of `max_seconds`, what the decision graphs take at most; stages have what is left."""
LEAST_SMOOTHING = 0.5
"""The pseudo-count of graphs where none was asked for: stages start from finite scores, and held-out rows have some."""


def learn_boosted(
    rows: TableRows,
    options: LearnOptions,
    boost: Boost | AutoBoost,
    validation: TableRows | None,
    only: Sequence[str] | None = None,
) -> tuple[Network, Choice | None]:
    """The network, its nodes (or `only` those) boosted, and what penalty="auto" chose: its trial networks are so, too."""
    began, limit = time.monotonic(), options.max_seconds
    if validation is not None and isinstance(boost, Boost) and options.auto is None:
        raise LearningError(
            '`validation=...` is for `penalty="auto"` and `boost="auto"`; nothing else looks at held-out rows.'
        )
    asked = options.smoothing
    if asked == 0.0:
        options = replace(options, smoothing=LEAST_SMOOTHING)
    if isinstance(boost, Boost) and boost.graph == 0.0:
        network, choice = _one_leaf_each(rows, options), None
    else:
        graphs = replace(options, max_seconds=None if limit is None else GRAPHS_SHARE * limit, progress=None)
        network, choice = learn_rows(rows, graphs, validation if options.auto is not None else None)
    specs = node_specs(rows.domain, network.order, roles=options.roles, forbidden=options.forbidden)
    rows = rows.with_specs(specs)
    left = None if limit is None else max(limit - (time.monotonic() - began), 0.0)
    names, cards = rows.domain.names, rows.domain.cardinalities
    readable = {
        spec.target: spec.inputs
        for spec in specs
        if spec.inputs and cards[spec.target] > 1 and (only is None or names[spec.target] in only)
    }
    with kept_stages(options.resume, _fingerprint(rows, options, (boost, only), validation)) as kept:
        effort = Effort(left, rows.n_jobs, options.progress, kept)
        if isinstance(boost, Boost):
            network = boosted_network(rows.dataset, network, readable, boost, effort, rows.limits)
            return _as_asked(network, asked), choice
        parts = _parts(rows, options, validation, network, choice)
        chosen = chosen_boost(rows.dataset, network, parts, readable, boost, effort, rows.limits)
    return _as_asked(chosen.network, asked), None if choice is None else replace(choice, tried=chosen.tried)


def _as_asked(network: Network, smoothing: float) -> Network:
    """The network, whose nodes that stay graphs have no pseudo-counts where none were asked for."""
    if smoothing != 0.0:
        return network
    nodes = tuple(node if node.boosted else node.smoothed(0.0) for node in network.nodes)
    return replace(network, nodes=nodes)


def _fingerprint(rows: TableRows, options: LearnOptions, boost: object, validation: TableRows | None) -> str:
    """A digest of all that decides the stages: rows, what each node may read, and every option that is not about time."""
    if options.resume is None:
        return ""
    penalties = options.auto.penalties if options.auto is not None else [options.fixed_penalty]
    prints = [
        each.fingerprint([penalty for penalty in penalties for _ in rows.specs])
        for each in (rows, validation)
        if each is not None
    ]
    return " ".join([*prints, repr(options.smoothing), repr(options.auto), repr(boost)])


def _one_leaf_each(rows: TableRows, options: LearnOptions) -> Network:
    """The network that knows nothing: what stages start from that start from base rates."""
    alone = replace(in_order(rows, options), limits=Limits(max_leaves=1))
    return learn_nodes(alone, [Mdl()] * len(alone.specs), smoothing=options.smoothing)


def _parts(
    rows: TableRows,
    options: LearnOptions,
    validation: TableRows | None,
    network: Network,
    choice: Choice | None,
) -> Sequence[tuple[Dataset, Dataset, Network]]:
    """Rows to learn from, rows to score on, and the decision graphs of the first: those that were tried, or learned now."""
    if validation is not None:
        return [(rows.dataset, validation.dataset, network)]
    held = rows.held_out()
    tried = choice.tried if choice is not None else [_graphs(learned, options) for learned, _ in held]
    return [
        (learned.dataset, scored.dataset, graphs)
        for (learned, scored), graphs in zip(held, tried, strict=True)
    ]


def _graphs(rows: TableRows, options: LearnOptions) -> Network:
    return learn_nodes(rows, [options.fixed_penalty] * len(rows.specs), smoothing=options.smoothing)
