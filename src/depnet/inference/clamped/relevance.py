r"""Relevance closure: the part of a network that a query needs.

What the targets' nodes read, what the nodes of those variables read, and so on, clamped variables being
constants, is the *closure* V of the targets. No update outside V changes X_V, and no update inside reads
anything outside, so X_V alone is a Markov chain:

- random scan: a lazy version of the reduced network's chain, so with c_i divided by their sum it has the
  same stationary law;
- sequential scan: the reduced network's chain, that stands still while nodes outside are updated. In the
  centroid, the law just before the j-th reduced node's update therefore has as its weight the number of
  places that the full unclamped order takes from the previous reduced node to this one.

Evidence that no node of the closure reads has no effect. Relevance is found after substitution, so a
variable that is only read in a context which the evidence rules out is not relevant.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.variable import Domain
from depnet.model.evidence import Evidence
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.scan import RandomScan, Scan, SequentialScan
from depnet.model.sources.restrict import KeptVariables


@dataclass(frozen=True, slots=True)
class Closure:
    """The unclamped `variables` that targets need, ascending, and the known variables `used`: those with an effect."""

    variables: tuple[int, ...]
    used: frozenset[int]

    def __or__(self, other: "Closure") -> "Closure":
        """The closure of the targets of both."""
        variables = tuple(sorted({*self.variables, *other.variables}))
        return Closure(variables, self.used | other.used)


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """A network over the `variables` of a closure, and the evidence and scan that are left for it.

    `variables[k]` is the number in the full network of the reduced network's k-th variable. `used` are the variables of
    the evidence that the answer depends on. `phases[j]` is the share of the steps of a full sweep that end with the
    update of the j-th node of the reduced order, `positions[j]` its place in that sweep of `steps` updates (sequential
    scan only).
    """

    network: Network
    evidence: Evidence
    scan: Scan
    variables: tuple[int, ...]
    used: frozenset[int]
    phases: FloatArray | None = None
    positions: tuple[int, ...] = ()
    steps: int = 0

    @property
    def size(self) -> int:
        return math.prod(self.network.domain.cardinalities)

    def place(self, variable: int) -> int:
        """The reduced number of a variable of the full network."""
        return self.variables.index(variable)


def closure(network: Network, targets: Sequence[int], evidence: Evidence) -> Closure:
    """The variables that `targets` need, and the evidence that has an effect on them."""
    fixed = evidence.clamped
    inside: set[int] = set()
    used: set[int] = set()
    waiting = [i for i in targets if i not in fixed]
    while waiting:
        i = waiting.pop()
        if i in inside:
            continue
        inside.add(i)
        if i in evidence.tilts:
            used.add(i)
        node = network.nodes[i]
        waiting.extend(node.open_inputs(fixed))
        used.update(j for j in node.inputs if j in fixed)
    return Closure(tuple(sorted(inside)), frozenset(used))


def reduce(network: Network, targets: Sequence[int] | Closure, evidence: Evidence, scan: Scan) -> Reduced:
    """The reduced network of targets, or of their closure: its stationary law is the full one's, on fewer variables."""
    relevant = targets if isinstance(targets, Closure) else closure(network, targets, evidence)
    variables = relevant.variables
    place = {i: k for k, i in enumerate(variables)}
    reduced = network
    if variables and (evidence.clamped or len(variables) < len(network)):
        domain = Domain(tuple(network.domain.variables[i] for i in variables))
        reduced = Network(domain, _reduced_nodes(network, variables, evidence))
    left = Evidence({}, {place[i]: weights for i, weights in evidence.tilts.items() if i in place})
    made = Reduced(reduced, left, scan, variables, relevant.used)
    return _with_scan(made, scan, len(network), evidence.free_nodes(network))


def _with_scan(reduced: Reduced, scan: Scan, nodes: int, free: Sequence[int]) -> Reduced:
    """What is left of the scan of the full network, whose unclamped nodes are `free`."""
    place = {i: k for k, i in enumerate(reduced.variables)}
    if isinstance(scan, RandomScan):
        chances = scan.weights_of(nodes, free)  # wrong ones are an error
        if scan.weights is None or not place:
            return replace(reduced, scan=RandomScan())
        inside = np.array([c for c, i in zip(chances, free, strict=True) if i in place])
        return replace(reduced, scan=RandomScan(tuple(inside / inside.sum())))
    order = scan.order_of(nodes, free)
    positions = tuple(at for at, i in enumerate(order) if i in place)
    steps = np.diff([positions[-1] - len(order), *positions]) if positions else np.zeros(0)
    return replace(
        reduced,
        scan=SequentialScan(tuple(place[order[at]] for at in positions)),
        phases=np.asarray(steps / max(len(order), 1), dtype=np.float64),
        positions=positions,
        steps=len(order),
    )


def _reduced_nodes(network: Network, variables: Sequence[int], evidence: Evidence) -> tuple[Node, ...]:
    """The nodes of these variables, all others substituted: by their clamped codes, or by 0 where nothing reads them."""
    kept = KeptVariables.of(variables, network.domain.cardinalities)
    inside = set(variables)
    fixed = {i: evidence.clamped.get(i, 0) for i in range(len(network)) if i not in inside}
    return tuple(network.nodes[i].restricted(k, fixed, kept) for k, i in enumerate(variables))
