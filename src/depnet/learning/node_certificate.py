r"""One node's part of a certificate: how far its theta is from the data, and what its source costs.

For any theta, the proof of Theorem 4 gives, with all entropies those of p^D,

.. math:: KL(p^D \| E(\theta_i)) = \sum_y p^D(y) KL(p^D(X_i \mid y) \| \theta_i(X_i \mid y))
          + H(X_i \mid Y_i) - H(X_i \mid X_{-i}).

A boosted node has no table of its own to be compared leaf by leaf, and no k for a penalty; but the left side needs only
theta, for by its definition it is a cross-entropy less an entropy, for any theta whatever:

.. math:: KL(p^D \| E(\theta_i)) = -\langle \log \theta_i(X_i \mid X_{-i}) \rangle_{p^D} - H(X_i \mid X_{-i}).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import rel_entr

from depnet.arrays import IntArray
from depnet.data.table.dataset import Dataset
from depnet.learning.cost import conditional_entropy
from depnet.learning.penalty import Penalty, StructuralMdl, penalty_value
from depnet.model.counting import leaf_counts
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph, Split
from depnet.model.sources.source import ConstantSource, InformationSource


@dataclass(frozen=True, slots=True)
class NodeCertificate:
    """One node's part, in nats per row; all entropies are those of p^D."""

    variable: int
    name: str
    leaves: int
    """|Y_i|; 0 of a boosted node, whose table is not free."""
    parameters: int
    """k_i = |Y_i| (|X_i| - 1); 0 of a boosted node."""
    entropy: float
    """H(X_i), all that one leaf knows."""
    source_entropy: float
    """H(X_i | Y_i); of a boosted node the cross-entropy -<log theta_i> instead."""
    full_entropy: float
    """H(X_i | X_-i), of an ordered network H(X_i | X_i<): given all that Y_i may read, from distinct rows."""
    misfit: float
    """Sum over y of p(y) KL(p(X_i | y) || theta_i(X_i | y)): 0 for the table of Theorem 4, and of a boosted node."""
    penalty: float
    """R(k_i, N); 0 of a boosted node."""
    naming: float
    """What a structural penalty charges for the path of operations; no part of R."""

    @property
    def boosted(self) -> bool:
        """Is theta a sum of stages? Then there are no leaves, no k and no R."""
        return self.leaves == 0

    @property
    def kl(self) -> float:
        """KL(p^D || E(theta_i)), by the proof of Theorem 4; of an ordered network the node's part of KL(p^D || Q)."""
        return self.misfit + max(self.source_entropy - self.full_entropy, 0.0)

    @property
    def one_leaf_kl(self) -> float:
        """The same of a node with one leaf: H(X_i) - H(X_i | X_-i), or H(X_i) - H(X_i | X_i<)."""
        return max(self.entropy - self.full_entropy, 0.0)

    @property
    def cost(self) -> float:
        """cost_i = KL(p^D || E(theta_i)) + R(k_i, N) (Eq. cost)."""
        return self.kl + self.penalty


def node_certificate(
    node: Node, dataset: Dataset, full_entropy: float, penalty: Penalty, admissible: int, *, learned: bool
) -> NodeCertificate:
    """What the rows say of one node, given `full_entropy`, which is of all nodes together.

    A split of it could name `admissible` variables; where it was `learned` from these rows, its table holds the counts.
    """
    rows = dataset.total
    if node.boosted:
        return _of_boosted(node, dataset, full_entropy)
    kept = node.table.counts if learned else None
    counts = leaf_counts(node.source, node.variable, dataset) if kept is None else kept
    parameters = node.source.size * (node.table.states - 1)
    return NodeCertificate(
        variable=node.variable,
        name=dataset.domain.variables[node.variable].name,
        leaves=node.source.size,
        parameters=parameters,
        entropy=conditional_entropy(counts.sum(axis=0, keepdims=True), rows),
        source_entropy=conditional_entropy(counts, rows),
        full_entropy=full_entropy,
        misfit=_misfit(counts, node, rows),
        penalty=penalty_value(penalty, parameters, rows),
        naming=_naming_cost(node.source, admissible, rows, penalty),
    )


def _of_boosted(node: Node, dataset: Dataset, full_entropy: float) -> NodeCertificate:
    """By cross-entropy: whatever theta is."""
    weights = np.ones(dataset.rows) if dataset.weights is None else dataset.weights
    one_leaf = leaf_counts(ConstantSource(), node.variable, dataset)
    return NodeCertificate(
        variable=node.variable,
        name=dataset.domain.variables[node.variable].name,
        leaves=0,
        parameters=0,
        entropy=conditional_entropy(one_leaf, dataset.total),
        source_entropy=-float(node.log_theta(dataset) @ weights) / dataset.total,
        full_entropy=full_entropy,
        misfit=0.0,
        penalty=0.0,
        naming=0.0,
    )


def _naming_cost(source: InformationSource, admissible: int, rows: int, penalty: Penalty) -> float:
    """What a structural penalty charged for the path of operations, in nats per row; 0 for others.

    `admissible` is the number of variables that a split could name: n - 1, less those forbidden.
    """
    if not (isinstance(penalty, StructuralMdl) and isinstance(source, DecisionGraph)):
        return 0.0
    leaves, total = 1, 0.0
    for operation in source.operations:
        if isinstance(operation, Split):
            total += penalty.split_name(leaves, admissible, rows)
            leaves += source.cardinalities[operation.variable] - 1
        else:
            total += penalty.merge_name(leaves, rows)
            leaves -= 1
    return total


def _misfit(counts: IntArray, node: Node, rows: int) -> float:
    totals = counts.sum(axis=1)
    filled = totals > 0
    p = counts[filled] / totals[filled, None]
    each = rel_entr(p, node.table.probabilities[filled]).sum(axis=1)
    return max(float(totals[filled] @ each), 0.0) / rows if np.isfinite(each).all() else float("inf")
