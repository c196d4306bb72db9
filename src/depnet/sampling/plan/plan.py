"""A plan: network, scan and evidence, checked once and made ready for the kernels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray
from depnet.errors import EvidenceError
from depnet.model import Evidence, Given, Network, RandomScan, Scan
from depnet.model.network import checked_network
from depnet.model.scan import checked_scan


@dataclass(frozen=True, slots=True, eq=False)
class ChainPlan:
    """The free nodes in the order of the scan, whose clamped nodes leave it; theta of those left is tilted by the evidence.

    theta(x | y) w(x) / sum over x' of theta(x' | y) w(x'), w being the evidence's weights of the node's states.
    """

    network: Network
    scan: Scan
    evidence: Evidence
    order: tuple[int, ...]
    weights: FloatArray | None
    """c_i of the order under a random scan with weights of its own; None: all alike, or sequential."""

    @property
    def random(self) -> bool:
        """Whether nodes are chosen at random."""
        return isinstance(self.scan, RandomScan)

    @property
    def variables(self) -> int:
        """The number of variables, clamped ones included."""
        return len(self.network.domain)

    @property
    def dtype(self) -> np.dtype[np.uint8] | np.dtype[np.uint16]:
        """The type of the codes, as in a `Dataset` of this domain."""
        wide = max(self.network.domain.cardinalities) > 256
        return np.dtype(np.uint16) if wide else np.dtype(np.uint8)

    def blank(self, chains: int) -> CodeArray:
        """Codes [variables, chains]: the clamped ones in place, all others 0."""
        codes: CodeArray = np.zeros((self.variables, chains), dtype=self.dtype)
        for i, code in self.evidence.clamped.items():
            codes[i] = code
        return codes


def chain_plan(network: Network, scan: Scan, evidence: Given | Evidence | None = None) -> ChainPlan:
    """Check that network, scan and evidence fit together and make the plan."""
    network = checked_network(network)
    scan = checked_scan(scan)
    known = Evidence.parse(network.domain, evidence)
    free = known.free_nodes(network)
    weights = None
    if isinstance(scan, RandomScan):
        weights = scan.weights_of(len(network), free)
        order = free
    else:
        order = scan.order_of(len(network), free)
    if not free:
        raise EvidenceError(
            "the evidence clamps every variable: there is nothing left to sample. Leave at least one open."
        )
    own_weights = isinstance(scan, RandomScan) and scan.weights is not None
    plan = ChainPlan(network, scan, known, tuple(order), weights if own_weights else None)
    for i in known.tilts:
        if not possible_states(plan, i).any():
            raise EvidenceError(
                f"the evidence leaves no state of {network.domain.names[i]} possible: its conditional table gives "
                "probability 0 to every state that the evidence allows. Smooth the tables, or allow more states."
            )
    return plan


def possible_states(plan: ChainPlan, i: int) -> NDArray[np.bool_]:
    """The states of X_i that some leaf of its node and the evidence allow."""
    node, tilt = plan.network.nodes[i], plan.evidence.tilts.get(i)
    allowed = np.ones(node.states, dtype=bool) if tilt is None else tilt > 0
    return allowed if node.positive else allowed & (node.table.probabilities > 0).any(axis=0)


def impossible(plan: ChainPlan, place: int) -> EvidenceError:
    """The error of a chain that reached a row in which the evidence leaves nothing possible."""
    number = plan.order[place]
    name = plan.network.domain.names[number]
    return EvidenceError(
        f"the chain reached a context in which node {number} ({name}) gives probability 0 to every state that "
        "the evidence allows. Smooth the tables (ConditionalTable.from_counts(counts, smoothing=0.5)), or allow "
        "more states."
    )
