"""A network made ready for the native clamped chains, with what is to be estimated from them."""

import math
from collections.abc import Sequence

import numpy as np

from depnet._native import batch as native
from depnet.arrays import FloatArray, LeafArray
from depnet.errors import DomainTooLargeError
from depnet.inference.clamped.tilt import tilted_rows
from depnet.model.boosted import BoostedNode
from depnet.model.evidence import NOTHING, Evidence
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.enumerate import JointStates
from depnet.model.sources.source import InformationSource, LosslessSource

TABLE_STATES = 1 << 12
"""The joint states of the inputs of a decision graph that is looked up, at most; larger ones are walked."""

MAX_FUNCTION_STATES = 1 << 24
MAX_CELLS = 2**31 - 1


class ChainProgram:
    """The nodes of a network, tilted by the weights of the evidence (clamps are given row by row), and estimators.

    Each estimator is a tuple of variables, whose joint law is wanted; `sizes` are their numbers of cells.
    """

    def __init__(
        self, network: Network, estimators: Sequence[Sequence[int]] = (), evidence: Evidence = NOTHING
    ) -> None:
        self.network = network
        cards = network.domain.cardinalities
        cells = sum(node.table.probabilities.size for node in network.nodes if not node.boosted)
        if cells > MAX_CELLS:
            raise DomainTooLargeError(
                f"the conditional tables have {cells:,} cells; at most {MAX_CELLS:,} can be sampled. Learn with a larger "
                "penalty, or an ordered law."
            )
        self.sizes = [math.prod(cards[i] for i in variables) for variables in estimators]
        self.native = native.Program(np.array(cards, dtype=np.int32))
        for node in network.nodes:
            states = math.prod(cards[j] for j in node.inputs)
            if isinstance(node, BoostedNode) and states > TABLE_STATES:
                self._add_boosted(node, evidence)
            elif isinstance(node, BoostedNode):
                leaves, theta = node.written_out(JointStates(cards, node.inputs))
                self._add_table(node, node.inputs, leaves, tilted_rows(node, theta, evidence)[0])
            else:
                theta = tilted_rows(node, node.table.probabilities, evidence)[0]
                self._add(node, node.source, theta)
        for variables in estimators:
            self.native.add_estimator(np.array(variables, dtype=np.int32))
        self.native.link()

    def _add(self, node: Node, source: InformationSource, rows: FloatArray) -> None:
        """A node that finds its row, of theta or of first scores, by `source`: looked up, or walked to."""
        cards = self.network.domain.cardinalities
        states = math.prod(cards[j] for j in source.inputs)
        if isinstance(source, DecisionGraph) and states > TABLE_STATES:
            self.native.add_graph_node(
                node.variable, *source.compiled, np.ascontiguousarray(rows).reshape(-1)
            )
            return
        if states > MAX_FUNCTION_STATES and not isinstance(source, LosslessSource):
            raise DomainTooLargeError(
                f"the information source of node {node.variable} is a function of {len(source.inputs)} variables with "
                f"{states:,} joint states, too many to tabulate. Learn a DecisionGraph instead."
            )
        self._add_table(node, source.inputs, JointStates(cards, source.inputs).leaves(source), rows)

    def _add_table(self, node: Node, inputs: Sequence[int], leaves: LeafArray, rows: FloatArray) -> None:
        flat = np.ascontiguousarray(rows).reshape(-1)
        self.native.add_table_node(node.variable, np.array(inputs, dtype=np.int32), leaves, flat)

    def _add_boosted(self, node: BoostedNode, evidence: Evidence) -> None:
        """Too many inputs to look theta up: its stages are walked at every update."""
        self._add(node, node.start, node.start_scores.astype(np.float64))
        weights = evidence.tilts.get(node.variable, np.zeros(0))
        self.native.add_stages(*node.stages.arrays, weights)

    @classmethod
    def of_each(cls, network: Network) -> "ChainProgram":
        """An estimator for every variable."""
        return cls(network, [(i,) for i in range(len(network))])
