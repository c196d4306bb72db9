"""The dependency graph as SVG.

Variables are boxes with their names, coloured by community. A line is as wide as its link is strong, its head points
to the variable that is predicted; blue where both predict each other, vermillion where one does.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from depnet.arrays import FloatArray
from depnet.pictures import colours
from depnet.pictures.graph.community import communities
from depnet.pictures.graph.dependency import DependencyGraph, Tie
from depnet.pictures.graph.layout import layout, spread
from depnet.pictures.labels import short
from depnet.pictures.svg import LETTER, element, picture, text, title
from depnet.wording import plural, shown_width, some_of

FONT = 13.0
MOST_LETTERS = 22
MOST_BOXES = 150
"""The most variables that are drawn."""

STEP = 78.0
"""The length of a tie of the layout's backbone."""

MARGIN = 16.0
LEGEND = 62.0
LEAST_WIDTH = 430.0
NAMED = 8
"""The most others that hovering over a variable names."""

PER_VARIABLE = 3
"""The links that are drawn by default, for each variable."""


class _Marks(NamedTuple):
    """Variables as they are drawn: where, half of what each covers, so that lines end at its edge, and the SVG."""

    at: FloatArray
    half: FloatArray
    parts: list[str]


def to_svg(graph: DependencyGraph, *, links: int | None = None, at: FloatArray | None = None) -> str:
    """The picture of a dependency graph, as SVG text.

    Of more than 150 variables, those that the strongest links join are drawn.

    Args:
        graph: the graph.
        links: how many, the strongest; None: three for each variable that is drawn.
        at: places that `layout` gave already, so that several pictures agree.

    Returns:
        The text.

    >>> from depnet import learn, titanic
    >>> from depnet.pictures import dependency_graph
    >>> to_svg(dependency_graph(learn(titanic())))[:4]
    '<svg'
    """
    drawn = min(len(graph), MOST_BOXES)
    shown, group = graph.strongest(PER_VARIABLE * drawn if links is None else links), communities(graph)
    kept = list(range(drawn)) if len(graph) == drawn else _choose_variables(shown, drawn)
    shown, whole = shown.kept(kept), graph.kept(kept)
    marks = _boxes(shown, [group[v] for v in kept], layout(whole) if at is None else at[kept])
    notes = [f"{plural(len(graph), 'variable')}, {plural(len(shown.arrows), 'link')}"]
    if len(shown.arrows) < len(graph.arrows):
        notes[0] += f", the strongest of {len(graph.arrows):,}"
    if graph.measured:
        notes.append(f"strengths in bits per row, {graph.measured}")
    x, y, width, height = _around(marks)
    legend = _legend(x + MARGIN, y + height, notes)
    box = (x, y, max(width, LEAST_WIDTH), height + LEGEND)
    return picture(box, "dependency graph", *_lines(shown, marks), *marks.parts, *legend)


def small_svg(graph: DependencyGraph, links: int = 24) -> str:
    """The `links` strongest links and the variables that they join, without a legend; nothing where there are none."""
    shown = graph.strongest(links)
    shown = shown.kept(_choose_variables(shown, len(graph)))
    if not shown.names:
        return ""
    marks = _boxes(shown, communities(shown), layout(shown))
    return picture(_around(marks), "strongest links", *_lines(shown, marks), *marks.parts)


def _choose_variables(graph: DependencyGraph, most: int) -> list[int]:
    """The variables that the arrows join, at most `most`, those of the strongest, ascending."""
    ends = (v for arrow in graph.arrows for v in (arrow.source, arrow.target))
    return sorted(list(dict.fromkeys(ends))[:most])


