"""`learn`: the whole network from a table, node by node (Sec. 4).

The cost decomposes into one problem a node (Eq. cost), so nodes are learned one by one or at once on
many threads: the network is the same. Each is grown by greedy splits and merges (Algorithm 3 with the
candidates of Sec. 4.5) in the native core, and its table is p^D(X_i | Y_i) (Theorem 4).
Boosted nodes have their decision graphs first, then the stages.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.auto import Choice, check_validation, learn_graphs
from depnet.learning.boost.learn import boosted_network, chosen_boost
from depnet.learning.boost.settings import Boost, BoostLike
from depnet.learning.grow import TrainingRows, learn_nodes, warn_of_identifiers
from depnet.learning.options import LearnOptions, NodeSpec, Order, Role, chosen_specs, node_specs
from depnet.learning.penalty import Auto, Mdl, PenaltyLike
from depnet.learning.rows.work import Progress, Work
from depnet.model.network import Network


def learn(
    dataset: Dataset,
    *,
    penalty: "PenaltyLike | Auto" = Mdl(),  # noqa: B008  # a frozen value
    smoothing: float = 0.0,
    order: Order = None,
    boost: BoostLike = None,
    n_jobs: int | None = 1,
    max_leaves: int | None = None,
    min_leaf_rows: int = 0,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
    max_seconds: float | None = None,
    progress: Progress | None = None,
    validation: Dataset | None = None,
    cuts: bool = False,
) -> Network:
    r"""Learn a dependency network: for each node the information source and its table.

    .. math:: \min_{Y_i} H(p^D(X_i \mid Y_i)) + R(k_i, N), \qquad k_i = |Y_i| (|X_i| - 1)

    The network does not depend on `n_jobs`, on the order of rows, or on the machine's instruction set.

    Args:
        dataset: the rows, a `Dataset`.
        penalty: R(k, N): a value such as `Mdl()`, its name, or a function; or "auto", which chooses penalty and
            smoothing by held-out rows.
        smoothing: the pseudo-count of each cell of the tables; 0 is the paper's.
        order: None is the paper's network. With an order (ours, beyond the paper) sources read earlier variables only,
            and the nodes have one law between them, Q(x) = prod over i of theta_i(x_i | y_i), which sampling, queries
            and scores are of: the names of all variables in order, or "auto": from the most telling variable on always
            the one most tied to those placed (`depnet.learning.order`).
        boost: None is one decision graph and one table a node. With stages (ours, beyond the paper) theta is a product
            of many small decision graphs' scores (`BoostedNode`): "auto" chooses for each node, by held-out rows, one
            graph or stages and how many; a `Boost` says it. The `penalty` is then that of the graphs that they are
            compared with, or start from.
        n_jobs: threads that share the nodes; -1: all cores.
        max_leaves: a split may not leave a node with more leaves than these.
        min_leaf_rows: nor a new leaf with fewer rows than these, unless it is empty.
        roles: by name, which variables are only a "target" (never an input) or only an "input" (not predicted: one leaf;
            in an ordered network it comes first, and reads earlier inputs).
        forbidden: links (source, target) that must not be.
        max_seconds: after these, nodes stay as they have grown by then, those not begun with one leaf.
        progress: called as progress(done, nodes) after each node.
        validation: the rows held out for "auto"; None: parts of `dataset`.
        cuts: whether sources may also split a binned variable at an edge between its bins, into those below and those
            above: a split and merges in one step (`depnet.learning.cuts`). A split on many bins pays for many
            leaves, a cut for two.

    Returns:
        The network, an immutable value.

    >>> table = Dataset.from_codes([[0, 0], [1, 1]] * 50, cardinalities=[2, 2])
    >>> learn(table).nodes[0].source.operations
    (Split(leaf=0, variable=1),)
    >>> law = learn(table, order=["X1", "X0"])
    >>> law.order, law.nodes[1].inputs, law.nodes[0].inputs
    ((1, 0), (), (1,))
    """
    warn_of_identifiers(dataset)
    options = LearnOptions(
        penalty, smoothing, order, max_leaves, min_leaf_rows, roles, forbidden, cuts, boost
    )
    return learn_with_choice(dataset, options, Work.of(n_jobs, max_seconds, progress), validation)[0]


def learn_with_choice(
    rows: Dataset | TrainingRows,
    options: LearnOptions,
    work: Work = Work(),  # noqa: B008  # a frozen value
    validation: Dataset | None = None,
) -> tuple[Network, Choice | None]:
    """`learn`, and what penalty="auto" chose: None of other penalties.

    What is made of the rows for one network is there for the next one, where they are `TrainingRows`.
    """
    learned = learn_graphs if options.stages is None else learn_boosted
    return learned(TrainingRows.of(rows), options, work, validation)


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
    if isinstance(boost, Boost):
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
