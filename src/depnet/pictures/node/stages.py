r"""How a decision graph was learned: its operations in order, and what each did to the cost (Sec. 4.5).

After t operations the source is Y_t, the graph of the first t. From rows, each stage has the counts of its leaves, and
with them

.. math:: cost'(Y_t) = H(p^D(X_i \mid Y_t)) + R(k_t, N), \qquad k_t = |Y_t| (|X_i| - 1)

which learning lowers with every operation, under the penalty R that it was given.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.learning.cost import leaf_entropy
from depnet.learning.penalty import Mdl, PenaltyLike, checked_penalty, penalty_value
from depnet.model.counting import check_same_domain, leaf_counts
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.operations import Merge, Operation, Split
from depnet.model.sources.replay import replayed
from depnet.model.table import ConditionalTable
from depnet.pictures.node.decision import Decision, Leaf, decision, decision_of, node_of


@dataclass(frozen=True, slots=True)
class Stage:
    """After an operation (None: before the first). Entropy and cost are in nats per row, None without rows."""

    operation: Operation | None
    leaves: int
    entropy: float | None
    """H(p^D(X_i | Y_t))."""
    cost: float | None
    """cost'(Y_t)."""


def growth(
    network: Network,
    node: int | str,
    dataset: Dataset | None = None,
    penalty: PenaltyLike = Mdl(),  # noqa: B008  # a frozen value
) -> tuple[Stage, ...]:
    """The stages of a node's source, one more than it has operations; none where it is no decision graph, or many.

    Args:
        network: the network.
        node: the number of the node, or the name of its variable.
        dataset: the rows it was learned from, for entropy and cost; None: neither is known.
        penalty: the one it was learned with.

    Returns:
        A `Stage` each: the operation, how many leaves there are then, entropy and cost in nats a row.

    >>> from depnet import learn, titanic
    >>> [stage.leaves for stage in growth(learn(titanic()), "age")]
    [1, 4, 5, 4, 5, 4]
    """
    chosen = network.nodes[node_of(network, node)]
    source = None if chosen.boosted else chosen.source
    if not isinstance(source, DecisionGraph):
        return ()
    if dataset is None:
        more = [
            source.cardinalities[step.variable] - 1 if isinstance(step, Split) else -1
            for step in source.operations
        ]
        sizes = itertools.accumulate(more, initial=1)
        return tuple(
            Stage(step, size, None, None)
            for step, size in zip((None, *source.operations), sizes, strict=True)
        )
    check_same_domain("growth", network.domain, dataset)
    rule, rows = checked_penalty(penalty), dataset.total
    stages = []
    for step, entropies in _replayed(chosen, source, dataset):
        entropy = sum(entropies) / rows
        cost = entropy + penalty_value(rule, len(entropies) * (chosen.table.states - 1), rows)
        stages.append(Stage(step, len(entropies), entropy, cost))
    return tuple(stages)


def decision_at(network: Network, node: int | str, step: int, dataset: Dataset | None = None) -> Decision:
    """The decision graph after the first `step` operations, with the rows of `dataset` in its leaves.

    Without rows, the leaves of a stage before the last are empty: only the whole graph's counts are kept.
    """
    chosen = network.nodes[node_of(network, node)]
    source = None if chosen.boosted else chosen.source
    if not isinstance(source, DecisionGraph) or step >= len(source.operations):
        return decision(network, node)
    first = DecisionGraph(source.operations[:step], source.cardinalities)
    if dataset is not None:
        check_same_domain("decision_at", network.domain, dataset)
        counts = leaf_counts(first, chosen.variable, dataset)
        table = ConditionalTable.from_counts(counts, chosen.table.smoothing or 0.0)
        return decision_of(network.domain, Node(chosen.variables, first, table))
    unknown = ConditionalTable.from_counts(np.zeros((first.size, chosen.table.states), dtype=np.int64), 1.0)
    bare = decision_of(network.domain, Node(chosen.variables, first, unknown))
    vertices = [replace(v, probabilities=(), rows=None) if isinstance(v, Leaf) else v for v in bare.vertices]
    return replace(bare, vertices=tuple(vertices))


def _replayed(
    node: Node, source: DecisionGraph, dataset: Dataset
) -> Iterator[tuple[Operation | None, list[float]]]:
    """Every operation, None before the first, with N H(X_i | y) of each leaf y after it, in the paper's numbering."""
    entropies: list[float] = []
    for step, counts in replayed(source, node.variable, dataset):
        new = [leaf_entropy(each) for each in counts]
        if isinstance(step, Merge):
            del entropies[step.second]
            entropies[step.first] = new[0]
        else:
            if step is not None:
                del entropies[step.leaf]
            entropies += new
        yield step, entropies
