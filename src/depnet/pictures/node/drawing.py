"""The measures of a drawn decision graph: tests from left to right, leaves in a column, every branch from a line of its own.

A test is a small table, a line for each branch, from which the branch leaves: however many branches meet in a merged
leaf, no label covers another.
"""

import itertools

from depnet.pictures.labels import listed, short
from depnet.pictures.node.decision import Branch, Decision, Folded, Test
from depnet.pictures.svg import LETTER
from depnet.wording import shown_width

FONT = 12.0
ROW = 32.0
TITLE, LINE = 22.0, 17.0
BAR = 150.0
MARGIN = 14.0
GAP = 64.0
BESIDE = 190.0
"""For what is said beside a leaf's bar."""
MOST_LETTERS = 20


class Drawing:
    """Where everything is: the left edge and width of every layer, the height of every test, the middle of all."""

    def __init__(self, graph: Decision, top: float = MARGIN) -> None:
        self.graph = graph
        at = places(graph)
        depth = max(layer for _, layer in at.values())
        self.layer = {v: layer for v, (_, layer) in at.items()}
        self.tests = {v: t for v, t in enumerate(graph.vertices) if isinstance(t, Test) and v in at}
        self.height = {v: TITLE + LINE * len(t.branches) + 5 for v, t in self.tests.items()}
        self.y = {v: place * ROW for v, (place, _) in at.items()}
        self.wide = [0.0] * (depth + 1)
        for layer in range(depth):
            tests = [v for v in self.tests if self.layer[v] == layer]
            self._apart(tests)
            self.wide[layer] = max((_width(self.tests[v]) for v in tests), default=0.0)
        self.left = list(itertools.accumulate([w + GAP for w in self.wide[:-1]], initial=MARGIN))
        half = {v: self.height.get(v, ROW) / 2 for v in self.y}
        shift = top - min(self.y[v] - half[v] for v in self.y)
        self.y = {v: y + shift for v, y in self.y.items()}
        self.size = (self.left[-1] + BAR + BESIDE, max(self.y[v] + half[v] for v in self.y) + MARGIN)

    def _apart(self, tests: list[int]) -> None:
        """Tests of one layer moved apart where they would touch, their middle kept."""
        tests.sort(key=lambda v: (self.y[v], v))
        wanted = [self.y[v] for v in tests]
        for above, below in itertools.pairwise(tests):
            least = self.y[above] + (self.height[above] + self.height[below]) / 2 + 10
            self.y[below] = max(self.y[below], least)
        shift = sum(self.y[v] - y for v, y in zip(tests, wanted, strict=True)) / max(len(tests), 1)
        for v in tests:
            self.y[v] -= shift

    def box(self, v: int) -> tuple[float, float, float, float]:
        """Left, top, width and height of a vertex; of a leaf, of its bar."""
        left, height = self.left[self.layer[v]], self.height.get(v, 22.0)
        wide = self.wide[self.layer[v]] if v in self.tests else BAR
        return left, self.y[v] - height / 2, wide, height

    def ports(self, v: int) -> list[tuple[Branch, float]]:
        """Branches and the heights they leave from, in the order of where they lead, so that few lines cross."""
        order = sorted(self.graph.vertices[v].branches, key=lambda b: (self.y[b.to], b.to))
        first = self.y[v] - self.height.get(v, ROW) / 2 + TITLE + LINE / 2
        return [(branch, first + LINE * k) for k, branch in enumerate(order)]

    def ways(self, v: int) -> list[tuple[Branch, str]]:
        x = self.left[self.layer[v]] + self.wide[self.layer[v]]
        found = []
        for branch, y in self.ports(v):
            end, below = self.left[self.layer[branch.to]] - 3, self.y[branch.to]
            bend = min((end - x) / 2, 110.0)
            way = (
                f"M{x:.1f} {y:.1f}C{x + bend:.1f} {y:.1f} {end - bend:.1f} {below:.1f} {end:.1f} {below:.1f}"
            )
            found.append((branch, way))
        return found


def name_in_box(test: Test | Folded) -> str:
    return short(test.variable, MOST_LETTERS)


def name_of_branch(branch: Branch) -> str:
    if len(branch.states) > 1 and 0 < len(branch.run) <= 2 * MOST_LETTERS:
        return branch.run
    return listed(branch.states, MOST_LETTERS)


def _width(test: Test) -> float:
    labels = (name_in_box(test), *map(name_of_branch, test.branches))
    return LETTER * FONT * max(shown_width(label) for label in labels) + 20


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
    level = layers(graph)
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
