"""Update rules: what one node of a network does in a chain once evidence is known (Algorithm 2).

Clamped variables are constants, and their nodes leave the scan. A node with a set or weights of states as evidence
stays with theta tilted: theta(x | y) w(x) / sum over x' of theta(x' | y) w(x'), w being the evidence's weights.

A boosted node is written out over the inputs that the evidence leaves open, where these have few joint states; elsewhere
its theta, and the thresholds of it, are computed at every update.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.errors import EvidenceError
from depnet.model import Evidence, InformationSource, LosslessSource, Network, Node
from depnet.model.boosted import BoostedNode
from depnet.model.sources.enumerate import JointStates
from depnet.model.sources.source import product_within
from depnet.sampling.plan.thresholds import ALWAYS, thresholds_of

WRITTEN_STATES = 2**14
"""The most joint states of open inputs over which a boosted node is written out."""


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

    @property
    def states(self) -> int:
        """|X_i|."""
        return int(self.weights.shape[1])

    @property
    def possible(self) -> NDArray[np.bool_]:
        """The states that some leaf allows."""
        return np.asarray(self.weights.sum(axis=0) > 0)

    def drawn(self, codes: CodeArray, word: NDArray[np.uint32]) -> IntArray:
        """The state that each row's word draws; `limit` where nothing is possible."""
        return np.asarray((self.thresholds[self.source(codes)] <= word[:, None]).sum(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class BoostedRule:
    """Boosted node `number`, whose inputs are too many to write its thresholds out: they are computed row by row."""

    number: int
    node: BoostedNode
    tilt: FloatArray | None
    """The evidence's weights of its states."""

    @property
    def limit(self) -> int:
        """The state that means "impossible"."""
        return self.states

    @property
    def first(self) -> UpdateRule:
        """How the first scores are found: a rule whose thresholds are these scores, bit for bit."""
        scores = self.node.start_scores
        return UpdateRule(
            self.number, self.node.start, scores.view(np.uint32), np.ones(scores.shape), self.limit
        )

    @property
    def states(self) -> int:
        """|X_i|."""
        return self.node.states

    @property
    def possible(self) -> NDArray[np.bool_]:
        """The states that the evidence allows: theta is positive."""
        return np.ones(self.states, dtype=bool) if self.tilt is None else self.tilt > 0

    def drawn(self, codes: CodeArray, word: NDArray[np.uint32]) -> IntArray:
        """The state that each row's word draws; `limit` where nothing is possible, as where weights are next to 0."""
        weights = self.node.probabilities(codes)
        if self.tilt is None:
            return np.asarray((thresholds_of(weights) <= word[:, None]).sum(axis=1))
        weights = weights * self.tilt
        empty = weights.sum(axis=1) == 0
        weights[empty] = 1.0
        states = (thresholds_of(weights) <= word[:, None]).sum(axis=1)
        return np.where(empty, self.limit, states)


Rule: TypeAlias = UpdateRule | BoostedRule


def update_rule(network: Network, number: int, evidence: Evidence) -> Rule:
    """The rule of one node: its table tilted by the evidence, as thresholds."""
    node = network.nodes[number]
    tilt = evidence.tilts.get(node.variable)
    if isinstance(node, BoostedNode):
        cards = network.domain.cardinalities
        inputs = tuple(j for j in node.inputs if j not in evidence.clamped)
        sizes = tuple(cards[j] for j in inputs)
        if not product_within(sizes, WRITTEN_STATES):
            return BoostedRule(number, node, tilt)
        _, theta = node.written_out(JointStates(cards, inputs, evidence.clamped))
        source: InformationSource = LosslessSource(inputs, sizes)
    else:
        theta, source = node.table.probabilities, node.source
    weights = theta if tilt is None else theta * tilt
    thresholds, limit = checked_thresholds(network, node, weights)
    return UpdateRule(number, source, thresholds, weights, limit)


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


def start_weights(rule: Rule) -> FloatArray:
    """Where chains start: all states that some leaf allows, alike.

    Chains that start near the product of the marginals agree with each other before they have seen other modes; random
    states fall into whatever modes draw them.
    """
    return rule.possible.astype(np.float64)
