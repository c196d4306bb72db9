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
variable that is only read in a context which the evidence rules out is not relevant. In a block node,
variables that nothing in the closure reads are summed out of its table, unless evidence tilts them; clamped
ones stay, and condition it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from depnet.arrays import FloatArray, read_only
from depnet.data.table.domain import Domain
from depnet.model.evidence import Evidence
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.scan import RandomScan, Scan, SequentialScan
from depnet.model.sources.restrict import Kept, reached, restrict
from depnet.model.table import ConditionalTable


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """A network over the `variables` that matter, and the evidence and scan that are left for it.

    `variables[k]` and `nodes[k]` are the numbers in the full network of the reduced network's. `closure`
    are the unclamped ones; clamped variables stay only where they share a block with one of those. `used`
    are the variables of the evidence that the answer depends on. `phases[j]` is the share of the steps of
    a full sweep that end with the update of the j-th node of the reduced order, `positions[j]` its place in
    that sweep of `steps` updates (sequential scan only).
    """

    network: Network
    evidence: Evidence
    scan: Scan
    variables: tuple[int, ...]
    nodes: tuple[int, ...]
    closure: tuple[int, ...]
    used: frozenset[int]
    phases: FloatArray | None = None
    positions: tuple[int, ...] = ()
    steps: int = 0

    @property
    def size(self) -> int:
        """The number of joint states of the closure."""
        cards = self.network.domain.cardinalities
        inside = set(self.closure)
        return math.prod(k for j, k in zip(self.variables, cards, strict=True) if j in inside)

    def place(self, variable: int) -> int:
        """The reduced number of a variable of the full network."""
        return self.variables.index(variable)


def closure(
    network: Network, targets: Sequence[int], evidence: Evidence
) -> tuple[tuple[int, ...], tuple[int, ...], frozenset[int]]:
    """The unclamped variables that `targets` need, the nodes that update them, and the evidence used."""
    fixed = {j: (code,) for j, code in evidence.clamped.items()}
    updating: dict[int, list[int]] = {}
    for number, node in enumerate(network.nodes):
        for i in node.variables:
            updating.setdefault(i, []).append(number)
    inside: set[int] = set()
    nodes: set[int] = set()
    used: set[int] = set()
    waiting = [i for i in targets if i not in evidence.clamped]
    while waiting:
        i = waiting.pop()
        if i in inside:
            continue
        inside.add(i)
        if i in evidence.tilts:
            used.add(i)
        for number in updating[i]:
            if number in nodes:
                continue
            nodes.add(number)
            node = network.nodes[number]
            inputs, _ = reached(node.source, fixed)
            waiting.extend(inputs)
            waiting.extend(j for j in node.variables if j in evidence.tilts)
            used.update(j for j in (*node.source.inputs, *node.variables) if j in fixed)
    return tuple(sorted(inside)), tuple(sorted(nodes)), frozenset(used)


def reduce(network: Network, targets: Sequence[int], evidence: Evidence, scan: Scan) -> Reduced:
    """The reduced network of `targets`: its stationary law is the full one's, on fewer variables."""
    inside, numbers, used = closure(network, targets, evidence)
    together = {i for number in numbers for i in network.nodes[number].variables}
    variables = tuple(sorted(set(inside) | (together & evidence.clamped.keys())))
    place = {i: k for k, i in enumerate(variables)}
    fixed = {i: evidence.clamped.get(i, 0) for i in range(len(network.domain)) if i not in inside}
    if len(variables) == len(network.domain) and not evidence.clamped:
        nodes = network.nodes  # all of it, and nothing to substitute
    else:
        kept = Kept.of(variables, network.domain.cardinalities)
        outside = {j: code for j, code in fixed.items() if j not in place}
        nodes = tuple(
            _reduced_node(network, number, place, kept, _constants(network.nodes[number], fixed, outside))
            for number in numbers
        )
    domain = Domain(tuple(network.domain.variables[i] for i in variables)) if variables else network.domain
    left = Evidence(
        {place[i]: code for i, code in evidence.clamped.items() if i in place},
        {place[i]: weights for i, weights in evidence.tilts.items() if i in place},
    )
    reduced = Network(domain, nodes) if nodes else network
    made = Reduced(reduced, left, scan, variables, numbers, inside, used)
    free = evidence.free_nodes(network)
    if isinstance(scan, RandomScan):
        return replace(made, scan=_reduced_random(scan.weights_of(len(network), free), free, numbers, scan))
    order = scan.order_of(len(network), free)
    number_of = {number: k for k, number in enumerate(numbers)}
    positions = tuple(at for at, number in enumerate(order) if number in number_of)
    steps = np.diff([positions[-1] - len(order), *positions]) if positions else np.zeros(0)
    return replace(
        made,
        scan=SequentialScan(tuple(number_of[order[at]] for at in positions)),
        phases=np.asarray(steps / max(len(order), 1), dtype=np.float64),
        positions=positions,
        steps=len(order),
    )


def _constants(node: Node, fixed: Mapping[int, int], outside: Mapping[int, int]) -> Mapping[int, int]:
    """What is fixed for a node: all that is outside, and a clamped block-mate, which is kept as a variable."""
    mates = {j: fixed[j] for j in node.source.inputs if j in fixed and j not in outside}
    return {**outside, **mates} if mates else outside


def _reduced_node(
    network: Network,
    number: int,
    place: Mapping[int, int],
    kept: Kept,
    constants: Mapping[int, int],
) -> Node:
    node, cards = network.nodes[number], network.domain.cardinalities
    source, leaves = restrict(node.source, constants, kept)
    mine = tuple(place[i] for i in node.variables if i in place)
    cells = node.table.probabilities[leaves]
    if len(mine) < len(node.variables):
        spread = cells.reshape(len(leaves), *(cards[i] for i in node.variables))
        outside = tuple(axis + 1 for axis, i in enumerate(node.variables) if i not in place)
        cells = spread.sum(axis=outside).reshape(len(leaves), -1)
        return Node(mine, source, ConditionalTable.from_probabilities(cells))
    # The same floats, not normalised again; the counts of what the evidence still allows start chains well.
    counts = None if node.table.counts is None else read_only(node.table.counts[leaves])
    return Node(mine, source, ConditionalTable(read_only(cells), counts, node.table.smoothing))


def _reduced_random(
    weights: FloatArray, free: Sequence[int], numbers: Sequence[int], scan: RandomScan
) -> RandomScan:
    if scan.weights is None or not numbers:
        return RandomScan()
    inside = set(numbers)
    kept = np.array([c for c, number in zip(weights, free, strict=True) if number in inside])
    return RandomScan(tuple(kept / kept.sum()))
