"""One node's decision graph as SVG: tests from left to right, leaves in a column with their distributions as bars.

A test is a small table, a line for each branch, from which the branch leaves: however many branches meet in a merged
leaf, no label covers another.
"""

import itertools

from depnet.data.table.dataset import Dataset
from depnet.model.network import Network
from depnet.pictures import colours
from depnet.pictures.labels import columns, listed, short
from depnet.pictures.node.decision import (
    Branch,
    Decision,
    Leaf,
    Test,
    decision,
    legend,
    most_likely,
    node_of,
    shares,
    state_colours,
)
from depnet.pictures.node.effects import boosted
from depnet.pictures.node.effects_svg import boosted_svg
from depnet.pictures.node.layout import places
from depnet.pictures.svg import LETTER, SMALL, element, picture, text, title

FONT = 12.0
ROW = 32.0
TITLE, LINE = 22.0, 17.0
BAR = 150.0
MARGIN = 14.0
GAP = 64.0
MOST_LETTERS = 20
BOLD = 600


def node_svg(network: Network, node: int | str, dataset: Dataset | None = None) -> str:
    """The picture of a node's decision graph, as SVG text.

    Of a boosted node: what it reads, and the effects of its inputs.

    Args:
        network: the network.
        node: the number of the node, or the name of its variable.
        dataset: rows that the effects of a boosted node are means over.

    Returns:
        The text.
    """
    if network.nodes[node_of(network, node)].boosted:
        return boosted_svg(boosted(network, node, dataset))
    return decision_svg(decision(network, node))


def decision_svg(graph: Decision) -> str:
    """The text of `node_svg`, of a decision graph that is there already.

    A leaf that several branches lead to is one leaf, framed in orange. Past seven states, the most frequent have
    colours of their own and the rest are grey.
    """
    return _Drawing(graph).svg()


class _Drawing:
    """Where everything is: the left edge and width of every layer, the height of every test, the middle of all."""

    def __init__(self, graph: Decision) -> None:
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
        self.colour = state_colours(graph)

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

    def svg(self) -> str:
        half = {v: self.height.get(v, ROW) / 2 for v in self.y}
        top = min(self.y[v] - half[v] for v in self.y) - 58
        height = max(self.y[v] + half[v] for v in self.y) + MARGIN - top
        self.y = {v: y - top for v, y in self.y.items()}
        lines: list[str] = []
        boxes: list[str] = []
        for v in self.y:
            vertex = self.graph.vertices[v]
            if isinstance(vertex, Leaf):
                boxes.append(self._leaf(vertex, self.left[-1], self.y[v]))
            else:
                boxes.append(self._test(v, vertex))
                lines += self._branches(v, vertex)
        name = short(self.graph.name, 60)
        heading = text(MARGIN, 20.0, name, 14, font_weight=BOLD)
        whole = (0.0, 0.0, self.left[-1] + BAR + 190, height)
        return picture(whole, f"decision graph of {name}", heading, *self._key(40.0), *lines, *boxes)

    def _key(self, y: float) -> list[str]:
        found, x = [], MARGIN
        for state, colour in legend(self.graph, self.colour):
            label = short(state, 18)
            found.append(element("rect", x=x, y=y - 9, width=11, height=11, rx=2, fill=colour))
            found.append(text(x + 16, y, label, kind="soft"))
            x += 32 + 0.6 * SMALL * columns(label)
        return found

    def _ports(self, v: int, test: Test) -> list[tuple[Branch, float]]:
        """Branches and the heights they leave from, in the order of where they lead, so that few lines cross."""
        order = sorted(test.branches, key=lambda b: (self.y[b.to], b.to))
        first = self.y[v] - self.height[v] / 2 + TITLE + LINE / 2
        return [(branch, first + LINE * k) for k, branch in enumerate(order)]

    def _test(self, v: int, test: Test) -> str:
        x, w, h = self.left[self.layer[v]], self.wide[self.layer[v]], self.height[v]
        top = self.y[v] - h / 2
        look = {"rx": 6, "stroke": colours.GREY, "style": "stroke-width:1.2"}
        box = element("rect", kind="box", x=x, y=top, width=w, height=h, **look)
        name = text(x + 9, top + 16, _name(test), FONT, font_weight=BOLD)
        found = element("g", title(f"tests {short(test.variable, 200)}") + box + name)
        for branch, y in self._ports(v, test):
            tip = title(listed(branch.states, 300, 60))
            found += text(x + w - 9, y + 4, _label(branch), tip=tip, kind="soft", text_anchor="end")
        return found

    def _branches(self, v: int, test: Test) -> list[str]:
        x = self.left[self.layer[v]] + self.wide[self.layer[v]]
        found = []
        for branch, y in self._ports(v, test):
            end, below = self.left[self.layer[branch.to]] - 3, self.y[branch.to]
            bend = min((end - x) / 2, 110.0)
            way = (
                f"M{x:.1f} {y:.1f}C{x + bend:.1f} {y:.1f} {end - bend:.1f} {below:.1f} {end:.1f} {below:.1f}"
            )
            found.append(element("path", d=way, fill="none", stroke=colours.GREY, stroke_width=1.3))
        return found

    def _leaf(self, leaf: Leaf, x: float, y: float) -> str:
        named = most_likely(leaf.probabilities, 12)
        said = [f"{short(self.graph.states[s], 40)}: {leaf.probabilities[s]:.4f}" for s in named]
        merged = leaf.ways > 1
        frame = {
            "stroke": colours.ORANGE if merged else colours.GREY,
            "style": f"stroke-width:{2.4 if merged else 1}",
        }
        found = [
            title(f"leaf {leaf.number}", *said),
            element("rect", kind="box", x=x - 2, y=y - 11, width=BAR + 4, height=22, rx=3, **frame),
        ]
        left = x
        for colour, share in shares(leaf, self.colour):
            if share <= 1e-9:
                continue
            wide = share * BAR
            found.append(
                element("rect", x=f"{left:.2f}", y=y - 9, width=f"{wide:.2f}", height=18, fill=colour)
            )
            if share >= 0.22:
                ink = f"fill:{colours.readable_on(colour)}"
                found.append(text(left + wide / 2, y + 4, f"{share:.2f}", text_anchor="middle", style=ink))
            left += wide
        ways = f", {leaf.ways} ways in" if merged else ""
        found.append(text(x + BAR + 8, y + 4, f"y = {leaf.number}{leaf.rows_said}{ways}", kind="soft"))
        return element("g", "".join(found))


def _width(test: Test) -> float:
    return LETTER * FONT * max(columns(label) for label in (_name(test), *map(_label, test.branches))) + 20


def _name(test: Test) -> str:
    return short(test.variable, MOST_LETTERS)


def _label(branch: Branch) -> str:
    return listed(branch.states, MOST_LETTERS)
