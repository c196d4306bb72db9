"""One node's decision graph, ready to be drawn: tests, branches, and leaves with their distributions.

Vertices are those of the compiled graph: leaves that were merged are one vertex with several ways in, and tests that
decide nothing are gone. A source that is no decision graph (lossless, tabulated, a function) is written out as one,
its inputs tested in order and equal parts joined.
"""

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from depnet.arrays import FloatArray, IntArray, LeafArray
from depnet.data.table.domain import Domain
from depnet.data.table.variable import Label
from depnet.errors import ModelError, brief
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.source import InformationSource, how_many_joint_states, product_within

MOST_WRITTEN_OUT = 4096
"""A source that is no decision graph is written out over at most so many joint states of its inputs."""


@dataclass(frozen=True, slots=True)
class Branch:
    """The states of the tested variable that lead to vertex `to`."""

    states: tuple[Label, ...]
    to: int


@dataclass(frozen=True, slots=True)
class Test:
    """A vertex that tests a variable."""

    variable: str
    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf y: theta_i(. | y), the rows behind it where counts are kept, and how many branches lead to it."""

    number: int
    probabilities: tuple[float, ...]
    rows: int | None
    ways: int


Vertex: TypeAlias = Test | Leaf


@dataclass(frozen=True, slots=True)
class Decision:
    """A node's decision graph: `vertices[0]` is the root. Make one with `decision`."""

    name: str
    """The name of the variable that the node updates."""
    states: tuple[str, ...]
    """Its states."""
    inputs: tuple[str, ...]
    vertices: tuple[Vertex, ...]
    leaves: int
    """|Y|; leaves that no row can reach are among them, and not drawn."""

    @property
    def rows(self) -> int | None:
        """The rows behind all leaves, where counts are kept."""
        rows = [v.rows for v in self.vertices if isinstance(v, Leaf)]
        return None if None in rows else sum(r for r in rows if r is not None)


def node_of(network: Network, node: int | str) -> int:
    """The number of a node given by its number, or by the name of its variable."""
    if isinstance(node, str):
        return network.domain.index(node)
    if isinstance(node, bool) or not isinstance(node, (int, np.integer)) or not 0 <= node < len(network):
        raise ModelError(
            f"a node is a variable's name or a number from 0 to {len(network) - 1}; got {brief(node)}."
        )
    return int(node)


def node_name(network: Network, number: int) -> str:
    """The name of the variable that a node updates."""
    return network.domain.names[network.nodes[number].variable]


def decision(network: Network, node: int | str) -> Decision:
    """The decision graph of a node, by its number or by the name of a variable.

    >>> from depnet import learn, titanic
    >>> decision(learn(titanic()), "survived").inputs
    ('class', 'sex', 'age')
    """
    return decision_of(network.domain, network.nodes[node_of(network, node)])


def decision_of(domain: Domain, chosen: Node) -> Decision:
    """The decision graph of a node that need not be a network's."""
    variables = domain.variables
    variable, begin, children = _graph(chosen.source, domain.cardinalities)
    counts = chosen.table.counts
    tests: dict[int, Test] = {}
    ways: dict[int, int] = defaultdict(int)
    for v, j in enumerate(variable.tolist()):
        if j < 0:
            continue
        reached: dict[int, list[Label]] = {}
        for code, state in enumerate(variables[j].states):
            reached.setdefault(int(children[begin[v] + code]), []).append(state)
        for to in reached:
            ways[to] += 1
        tests[v] = Test(variables[j].name, tuple(Branch(tuple(states), to) for to, states in reached.items()))

    def leaf(v: int) -> Leaf:
        y = int(begin[v])
        rows = None if counts is None else int(counts[y].sum())
        return Leaf(y, tuple(chosen.table.probabilities[y].tolist()), rows, ways[v])

    return Decision(
        variables[chosen.variable].name,
        tuple(map(str, variables[chosen.variable].states)),
        tuple(variables[j].name for j in chosen.source.inputs),
        tuple(tests[v] if v in tests else leaf(v) for v in range(len(variable))),
        chosen.source.size,
    )


def _graph(source: InformationSource, cardinalities: tuple[int, ...]) -> tuple[IntArray, IntArray, IntArray]:
    """(variable, begin, children) as in `CompiledGraph`, of any source."""
    if isinstance(source, DecisionGraph):
        variable, begin, children = source.compiled
        return variable.astype(np.int64), begin.astype(np.int64), children.astype(np.int64)
    inputs = source.inputs
    cards = [cardinalities[j] for j in inputs]
    if not product_within(cards, MOST_WRITTEN_OUT):
        raise ModelError(
            f"a source over {len(inputs)} inputs, with {how_many_joint_states(cards)} joint states, is too large to be "
            f"drawn; at most {MOST_WRITTEN_OUT:,} are written out. Draw a node whose source is a DecisionGraph."
        )
    codes = np.zeros((math.prod(cards), len(cardinalities)), dtype=np.int64)
    if inputs:
        codes[:, list(inputs)] = np.stack(np.unravel_index(np.arange(len(codes)), cards), axis=1)
    return _written_out(source(codes), inputs, cards)