def _boxes(graph: DependencyGraph, group: Sequence[int], at: FloatArray) -> _Marks:
    labels = [short(name, MOST_LETTERS) for name in graph.names]
    wide = [LETTER * FONT * max(shown_width(label), 2) + 18.0 for label in labels]
    size = np.array([[w, FONT + 16.0] for w in wide]).reshape(-1, 2)
    at, half = spread(at * STEP, size + 26.0), size / 2
    parts = []
    for v, label in enumerate(labels):
        (x, y), (w, h) = at[v].tolist(), half[v].tolist()
        frame = {"rx": 7, "stroke": colours.of(group[v])}
        box = element("rect", kind="box", x=x - w, y=y - h, width=2 * w, height=2 * h, **frame)
        name = text(x, y + 0.35 * FONT, label, FONT, text_anchor="middle")
        parts.append(element("g", _describe(graph, v) + box + name))
    return _Marks(at, half, parts)


def _describe(graph: DependencyGraph, v: int) -> str:
    """The text on hovering over a variable: what predicts it, and what it predicts."""
    told = [graph.names[a.source] for a in graph.arrows if a.target == v]
    tells = [graph.names[a.target] for a in graph.arrows if a.source == v]
    lines = [short(graph.names[v], 200)]
    for what, names in (("predicted by", told), ("predicts", tells)):
        if names:
            lines.append(f"{what} {some_of([short(name, 30) for name in names], NAMED)}")
    return title(*lines)


def _lines(graph: DependencyGraph, marks: _Marks) -> list[str]:
    return [_line(graph, marks, tie, share) for tie, share in reversed(graph.shares)]  # the strongest on top


def _line(graph: DependencyGraph, marks: _Marks, tie: Tie, share: float) -> str:
    width = 1.0 + 4.0 * math.sqrt(share)
    a, b = marks.at[tie.first], marks.at[tie.second]
    start, end = _edge(a, b, marks.half[tie.first]), _edge(b, a, marks.half[tie.second])
    way = (end - start) / max(float(np.hypot(*(end - start))), 1e-9)
    long = 4.0 + 1.8 * width
    first, second = short(graph.names[tie.first], 60), short(graph.names[tie.second], 60)
    heads, said = "", []
    if tie.forward is not None:
        heads += _head(end, way, long)
        end = end - way * long * 0.8
        said.append(f"{first} → {second}: {tie.forward:.4f} bits")
    if tie.backward is not None:
        heads += _head(start, -way, long)
        start = start + way * long * 0.8
        said.append(f"{second} → {first}: {tie.backward:.4f} bits")
    line = element("path", d=f"M{_point(start)}L{_point(end)}", stroke_width=f"{width:.2f}")
    inside = title(*said) + line + element("path", kind="head", d=heads)
    return element(
        "g", inside, opacity=f"{0.45 + 0.5 * math.sqrt(share):.2f}", kind="both" if tie.both else "one"
    )


def _edge(inside: FloatArray, outside: FloatArray, half: FloatArray) -> FloatArray:
    """Where the line from the middle of a box to a point outside leaves the box."""
    way = outside - inside
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.nanmin(np.where(way != 0, (half + 2.0) / np.abs(way), np.inf))
    return np.asarray(inside + way * min(float(share), 0.5))


def _head(tip: FloatArray, way: FloatArray, long: float) -> str:
    side = np.array([-way[1], way[0]]) * long * 0.45
    back = tip - way * long
    return f"M{_point(tip)}L{_point(back + side)}L{_point(back - side)}Z"


def _point(at: FloatArray) -> str:
    return f"{at[0]:.1f} {at[1]:.1f}"


def _around(marks: _Marks) -> tuple[float, float, float, float]:
    """Left, top, width and height of what is drawn."""
    low, high = (marks.at - marks.half).min(axis=0) - MARGIN, (marks.at + marks.half).max(axis=0) + MARGIN
    return float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])


def _legend(left: float, top: float, notes: Sequence[str]) -> list[str]:
    parts = []
    x = left
    for said, kind in (("both predict each other", "both"), ("one predicts the other", "one")):
        line = element("path", d=f"M{x:.1f} {top + 12:.1f}h22", kind=kind, stroke_width=3)
        parts.append(line + text(x + 28, top + 16, said, kind="soft"))
        x += 40 + 6.4 * len(said)
    return parts + [text(left, top + 35 + 17 * k, note, kind="soft") for k, note in enumerate(notes)]
