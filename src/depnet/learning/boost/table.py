"""A network learned from a table with boosted nodes: its decision graphs first, then the stages."""

from collections.abc import Sequence
from dataclasses import replace

from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.boost.learn import boosted_network, chosen_boost
from depnet.learning.boost.settings import Boost
from depnet.learning.choose.auto import check_validation, learn_graphs
from depnet.learning.choose.trials import Choice
from depnet.learning.grow.node_specs import NodeSpec, chosen_specs, node_specs
from depnet.learning.grow.nodes import learn_nodes
from depnet.learning.options import LearnOptions
from depnet.learning.penalty import Mdl
from depnet.learning.rows.training import TrainingRows
from depnet.learning.work import Work
from depnet.model.network import Network

GRAPHS_SHARE = 0.3
"""Of `max_seconds`, what the decision graphs take at most; stages have what is left."""
LEAST_SMOOTHING = 0.5
"""The pseudo-count of graphs where none was asked for: stages start from finite scores, and held-out rows have some."""


def learn_boosted(
    rows: TrainingRows, options: LearnOptions, work: Work, validation: Dataset | None = None
) -> tuple[Network, Choice | None]:
    """The network, its nodes boosted, and what penalty="auto" chose: its trial networks are so, too."""
    boost = options.stages
    check_validation(validation, rows)
    if validation is not None and isinstance(boost, Boost) and options.auto is None:
        raise LearningError(
            'validation rows are for the penalty "auto" and boost="auto"; nothing else looks at held-out rows.'
        )
    asked = options.smoothing
    if asked == 0.0:
        options = replace(options, smoothing=LEAST_SMOOTHING)
    if isinstance(boost, Boost) and boost.graph == 0.0:
        network, choice = _one_leaf_each(rows, options), None
    else:
        judge = validation if options.auto is not None else None
        network, choice = learn_graphs(rows, options, work.share(GRAPHS_SHARE).silent(), judge)
    specs = node_specs(rows.domain, network.order, roles=options.roles, forbidden=options.forbidden)
    names, cards, only = rows.domain.names, rows.domain.cardinalities, options.boosted
    readable = {
        spec.target: spec.inputs
        for spec in specs
        if spec.inputs and cards[spec.target] > 1 and (only is None or names[spec.target] in only)
    }
    if isinstance(boost, Boost):
        network = boosted_network(rows.dataset, network, readable, boost, work, options.limits)
        return _as_asked(network, asked), choice
    assert boost is not None  # or it would not have been asked for
    if validation is not None:
        parts = [(rows.dataset, validation, network)]
    else:
        tried = _graphs(rows, specs, options, work.threads) if choice is None else choice.tried
        parts = [
            (learned.dataset, scored, graphs)
            for (learned, scored), graphs in zip(rows.held_out, tried, strict=True)
        ]
    chosen = chosen_boost(rows.dataset, network, parts, readable, boost, work, options.limits)
    return _as_asked(chosen.network, asked), None if choice is None else replace(choice, tried=chosen.tried)


def _as_asked(network: Network, smoothing: float) -> Network:
    """The network, whose nodes that stay graphs have no pseudo-counts where none were asked for."""
    if smoothing != 0.0:
        return network
    nodes = tuple(node if node.boosted else node.smoothed(0.0) for node in network.nodes)
    return replace(network, nodes=nodes)


def _graphs(
    rows: TrainingRows, specs: Sequence[NodeSpec], options: LearnOptions, threads: int
) -> list[Network]:
    """The decision graphs of the rows without each part held out."""
    penalties = [options.fixed_penalty] * len(specs)
    return [
        learn_nodes(learned, specs, penalties, options, Work(threads), smoothing=options.smoothing)
        for learned, _ in rows.held_out
    ]


def _one_leaf_each(rows: TrainingRows, options: LearnOptions) -> Network:
    """The network that knows nothing: what stages start from that start from base rates."""
    alone, specs = replace(options, max_leaves=1), chosen_specs(rows.dataset, options)
    return learn_nodes(rows, specs, [Mdl()] * len(specs), alone, Work(), smoothing=options.smoothing)
