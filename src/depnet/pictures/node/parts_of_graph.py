"""Parts of a decision graph and their places: what evidence leaves of it, what is below a vertex, the rows at one."""

import itertools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Label
from depnet.pictures.node.decision import Branch, Decision, Folded, Leaf, Test, Vertex


@dataclass(frozen=True, slots=True)
class Reached:
    """`path` is sure, from the root on, as far as what is known decides; `vertices` can still be reached."""

    path: tuple[int, ...]
    vertices: frozenset[int]


def reached(graph: Decision, allowed: Mapping[str, Collection[Label]]) -> Reached:
    """Where rows come whose variables are in one of the states that `allowed` names; others may be in any.

    A variable that is tested twice on a way, and of which several states are allowed, may let more vertices stay than rows
    can reach: each test is looked at by itself.
    """

    def open_branches(vertex: Vertex) -> list[Branch]:
        if not isinstance(vertex, Test) or vertex.variable not in allowed:
            return list(vertex.branches)
        states = allowed[vertex.variable]
        return [branch for branch in vertex.branches if any(state in states for state in branch.states)]

    path = [0]
    while len(ways := open_branches(graph.vertices[path[-1]])) == 1:
        path.append(ways[0].to)
    seen = set(path)
    waiting = [path[-1]]
    while waiting:
        for branch in open_branches(graph.vertices[waiting.pop()]):
            if branch.to not in seen:
                seen.add(branch.to)
                waiting.append(branch.to)
    return Reached(tuple(path), frozenset(seen))


@dataclass(frozen=True, slots=True)
class Part:
    """What is below a vertex, as a graph of its own; `numbers` are its vertices' in the whole graph."""

    graph: Decision
    numbers: tuple[int, ...]


def part_below(graph: Decision, root: int = 0, levels: int | None = None) -> Part:
    """The graph from vertex `root` on; tests `levels` below it that lead further are folded."""
    depth = depths(graph, root)
    order = [v for v, d in depth.items() if levels is None or d <= levels]
    place = {v: k for k, v in enumerate(order)}

    def vertex(v: int) -> Vertex:
        old = graph.vertices[v]
        if not isinstance(old, Test):
            return old
        if any(branch.to not in place for branch in old.branches):
            return Folded(old.variable, len(leaves_below(graph, v)))
        return replace(old, branches=tuple(replace(b, to=place[b.to]) for b in old.branches))

    return Part(replace(graph, vertices=tuple(map(vertex, order))), tuple(order))


def leaves_below(graph: Decision, root: int) -> list[int]:
    """The vertices of the leaves that can be reached from a vertex, itself where it is one."""
    return [v for v in depths(graph, root) if isinstance(graph.vertices[v], Leaf)]


def depths(graph: Decision, root: int = 0) -> dict[int, int]:
    """How many branches below `root` each vertex lies, by the shortest way, the nearest first."""
    depth = {root: 0}
    order = [root]
    for v in order:
        for branch in graph.vertices[v].branches:
            if branch.to not in depth:
                depth[branch.to] = depth[v] + 1
                order.append(branch.to)
    return depth


def levels_within(graph: Decision, root: int, most: int) -> int:
    """The most levels below `root` that have at most `most` vertices, at least one."""
    found = list(depths(graph, root).values())
    return found[-1] if len(found) <= most else max(found[most] - 1, 1)


def counts_at(graph: Decision, vertex: int, data: Dataset) -> FloatArray:
    """How many rows of `data`, with their weights, come to a vertex in each state of the node's variable."""
    here: dict[int, list[IntArray]] = {0: [np.arange(data.rows)]}
    order = layers(graph)
    for v in sorted(order, key=order.__getitem__):  # each after all that lead to it
        rows = np.concatenate(here.pop(v, [np.arange(0)]))
        if v == vertex:
            own = data.domain.index(graph.name)
            weights = None if data.weights is None else data.weights[rows]
            return np.bincount(data.column(own)[rows], weights, len(graph.states)).astype(np.float64)
        test = graph.vertices[v]
        if isinstance(test, Test):
            j = data.domain.index(test.variable)
            codes = data.column(j)[rows]
            for branch in test.branches:
                inside = np.isin(codes, [data.domain.variables[j].code(state) for state in branch.states])
                here.setdefault(branch.to, []).append(rows[inside])
    raise AssertionError("a vertex is below the root")


def places(graph: Decision, leaf: float, size: Callable[[int], float]) -> dict[int, tuple[float, int]]:
    """(place, layer) of every vertex, for a picture: leaves `leaf` apart in the order of a walk from the root.

    A test is in the middle of those that the walk reaches first from it; tests of one layer are moved apart where they
    would touch, each being of its `size`, their middle kept.
    """
    at: dict[int, float] = {}
    leaves = itertools.count()
    for v, reached in _walk(graph).items():
        if not graph.vertices[v].branches:
            at[v] = leaf * next(leaves)
        elif reached:
            at[v] = sum(at[c] for c in reached) / len(reached)
        else:
            at[v] = max(at[branch.to] for branch in graph.vertices[v].branches)
    level = layers(graph)
    for depth in range(max(level.values())):
        tests = sorted((v for v in at if level[v] == depth), key=lambda v: (at[v], v))
        wanted = sum(at[v] for v in tests)
        for above, below in itertools.pairwise(tests):
            at[below] = max(at[below], at[above] + (size(above) + size(below)) / 2)
        shift = (sum(at[v] for v in tests) - wanted) / max(len(tests), 1)
        at.update({v: at[v] - shift for v in tests})
    return {v: (at[v], level[v]) for v in at}


def _walk(graph: Decision) -> dict[int, list[int]]:
    """Every vertex after those below it, with the ones that the walk reached from it and had not seen before."""
    reached: dict[int, list[int]] = {}
    ended: dict[int, list[int]] = {}
    waiting = [(0, False)]
    while waiting:  # a stack of its own: a graph may be deeper than Python's
        v, done = waiting.pop()
        if done:
            ended[v] = reached[v]
        elif v not in reached:
            reached[v] = [branch.to for branch in graph.vertices[v].branches if branch.to not in reached]
            waiting += [(v, True), *((c, False) for c in reversed(reached[v]))]
    return ended


def layers(graph: Decision) -> dict[int, int]:
    """The depth of every vertex, by the longest way from the root; leaves, and tests that are folded, all on the last."""
    depth = {0: 0}
    waiting = [0]
    while waiting:
        v = waiting.pop()
        for branch in graph.vertices[v].branches:
            if depth.get(branch.to, -1) < depth[v] + 1:
                depth[branch.to] = depth[v] + 1
                waiting.append(branch.to)
    last = max(depth.values())
    return {v: d if graph.vertices[v].branches else last for v, d in depth.items()}
