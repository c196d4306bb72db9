"""What evidence leaves of a decision graph, and the places of its vertices in a picture."""

import itertools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from depnet.data.table.variable import Label
from depnet.pictures.node.decision import Branch, Decision, Test, Vertex


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
    """The depth of every vertex, by the longest way from the root; leaves all on the last."""
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
