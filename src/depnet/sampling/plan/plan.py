"""A plan: network, scan and evidence, checked once and made ready for the kernels."""

from dataclasses import dataclass

import numpy as np

from depnet.arrays import CodeArray, FloatArray
from depnet.errors import EvidenceError
from depnet.model import Evidence, Given, Network, RandomScan, Scan
from depnet.model.network import checked_network
from depnet.model.scan import checked_scan
from depnet.sampling.plan.row_finder import RowFinder, find_rows
from depnet.sampling.plan.rule import Rule, UpdateRule, update_rule


@dataclass(frozen=True, slots=True, eq=False)
class ChainPlan:
    """The free nodes' rules in the order of the scan, and how each finds its row of thresholds."""

    network: Network
    scan: Scan
    evidence: Evidence
    rules: tuple[Rule, ...]
    finders: tuple[RowFinder | None, ...]
    weights: FloatArray | None
    """c_i of the rules under a random scan with weights of its own; None: all alike, or sequential."""

    @property
    def found(self) -> list[tuple[UpdateRule, RowFinder]]:
        """The rules that have thresholds and a native way to find their row, with it."""
        pairs = zip(self.rules, self.finders, strict=True)
        return [
            (rule, finder) for rule, finder in pairs if finder is not None and isinstance(rule, UpdateRule)
        ]

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
    rules = tuple(update_rule(network, number, known) for number in order)
    own_weights = isinstance(scan, RandomScan) and scan.weights is not None
    finders = tuple(find_rows(network, known, rules))
    return ChainPlan(network, scan, known, rules, finders, weights if own_weights else None)


def impossible(plan: ChainPlan, place: int) -> EvidenceError:
    """The error of a chain that reached a row in which the evidence leaves nothing possible."""
    rule = plan.rules[place]
    name = plan.network.domain.names[rule.number]
    return EvidenceError(
        f"the chain reached a context in which node {rule.number} ({name}) gives probability 0 to every state that "
        "the evidence allows. Smooth the tables (ConditionalTable.from_counts(counts, smoothing=0.5)), or allow "
        "more states."
    )
