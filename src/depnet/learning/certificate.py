r"""The certificate of a network: how far its law is from the data, from the data alone.

*A dependency network* is joined by pseudo-Gibbs sampling. For any theta, the proof of Theorem 4 gives, with all
entropies those of p^D,

.. math:: KL(p^D \| E(\theta_i)) = \sum_y p^D(y) KL(p^D(X_i \mid y) \| \theta_i(X_i \mid y))
          + H(X_i \mid Y_i) - H(X_i \mid X_{-i}),

one node's part, and Theorem 3 bounds where the stationary law pi of the random scan
lies:

.. math:: FC(p^D \| \pi) \le FC_{\lim}(p^D) = \sum_i c_i KL(p^D \| E(\theta_i)).

FC_lim(p) - FC(p || pi) is the mean over p of sum over i of c_i log(pi(x) / pi_i(x)), pi_i being pi after an update of node
i. By Jensen's inequality the sum is not negative wherever pi(x) = sum of c_i pi_i(x) > 0; so the bound needs pi > 0 on the
states of the data, and a law pi that does not depend on where the chain starts: one recurrent class with all states of the
data in it. Positive tables have one class, all states. With zeros, small joint domains are searched. Larger ones are given
a *hub*: where every node has a state of X_i that all its leaves allow, one sweep leads from anywhere to the joint state of
these, so that there is one class; a row's state is in it where the hub leads to it, one variable at a time. Both conditions
suffice; where they fail on a large domain, nothing is known.

*An ordered network* has its law Q explicitly, and its distance is known, not only bounded (ours). With i< for the
variables before X_i in the order, again for any theta,

.. math:: KL(p^D \| Q) = -\mathrm{score} - H(p^D)
          = \sum_i \Big( \sum_y p^D(y) KL(p^D(X_i \mid y) \| \theta_i(X_i \mid y))
          + H(X_i \mid Y_i) - H(X_i \mid X_{i<}) \Big).

Since FC <= KL, this is the stronger statement, and it needs no condition.

On wide tables nearly every row is distinct, H(X_i | X_-i) and H(X_i | X_i<) are near 0 and either number says little; so
that of the network that knows nothing, one leaf a node, stands beside it: independent columns. The certificate is about
the rows it was computed from: after `Network.updated` it no longer holds.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from depnet.arrays import CodeArray
from depnet.data.table.dataset import Dataset
from depnet.errors import NoSuchBoundError, ScanError
from depnet.geometry.chain import FreeChain, closed_classes, in_words
from depnet.geometry.size import MAX_AXES
from depnet.learning import limits
from depnet.learning.cost import (
    Mdl,
    Penalty,
    PenaltyLike,
    checked_penalty,
    conditional_entropy,
    misfit_of,
    penalty_value,
)
from depnet.learning.rows import Contexts
from depnet.model.mixture import AnyNetwork
from depnet.model.network import Network, check_same_domain
from depnet.model.node import Node
from depnet.model.scan import RandomScan
from depnet.model.sources.source import ConstantSource
from depnet.model.table import leaf_counts
from depnet.notebook import Bar, Cell, card, note, table
from depnet.wording import plural


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


def node_certificate(node: Node, dataset: Dataset, full_entropy: float, penalty: Penalty) -> NodeCertificate:
    """What the rows say of one node, given `full_entropy`, which is of all nodes together."""
    rows = dataset.total
    leaves = parameters = 0
    misfit = cost = 0.0
    if node.boosted:  # by cross-entropy: whatever theta is
        counts = leaf_counts(ConstantSource(), node.variable, dataset)
        weights = np.ones(dataset.rows) if dataset.weights is None else dataset.weights
        known = -float(node.log_theta(dataset) @ weights) / rows
    else:
        counts = leaf_counts(node.source, node.variable, dataset)
        known = conditional_entropy(counts, rows)
        leaves = node.source.size
        parameters = leaves * (node.table.states - 1)
        misfit = misfit_of(counts, node.table.probabilities, rows)
        cost = penalty_value(penalty, parameters, rows)
    return NodeCertificate(
        variable=node.variable,
        name=dataset.domain.variables[node.variable].name,
        leaves=leaves,
        parameters=parameters,
        entropy=conditional_entropy(counts.sum(axis=0, keepdims=True), rows),
        source_entropy=known,
        full_entropy=full_entropy,
        misfit=misfit,
        penalty=cost,
    )


SHOWN = 20
"""Nodes that are printed: those furthest from the data."""

BIT = math.log(2)
"""Nats."""

BOOSTED_NOTE = "boosted nodes: H(X|Y) is the cross-entropy -<log theta>, and they have no R"


@dataclass(frozen=True, slots=True)
class Certificate:
    """Every node's part in how far a network is from its rows, and what they sum to; print it.

    The theory is in `depnet.learning.certificate`.

    Attributes:
        nodes: one `NodeCertificate` each.
        weights: c_i of the random scan; of a law, which is a plain sum, 1.
        rows: N, the sum of the row weights.
        kind: "network", which has `fc_limit`, or "law", of an ordered one, which has `kl`.
        no_bound: why Theorem 3 gives no bound, and what to do; None where it gives one.

    >>> from depnet import learn, titanic
    >>> law = certificate(learn(titanic(), smoothing=0.5, order="auto"), titanic())
    >>> law.kind, round(law.kl, 4), round(law.one_leaf_limit, 4)
    ('law', 0.0054, 0.2825)
    """

    nodes: tuple[NodeCertificate, ...]
    weights: tuple[float, ...]
    rows: int
    kind: Literal["network", "law"] = "network"
    no_bound: str | None = None

    @property
    def fc_limit(self) -> float:
        """FC_lim(p^D): FC(p^D || pi) is at most this (Theorem 3). Infinite where there is no bound: see `no_bound`.

        `total("kl")` is the sum of the c_i KL(p^D || E(theta_i)) whether it bounds anything or not.
        """
        if self.kind == "law":
            raise NoSuchBoundError(
                "the certificate of an ordered network has no fc_limit: its kl is KL(data || law) itself, and "
                "FC(data || law) is never more than that. Ask for .kl."
            )
        return self.total("kl") if self.no_bound is None else math.inf

    @property
    def kl(self) -> float:
        """KL(p^D || Q) of an ordered network's law Q, exactly: -score - H(p^D)."""
        if self.kind == "network":
            raise NoSuchBoundError(
                "the certificate of a dependency network has no kl: the law of its chain has no explicit density. Ask for "
                ".fc_limit, or learn with order='auto'."
            )
        return self.total("kl")

    @property
    def one_leaf_limit(self) -> float:
        """The same, fc_limit or kl, of the network with one leaf a node: what independent columns have."""
        return self.total("one_leaf_kl")

    @property
    def cost(self) -> float:
        """The sum over nodes of c_i cost_i (Eq. cost)."""
        return self.total("cost")

    @property
    def score(self) -> float:
        """The mean over rows of the sum over nodes of log theta_i, in nats: what `depnet.score` is."""
        return -float(sum(node.source_entropy + node.misfit for node in self.nodes))

    def total(self, quantity: str) -> float:
        """The sum over nodes of c_i times a quantity.

        Args:
            quantity: the name of a field or property of `NodeCertificate`, such as "source_entropy".

        Returns:
            The sum, in the unit of the quantity.
        """
        return float(
            sum(c * getattr(node, quantity) for c, node in zip(self.weights, self.nodes, strict=True))
        )

    @property
    def said(self) -> str:
        """What is proven, in one line for a person."""
        nothing = self.one_leaf_limit
        if self.kind == "law":
            known = "infinitely far" if math.isinf(self.kl) else f"{self.kl / BIT:.4g} bits a row"
            zero = f": a table gives 0 to a row. {REMEDY}" if math.isinf(self.kl) else ""
            return f"the law is {known} from these rows, KL(data || law); independent columns are {nothing / BIT:.4g}{zero}"
        if self.no_bound is not None:
            return f"no bound on FC(data || model): {self.no_bound}"
        return (
            f"FC(data || model) <= {self.fc_limit:.4g} nats, proven (Theorem 3, random scan); one leaf a node: "
            f"{nothing:.4g}"
        )

    def __str__(self) -> str:
        heads, rows = self._columns()
        widths = [max(len(cells[at]) for cells in (heads, *rows)) for at in range(len(heads))]
        lines = [self.said, f"certificate from {self.rows:,} rows, nats per row"]
        for name, *numbers in (heads, *rows):
            shown = (f"{number:>{width}}" for number, width in zip(numbers, widths[1:], strict=True))
            lines.append(f"{name:{widths[0]}}  {'  '.join(shown)}")
        if len(self.nodes) > SHOWN:
            lines.insert(-1, f"... and {len(self.nodes) - SHOWN:,} nodes nearer to the data")
        return "\n".join([*lines, *([BOOSTED_NOTE] if self._boosted else [])])

    def _repr_html_(self) -> str:
        """For notebooks: what is proven, and each node's part in it, with a bar, those furthest from the data first."""
        heads, rows = self._columns()
        parts = [float(row[heads.index("KL")]) for row in rows[:-1]]
        top = max(parts) or 1.0
        bars: list[Cell] = [Bar(part / top) if math.isfinite(top) else "" for part in parts]
        cells = [[row[0], bar, *row[1:]] for row, bar in zip(rows, [*bars, ""], strict=True)]
        notes = [f"nats per row, from {plural(self.rows, 'row')}"]
        if (left := len(self.nodes) - SHOWN) > 0:
            notes.append(f"{left:,} nodes nearer to the data are in the last line only")
        if self._boosted:
            notes.append(BOOSTED_NOTE)
        return card(self.said, table([heads[0], "", *heads[1:]], cells), note("; ".join(notes)))

    def _columns(self) -> tuple[list[str], list[list[str]]]:
        """The table: its head, a row for each of the nodes furthest from the data, and one of what they sum to."""
        law = self.kind == "law"
        heads = ["node", "leaves", "H(X|Y)", "H(X|before)" if law else "H(X|rest)", "KL", "R", "cost"]
        shown = ("source_entropy", "full_entropy", "kl", "penalty", "cost")
        totals = [self.total(quantity) for quantity in shown]
        if self.no_bound is not None:
            totals[shown.index("kl")] = math.inf  # as a sum it would read as a bound

        def row(name: str, leaves: int, numbers: Sequence[float]) -> list[str]:
            return [name, f"{leaves:,}" if leaves else "boosted", *(f"{number:.6f}" for number in numbers)]

        furthest = sorted(self.nodes, key=lambda node: node.kl, reverse=True)[:SHOWN]
        rows = [row(node.name, node.leaves, [getattr(node, q) for q in shown]) for node in furthest]
        leaves = sum(node.leaves for node in self.nodes)
        return heads, [*rows, row("sum" if law else "c_i-weighted", leaves, totals)]

    @property
    def _boosted(self) -> bool:
        return any(node.boosted for node in self.nodes)


