"""One node's decision graph as SVG: tests from left to right, leaves in a column with their distributions as bars.

A test is a small table, a line for each branch, from which the branch leaves: however many branches meet in a merged
leaf, no label covers another.
"""

import itertools

from depnet.model.network import Network
from depnet.pictures import colours
from depnet.pictures.graph.svg import opened
from depnet.pictures.labels import columns, listed, short, xml
from depnet.pictures.node.decision import (
    Branch,
    Decision,
    Leaf,
    Test,
    decision,
    frequent_states,
    most_likely,
    places,
)
from depnet.wording import counted

FONT = 12.0
COLUMN = 0.62 * FONT
ROW = 32.0
TITLE, LINE = 22.0, 17.0
BAR = 150.0
MARGIN = 14.0
GAP = 64.0
MOST_LETTERS = 20
MOST_STATES = len(colours.CYCLE)


def node_svg(network: Network, node: int | str) -> str:
    """SVG text of a node's decision graph, by its number or by the name of a variable."""
    return decision_svg(decision(network, node))


def decision_svg(graph: Decision) -> str:
    """The text of `node_svg`, of a decision graph that is there already.

    A leaf that several branches lead to is one leaf, framed in orange. Past seven states, the most frequent have
    colours of their own and the rest are grey.
    """
    return "\n".join([*_Drawing(graph).text(), ""])


