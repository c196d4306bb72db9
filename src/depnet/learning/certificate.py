r"""The certificate of a network: what Theorem 3 proves about it, from the data alone.

For any theta, the proof of Theorem 4 gives, with all entropies those of p^D,

.. math:: KL(p^D \| E(\theta_i)) = \sum_y p^D(y) KL(p^D(X_i \mid y) \| \theta_i(X_i \mid y))
          + H(X_i \mid Y_i) - H(X_i \mid X_{-i}),

and Theorem 3 bounds where the stationary law pi of the random scan lies:

.. math:: FC(p^D \| \pi) \le FC_{\lim}(p^D) = \sum_i c_i KL(p^D \| E(\theta_i)).

On wide tables nearly every row is distinct, H(X_i | X_-i) is near 0 and the bound says little; so the bound
of the network that knows nothing, one leaf a node, stands beside it. The certificate is about the rows it was
computed from: after `Network.updated` it no longer holds.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import rel_entr, xlogy

from depnet.arrays import IntArray
from depnet.data.dataset import Dataset
from depnet.learning.contexts import Contexts
from depnet.learning.options import Role, plan
from depnet.learning.penalty import Mdl, Penalty, PenaltyLike, StructuralMdl, checked_penalty, penalty_value
from depnet.model.counting import check_same_domain, leaf_counts
from depnet.model.decision_graph import DecisionGraph
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.operations import Split
from depnet.model.scan import RandomScan
from depnet.model.source import InformationSource

SHOWN = 20
"""So many nodes, those furthest from the data, are printed."""


@dataclass(frozen=True, slots=True)
class NodeCertificate:
    """One node's part, in nats per row; all entropies are those of p^D."""

    variables: tuple[int, ...]
    name: str
    leaves: int
    parameters: int
    """k_i = |Y_i| (|X_i| - 1)."""
    entropy: float
    """H(X_i), all that one leaf knows."""
    source_entropy: float
    """H(X_i | Y_i)."""
    full_entropy: float
    """H(X_i | X_-i), from distinct rows."""
    misfit: float
    """Sum over y of p(y) KL(p(X_i | y) || theta_i(X_i | y)): 0 for the table of Theorem 4."""
    penalty: float
    """R(k_i, N)."""
    naming: float
    """What a structural penalty charges for the path of operations; no part of R."""

    @property
    def kl(self) -> float:
        """KL(p^D || E(theta_i)), by the proof of Theorem 4."""
        return self.misfit + max(self.source_entropy - self.full_entropy, 0.0)

    @property
    def one_leaf_kl(self) -> float:
        """The same of a node with one leaf: H(X_i) - H(X_i | X_-i)."""
        return max(self.entropy - self.full_entropy, 0.0)

    @property
    def cost(self) -> float:
        """cost_i = KL(p^D || E(theta_i)) + R(k_i, N) (Eq. cost)."""
        return self.kl + self.penalty


