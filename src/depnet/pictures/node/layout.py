"""Where the vertices of a decision graph are drawn: in layers, tests before what they lead to, leaves last."""

import itertools

from depnet.pictures.node.decision import Decision, Leaf, Test


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
