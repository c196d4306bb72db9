"""Update rules: what one node of a network does in a chain once evidence is known (Algorithm 2).

Clamped variables are constants. A node all of whose variables are clamped leaves the scan; one with some
of its variables clamped, or with a set or weights of states as evidence, stays with theta tilted:
theta(x | y) w(x) / sum over x' of theta(x' | y) w(x'), w being the product of the evidence's weights.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.errors import EvidenceError
from depnet.model import Evidence, InformationSource, Network, Node
from depnet.sampling.thresholds import ALWAYS, thresholds_of


@dataclass(frozen=True, slots=True)
class UpdateRule:
    """Node `number`: draw the joint state of `variables` from the row of thresholds of its leaf.

    Where `limit` equals the number of thresholds in a row, some rows have no mass left under the
    evidence: those rows draw the state `limit`, which means "impossible".
    """

    number: int
    variables: tuple[int, ...]
    states: NDArray[np.uint16]  # [joint state, variable]: the codes of every joint state
    source: InformationSource
    thresholds: NDArray[np.uint32]  # [leaf, states - 1], or [leaf, states] with impossible rows
    weights: FloatArray  # [leaf, state]: theta times the evidence's weights
    limit: int

    @property
    def impossible(self) -> bool:
        """Whether some row has no mass left."""
        return bool(self.thresholds.shape[1] == self.limit)


def update_rules(network: Network, evidence: Evidence) -> tuple[UpdateRule, ...]:
    """The rules of the free nodes, in the order of the network."""
    return tuple(update_rule(network, number, evidence) for number in evidence.free_nodes(network))


def update_rule(network: Network, number: int, evidence: Evidence) -> UpdateRule:
    """The rule of one node: its table tilted by the evidence, as thresholds."""
    node = network.nodes[number]
    tilt = tilt_of(network, node.variables, evidence)
    weights = node.table.probabilities if tilt is None else node.table.probabilities * tilt
    thresholds, limit = checked_thresholds(network, node, weights)
    return UpdateRule(
        number,
        node.variables,
        joint_states([network.domain.cardinalities[i] for i in node.variables]),
        node.source,
        thresholds,
        weights,
        limit,
    )


def checked_thresholds(network: Network, node: Node, weights: FloatArray) -> tuple[NDArray[np.uint32], int]:
    """Thresholds of rows some of which may be empty, and the first state that means "impossible"."""
    states = weights.shape[1]
    empty = weights.sum(axis=1) == 0
    if not empty.any():
        return thresholds_of(weights), states
    if empty.all():
        names = " x ".join(network.domain.variables[i].name for i in node.variables)
        raise EvidenceError(
            f"the evidence leaves no state of {names} possible: its conditional table gives probability 0 to "
            "every state that the evidence allows. Smooth the tables, or allow more states."
        )
    rows = np.zeros((len(weights), states), dtype=np.uint32)
    rows[~empty, :-1] = thresholds_of(weights[~empty])
    rows[~empty, -1] = ALWAYS
    return rows, states


def tilt_of(network: Network, variables: Sequence[int], evidence: Evidence) -> FloatArray | None:
    """The evidence's weight of every joint state of `variables`, row-major; None if all are 1."""
    if not any(i in evidence.clamped or i in evidence.tilts for i in variables):
        return None
    tilt = np.ones(1)
    for i in variables:
        weights = np.ones(network.domain.cardinalities[i])
        if i in evidence.clamped:
            weights = np.zeros(network.domain.cardinalities[i])
            weights[evidence.clamped[i]] = 1.0
        elif i in evidence.tilts:
            weights = np.asarray(evidence.tilts[i])
        tilt = (tilt[:, None] * weights).ravel()
    return tilt


def joint_states(cardinalities: Sequence[int]) -> NDArray[np.uint16]:
    """The codes of every joint state, row-major: [product of cardinalities, variables]."""
    states = list(itertools.product(*map(range, cardinalities)))
    return np.array(states, dtype=np.uint16).reshape(math.prod(cardinalities), len(cardinalities))


def start_weights(rule: UpdateRule, node: Node) -> FloatArray:
    """The node's marginal, from which chains start: the mean of its rows, tilted like them.

    Rows are weighted by the data behind them where the table has counts, and alike where it has none.
    """
    share = np.ones(len(rule.weights))
    if node.table.counts is not None and node.table.counts.sum() > 0:
        share = node.table.counts.sum(axis=1).astype(np.float64)
    mean = share @ rule.weights
    if mean.sum() > 0:
        return np.asarray(mean)
    return np.asarray(rule.weights.sum(axis=0))  # the data never met this evidence