@dataclass(frozen=True, slots=True)
class Certificate:
    """Every node's part, the weights c_i, and the bound; see the module. Printing it shows a table."""

    nodes: tuple[NodeCertificate, ...]
    weights: tuple[float, ...]
    rows: int
    """N, the sum of the row weights."""

    @property
    def fc_limit(self) -> float:
        """FC_lim(p^D): FC(p^D || pi) is at most this (Theorem 3)."""
        return self.total("kl")

    @property
    def one_leaf_limit(self) -> float:
        """FC_lim(p^D) of the network with one leaf a node: what knowing nothing gives."""
        return self.total("one_leaf_kl")

    @property
    def cost(self) -> float:
        """The sum over nodes of c_i cost_i (Eq. cost), without the names of operations."""
        return self.total("cost")

    def total(self, quantity: str) -> float:
        """The sum over nodes of c_i times a quantity of `NodeCertificate`, such as "source_entropy"."""
        return float(
            sum(c * getattr(node, quantity) for c, node in zip(self.weights, self.nodes, strict=True))
        )

    def __str__(self) -> str:
        ordered = sorted(self.nodes, key=lambda node: node.kl, reverse=True)
        width = max([len("c_i-weighted"), *(len(node.name) for node in ordered[:SHOWN])])
        head = f"{'node':{width}} {'leaves':>8} {'H(X|Y)':>10} {'H(X|rest)':>10} {'KL':>10} {'R':>10} {'cost':>10}"
        lines = [f"certificate from {self.rows:,} rows, nats per row", head]
        for node in ordered[:SHOWN]:
            numbers = (node.source_entropy, node.full_entropy, node.kl, node.penalty, node.cost)
            lines.append(f"{node.name:{width}} {node.leaves:8,} " + " ".join(f"{x:10.6f}" for x in numbers))
        if len(ordered) > SHOWN:
            lines.append(f"... and {len(ordered) - SHOWN:,} nodes nearer to the data")
        totals = (self.total(q) for q in ("source_entropy", "full_entropy", "kl", "penalty", "cost"))
        leaves = sum(node.leaves for node in self.nodes)
        lines.append(f"{'c_i-weighted':{width}} {leaves:8,} " + " ".join(f"{x:10.6f}" for x in totals))
        if any(node.naming for node in self.nodes):
            lines.append(f"naming the operations: {self.total('naming'):.6f}, beside R")
        lines.append(f"FC(data || model) <= {self.fc_limit:.6g} (Theorem 3, random scan)")
        lines.append(f"one leaf a node would have {self.one_leaf_limit:.6g}")
        return "\n".join(lines)


def certificate(
    network: Network,
    dataset: Dataset,
    weights: Sequence[float] | None = None,
    *,
    penalty: PenaltyLike = Mdl(),  # noqa: B008  # a frozen value
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
) -> Certificate:
    """What is proven about `network` from the rows of `dataset`: see the module.

    `weights` are the c_i of the random scan, None: all alike. `penalty` is the one it was learned with; only R,
    cost and naming depend on it, and naming also on the `roles` and `forbidden` links it was learned with, which say
    how many variables a split could name. Works for blocks, any tables and any sources.
    """
    check_same_domain("certificate", network.domain, dataset)
    c = RandomScan(None if weights is None else tuple(weights)).weights_of(len(network))
    rule = checked_penalty(penalty)
    contexts = Contexts(dataset)
    admissible = [len(network.domain) - len(node.variables) for node in network.nodes]
    if roles or forbidden:
        names = network.domain.names
        blocks = [tuple(names[i] for i in node.variables) for node in network.nodes]
        tasks = plan(network.domain, blocks=blocks, roles=roles, forbidden=forbidden)
        admissible = [len(task.inputs) for task in tasks[: len(blocks)]]
    nodes = tuple(
        _of_node(node, dataset, contexts, rule, choices)
        for node, choices in zip(network.nodes, admissible, strict=True)
    )
    return Certificate(nodes, tuple(float(x) for x in c), dataset.total)


def _of_node(
    node: Node, dataset: Dataset, contexts: Contexts, penalty: Penalty, admissible: int
) -> NodeCertificate:
    counts = leaf_counts(node.source, node.variables, dataset)
    rows = dataset.total
    parameters = node.source.size * (node.table.states - 1)
    return NodeCertificate(
        variables=node.variables,
        name=" x ".join(dataset.domain.variables[i].name for i in node.variables),
        leaves=node.source.size,
        parameters=parameters,
        entropy=conditional_entropy(counts.sum(axis=0, keepdims=True), rows),
        source_entropy=conditional_entropy(counts, rows),
        full_entropy=contexts.entropy_given_others(node.variables),
        misfit=_misfit(counts, node, rows),
        penalty=penalty_value(penalty, parameters, rows),
        naming=naming_cost(node.source, admissible, rows, penalty),
    )


def conditional_entropy(counts: IntArray, rows: int) -> float:
    """H(p^D(X_i | Y_i)) = 1/N sum over y of (N_y log N_y - sum over x of N_yx log N_yx), in nats."""
    totals = counts.sum(axis=1)
    each = xlogy(totals, totals) - xlogy(counts, counts).sum(axis=1)
    return max(float(each.sum()), 0.0) / rows


def naming_cost(source: InformationSource, admissible: int, rows: int, penalty: Penalty) -> float:
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
