"""One node's decision graph as SVG: tests from left to right, leaves in a column with their distributions as bars."""

from depnet.data.table.dataset import Dataset
from depnet.model.network import Network
from depnet.pictures import colours
from depnet.pictures.labels import listed, short
from depnet.pictures.node.decision import (
    Decision,
    Folded,
    Leaf,
    Test,
    decision,
    legend,
    most_likely,
    node_of,
    shares,
    state_colours,
)
from depnet.pictures.node.drawing import BAR, FONT, MARGIN, Drawing, name_in_box, name_of_branch
from depnet.pictures.node.effects import boosted
from depnet.pictures.node.effects_svg import boosted_svg
from depnet.pictures.svg import element, key, picture, share_bar, text, title
from depnet.wording import counted

BOLD = 600
TOP = 58.0
"""For the name and the states' colours."""


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

    A leaf that several branches lead to is one leaf, framed in orange. States that stand in an order go from light to dark;
    of others, past seven, the most frequent have colours of their own and the rest are grey.
    """
    return _Picture(graph).svg()


class _Picture:
    """The elements of a drawing."""

    def __init__(self, graph: Decision) -> None:
        self.graph, self.at = graph, Drawing(graph, TOP)
        self.colour = state_colours(graph)

    def svg(self) -> str:
        lines: list[str] = []
        boxes: list[str] = []
        for v in self.at.y:
            vertex = self.graph.vertices[v]
            if isinstance(vertex, Leaf):
                boxes.append(self._leaf(v, vertex))
            elif isinstance(vertex, Folded):
                boxes.append(self._folded(v, vertex))
            else:
                boxes.append(self._test(v, vertex))
                lines += [
                    element("path", d=way, fill="none", stroke=colours.GREY, stroke_width=1.3)
                    for _, way in self.at.ways(v)
                ]
        name = short(self.graph.name, 60)
        heading = text(MARGIN, 20.0, name, 14, font_weight=BOLD)
        states = key(MARGIN, 40.0, legend(self.graph.states, self.colour))
        whole = (0.0, 0.0, *self.at.size)
        return picture(whole, f"decision graph of {name}", heading, *states, *lines, *boxes)

    def _test(self, v: int, test: Test) -> str:
        x, top, w, h = self.at.box(v)
        look = {"rx": 6, "stroke": colours.GREY, "style": "stroke-width:1.2"}
        box = element("rect", kind="box", x=x, y=top, width=w, height=h, **look)
        name = text(x + 9, top + 16, name_in_box(test), FONT, font_weight=BOLD)
        found = element("g", title(f"tests {short(test.variable, 200)}") + box + name)
        for branch, y in self.at.ports(v):
            tip = title(listed(branch.states, 300, 60))
            found += text(x + w - 9, y + 4, name_of_branch(branch), tip=tip, kind="soft", text_anchor="end")
        return found

    def _folded(self, v: int, test: Folded) -> str:
        x, top, w, h = self.at.box(v)
        look = {"rx": 6, "stroke": colours.GREY, "stroke_dasharray": "4 3", "style": "stroke-width:1.2"}
        below = text(x + w + 8, self.at.y[v] + 4, counted(test.leaves, "leaf", "leaves"), kind="soft")
        box = element("rect", kind="box", x=x, y=top, width=w, height=h, **look)
        return element("g", box + text(x + 9, top + 15, name_in_box(test), FONT, font_weight=BOLD) + below)

    def _leaf(self, v: int, leaf: Leaf) -> str:
        x, y = self.at.left[-1], self.at.y[v]
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
        found += share_bar((x, y - 9, BAR, 18.0), shares(leaf.probabilities, self.colour), 0.22)
        ways = f", {leaf.ways} ways in" if merged else ""
        found.append(text(x + BAR + 8, y + 4, f"y = {leaf.number}{leaf.rows_said}{ways}", kind="soft"))
        return element("g", "".join(found))
