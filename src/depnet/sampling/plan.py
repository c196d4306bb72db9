"""A plan: network, scan and evidence, checked once; and whether its chain has one law.

A network all of whose rows are positive is irreducible. Where a table has zeros, these can split the chain into several
recurrent classes: small domains are searched (the closed strongly connected components of the chain's graph), large ones
warned of.
"""

import math
import warnings
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.errors import EvidenceError, ReducibleError, ReducibleWarning, SamplingError, outside
from depnet.geometry.chain import FreeChain, closed_classes, describe_classes
from depnet.law import limits
from depnet.model import Evidence, Given, Network, RandomScan, Scan
from depnet.model.network import checked_network
from depnet.model.scan import checked_scan

IfReducible: TypeAlias = Literal["raise", "warn", "ignore"]


REMEDY = "Smooth the tables: learn with a smoothing of 0.5, or ConditionalTable.from_counts(counts, smoothing=0.5)."

UNCHECKED = (
    "some conditional tables have zeros, and the domain is too large to check whether the chain then has one recurrent "
    f"class or several; with several, what is drawn depends on where chains started. {REMEDY}"
)


@dataclass(frozen=True, slots=True, eq=False)
class ChainPlan:
    """The free nodes in the order of the scan, whose clamped nodes leave it; theta of those left is tilted by the evidence.

    theta(x | y) w(x) / sum over x' of theta(x' | y) w(x'), w being the evidence's weights of the node's states.
    """

    network: Network
    scan: Scan
    evidence: Evidence
    order: tuple[int, ...]

    @property
    def random(self) -> bool:
        return isinstance(self.scan, RandomScan)

    @property
    def variables(self) -> int:
        """The number of variables, clamped ones included."""
        return len(self.network.domain)

    def possible_states(self, i: int) -> NDArray[np.bool_]:
        """The states of X_i that some leaf of its node and the evidence allow."""
        node, tilt = self.network.nodes[i], self.evidence.tilts.get(i)
        allowed = np.ones(node.states, dtype=bool) if tilt is None else tilt > 0
        return allowed if node.positive else allowed & (node.table.probabilities > 0).any(axis=0)

    def impossible(self, variable: int) -> EvidenceError:
        """The error of a chain that reached a row in which the evidence leaves nothing possible."""
        return EvidenceError(
            f"the chain reached a context in which node {variable} ({self.network.domain.names[variable]}) gives "
            "probability 0 to every state that the evidence allows. Smooth the tables "
            "(ConditionalTable.from_counts(counts, smoothing=0.5)), or allow more states."
        )

    @property
    def positive(self) -> bool:
        """Every row of every node gives every state that the evidence allows a positive probability."""
        for i in self.order:
            node, tilt = self.network.nodes[i], self.evidence.tilts.get(i)
            if not node.positive and (tilt is None or not (node.table.probabilities[:, tilt > 0] > 0).all()):
                return False
        return True

    @property
    def unchecked(self) -> bool:
        """Tables have zeros, and the chain's graph has too many edges to be searched."""
        cards = self.network.domain.cardinalities
        states = math.prod(k for i, k in enumerate(cards) if i not in self.evidence.clamped)
        return not self.positive and states * sum(cards[i] for i in self.order) > limits.LARGEST


def chain_plan(network: Network, scan: Scan, evidence: Given | Evidence | None = None) -> ChainPlan:
    """Check that network, scan and evidence fit together and make the plan."""
    network = checked_network(network)
    scan = checked_scan(scan)
    known = Evidence.parse(network.domain, evidence)
    free = order = known.free_nodes(network)
    if isinstance(scan, RandomScan):
        scan.weights_of(len(network), free)  # wrong ones are an error
    else:
        order = scan.order_of(len(network), free)
    if not free:
        raise EvidenceError(
            "every column is given, so there is nothing left to draw. Leave at least one open."
        )
    plan = ChainPlan(network, scan, known, tuple(order))
    for i in known.tilts:
        if not plan.possible_states(i).any():
            raise EvidenceError(
                f"what is given leaves no value of {network.domain.names[i]!r} possible: the model gives probability 0 to "
                "every value that it allows. Learn with smoothing, or allow more values."
            )
    return plan


def check_irreducible(plan: ChainPlan, if_reducible: IfReducible) -> None:
    """Raise or warn where the plan's chain has, or may have, several recurrent classes."""
    if if_reducible not in ("raise", "warn", "ignore"):
        raise SamplingError(f"if_reducible is 'raise', 'warn' or 'ignore'; got {if_reducible!r}.")
    if if_reducible == "ignore" or plan.positive:
        return
    if plan.unchecked:
        warnings.warn(UNCHECKED, ReducibleWarning, stacklevel=outside())
        return
    chain = FreeChain.of(plan.network, plan.evidence)
    try:
        classes = closed_classes(chain, plan.network, plan.scan)
    except EvidenceError:  # a class contradicts the evidence: the chain says so when it comes there
        return
    if len(classes) <= 1:
        return
    message = f"{describe_classes(chain, classes)} {REMEDY}"
    if if_reducible == "raise":
        raise ReducibleError(message)
    warnings.warn(message, ReducibleWarning, stacklevel=outside())
