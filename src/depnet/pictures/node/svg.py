"""A node as SVG: tests from left to right, leaves in a column with their distributions as bars; of a boosted one, lines."""

from collections.abc import Sequence

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
from depnet.pictures.node.effects import Boosted, boosted, lines_of
from depnet.pictures.svg import SMALL, element, key, picture, share_bar, text, title
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


def decision_svg(graph: Decision, numbers: Sequence[int] | None = None) -> str:
    """The text of `node_svg`, of a decision graph that is there already.

    A leaf that several branches lead to is one leaf, framed in orange. States that stand in an order go from light to dark;
    of others, past seven, the most frequent have colours of their own and the rest are grey. Each vertex is a group with its
    number (`data-vertex`), or what `numbers` has in its place.
    """
    return _Picture(graph, range(len(graph.vertices)) if numbers is None else numbers).svg()


class _Picture:
    def __init__(self, graph: Decision, numbers: Sequence[int]) -> None:
        self.graph, self.at, self.numbers = graph, Drawing(graph, TOP), numbers
        self.colour = state_colours(graph)

    def svg(self) -> str:
        look = {"fill": "none", "stroke": colours.GREY, "stroke_width": 1.3}
        lines: list[str] = []
        boxes: list[str] = []
        for v in sorted(self.at.y):  # the root first, where a keyboard begins
            vertex = self.graph.vertices[v]
            if isinstance(vertex, Leaf):
                boxes.append(self._leaf(v, vertex))
            elif isinstance(vertex, Folded):
                boxes.append(self._folded(v, vertex))
            else:
                boxes.append(self._test(v, vertex))
                lines += [
                    element("path", d=way, **look, data_from=self.numbers[v], data_to=self.numbers[branch.to])
                    for branch, way in self.at.ways(v)
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
        found = title(f"tests {short(test.variable, 200)}") + box + name
        for branch, y in self.at.ports(v):
            tip = title(listed(branch.states, 300, 60))
            found += text(x + w - 9, y + 4, name_of_branch(branch), tip=tip, kind="soft", text_anchor="end")
        return element("g", found, data_vertex=self.numbers[v])

    def _folded(self, v: int, test: Folded) -> str:
        x, top, w, h = self.at.box(v)
        look = {"rx": 6, "stroke": colours.GREY, "stroke_dasharray": "4 3", "style": "stroke-width:1.2"}
        below = f"{counted(test.leaves, 'leaf', 'leaves')} below"
        found = title(f"tests {short(test.variable, 200)}: {below}")
        found += element("rect", kind="box", x=x, y=top, width=w, height=h, **look)
        found += text(x + 9, top + 15, name_in_box(test), FONT, font_weight=BOLD)
        found += text(x + w + 8, self.at.y[v] + 4, below, kind="soft")
        return element("g", found, data_vertex=self.numbers[v])

    def _leaf(self, v: int, leaf: Leaf) -> str:
        x, y = self.at.left[-1], self.at.y[v]
        merged = leaf.ways > 1
        frame = {
            "stroke": colours.ORANGE if merged else colours.GREY,
            "style": f"stroke-width:{2.4 if merged else 1}",
        }
        name = f"leaf {leaf.number}{leaf.rows_said}"
        found = [
            _named(self.graph.states, leaf.probabilities, name),
            element("rect", kind="box", x=x - 2, y=y - 11, width=BAR + 4, height=22, rx=3, **frame),
        ]
        found += share_bar((x, y - 9, BAR, 18.0), shares(leaf.probabilities, self.colour), 0.22)
        ways = f", {leaf.ways} ways in" if merged else ""
        found.append(text(x + BAR + 8, y + 4, name + ways, kind="soft"))
        return element("g", "".join(found), data_vertex=self.numbers[v])


LABELS, LONG, LINE = 190.0, 320.0, 22.0
"""Of a boosted node: room for labels, the length of a bar, the height of a line."""


def boosted_svg(said: Boosted) -> str:
    """The picture of a boosted node; past seven states, the likeliest have colours of their own and the rest are grey."""
    colour = {s: colours.of(k) for k, s in enumerate(most_likely(said.mean, len(colours.CYCLE)))}
    parts: list[str] = []
    y, left = 20.0, MARGIN + LABELS
    for kind, label, value in lines_of(said):
        if kind in ("gain", "shares"):
            tip = title(short(label, 200))
            parts.append(text(left - 8, y + 4, short(label, 26), tip=tip, text_anchor="end"))
        if kind == "gain":
            bar = {"x": left, "y": y - 8, "width": value[1] * LONG, "height": 16, "rx": 2}
            parts.append(element("rect", **bar, fill=colours.BLUE))
            parts.append(text(left + value[1] * LONG + 6, y + 4, f"{value[0]:.4f}", kind="soft"))
        elif kind == "shares":
            shown = share_bar((left, y - 8, LONG, 16.0), shares(value, colour), 0.12)
            parts.append(element("g", "".join([_named(said.states, value), *shown])))
        elif kind == "legend":
            parts += key(MARGIN, y, legend(said.states, colour))
        elif kind == "note":
            parts.append(text(MARGIN, y, label, kind="soft"))
        else:
            y += 8 if kind == "heading" else 0
            size = {"title": 14, "heading": 12}.get(kind, SMALL)
            parts.append(text(MARGIN, y, label, size, font_weight=BOLD))
        y += LINE
    name = short(said.name, 60)
    box = (0.0, 0.0, left + LONG + 90, y)
    return picture(box, f"what the boosted node of {name} reads, and the effects of its inputs", *parts)


def _named(states: tuple[str, ...], probabilities: tuple[float, ...], *before: str) -> str:
    """What hovering over a distribution says."""
    said = [f"{short(states[s], 40)}: {probabilities[s]:.4f}" for s in most_likely(probabilities, 12)]
    return title(*before, *said)
