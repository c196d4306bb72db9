"""`learn`: the whole network from a table, node by node (Sec. 4).

The cost decomposes into one problem a node (Eq. cost), so nodes are learned one by one or at once on
many threads: the network is the same. Each is grown by greedy splits and merges (Algorithm 3 with the
candidates of Sec. 4.5) in the native core, and its table is p^D(X_i | Y_i) (Theorem 4).

Nodes are boosted with settings that are given, or where held-out rows say so (`boost="auto"`). One graph is not always worse
than many: where few variables act together in a high order, stages of small graphs need many splits for what one graph says
at once. So the rows that a network was not learned from choose for every node: one of the candidates, how many stages of it,
or its graph.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict, TypeVar, Unpack, overload

import numpy as np

from depnet._native import boost as native
from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.auto import Choice, learn_graphs
from depnet.learning.boost import (
    DIGITS,
    BoostRows,
    Grown,
    NodeGrower,
    all_tests,
    candidates_for,
    has_digits,
    tree_of,
)
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
from depnet.model.boosted import BoostedNode
from depnet.model.mixture import AnyNetwork, Mixture
from depnet.model.network import Network, check_same_domain
from depnet.model.node import Node
from depnet.model.stages import DigitTree
from depnet.threads import Progress, Work, results_in_threads, show_progress

Result = TypeVar("Result")
Readable = Mapping[int, Sequence[int]]
"""Of each variable whose node is boosted, those that its stages may split on."""


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
        mixture: how many ordered networks, each of another order, make one law together (ours, beyond the paper; `Mixture`,
            docs/boosting.md); "auto": as many as held-out rows gain from. None: one network.

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
            'validation rows are for the penalty "auto" and boost="auto"; nothing else looks at held-out rows.'
        )
    check_same_domain("validation", dataset.domain, validation)
    if validation.total == 0:
        raise LearningError("validation has no rows to score on; leave it out to hold out rows of the data.")


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
    else:  # stages are added to base rates: one leaf each
        alone = replace(options, max_leaves=1, penalty=Mdl())
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
        return NodeGrower(rows, i, tree, readable[i], work.ends, stop).averaged_node(settings)

    return _with_nodes(network, _grow_all(grow, readable, network, work, stop))


MORE = 1.1
"""Stages of all rows for each stage of a digit that held-out rows chose: there are more rows then."""


@dataclass(frozen=True, slots=True, eq=False)
class TrialPart:
    """Rows learned from, rows held out, and the network of decision graphs that was learned without these."""

    rows: BoostRows
    held: BoostRows
    network: Network


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """A node as it was grown without each part, with as many stages as are best on the rows of all parts."""

    settings: Boost
    stages: list[int]
    """To be grown from all rows, of each part of the node."""
    growers: list[NodeGrower]
    grown: list[list[Grown]]


def try_node(
    growers: Sequence[NodeGrower],
    parts: Sequence[TrialPart],
    candidates: Sequence[Boost],
    tell: Progress | None = None,
) -> Tried | None:
    """A node whose settings are chosen by the first part's held-out rows, and its stages by those of all parts.

    It has a grower of the rows of each part. None where the time does not suffice.
    """
    done, steps = itertools.count(1), len(candidates) + len(parts)  # and the node of all rows

    def grow(grower: NodeGrower, settings: Boost, part: TrialPart) -> list[Grown] | None:
        grown = grower.grow(settings, held=part.held)
        if tell is not None:
            tell(next(done), steps)
        return grown

    first: list[tuple[float, Boost, list[Grown]]] = []
    for settings in candidates:
        grown = grow(growers[0], settings, parts[0])
        if grown is None:
            return None
        first.append((sum(float(one.held_scores.max()) for one in grown), settings, grown))
    _, settings, grown = max(first, key=lambda each: each[0])
    every = [grown]
    for grower, part in zip(growers[1:], parts[1:], strict=True):
        grown = grow(grower, settings, part)
        if grown is None:
            return None
        every.append(grown)
    tree = growers[0].tree
    best = choose_stages(tree, every)
    kept = [[one.first(m) for one, m in zip(each, best, strict=True)] for each in every]
    more = best if tree is None else [round(MORE * m) for m in best]
    return Tried(settings, more, list(growers), kept)


def choose_stages(tree: DigitTree | None, parts: Sequence[Sequence[Grown]]) -> list[int]:
    """How many stages each part of a node has: as many as score best on the held-out rows of all `parts` of the rows.

    Few held-out rows reach a vertex of a tree, and say little: so the mean of what the vertices at its depth gain is added
    to what it gains itself.
    """
    longest = max(len(one.held_scores) for part in parts for one in part)
    gains = np.zeros((len(parts[0]), longest))
    for part in parts:
        for v, one in enumerate(part):
            curve = one.held_scores - one.held_scores[0]
            gains[v] += np.pad(curve, (0, longest - len(curve)), "edge")
    if tree is None:
        return [int(np.argmax(gains[0]))]
    for depth in np.unique(tree.depths):
        own = tree.depths == depth
        gains[own] += gains[own].mean(axis=0)
    shortest = np.min([[one.stages for one in part] for part in parts], axis=0)
    return [int(count) for count in np.minimum(np.argmax(gains, axis=1), shortest)]


def chosen_boost(
    dataset: Dataset,
    network: Network,
    parts: Sequence[tuple[Dataset, Dataset, Network]],
    readable: Readable,
    candidates: Sequence[Boost],
    digits: Boost,
    runs: int,
    work: Work,
) -> tuple[Network, tuple[Network, ...]]:
    """The nodes of `readable` boosted where held-out rows say so; and the same as learned without each part.

    `parts` are rows to learn from, rows to score on, and the network learned from the first. Where the rows to learn
    from are all of the dataset's, the trials' own stages are taken. Numbers have the settings `digits`.
    """
    tests = all_tests(dataset)
    tried_parts = [
        TrialPart(BoostRows.of(learned, tests), BoostRows.of(held, tests), graphs)
        for learned, held, graphs in parts
    ]
    alone = len(parts) == 1 and parts[0][0] is dataset
    rows = tried_parts[0].rows if alone else BoostRows.of(dataset, tests)
    stop = native.Stop()
    tell = work.stage(len(network), 0, 1).progress if len(readable) == 1 else None  # else nodes are told of

    def choose(i: int) -> tuple[float, list[BoostedNode]] | None:
        """What the node gains over its graph, nats of all held-out rows; and the node, of all rows and without each part."""
        tree = tree_of(rows, i) if has_digits(dataset.domain.variables[i]) else None
        whole = NodeGrower(rows, i, tree, readable[i], work.ends, stop)
        growers = [replace(whole, rows=part.rows) for part in tried_parts]
        tried = try_node(growers, tried_parts, candidates if tree is None else (digits,), tell)
        if tried is None:
            return None
        made = [grower.node(each) for grower, each in zip(tried.growers, tried.grown, strict=True)]
        gained = sum(
            float(
                (one.log_theta(part.held.dataset) - part.network.nodes[i].log_theta(part.held.dataset)).sum()
            )
            for one, part in zip(made, tried_parts, strict=True)
        )
        if gained <= 0 or not any(tried.stages):
            return None
        settings = replace(tried.settings, runs=runs)
        node = made[0] if alone else whole.averaged_node(settings, tried.stages)
        return None if node is None else (gained, [node, *made])

    chosen = _grow_all(choose, readable, network, work, stop)
    tried = tuple(
        _with_nodes(part.network, {i: nodes[k] for i, (_, nodes) in chosen.items()})
        for k, part in enumerate(tried_parts, 1)
    )
    whole = _with_nodes(network, {i: nodes[0] for i, (_, nodes) in chosen.items()})
    if whole.held_out is not None:
        gained = sum(each for each, _ in chosen.values()) / whole.held_out.rows
        whole = replace(whole, held_out=replace(whole.held_out, score=whole.held_out.score + gained))
    return whole, tried


def _grow_all(
    grow: Callable[[int], Result | None], readable: Readable, network: Network, work: Work, stop: native.Stop
) -> dict[int, Result]:
    """What is grown of each variable, where anything is; progress counts to all nodes of the network."""
    done, nodes = itertools.count(1), len(network)

    def tell() -> None:
        work.tell(next(done) * nodes // max(len(readable), 1), nodes)

    found = results_in_threads(grow, list(readable), work.threads, told=tell, stop=stop.set)
    if not readable:
        tell()
    return {i: one for i, one in zip(readable, found, strict=True) if one is not None}


def _with_nodes(network: Network, nodes: Mapping[int, Node]) -> Network:
    return replace(network, nodes=tuple(nodes.get(i, node) for i, node in enumerate(network.nodes)))