def law_certificate(
    law: AnyNetwork | None,
    dataset: Dataset | None,
    *,
    penalty: PenaltyLike = Mdl(),  # noqa: B008  # a frozen value
) -> Certificate | None:
    """The certificate of a law; None of a mixture, which has no nodes of its own, or where there are no rows."""
    return (
        None
        if dataset is None or not isinstance(law, Network)
        else certificate(law, dataset, penalty=penalty)
    )


def certificate(
    network: Network,
    dataset: Dataset,
    weights: Sequence[float] | None = None,
    *,
    penalty: PenaltyLike = Mdl(),  # noqa: B008  # a frozen value
) -> Certificate:
    """What is proven about `network` from the rows of `dataset`; `depnet.learning.certificate` has the theory.

    It works for any tables and any sources.

    Args:
        network: the network.
        dataset: the rows that it is compared with.
        weights: the c_i of the random scan; None: all alike. An ordered network has none.
        penalty: the one it was learned with; only R and cost depend on it.

    Returns:
        A `Certificate`.

    >>> from depnet import learn, titanic
    >>> certificate(learn(titanic(), smoothing=0.5), titanic()).said
    'FC(data || model) <= 0.004393 nats, proven (Theorem 3, random scan); one leaf a node: 0.1432'
    """
    check_same_domain("certificate", network.domain, dataset)
    rule, contexts = checked_penalty(penalty), Contexts(dataset)
    if network.order is None:
        c = RandomScan(None if weights is None else tuple(weights)).weights_of(len(network)).tolist()
        full = [contexts.entropy_given_others(node.variable) for node in network.nodes]
    else:
        if weights is not None:
            raise ScanError(
                "the certificate of an ordered network has no weights c_i: KL(data || law) is a plain sum over nodes. "
                "Leave weights out."
            )
        c = [1.0] * len(network)
        full = contexts.entropies_in_order(network.order)
    nodes = tuple(
        node_certificate(node, dataset, known, rule) for node, known in zip(network.nodes, full, strict=True)
    )
    if network.order is not None:
        return Certificate(nodes, tuple(c), dataset.total, "law")
    zero = next((node.name for node in nodes if math.isinf(node.misfit)), None)
    why = (
        why_no_bound(network, contexts.distinct)
        if zero is None
        else f"the table of {zero} gives 0 to a state that the rows have. {REMEDY}"
    )
    return Certificate(nodes, tuple(c), dataset.total, "network", why)


