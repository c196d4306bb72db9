"""The chain that evidence leaves: its free domain, and its updates as tables over that domain (Sec. 5).

Evidence allows some states of each variable: one where the variable is clamped, those of positive weight
where theta is tilted, all where nothing is known. The *free domain* is the product of what is allowed;
variables with one allowed state have no axis in it. Conditional pseudo-Gibbs sampling is pseudo-Gibbs
sampling on the free domain: node i has there the table

    theta_i(x_i | x_-i) w(x_i) / sum over allowed x'_i of theta_i(x'_i | x_-i) w(x'_i).

Where the sum is zero the evidence contradicts the node; the update then leaves the state as it is, and
the context is remembered as `impossible`: it is an error only if the chain keeps coming back to it.

Recurrent classes, the closed sets of joint states that a chain ends in, are the strongly connected components that
nothing leaves, in the graph of what updates lead to: the support of the tables. Numbers play no part, nor do the weights
c_i: they are positive.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.table.variable import Domain
from depnet.errors import EvidenceError, brief
from depnet.geometry.size import check_dense
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, SequentialScan
from depnet.model.sources.source import JointStates

BYTES_PER_STATE, BYTES_PER_UPDATE, BYTES_PER_NEIGHBOUR = 300, 24, 12
"""What the solver takes for a state of the free domain: its Krylov basis, theta written out, and the jumps to the state."""

BYTES_PER_EDGE = 40
"""Memory of the search for classes; under a sequential scan there is a vertex for each state at each place of the order."""

SHOWN_STATES, SHOWN_CLASSES = 3, 4


@dataclass(frozen=True, slots=True, eq=False)
class Update:
    """One node's update: the free domain is seen as [before, the node's own states, behind], row-major."""

    theta: FloatArray
    """[before, state, behind]: theta of every joint state, tilted; 0 where the evidence leaves it no mass."""
    stays: NDArray[np.bool_] | None
    """[before, 1, behind]: the contexts that are impossible, where there are any."""

    def project(self, p: FloatArray) -> FloatArray:
        """p(X_-i) theta_i, flat (Theorem 2)."""
        law = p.reshape(self.theta.shape)
        moved = self.theta * self.contexts(p)[:, None]
        return (moved if self.stays is None else np.where(self.stays, law, moved)).reshape(-1)

    def contexts(self, p: FloatArray) -> FloatArray:
        """p(X_-i), [before, behind]."""
        return functools.reduce(np.add, p.reshape(self.theta.shape).swapaxes(0, 1))


@dataclass(frozen=True, slots=True, eq=False)
class FreeChain:
    """The free domain and the updates of the free nodes, in the order of their numbers.

    Laws over the free domain are flat arrays, row-major. Update u is of node `nodes[u]`, which has
    `states[u]` allowed states.
    """

    domain: Domain
    allowed: tuple[IntArray, ...]
    shape: tuple[int, ...]
    nodes: tuple[int, ...]
    states: tuple[int, ...]
    updates: tuple[Update, ...]
    positive: bool
    """No table has a zero: every state reaches every other, whatever the scan."""

    @classmethod
    def of(cls, network: Network, given: Given | Evidence | None = None) -> "FreeChain":
        """What `given` leaves of `network`; guarded by the size of the free domain."""
        evidence = Evidence.parse(network.domain, given)
        allowed, weights = _allowed(network.domain, evidence)
        nodes = evidence.free_nodes(network)
        axis_of = {i: a for a, i in enumerate(i for i, codes in enumerate(allowed) if len(codes) > 1)}
        shape = tuple(len(allowed[i]) for i in axis_of)
        states = tuple(len(allowed[number]) for number in nodes)
        check_dense(
            shape,
            bytes_per_state=BYTES_PER_STATE
            + BYTES_PER_UPDATE * len(nodes)
            + BYTES_PER_NEIGHBOUR * sum(k - 1 for k in states),
            what="the exact law of the free variables",
        )
        updates = tuple(_update(network, i, allowed, weights[i], axis_of) for i in nodes)
        positive = all((update.theta > 0).all() for update in updates)
        return cls(network.domain, allowed, shape, nodes, states, updates, positive)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def mix(self, weights: FloatArray, p: FloatArray) -> FloatArray:
        """The sum of c_i p_i: one step of the random scan (Eq. p^(t+1))."""
        moved = np.zeros_like(p)
        for c, update in zip(weights.tolist(), self.updates, strict=True):
            moved += c * update.project(p)
        return moved

    def codes(self, states: IntArray) -> IntArray:
        """The codes [m, n] of states given by their place in the free domain."""
        rows = np.empty((len(states), len(self.allowed)), dtype=np.int64)
        rest = np.asarray(states, dtype=np.int64)
        for i in reversed(range(len(self.allowed))):
            rest, place = np.divmod(rest, len(self.allowed[i]))
            rows[:, i] = self.allowed[i][place]
        return rows

    def spread(self, law: FloatArray) -> FloatArray:
        """A law over the free domain as a tensor over the whole domain, zero off the evidence."""
        tensor = np.zeros(self.domain.cardinalities)
        where = np.ix_(*self.allowed)
        tensor[where] = law.reshape([len(codes) for codes in self.allowed])
        return tensor

    def gather(self, tensor: FloatArray) -> FloatArray:
        """The part of a tensor over the whole domain that lies on the evidence, flat."""
        return np.ascontiguousarray(tensor[np.ix_(*self.allowed)]).reshape(-1)


def _allowed(domain: Domain, evidence: Evidence) -> tuple[tuple[IntArray, ...], tuple[FloatArray, ...]]:
    allowed: list[IntArray] = []
    weights: list[FloatArray] = []
    for i, k in enumerate(domain.cardinalities):
        if i in evidence.clamped:
            codes, w = np.array([evidence.clamped[i]]), np.ones(1)
        elif i in evidence.tilts:
            codes = np.flatnonzero(evidence.tilts[i])
            w = evidence.tilts[i][codes]
        else:
            codes, w = np.arange(k), np.ones(k)
        allowed.append(codes.astype(np.int64))
        weights.append(w)
    return tuple(allowed), tuple(weights)


def _update(
    network: Network, i: int, allowed: Sequence[IntArray], weights: FloatArray, axis_of: dict[int, int]
) -> Update:
    node = network.nodes[i]
    inputs = [j for j in node.inputs if j in axis_of]
    fixed = {j: int(codes[0]) for j, codes in enumerate(allowed)}
    states = JointStates(network.domain.cardinalities, inputs, fixed, dict(enumerate(allowed)))
    leaves, rows = node.written_out(states)
    theta: FloatArray = rows[:, allowed[i]] * weights
    totals = theta.sum(axis=1, keepdims=True)
    np.divide(theta, totals, out=theta, where=totals > 0)
    # The leaf of each context: all axes but the node's own, those that are no inputs broadcast.
    others = [j for j in axis_of if j != i]
    narrow = leaves.reshape([len(allowed[j]) if j in inputs else 1 for j in others])
    behind = math.prod(len(allowed[j]) for j in others if j > i)
    contexts = np.broadcast_to(narrow, [len(allowed[j]) for j in others]).reshape(-1, behind)
    impossible = (totals[:, 0] == 0)[contexts]
    full = np.ascontiguousarray(theta[contexts].swapaxes(1, 2))
    return Update(full, impossible[:, None] if impossible.any() else None)


def in_order(chain: FreeChain, network: Network, scan: SequentialScan) -> tuple[int, ...]:
    """The updates in the order of a sequential scan."""
    of = {node: u for u, node in enumerate(chain.nodes)}
    return tuple(of[node] for node in scan.order_of(len(network), chain.nodes))


def closed_classes(chain: FreeChain, network: Network, scan: Scan) -> list[IntArray]:
    """The members of each class; a class that keeps meeting impossible evidence is an `EvidenceError`."""
    if chain.positive:
        return [np.arange(chain.size)]
    from scipy.sparse import coo_array  # takes longer to import than most classes to find
    from scipy.sparse.csgraph import connected_components

    if isinstance(scan, RandomScan):
        order, places = tuple(range(len(chain.nodes))), 1
    else:  # a vertex is a state before a place's update, and leads to the next place
        order = in_order(chain, network, scan)
        places = len(order)
    check_dense(
        chain.shape,
        bytes_per_state=BYTES_PER_EDGE * sum(chain.states),
        what="the search for recurrent classes",
    )
    edges = [_edges(chain.updates[u]) for u in order]
    source = np.concatenate([at % places * chain.size + x for at, (x, _) in enumerate(edges)])
    target = np.concatenate([(at + 1) % places * chain.size + x for at, (_, x) in enumerate(edges)])
    vertices = places * chain.size
    graph = coo_array((np.ones(len(source), dtype=np.bool_), (source, target)), shape=(vertices, vertices))
    components, label = connected_components(graph, connection="strong")
    closed = np.ones(components, dtype=np.bool_)
    closed[label[source[label[source] != label[target]]]] = False
    recurrent = closed[label].reshape(places, chain.size)
    for at, u in enumerate(order):
        update = chain.updates[u]
        if update.stays is None:
            continue
        impossible = np.broadcast_to(update.stays, update.theta.shape).reshape(-1)
        if (met := np.flatnonzero(recurrent[at % places] & impossible)).size:
            context = in_words(chain.domain, chain.codes(met[:1])[0])
            raise EvidenceError(
                f"the evidence is impossible for node {chain.nodes[u]}: it leaves no probability to any allowed state "
                f"where {context}, and the chain keeps coming back there. Relearn with smoothing > 0, or allow more states."
            )
    members = np.flatnonzero(recurrent[0])
    classes = label[members]
    by_class = members[np.argsort(classes, kind="stable")]
    ends = np.flatnonzero(np.diff(np.sort(classes))) + 1
    return sorted(np.split(by_class, ends), key=lambda states: int(states[0]))


def _edges(update: Update) -> tuple[IntArray, IntArray]:
    """From every state to those that the update may lead to."""
    before, k, behind = update.theta.shape
    state = np.arange(update.theta.size).reshape(update.theta.shape)
    leads = np.broadcast_to((update.theta > 0)[:, None], (before, k, k, behind))
    if update.stays is not None:
        leads = leads | (update.stays[:, None] & np.eye(k, dtype=np.bool_)[:, :, None])
    source, target = (
        np.broadcast_to(state[:, :, None], leads.shape),
        np.broadcast_to(state[:, None], leads.shape),
    )
    return source[leads], target[leads]


def describe_states(domain: Domain, codes: IntArray, count: int | None = None) -> str:
    """Some of a class's states, and their number."""
    count = len(codes) if count is None else count
    some = ", ".join(in_words(domain, row) for row in codes[:SHOWN_STATES])
    return f"{{{some}{', ...' if count > SHOWN_STATES else ''}}} of {count:,} state{'s' if count > 1 else ''}"


def describe_classes(chain: FreeChain, classes: Sequence[IntArray]) -> str:
    """That a chain has several recurrent classes, with some states of the first ones."""
    some = [
        describe_states(chain.domain, chain.codes(members[:SHOWN_STATES]), len(members))
        for members in classes[:SHOWN_CLASSES]
    ]
    more = [f"and {len(classes) - SHOWN_CLASSES:,} more"] if len(classes) > SHOWN_CLASSES else []
    return (
        f"the chain has {len(classes):,} recurrent classes, so its law depends on where it starts: "
        f"{'; '.join([*some, *more])}."
    )


def in_words(domain: Domain, row: IntArray | CodeArray, shown: int = 12) -> str:
    parts = [
        f"{v.name}={brief(v.states[c], 40)}" for v, c in zip(domain.variables[:shown], row, strict=False)
    ]
    return f"({', '.join(parts)}{', ...' if len(domain) > shown else ''})"
