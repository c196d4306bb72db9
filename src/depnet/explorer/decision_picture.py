"""A decision graph as one element of the page, whose vertices can be chosen."""

from collections.abc import Callable
from typing import Any

from depnet.explorer.component import Component
from depnet.pictures import colours
from depnet.pictures.labels import listed, short
from depnet.pictures.node.decision import Decision, Folded, Leaf, named_states, shares, state_colours
from depnet.pictures.node.drawing import Drawing, name_in_box, name_of_branch
from depnet.pictures.node.parts_of_graph import Part, Reached
from depnet.wording import counted

WRITTEN = 0.22
"""A share of a bar that is so large has its number in it."""


class DecisionPicture(Component, component="decision_picture.js"):
    """A `picture`; `chose(vertex)` is called when a vertex is clicked, or Enter pressed on it."""

    def __init__(self, drawn: dict[str, Any], chose: Callable[[int], None]) -> None:
        super().__init__(**drawn)
        self.tell("choose", int, to=chose)


def picture(part: Part, chosen: int, lit: Reached | None) -> dict[str, Any]:
    """What the element shows of a part of a graph; `lit` is what is known to be reached, of the whole graph's vertices."""
    at = Drawing(part.graph)
    above: dict[int, list[int]] = {}
    for v in at.y:
        for branch in part.graph.vertices[v].branches:
            above.setdefault(branch.to, []).append(part.numbers[v])
    colour = state_colours(part.graph)
    vertices = [
        {
            "id": part.numbers[v],
            "look": _look(part.numbers[v], lit),
            "above": above.get(v, []),
            "below": [part.numbers[branch.to] for branch, _ in at.ports(v)],
            **dict(zip("xywh", at.box(v), strict=True)),
            **_vertex(part.graph, at, v, colour),
        }
        for v in sorted(at.y)  # the root first, where the keyboard begins
    ]
    edges = [
        {"d": way, "look": _edge_look(part.numbers[v], part.numbers[branch.to], lit)}
        for v in at.y
        for branch, way in at.ways(v)
    ]
    return {
        "width": at.size[0],
        "height": at.size[1],
        "vertices": vertices,
        "edges": sorted(edges, key=lambda edge: edge["look"] == "path"),  # drawn last, above the others
        "chosen": chosen,
        "label": f"Decision graph of {short(part.graph.name, 60)}",
    }


def _look(v: int, lit: Reached | None) -> str:
    if lit is None:
        return ""
    return "path" if v in lit.path else "" if v in lit.vertices else "out"


def _edge_look(v: int, to: int, lit: Reached | None) -> str:
    if lit is None:
        return ""
    on_path = v in lit.path and to in lit.path
    return "path" if on_path else "" if v in lit.vertices and to in lit.vertices else "out"


def _vertex(graph: Decision, at: Drawing, v: int, colour: dict[int, str]) -> dict[str, Any]:
    vertex = graph.vertices[v]
    x, top, wide, _ = at.box(v)
    middle = at.y[v] + 4
    if isinstance(vertex, Leaf):
        ways = f", {vertex.ways} ways in" if vertex.ways > 1 else ""
        bars, texts = _bars(vertex, colour, x, middle, wide)
        beside = {
            "x": x + wide + 8,
            "y": middle,
            "kind": "soft",
            "text": f"leaf {vertex.number}{vertex.rows_said}{ways}",
        }
        return {
            "kind": "leaf merged" if vertex.ways > 1 else "leaf",
            "bars": bars,
            "texts": [*texts, beside],
            "said": _leaf_said(graph, vertex),
        }
    name = {
        "x": x + 9,
        "y": middle if isinstance(vertex, Folded) else top + 16,
        "kind": "name",
        "text": name_in_box(vertex),
    }
    tests = f"tests {short(vertex.variable, 100)}"
    if isinstance(vertex, Folded):
        below = counted(vertex.leaves, "leaf", "leaves")
        beside = {"x": x + wide + 8, "y": middle, "kind": "soft", "text": f"{below} below"}
        return {"kind": "folded", "bars": [], "texts": [name, beside], "said": f"{tests}: {below} below"}
    lines = [
        {"x": x + wide - 9, "y": y + 4, "kind": "soft end", "text": name_of_branch(branch)}
        for branch, y in at.ports(v)
    ]
    branches = "; ".join(listed(branch.states, 60) for branch in vertex.branches[:8])
    return {"kind": "test", "bars": [], "texts": [name, *lines], "said": f"{tests}: {branches}"}


def _bars(
    leaf: Leaf, colour: dict[int, str], x: float, middle: float, wide: float
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A leaf's distribution from end to end of its bar, with the numbers of large shares."""
    bars: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []
    left = x
    for shade, share in shares(leaf.probabilities, colour):
        if share > 1e-9:
            bars.append({"x": round(left, 2), "w": round(share * wide, 2), "colour": shade})
            if share >= WRITTEN:
                ink = colours.readable_on(shade)
                texts.append(
                    {
                        "x": left + share * wide / 2,
                        "y": middle,
                        "kind": "middle",
                        "text": f"{share:.2f}",
                        "ink": ink,
                    }
                )
        left += share * wide
    return bars, texts


def _leaf_said(graph: Decision, leaf: Leaf) -> str:
    named, rest = named_states(leaf.probabilities, 6)
    states = ", ".join(f"{short(graph.states[s], 40)} {leaf.probabilities[s]:.3f}" for s in named)
    more = f", and {counted(rest, 'more state')}" if rest else ""
    return f"leaf {leaf.number}{leaf.rows_said}: {states}{more}"
