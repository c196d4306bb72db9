"""A node as SVG: tests from left to right, leaves in a column with their distributions as bars; of a boosted one, lines."""

import itertools
from collections.abc import Callable

from depnet.model.network import Network
from depnet.pictures import colours
from depnet.pictures.labels import join, short
from depnet.pictures.node.boosted import Boosted, boosted
from depnet.pictures.node.decision import (
    Branch,
    Decision,
    DecisionTest,
    Leaf,
    decision,
    legend,
    most_likely,
    node_of,
    shares,
    state_colours,
)
from depnet.pictures.svg import LETTER, element, key, picture, share_bar, text, title
from depnet.wording import shown_width

BOLD = 600
FONT = 12.0
ROW = 32.0
TITLE, LINE = 22.0, 17.0
BAR = 150.0
MARGIN = 14.0
GAP = 64.0
TOP, BESIDE = 58.0, 190.0
"""For the name and the states' colours; for what is said beside a leaf's bar."""
MOST_LETTERS = 20


def node_svg(network: Network, node: int | str) -> str:
    """The picture of a node's decision graph, as SVG text.

    Of a boosted node: what it reads, and what each input gained.

    Args:
        network: the network.
        node: the number of the node, or the name of its variable.

    Returns:
        The text.
    """
    if network.nodes[node_of(network, node)].boosted:
        return boosted_svg(boosted(network, node))
    return decision_svg(decision(network, node))


def decision_svg(graph: Decision, leaf: str = "leaf") -> str:
    """The text of `node_svg`, of a decision graph that is there already; `leaf` is what leaves are called.

    A leaf that several branches lead to is one leaf, framed in orange. States that stand in an order go from light to dark;
    of others, past seven, the most frequent have colours of their own and the rest are grey. Each vertex is a group with its
    number (`data-vertex`).
    """
    return _Picture(graph, leaf).svg()


class _Picture:
    """A decision graph drawn. A test is a small table, a line for each branch, from which the branch leaves.

    So, however many branches meet in a merged leaf, no label covers another.
    """

    def __init__(self, graph: Decision, leaf: str) -> None:
        self.graph, self.colour, self.leaf = graph, state_colours(graph), leaf
        tests = {v: test for v, test in enumerate(graph.vertices) if isinstance(test, DecisionTest)}
        self.height = {v: TITLE + LINE * len(test.branches) + 5 for v, test in tests.items()}
        at = places(graph, ROW, lambda v: self.height[v] + 10)
        self.layer = {v: layer for v, (_, layer) in at.items()}
        self.wide = [0.0] * (max(self.layer.values()) + 1)
        for v, layer in self.layer.items():
            if v in tests:
                self.wide[layer] = max(self.wide[layer], _width(tests[v]))
        self.left = list(itertools.accumulate([w + GAP for w in self.wide[:-1]], initial=MARGIN))
        half = {v: self.height.get(v, ROW) / 2 for v in at}
        shift = TOP - min(y - half[v] for v, (y, _) in at.items())
        self.y = {v: y + shift for v, (y, _) in at.items()}
        self.size = (self.left[-1] + BAR + BESIDE, max(self.y[v] + half[v] for v in at) + MARGIN)

    def svg(self) -> str:
        lines: list[str] = []
        boxes: list[str] = []
        for v in sorted(self.y):  # the root first, where a keyboard begins
            vertex = self.graph.vertices[v]
            if isinstance(vertex, Leaf):
                boxes.append(self._leaf(v, vertex))
            else:
                boxes.append(self._test(v, vertex))
                lines += [self._way(v, branch, y) for branch, y in self._ports(v)]
        name = short(self.graph.name, 60)
        heading = text(MARGIN, 20.0, name, 14, font_weight=BOLD)
        states = key(MARGIN, 40.0, legend(self.graph.states, self.colour))
        whole = (0.0, 0.0, *self.size)
        return picture(whole, f"decision graph of {name}", heading, *states, *lines, *boxes)

    def _ports(self, v: int) -> list[tuple[Branch, float]]:
        """Branches and the heights they leave from, in the order of where they lead, so that few lines cross."""
        order = sorted(self.graph.vertices[v].branches, key=lambda b: (self.y[b.to], b.to))
        first = self.y[v] - self.height[v] / 2 + TITLE + LINE / 2
        return [(branch, first + LINE * k) for k, branch in enumerate(order)]

    def _way(self, v: int, branch: Branch, y: float) -> str:
        """The line from a test to where a branch leads."""
        x = self.left[self.layer[v]] + self.wide[self.layer[v]]
        end, below = self.left[self.layer[branch.to]] - 3, self.y[branch.to]
        bend = min((end - x) / 2, 110.0)
        way = f"M{x:.1f} {y:.1f}C{x + bend:.1f} {y:.1f} {end - bend:.1f} {below:.1f} {end:.1f} {below:.1f}"
        look = {"fill": "none", "stroke": colours.GREY, "stroke_width": 1.3}
        return element("path", d=way, **look, data_from=v, data_to=branch.to)

    def _test(self, v: int, test: DecisionTest) -> str:
        x, height, wide = self.left[self.layer[v]], self.height[v], self.wide[self.layer[v]]
        top, right = self.y[v] - height / 2, x + wide
        frame = {"rx": 6, "stroke": colours.GREY, "style": "stroke-width:1.2"}
        found = title(f"tests {short(test.variable, 200)}")
        found += element("rect", kind="box", x=x, y=top, width=wide, height=height, **frame)
        found += text(x + 9, top + 16, short(test.variable, MOST_LETTERS), FONT, font_weight=BOLD)
        for branch, y in self._ports(v):
            tip = title(join(branch.states, 300, 60))
            found += text(right - 9, y + 4, _branch_name(branch), tip=tip, kind="soft", text_anchor="end")
        return element("g", found, data_vertex=v)

    def _leaf(self, v: int, leaf: Leaf) -> str:
        x, y = self.left[-1], self.y[v]
        merged = leaf.ways > 1
        frame = {
            "stroke": colours.ORANGE if merged else colours.GREY,
            "style": f"stroke-width:{2.4 if merged else 1}",
        }
        name = f"{self.leaf} {leaf.number}{leaf.rows_said}"
        states = self.graph.states
        likely = most_likely(leaf.probabilities, 12)
        said = [f"{short(states[s], 40)}: {leaf.probabilities[s]:.4f}" for s in likely]
        found = [
            title(name, *said),
            element("rect", kind="box", x=x - 2, y=y - 11, width=BAR + 4, height=22, rx=3, **frame),
        ]
        found += share_bar((x, y - 9, BAR, 18.0), shares(leaf.probabilities, self.colour), 0.22)
        ways = f", {leaf.ways} ways in" if merged else ""
        found.append(text(x + BAR + 8, y + 4, name + ways, kind="soft"))
        return element("g", "".join(found), data_vertex=v)


