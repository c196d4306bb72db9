"""A network made ready for the native clamped chains, with what is to be estimated from them."""

import math
from collections.abc import Sequence

import numpy as np

from depnet._native import batch as native
from depnet.errors import DomainTooLargeError
from depnet.inference.clamped.tilt import tilted_rows
from depnet.model.evidence import NOTHING, Evidence
from depnet.model.network import Network
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.enumerate import input_leaves
from depnet.model.sources.source import LosslessSource

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
        cells = sum(node.table.probabilities.size for node in network.nodes)
        if cells > MAX_CELLS:
            raise DomainTooLargeError(
                f"the conditional tables have {cells:,} cells; at most {MAX_CELLS:,} can be sampled. Learn with a larger "
                "penalty, or an ordered law."
            )
        self.sizes = [math.prod(cards[i] for i in variables) for variables in estimators]
        self.native = native.Program(np.array(cards, dtype=np.int32))
        for i, node in enumerate(network.nodes):
            theta = np.ascontiguousarray(tilted_rows(node, evidence)[0]).reshape(-1)
            states = math.prod(cards[j] for j in node.inputs)
            if isinstance(node.source, DecisionGraph) and states > TABLE_STATES:
                self.native.add_graph_node(i, *node.source.compiled, theta)
                continue
            if states > MAX_FUNCTION_STATES and not isinstance(node.source, LosslessSource):
                raise DomainTooLargeError(
                    f"the information source of node {i} is a function of {len(node.inputs)} variables with "
                    f"{states:,} joint states, too many to tabulate. Learn a DecisionGraph instead."
                )
            leaves = input_leaves(node.source, cards)
            self.native.add_table_node(i, np.array(node.inputs, dtype=np.int32), leaves, theta)
        for variables in estimators:
            self.native.add_estimator(np.array(variables, dtype=np.int32))
        self.native.link()

    @classmethod
    def of_each(cls, network: Network) -> "ChainProgram":
        """An estimator for every variable."""
        return cls(network, [(i,) for i in range(len(network))])
