"""The chain that evidence leaves: its free domain, and its updates as tables over that domain (Sec. 5).

Evidence allows some states of each variable: one where the variable is clamped, those of positive weight
where theta is tilted, all where nothing is known. The *free domain* is the product of what is allowed;
variables with one allowed state have no axis in it. Conditional pseudo-Gibbs sampling is pseudo-Gibbs
sampling on the free domain: node i has there the table

    theta_i(x_i | x_-i) w(x_i) / sum over allowed x'_i of theta_i(x'_i | x_-i) w(x'_i).

Where the sum is zero the evidence contradicts the node; the update then leaves the state as it is, and
the context is remembered as `impossible`: it is an error only if the chain keeps coming back to it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet._native import exact as native
from depnet.arrays import FloatArray, IntArray
from depnet.data.table.domain import Domain
from depnet.geometry.size import check_dense
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.enumerate import JointStates

LeafIndices: TypeAlias = NDArray[np.unsignedinteger[Any]]

BYTES_PER_STATE, BYTES_PER_UPDATE, BYTES_PER_BOOSTED = 300, 3, 24
"""What the solver takes for a state of the free domain: its Krylov basis mostly, the leaves, and theta written out."""


@dataclass(frozen=True, slots=True, eq=False)
class FreeChain:
    """The free domain and the updates of the free nodes, in the order of their numbers.

    Laws over the free domain are flat arrays, row-major. Update u is of node `nodes[u]`, which has
    `states[u]` allowed states; the native chain holds its leaves and its tilted theta.
    """

    domain: Domain
    allowed: tuple[IntArray, ...]
    shape: tuple[int, ...]
    nodes: tuple[int, ...]
    states: tuple[int, ...]
    native: native.Chain
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
        check_dense(
            shape,
            bytes_per_state=BYTES_PER_STATE
            + sum(BYTES_PER_BOOSTED if network.nodes[k].boosted else BYTES_PER_UPDATE for k in nodes),
            what="the exact law of the free variables",
        )
        chain = native.Chain(shape)
        positive = True
        for number in nodes:
            node = network.nodes[number]
            leaves, rows = _rows(node, network.domain.cardinalities, allowed, axis_of)
            theta, impossible = _tilted(rows[:, allowed[number]], weights[number])
            axis = axis_of.get(number, -1)
            chain.add(axis, _contexts(node, leaves, allowed, axis_of), theta.reshape(-1), impossible)
            positive = positive and bool((theta > 0).all())
        states = tuple(len(allowed[number]) for number in nodes)
        return cls(network.domain, allowed, shape, nodes, states, chain, positive)

    @property
    def size(self) -> int:
        """The number of states of the free domain."""
        return math.prod(self.shape)

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


def _contexts(
    node: Node, leaves: LeafIndices, allowed: Sequence[IntArray], axis_of: dict[int, int]
) -> LeafIndices:
    """The leaf of each context: all axes but the node's own, those that are no inputs broadcast."""
    others = [i for i in axis_of if i != node.variable]
    narrow = leaves.reshape([len(allowed[i]) if i in node.inputs else 1 for i in others])
    contexts = np.broadcast_to(narrow, [len(allowed[i]) for i in others])
    return np.ascontiguousarray(contexts).reshape(-1)


def _tilted(rows: FloatArray, weights: FloatArray) -> tuple[FloatArray, NDArray[np.uint8]]:
    """Theta of the states that are allowed, tilted; and where it has no mass."""
    theta = np.array(rows * weights, order="C")
    totals = theta.sum(axis=1, keepdims=True)
    np.divide(theta, totals, out=theta, where=totals > 0)
    return theta, (totals[:, 0] == 0).astype(np.uint8)


def _rows(
    node: Node, cardinalities: Sequence[int], allowed: Sequence[IntArray], axis_of: dict[int, int]
) -> tuple[LeafIndices, FloatArray]:
    """Theta for every allowed joint state of the node's free inputs: the number of its row, and the rows that occur."""
    inputs = [i for i in node.inputs if i in axis_of]
    fixed = {i: int(codes[0]) for i, codes in enumerate(allowed)}
    leaves, theta = node.written_out(JointStates(cardinalities, inputs, fixed, dict(enumerate(allowed))))
    occurs = np.zeros(len(theta), dtype=bool)
    occurs[leaves] = True
    kept = np.flatnonzero(occurs)
    renumbered = np.zeros(len(theta), dtype=np.min_scalar_type(len(kept) - 1))
    renumbered[kept] = np.arange(len(kept))
    return renumbered[leaves], theta[kept]