REMEDY = "Smooth the tables: learn with a smoothing of 0.5, or network.smoothed(0.5)."


def why_no_bound(network: Network, rows: Dataset) -> str | None:
    """Why Theorem 3 gives no bound for the distribution of `rows` (distinct ones suffice); None where it does."""
    if all(node.positive for node in network.nodes):
        return None
    codes = rows.codes if rows.weights is None else rows.codes[rows.weights > 0]
    cardinalities = network.domain.cardinalities
    if math.prod(cardinalities) <= limits.SEARCHED_STATES and len(cardinalities) <= MAX_AXES:
        return _search_classes(network, codes)
    if hub_leads_to(network, codes):
        return None
    return (
        "not checked: tables have zeros, and the joint domain is too large to search for recurrent classes, of which "
        f"Theorem 3 needs one that has all states of the rows. {REMEDY}"
    )


def _search_classes(network: Network, codes: CodeArray) -> str | None:
    """Search the recurrent classes among all joint states for a reason."""
    domain, chain = network.domain, FreeChain.of(network)
    classes = closed_classes(chain, network, RandomScan())
    states = np.ravel_multi_index(tuple(codes.T.astype(np.int64)), domain.cardinalities)
    own = next((members for members in classes if states[0] in members), None)
    here = in_words(domain, codes[0])
    if own is None:
        return f"zeros in tables: the chain leaves {here} for good, a state that the rows have. {REMEDY}"
    missed = codes[~np.isin(states, own)]
    if len(missed):
        return (
            f"zeros in tables: from {here} the chain never comes to {in_words(domain, missed[0])}, and the rows have "
            f"both. {REMEDY}"
        )
    if len(classes) > 1:
        there = chain.codes(next(members for members in classes if members is not own)[:1])[0]
        return (
            f"zeros in tables: the chain has several recurrent classes, and its law depends on where it starts; from "
            f"{in_words(domain, there)} it never comes to a state of the rows. {REMEDY}"
        )
    return None


def hub_leads_to(network: Network, codes: CodeArray) -> bool:
    """There is a hub, and it leads to every one of these states, one variable at a time."""
    always = [node.always_possible for node in network.nodes]
    if not all(states.any() for states in always):
        return False
    now = np.empty_like(codes, order="F")
    now[:] = [int(states.argmax()) for states in always]  # one node for each variable, in order
    wanted = codes
    while len(now):
        changed = False
        for node in network.nodes:
            i = node.variable
            open_ = np.flatnonzero(now[:, i] != wanted[:, i])
            if len(open_) == 0:
                continue
            theta = node.probabilities(now[open_])
            can = open_[theta[np.arange(len(open_)), wanted[open_, i]] > 0]
            now[can, i] = wanted[can, i]
            changed = changed or len(can) > 0
        left = (now != wanted).any(axis=1)
        if left.any() and not changed:
            return False
        now, wanted = np.asfortranarray(now[left]), wanted[left]
    return True
