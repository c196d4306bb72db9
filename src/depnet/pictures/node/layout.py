"""Where the vertices of a decision graph are drawn: in layers, tests before what they lead to, leaves last."""

import itertools

from depnet.pictures.node.decision import Decision


def places(graph: Decision, *, leaf: float = 1.0, test: float = 1.0) -> dict[int, tuple[float, int]]:
    """(place, layer) of every vertex: leaves `leaf` apart in the order of a walk from the root, a test in the
    middle of those it reaches first, and tests of one layer at least `test` apart.
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
    level = _layers(graph)
    for depth in range(max(level.values())):
        for left, right in itertools.pairwise(
            sorted((v for v in at if level[v] == depth), key=at.__getitem__)
        ):
            at[right] = max(at[right], at[left] + test)
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


def _layers(graph: Decision) -> dict[int, int]:
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