class _Drawing:
    def __init__(self, graph: Decision) -> None:
        self.graph = graph
        at = places(graph)
        depth = max(layer for _, layer in at.values())
        self.layer = {v: layer for v, (_, layer) in at.items()}
        self.tests = {v: t for v, t in enumerate(graph.vertices) if isinstance(t, Test) and v in at}
        self.height = {v: TITLE + LINE * len(t.branches) + 5 for v, t in self.tests.items()}
        self.y = {v: place * ROW for v, (place, _) in at.items()}
        for layer in range(depth):
            self._apart([v for v in self.tests if self.layer[v] == layer])
        wide = [0.0] * (depth + 1)
        for v, test in self.tests.items():
            longest = max(columns(text) for text in (_name(test), *(_label(b) for b in test.branches)))
            wide[self.layer[v]] = max(wide[self.layer[v]], COLUMN * longest + 20)
        self.wide = wide
        self.left = list(itertools.accumulate([w + GAP for w in wide[:-1]], initial=MARGIN))
        self.colour = {s: colours.of(k) for k, s in enumerate(frequent_states(graph, MOST_STATES))}

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

    def text(self) -> list[str]:
        right = self.left[-1]
        width = right + BAR + 190
        half = {v: self.height.get(v, ROW) / 2 for v in self.y}
        top = min(self.y[v] - half[v] for v in self.y) - 58
        height = max(self.y[v] + half[v] for v in self.y) + MARGIN - top
        self.y = {v: y - top for v, y in self.y.items()}
        lines: list[str] = []
        boxes: list[str] = []
        for v in self.y:
            vertex = self.graph.vertices[v]
            if isinstance(vertex, Leaf):
                boxes.append(self._leaf(vertex, right, self.y[v]))
            else:
                boxes.append(self._test(v, vertex))
                lines += self._branches(v, vertex)
        name = short(self.graph.name, 60)
        return [
            *opened((0.0, 0.0, width, height), f"decision graph of {name}"),
            f'<text x="{MARGIN}" y="20" font-size="14" font-weight="600">{xml(name)}</text>',
            *self._key(40.0),
            *lines,
            *boxes,
            "</svg>",
        ]

    def _key(self, y: float) -> list[str]:
        found, x = [], MARGIN
        others = [(-1, colours.REST)] if len(self.colour) < len(self.graph.states) else []
        for s, colour in [*self.colour.items(), *others]:
            label = "other states" if s < 0 else short(self.graph.states[s], 18)
            found.append(
                f'<rect x="{x:.1f}" y="{y - 9:.1f}" width="11" height="11" rx="2" fill="{colour}"/>'
                f'<text class="soft" x="{x + 16:.1f}" y="{y:.1f}" font-size="11">{xml(label)}</text>'
            )
            x += 32 + 0.6 * 11 * columns(label)
        return found

    def _ports(self, v: int, test: Test) -> list[tuple[Branch, float]]:
        """Branches and the heights they leave from, in the order of where they lead, so that few lines cross."""
        order = sorted(test.branches, key=lambda b: (self.y[b.to], b.to))
        first = self.y[v] - self.height[v] / 2 + TITLE + LINE / 2
        return [(branch, first + LINE * k) for k, branch in enumerate(order)]

    def _test(self, v: int, test: Test) -> str:
        x, w, h = self.left[self.layer[v]], self.wide[self.layer[v]], self.height[v]
        top = self.y[v] - h / 2
        found = (
            f'<g><title>tests {xml(short(test.variable, 200))}</title><rect class="box" x="{x:.1f}" y="{top:.1f}" '
            f'width="{w:.1f}" height="{h:.1f}" rx="6" stroke="{colours.GREY}" style="stroke-width:1.2"/>'
            f'<text x="{x + 9:.1f}" y="{top + 16:.1f}" font-size="{FONT:g}" font-weight="600">{xml(_name(test))}</text></g>'
        )
        return found + "".join(
            f'<text class="soft" x="{x + w - 9:.1f}" y="{y + 4:.1f}" text-anchor="end" font-size="11">{xml(_label(branch))}'
            f"<title>{xml(listed(branch.states, 300, 60))}</title></text>"
            for branch, y in self._ports(v, test)
        )

    def _branches(self, v: int, test: Test) -> list[str]:
        x = self.left[self.layer[v]] + self.wide[self.layer[v]]
        found = []
        for branch, y in self._ports(v, test):
            end, below = self.left[self.layer[branch.to]] - 3, self.y[branch.to]
            bend = min((end - x) / 2, 110.0)
            found.append(
                f'<path d="M{x:.1f} {y:.1f}C{x + bend:.1f} {y:.1f} {end - bend:.1f} {below:.1f} {end:.1f} {below:.1f}" '
                f'fill="none" stroke="{colours.GREY}" stroke-width="1.3"/>'
            )
        return found

    def _leaf(self, leaf: Leaf, x: float, y: float) -> str:
        named = most_likely(leaf.probabilities, 12)
        said = "&#10;".join(
            f"{xml(short(self.graph.states[s], 40))}: {leaf.probabilities[s]:.4f}" for s in named
        )
        frame = colours.ORANGE if leaf.ways > 1 else colours.GREY
        box = f'x="{x - 2:.1f}" y="{y - 11:.1f}" width="{BAR + 4:.1f}" height="22" rx="3"'
        width = 2.4 if leaf.ways > 1 else 1
        found = [f"<g><title>leaf {leaf.number}&#10;{said}</title>"]
        found.append(f'<rect class="box" {box} stroke="{frame}" style="stroke-width:{width}"/>')
        left = x
        shares = [(colour, leaf.probabilities[s]) for s, colour in self.colour.items()]
        for colour, share in [*shares, (colours.REST, max(1 - sum(p for _, p in shares), 0.0))]:
            if share <= 1e-9:
                continue
            found.append(
                f'<rect x="{left:.2f}" y="{y - 9:.1f}" width="{share * BAR:.2f}" height="18" fill="{colour}"/>'
            )
            if share >= 0.22:
                found.append(
                    f'<text x="{left + share * BAR / 2:.1f}" y="{y + 4:.1f}" text-anchor="middle" font-size="11" '
                    f'style="fill:{colours.readable_on(colour)}">{share:.2f}</text>'
                )
            left += share * BAR
        rows = "" if leaf.rows is None else f", {counted(leaf.rows, 'row')}"
        shared = f", {leaf.ways} ways in" if leaf.ways > 1 else ""
        said = f"y = {leaf.number}{rows}{shared}"
        found.append(
            f'<text class="soft" x="{x + BAR + 8:.1f}" y="{y + 4:.1f}" font-size="11">{said}</text></g>'
        )
        return "".join(found)


def _name(test: Test) -> str:
    return short(test.variable, MOST_LETTERS)


def _label(branch: Branch) -> str:
    return listed(branch.states, MOST_LETTERS)
