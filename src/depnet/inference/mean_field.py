r"""Mean field for dependency networks (Lowd and Shamaei 2011): a deterministic, approximate answer.

The law is taken to be a product q of marginals, and each of them to be what its node would make of the
others:

.. math:: q_i(x) = \sum_y P_q(Y_i = y)\,\theta_i(x \mid y)

P_q(Y_i = y) is exact under the product q. It is found by pushing probability down the decision graph, where
care is needed: a path may test a variable twice, and the second test is then decided by the first. So the
graph is first made *read-once*: a vertex is kept apart for each set of earlier outcomes that are tested again
below it. All nodes are updated at once and damped, until nothing changes.

Blocks: q stays a product over variables. A variable of several nodes takes the average of what they make of
it, weighted by c_i (all alike under the sequential scan).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from depnet.arrays import FloatArray, IntArray
from depnet.errors import DomainTooLargeError, EvidenceError
from depnet.geometry.dense import input_leaves
from depnet.inference.plan import start_laws
from depnet.inference.tilt import tilted_rows
from depnet.model.decision_graph import DecisionGraph
from depnet.model.evidence import Evidence
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan
from depnet.model.source import InformationSource

MAX_VERTICES = 2_000_000
QUICK_VERTICES = 50_000
DAMPING = 0.3
MAX_ITERATIONS = 2_000
CHANGE = 1e-10


class ReadOnce(NamedTuple):
    """A source as a graph that tests a variable at most once on a path.

    Vertex 0 is the root. `edges` are (from, variable, code, to); `leaves` (vertex, leaf).
    """

    vertices: int
    edges: list[tuple[int, int, int, int]]
    leaves: list[tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class MeanField:
    """The fixed point: `marginals[i]` is q_i; `change` the last largest change of a probability."""

    marginals: tuple[FloatArray, ...]
    iterations: int
    change: float
    converged: bool


def read_once(source: InformationSource, cardinalities: Sequence[int], most: int = MAX_VERTICES) -> ReadOnce:
    """The source as a read-once graph of at most so many vertices."""
    if isinstance(source, DecisionGraph):
        return _read_once_graph(source, most)
    return _full_tree(source, cardinalities, most)


def is_quick(network: Network, most: int = QUICK_VERTICES) -> bool:
    """Is mean field a matter of a moment: do the read-once graphs of all nodes together have few vertices?"""
    left = most
    try:
        for node in network.nodes:
            left -= read_once(node.source, network.domain.cardinalities, left).vertices
    except DomainTooLargeError:
        return False
    return left >= 0


def _read_once_graph(graph: DecisionGraph, most: int) -> ReadOnce:
    variable, begin, children = (part.tolist() for part in graph.compiled)
    cards = graph.cardinalities

    below: dict[int, frozenset[int]] = {}  # the variables tested at a vertex or below it
    stack = [0]
    while stack:
        v = stack[-1]
        following = [] if variable[v] < 0 else children[begin[v] : begin[v] + cards[variable[v]]]
        waiting = [w for w in following if w not in below]
        if waiting:
            stack.extend(waiting)
            continue
        own = frozenset() if variable[v] < 0 else frozenset([variable[v]])
        below[v] = own.union(*(below[w] for w in following))
        stack.pop()

    Key = tuple[int, frozenset[tuple[int, int]]]
    number: dict[Key, int] = {(0, frozenset()): 0}
    order: list[Key] = [(0, frozenset())]
    edges: list[tuple[int, int, int, int]] = []
    leaves: list[tuple[int, int]] = []
    at = 0
    while at < len(order):
        v, known = order[at]
        j = variable[v]
        if j < 0:
            leaves.append((at, begin[v]))
            at += 1
            continue
        # Nothing known of X_j here: vertices that test a known variable are passed through below.
        for code in range(cards[j]):
            outcome = dict(known) | {j: code}
            w = children[begin[v] + code]
            while variable[w] >= 0 and variable[w] in outcome:
                w = children[begin[w] + outcome[variable[w]]]
            key = (w, frozenset((i, c) for i, c in outcome.items() if i in below[w]))
            if key not in number:
                number[key] = len(order)
                order.append(key)
                _check_vertices(len(order), most)
            edges.append((at, j, code, number[key]))
        at += 1
    return ReadOnce(len(order), edges, leaves)


def _full_tree(source: InformationSource, cardinalities: Sequence[int], most: int) -> ReadOnce:
    """Every joint state of the inputs its own path."""
    inputs = source.inputs
    sizes = [cardinalities[j] for j in inputs]
    _check_vertices(sum(math.prod(sizes[:depth]) for depth in range(len(sizes) + 1)), most)
    edges: list[tuple[int, int, int, int]] = []
    level, vertices = [0], 1
    for j, k in zip(inputs, sizes, strict=True):
        following = list(range(vertices, vertices + len(level) * k))
        edges += [(v, j, code, following[at * k + code]) for at, v in enumerate(level) for code in range(k)]
        level, vertices = following, vertices + len(following)
    leaves = input_leaves(source, cardinalities).tolist()
    return ReadOnce(vertices, edges, list(zip(level, leaves, strict=True)))


def _check_vertices(vertices: int, most: int) -> None:
    if vertices > most:
        raise DomainTooLargeError(
            f"mean field needs an information source as a graph that tests no variable twice; this one has more "
            f'than {most:,} vertices. Use method="sample".'
        )


def mean_field(
    network: Network,
    evidence: Evidence,
    scan: Scan,
    *,
    damping: float = DAMPING,
    max_iterations: int = MAX_ITERATIONS,
    change: float = CHANGE,
) -> MeanField:
    """The mean-field marginals of every variable; a clamped one keeps its state."""
    cards = network.domain.cardinalities
    cell = np.concatenate([[0], np.cumsum(cards)])
    levels, roots, mixing, leaf_vertices = _prepared(network, evidence, scan, cell)
    laws = start_laws(network, evidence)
    for i, code in evidence.clamped.items():
        laws[i] = np.asarray(np.eye(cards[i])[code])
    q = np.concatenate(laws)
    held = np.zeros(len(q), dtype=bool)
    for i in evidence.clamped:
        held[cell[i] : cell[i + 1]] = True
    vertices = roots.size if not levels else levels[-1][3]
    moved, iterations = math.inf, 0
    while moved > change and iterations < max_iterations:
        weight = np.zeros(vertices)
        weight[roots] = 1.0
        for parents, cells, to, _ in levels:
            np.add.at(weight, to, weight[parents] * q[cells])
        made = mixing @ weight[leaf_vertices]
        totals = np.add.reduceat(made, cell[:-1])
        free = [i for i in range(len(cards)) if i not in evidence.clamped]
        if any(totals[i] <= 0 for i in free):
            name = network.domain.variables[next(i for i in free if totals[i] <= 0)].name
            raise EvidenceError(f"the evidence leaves no state of {name!r} any mass.")
        made /= np.repeat(np.where(totals > 0, totals, 1.0), cards)  # only where contexts are impossible
        new = np.where(held, q, (1 - damping) * made + damping * q)
        moved = float(np.abs(new - q).max())
        q, iterations = new, iterations + 1
    marginals = tuple(q[cell[i] : cell[i + 1]].copy() for i in range(len(cards)))
    return MeanField(marginals, iterations, moved, moved <= change)


def _prepared(
    network: Network, evidence: Evidence, scan: Scan, cell: IntArray
) -> tuple[list[tuple[IntArray, IntArray, IntArray, int]], IntArray, csr_array, IntArray]:
    """All nodes' graphs together: edges by depth, roots, and the matrix from leaf weights to marginals."""
    cards = network.domain.cardinalities
    free = evidence.free_nodes(network)
    chances = scan.weights_of(len(network), free) if isinstance(scan, RandomScan) else np.ones(len(free))
    share = np.zeros(len(cards))
    for c, number in zip(chances, free, strict=True):
        share[list(network.nodes[number].variables)] += c
    sources, cells, targets, depths = [], [], [], []
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    leaf_vertices: list[int] = []
    roots: list[int] = []
    first = 0
    for c, number in zip(chances, free, strict=True):
        node = network.nodes[number]
        graph = read_once(node.source, cards)
        depth = [0] * graph.vertices
        for v, _, _, w in _topological(graph):
            depth[w] = max(depth[w], depth[v] + 1)
        for v, j, code, w in graph.edges:
            sources.append(first + v)
            cells.append(int(cell[j]) + code)
            targets.append(first + w)
            depths.append(depth[v])
        theta, _ = tilted_rows(node, cards, evidence)
        states = np.array(list(np.ndindex(*(cards[i] for i in node.variables)))).reshape(
            -1, len(node.variables)
        )
        for v, leaf in graph.leaves:
            for place, i in enumerate(node.variables):
                marginal = np.bincount(states[:, place], theta[leaf], minlength=cards[i])
                rows += range(int(cell[i]), int(cell[i + 1]))
                columns += [len(leaf_vertices)] * cards[i]
                values += (marginal * c / share[i]).tolist()
            leaf_vertices.append(first + v)
        roots.append(first)
        first += graph.vertices
    mixing = csr_array((values, (rows, columns)), shape=(int(cell[-1]), len(leaf_vertices)))
    at, by = np.array(depths, dtype=np.int64), np.arange(len(depths))
    levels = [
        tuple(np.array(part, dtype=np.int64)[by[at == d]] for part in (sources, cells, targets))
        for d in range(int(at.max()) + 1 if len(at) else 0)
    ]
    return [(*level, first) for level in levels], np.array(roots), mixing, np.array(leaf_vertices)


def _topological(graph: ReadOnce) -> list[tuple[int, int, int, int]]:
    """The edges, each after all edges into the vertex that it leaves."""
    outgoing: dict[int, list[tuple[int, int, int, int]]] = {}
    missing = [0] * graph.vertices
    for edge in graph.edges:
        outgoing.setdefault(edge[0], []).append(edge)
        missing[edge[3]] += 1
    ordered, ready = [], [0]
    while ready:
        for edge in outgoing.get(ready.pop(), ()):
            ordered.append(edge)
            missing[edge[3]] -= 1
            if missing[edge[3]] == 0:
                ready.append(edge[3])
    return ordered
