"""`learn`: the whole network from a table, node by node (Sec. 4).

The cost decomposes into one problem a node (Eq. cost), so nodes are learned one by one or at once on
many threads: the network is the same. Each is grown by greedy splits and merges (Algorithm 3 with the
candidates of Sec. 4.5) in the native core, and its table is p^D(X_i | Y_i) (Theorem 4).

Nodes are boosted with settings that are given, or where held-out rows say so (`boost="auto"`). One graph is not always worse
than many: where few variables act together in a high order, stages of small graphs need many splits for what one graph says
at once. So the rows that a network was not learned from choose for every node: one of the candidates, how many stages of it,
or its graph.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypedDict, Unpack, overload

from depnet._native import boost as native
from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.auto import Choice, learn_graphs
from depnet.learning.boost import (
    DIGITS,
    BoostRows,
    NodeGrower,
    all_tests,
    candidates_for,
    has_digits,
    tree_of,
)
from depnet.learning.choose import Readable, chosen_boost, grow_nodes, with_nodes
from depnet.learning.cost import Auto, Mdl, PenaltyLike
from depnet.learning.grow import TrainingRows, learn_nodes, warn_of_identifiers
from depnet.learning.mixture import MixtureLike, checked_components, learn_mixture
from depnet.learning.options import (
    AutoBoost,
    Boost,
    BoostLike,
    LearnOptions,
    Order,
    Role,
    node_specs,
    readable_inputs,
    tiers_of,
)
from depnet.model.mixture import AnyNetwork, Mixture
from depnet.model.network import Network, check_same_domain
from depnet.model.node import Node
from depnet.threads import Progress, Work, show_progress


class LearnArguments(TypedDict, total=False):
    """The arguments of `learn` but `mixture`, which says what it returns."""

    penalty: "PenaltyLike | Auto"
    smoothing: float
    order: "Order"
    boost: "BoostLike"
    n_jobs: int | None
    max_leaves: int | None
    min_leaf_rows: int
    roles: Mapping[str, Role] | None
    forbidden: Iterable[tuple[str, str]]
    max_seconds: float | None
    progress: "Progress | bool"
    validation: Dataset | None
    cuts: bool


@overload
def learn(dataset: Dataset, *, mixture: None = None, **options: Unpack[LearnArguments]) -> Network: ...
@overload
def learn(dataset: Dataset, *, mixture: MixtureLike, **options: Unpack[LearnArguments]) -> Mixture: ...
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
    progress: Progress | bool = False,
    validation: Dataset | None = None,
    cuts: bool = False,
    mixture: MixtureLike | None = None,
) -> AnyNetwork:
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
            the one most tied to those placed (`depnet.learning.options`).
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
        progress: True: a bar, by tqdm where it is installed; or a function, called as progress(done, nodes) after each node.
        validation: the rows held out for "auto"; None: parts of `dataset`.
        cuts: whether sources may also split a binned variable at an edge between its bins, into those below and those
            above: a split and merges in one step (`depnet.learning.cuts`). A split on many bins pays for many
            leaves, a cut for two.
        mixture: in how many orders the rows are learned, to make one law together (ours, beyond the paper; `Mixture`,
            docs/boosting.md); "auto": as many as held-out rows gain from. With penalty="auto" each order also has a hidden
            class where held-out rows gain by it: one component for each class. None: one network.

    Returns:
        The network, an immutable value; a `Mixture` where one is asked for.

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
    _check_validation(validation, dataset, options)
    rows = TrainingRows(dataset, validation=validation)
    count = None if mixture is None else checked_components(mixture)
    with show_progress("learning", progress) as tell:
        work = Work.of(n_jobs, max_seconds, tell)
        if mixture is not None:
            return learn_mixture(learn_with_choice, rows, options, count, work)
        found = learn_with_choice(rows, options, work)[0]
    return replace(found, tiers=tiers_of(dataset.domain, order))


def _check_validation(validation: Dataset | None, dataset: Dataset, options: LearnOptions) -> None:
    """Refuse rows to score on that nothing looks at, that have other variables, or are none."""
    if validation is None:
        return
    if options.auto is None and not isinstance(options.boost, AutoBoost):
        raise LearningError(
            'validation rows are used by penalty="auto" and boost="auto" alone: ask for one, or leave validation out.'
        )
    check_same_domain("validation", dataset.domain, validation)
    if validation.total == 0:
        raise LearningError("validation has no rows; leave it out, and rows of the data are held out.")


def learn_with_choice(
    rows: Dataset | TrainingRows,
    options: LearnOptions,
    work: Work = Work(),  # noqa: B008  # a frozen value
) -> tuple[Network, Choice | None]:
    """`learn`, and what penalty="auto" chose: None of other penalties.

    What is made of the rows for one network is there for the next one, where they are `TrainingRows`.
    """
    learned = learn_graphs if options.boost is None else learn_boosted
    return learned(TrainingRows.of(rows), options, work)


GRAPHS_SHARE = 0.3
"""Of `max_seconds`, what the decision graphs take at most; stages have what is left."""
LEAST_SMOOTHING = 0.5
"""The pseudo-count of graphs where none was asked for: stages start from finite scores, and held-out rows have some."""


def learn_boosted(rows: TrainingRows, options: LearnOptions, work: Work) -> tuple[Network, Choice | None]:
    """The network, its nodes boosted, and what penalty="auto" chose: its trial networks are so, too."""
    boost, asked = options.boost, options.smoothing
    if asked == 0.0:
        options = replace(options, smoothing=LEAST_SMOOTHING)
    nodes = len(rows.domain)
    if isinstance(boost, AutoBoost):
        network, choice = learn_graphs(rows, options, work.share(GRAPHS_SHARE).stage(nodes, 0, 2))
        work = work.stage(nodes, 1, 2)
    else:  # stages are added to base rates, one leaf each, where they are not to graphs
        added = isinstance(boost, Boost) and boost.graph > 0
        alone = options if added else replace(options, max_leaves=1, penalty=Mdl())
        network, choice = learn_graphs(rows, alone, Work())
    specs = node_specs(rows.domain, replace(options, order=network.order))
    names, only = rows.domain.names, options.boosted
    readable = {
        i: inputs
        for i, inputs in readable_inputs(specs, rows.domain).items()
        if only is None or names[i] in only
    }
    if isinstance(boost, Boost):
        network = boosted_network(rows.dataset, network, readable, within(boost, options), work)
    elif isinstance(boost, AutoBoost):
        if choice is None:
            penalties = [options.fixed_penalty] * len(specs)
            graphs = [
                learn_nodes(
                    learned, specs, penalties, options, Work(work.threads), smoothing=options.smoothing
                )
                for learned, _ in rows.held_out
            ]
        else:
            graphs = list(choice.tried)
        parts = [
            (learned.dataset, scored, each)
            for (learned, scored), each in zip(rows.held_out, graphs, strict=True)
        ]
        given = candidates_for(rows.total) if boost.candidates is None else boost.candidates
        candidates = [within(each, options) for each in given]
        digits = within(DIGITS, options)
        network, tried = chosen_boost(
            rows.dataset, network, parts, readable, candidates, digits, boost.runs, work
        )
        choice = None if choice is None else replace(choice, tried=tried)
    if asked == 0.0:  # nodes that stay graphs have no pseudo-counts where none were asked for
        plain = tuple(node if node.boosted else node.smoothed(0.0) for node in network.nodes)
        network = replace(network, nodes=plain)
    return network, choice


def within(boost: Boost, options: LearnOptions) -> Boost:
    """The settings within limits on leaves. A row has a curvature of at most 1/4: so a leaf has rows enough."""
    leaves = boost.leaves if options.max_leaves is None else min(boost.leaves, options.max_leaves)
    return replace(
        boost, leaves=leaves, least_curvature=max(boost.least_curvature, options.min_leaf_rows / 4)
    )


def boosted_network(
    dataset: Dataset, network: Network, readable: Readable, settings: Boost, work: Work
) -> Network:
    """The nodes of `readable` boosted with these settings; after `max_seconds` nodes stay as they are."""
    rows, stop = BoostRows.of(dataset, all_tests(dataset)), native.Stop()

    def grow(i: int) -> Node | None:
        tree = tree_of(rows, i) if has_digits(dataset.domain.variables[i]) else None
        grower = NodeGrower(rows, i, tree, readable[i], work.ends, stop)
        return grower.started(settings, network.nodes[i]).averaged_node(settings)

    return with_nodes(network, grow_nodes(grow, readable, network, work, stop))
