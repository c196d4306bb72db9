"""Update rules: what one node of a network does in a chain once evidence is known (Algorithm 2).

Clamped variables are constants, and their nodes leave the scan. A node with a set or weights of states as evidence
stays with theta tilted: theta(x | y) w(x) / sum over x' of theta(x' | y) w(x'), w being the evidence's weights.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.errors import EvidenceError
from depnet.model import Evidence, InformationSource, Network, Node
from depnet.sampling.plan.thresholds import ALWAYS, thresholds_of


@dataclass(frozen=True, slots=True)
class UpdateRule:
    """Node `number`: draw the state of its variable from the row of thresholds of its leaf.

    Where `limit` equals the number of thresholds in a row, some rows have no mass left under the
    evidence: those rows draw the state `limit`, which means "impossible".
    """

    number: int
    source: InformationSource
    thresholds: NDArray[np.uint32]  # [leaf, states - 1], or [leaf, states] with impossible rows
    weights: FloatArray  # [leaf, state]: theta times the evidence's weights
    limit: int

    @property
    def impossible(self) -> bool:
        """Whether some row has no mass left."""
        return bool(self.thresholds.shape[1] == self.limit)


def update_rule(network: Network, number: int, evidence: Evidence) -> UpdateRule:
    """The rule of one node: its table tilted by the evidence, as thresholds."""
    node = network.nodes[number]
    tilt = evidence.tilts.get(node.variable)
    weights = node.table.probabilities if tilt is None else node.table.probabilities * tilt
    thresholds, limit = checked_thresholds(network, node, weights)
    return UpdateRule(number, node.source, thresholds, weights, limit)


def checked_thresholds(network: Network, node: Node, weights: FloatArray) -> tuple[NDArray[np.uint32], int]:
    """Thresholds of rows some of which may be empty, and the first state that means "impossible"."""
    states = weights.shape[1]
    empty = weights.sum(axis=1) == 0
    if not empty.any():
        return thresholds_of(weights), states
    if empty.all():
        raise EvidenceError(
            f"the evidence leaves no state of {network.domain.names[node.variable]} possible: its conditional table "
            "gives probability 0 to every state that the evidence allows. Smooth the tables, or allow more states."
        )
    rows = np.zeros((len(weights), states), dtype=np.uint32)
    rows[~empty, :-1] = thresholds_of(weights[~empty])
    rows[~empty, -1] = ALWAYS
    return rows, states


def start_weights(rule: UpdateRule) -> FloatArray:
    """Where chains start: all states that some leaf allows, alike.

    Chains that start near the product of the marginals agree with each other before they have seen other modes; random
    states fall into whatever modes draw them.
    """
    return np.asarray(rule.weights.sum(axis=0) > 0, dtype=np.float64)