def _written_out(
    leaves: LeafArray, inputs: tuple[int, ...], cards: list[int]
) -> tuple[IntArray, IntArray, IntArray]:
    """The diagram of a function given by its values, row-major: equal parts are one vertex, the root is 0."""
    nodes: list[
        tuple[int, tuple[int, ...]]
    ] = []  # (input, children) or (-1, (leaf,)), children before parents
    known: dict[tuple[int, tuple[int, ...]], int] = {}

    def vertex(key: tuple[int, tuple[int, ...]]) -> int:
        if key not in known:
            known[key] = len(nodes)
            nodes.append(key)
        return known[key]

    row = [vertex((-1, (int(leaf),))) for leaf in leaves.tolist()]
    for j, k in zip(reversed(inputs), reversed(cards), strict=True):
        parts = [tuple(row[at : at + k]) for at in range(0, len(row), k)]
        row = [part[0] if len(set(part)) == 1 else vertex((j, part)) for part in parts]
    root = row[0]
    order = {root: 0}
    waiting = [root]
    for v in waiting:  # breadth first
        if nodes[v][0] >= 0:
            for child in nodes[v][1]:
                if child not in order:
                    order[child] = len(order)
                    waiting.append(child)
    variable, begin, children = [], [], list[int]()
    for v in waiting:
        j, rest = nodes[v]
        variable.append(j)
        begin.append(rest[0] if j < 0 else len(children))
        children += [order[c] for c in rest] if j >= 0 else []
    return np.array(variable), np.array(begin), np.array(children, dtype=np.int64)


def layers(graph: Decision) -> dict[int, int]:
    """The depth of every vertex, by the longest way from the root; leaves all on the last."""
    depth = {0: 0}
    waiting = [0]
    while waiting:
        v = waiting.pop()
        vertex = graph.vertices[v]
        for branch in vertex.branches if isinstance(vertex, Test) else ():
            if depth.get(branch.to, -1) < depth[v] + 1:
                depth[branch.to] = depth[v] + 1
                waiting.append(branch.to)
    last = max(depth.values())
    return {v: last if isinstance(graph.vertices[v], Leaf) else d for v, d in depth.items()}


def places(graph: Decision, *, leaf: float = 1.0, test: float = 1.0) -> dict[int, tuple[float, int]]:
    """(place, layer) of every vertex: leaves `leaf` apart in the order of a walk from the root, a test in the
    middle of those it reaches first, and tests of one layer at least `test` apart.
    """
    at: dict[int, float] = {}
    waiting: list[tuple[int, bool]] = [(0, False)]
    leaves = 0
    first: dict[int, list[int]] = {}
    begun: set[int] = set()
    while waiting:  # a walk with a stack of its own: a graph may be deeper than Python's
        v, done = waiting.pop()
        vertex = graph.vertices[v]
        if isinstance(vertex, Leaf):
            if v not in at:
                at[v] = leaf * leaves
                leaves += 1
        elif done:
            below = [at[c] for c in first[v]]
            at[v] = sum(below) / len(below) if below else max(at[b.to] for b in vertex.branches)
        elif v not in begun:
            begun.add(v)
            first[v] = [b.to for b in vertex.branches if b.to not in begun and b.to not in at]
            waiting.append((v, True))
            waiting += [(c, False) for c in reversed(first[v])]
    level = layers(graph)
    for depth in range(max(level.values())):
        row = sorted(
            (v for v in at if level[v] == depth and isinstance(graph.vertices[v], Test)), key=lambda v: at[v]
        )
        for left, right in itertools.pairwise(row):
            at[right] = max(at[right], at[left] + test)
    return {v: (at[v], level[v]) for v in at}


def frequent_states(graph: Decision, most: int) -> list[int]:
    """The states that get a colour or a shade of their own: at most `most`, the node's most frequent, in their order."""
    weights = [0.0] * len(graph.states)
    for leaf in graph.vertices:
        if isinstance(leaf, Leaf):
            for s, p in enumerate(leaf.probabilities):
                weights[s] += p * (1 if graph.rows is None else leaf.rows or 0)
    return most_likely(tuple(weights), most)


def most_likely(probabilities: FloatArray | tuple[float, ...], most: int) -> list[int]:
    """The states of a leaf that are named: at most `most`, the most likely ones, in their own order."""
    order = sorted(range(len(probabilities)), key=lambda s: (-probabilities[s], s))[:most]
    return sorted(order)
