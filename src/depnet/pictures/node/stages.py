r"""How a decision graph was learned: its operations in order, and what each did to the cost (Sec. 4.5).

After t operations the source is Y_t, the graph of the first t. From rows, each stage has the counts of its leaves, and
with them

.. math:: cost'(Y_t) = H(p^D(X_i \mid Y_t)) + R(k_t, N), \qquad k_t = |Y_t| (|X_i| - 1)

which learning lowers with every operation, under the penalty R that it was given. A split looks only at the rows of
its own leaf, and a merge joins two lists of rows, so that all stages together cost little more than the last one.
"""

from dataclasses import dataclass, replace

import numpy as np

from depnet.arrays import IntArray
from depnet.data.table.dataset import Dataset
from depnet.learning.cost import leaf_entropy
from depnet.learning.penalty import Mdl, PenaltyLike, checked_penalty, penalty_value
from depnet.model.counting import check_same_domain
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.operations import Operation, Split
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
    """The stages of a node's source, one more than it has operations; none where it is no decision graph.

    >>> from depnet import learn, titanic
    >>> [stage.leaves for stage in growth(learn(titanic()), "age")]
    [1, 4, 5, 4, 5, 4]
    """
    chosen = network.nodes[node_of(network, node)]
    source = chosen.source
    if not isinstance(source, DecisionGraph):
        return ()
    if dataset is None:
        sizes = [1]
        for operation in source.operations:
            more = source.cardinalities[operation.variable] - 1 if isinstance(operation, Split) else -1
            sizes.append(sizes[-1] + more)
        return tuple(
            Stage(o, size, None, None) for o, size in zip((None, *source.operations), sizes, strict=True)
        )
    check_same_domain("growth", network.domain, dataset)
    rule, rows = checked_penalty(penalty), dataset.total
    grown = _Grown(chosen, dataset)
    stages = []
    done: tuple[Operation | None, ...] = (None, *source.operations)
    for step in done:
        if step is not None:
            grown.apply(step)
        entropy = sum(grown.entropies) / rows
        parameters = len(grown.leaves) * (chosen.table.states - 1)
        cost = entropy + penalty_value(rule, parameters, rows)
        stages.append(Stage(step, len(grown.leaves), entropy, cost))
    return tuple(stages)


def decision_at(network: Network, node: int | str, step: int, dataset: Dataset | None = None) -> Decision:
    """The decision graph after the first `step` operations, with the rows of `dataset` in its leaves.

    Without rows, the leaves of a stage before the last are empty: only the whole graph's counts are kept.
    """
    chosen = network.nodes[node_of(network, node)]
    source = chosen.source
    if not isinstance(source, DecisionGraph) or step >= len(source.operations):
        return decision(network, node)
    first = DecisionGraph(source.operations[:step], source.cardinalities)
    if dataset is not None:
        check_same_domain("decision_at", network.domain, dataset)
        grown = _Grown(chosen, dataset)
        for operation in first.operations:
            grown.apply(operation)
        table = ConditionalTable.from_counts(np.stack(grown.counts), chosen.table.smoothing or 0.0)
        return decision_of(network.domain, Node(chosen.variables, first, table))
    unknown = np.zeros((first.size, chosen.table.states), dtype=np.int64)
    bare = decision_of(
        network.domain, Node(chosen.variables, first, ConditionalTable.from_counts(unknown, 1.0))
    )
    vertices = [replace(v, probabilities=(), rows=None) if isinstance(v, Leaf) else v for v in bare.vertices]
    return replace(bare, vertices=tuple(vertices))


class _Grown:
    """The rows of every leaf, in the paper's numbering, while operations are applied."""

    def __init__(self, node: Node, dataset: Dataset) -> None:
        self.dataset, self.states = dataset, node.table.states
        self.state = dataset.column(node.variable)
        self.cardinalities = dataset.domain.cardinalities
        self.leaves: list[IntArray] = [np.arange(len(dataset.codes))]
        self.counts = [self._count(self.leaves[0])]
        self.entropies = [leaf_entropy(self.counts[0])]

    def apply(self, operation: Operation) -> None:
        if isinstance(operation, Split):
            rows = self._taken(operation.leaf)
            codes = self.dataset.column(operation.variable)[rows]
            for code in range(self.cardinalities[operation.variable]):
                self._put(len(self.leaves), rows[codes == code])
        else:
            later = self._taken(operation.second)
            rows = np.concatenate([self._taken(operation.first), later])
            self._put(operation.first, rows)

    def _taken(self, leaf: int) -> IntArray:
        del self.counts[leaf], self.entropies[leaf]
        return self.leaves.pop(leaf)

    def _put(self, leaf: int, rows: IntArray) -> None:
        counts = self._count(rows)
        self.leaves.insert(leaf, rows)
        self.counts.insert(leaf, counts)
        self.entropies.insert(leaf, leaf_entropy(counts))

    def _count(self, rows: IntArray) -> IntArray:
        weights = None if self.dataset.weights is None else self.dataset.weights[rows]
        return np.bincount(self.state[rows], weights=weights, minlength=self.states).astype(np.int64)