def _branch_name(branch: Branch) -> str:
    if 0 < len(branch.run) <= 2 * MOST_LETTERS:
        return branch.run
    return join(branch.states, MOST_LETTERS)


def _width(test: DecisionTest) -> float:
    labels = (short(test.variable, MOST_LETTERS), *map(_branch_name, test.branches))
    return LETTER * FONT * max(shown_width(label) for label in labels) + 20


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


LABELS, LONG, BETWEEN = 190.0, 320.0, 22.0
"""The picture of a boosted node: room for labels, the length of a bar, the height of a line."""


def boosted_svg(said: Boosted) -> str:
    """The picture of a boosted node: a bar for each of the inputs that gained most."""
    left, y = MARGIN + LABELS, 20.0
    parts = [text(MARGIN, y, f"{short(said.name, 48)} ({join(said.states, 60)})", 14, font_weight=BOLD)]
    parts.append(text(MARGIN, y + BETWEEN, said.size, kind="soft"))
    parts.append(text(MARGIN, y + 2.5 * BETWEEN, "What its inputs gained, bits a row", 12, font_weight=BOLD))
    y += 3.5 * BETWEEN
    for one, share in said.shares:
        tip = title(short(one.name, 200))
        parts.append(text(left - 8, y + 4, short(one.name, 26), tip=tip, text_anchor="end"))
        bar = {"x": left, "y": y - 8, "width": share * LONG, "height": 16, "rx": 2}
        parts.append(element("rect", **bar, fill=colours.BLUE))
        parts.append(text(left + share * LONG + 6, y + 4, f"{one.bits:.4f}", kind="soft"))
        y += BETWEEN
    parts.append(text(MARGIN, y, said.rest, kind="soft"))
    box = (0.0, 0.0, left + LONG + 90, y + BETWEEN)
    return picture(box, f"what the boosted node of {short(said.name, 60)} reads", *parts)
