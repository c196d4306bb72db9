"""The dependency graph as SVG: one self-contained file, light and dark, no font or script of its own.

Variables are boxes with their names, coloured by community. A line is as wide as its link is strong, its head points
to the variable that is told; blue where both tell each other, vermillion where one does.
"""

import math
from abc import ABC, abstractmethod
from collections import Counter

import numpy as np

from depnet.arrays import FloatArray
from depnet.pictures import colours
from depnet.pictures.graph.community import communities
from depnet.pictures.graph.dependency import DependencyGraph, Tie
from depnet.pictures.graph.layout import layout, spread
from depnet.pictures.labels import columns, short, xml
from depnet.wording import counted, some_of

FONT = 13.0
COLUMN = 0.62 * FONT
"""The width of a character of a sans-serif font, on the safe side."""

MOST_LETTERS = 22
MOST_BOXES = 150
"""Past so many variables they are dots, and only those with most ties have their names beside them."""

STEP = 78.0
MARGIN = 16.0
LEGEND = 62.0
NAMED = 8
"""Hovering over a variable names so many others."""

PER_VARIABLE = 3
"""By default no more than so many links are drawn for each variable; two where they are dots."""

STYLE = f"""<style>
.depnet{{font-family:system-ui,-apple-system,"Segoe UI",sans-serif}}
.depnet text{{fill:#1b1f24}}
.depnet .soft{{fill:#57606a}}
.depnet .paper{{fill:#ffffff}}
.depnet .box{{fill:#ffffff;stroke-width:2.5}}
.depnet .halo{{stroke:#ffffff;stroke-width:3;paint-order:stroke}}
.depnet .both{{fill:{colours.BOTH};stroke:{colours.BOTH}}}
.depnet .one{{fill:{colours.ONE_WAY};stroke:{colours.ONE_WAY}}}
.depnet .head{{stroke:none}}
@media (prefers-color-scheme:dark){{
.depnet text{{fill:#e6e9ed}}
.depnet .soft{{fill:#a5adb7}}
.depnet .paper{{fill:#16191d}}
.depnet .box{{fill:#16191d}}
.depnet .halo{{stroke:#16191d}}
.depnet .both{{fill:{colours.SKY};stroke:{colours.SKY}}}
.depnet .one{{fill:{colours.ORANGE};stroke:{colours.ORANGE}}}
}}
</style>"""
"""Plain classes and no variables, which drawing programs do not know."""


def to_svg(graph: DependencyGraph, *, links: int | None = None, at: FloatArray | None = None) -> str:
    """SVG text of the `links` strongest links (None: two or three for each variable), variables at their `layout`.

    `at` are places that `layout` gave already, so that several pictures agree.
    """
    boxes = len(graph) <= MOST_BOXES
    most = (PER_VARIABLE if boxes else PER_VARIABLE - 1) * len(graph)
    shown = graph.strongest(most if links is None else links)
    group = communities(graph)
    at = layout(graph) if at is None else at
    picture = _Boxes(shown, group, at) if boxes else _Dots(shown, group, at)
    hidden = len(graph.arrows) - len(shown.arrows)
    notes = [
        f"{counted(len(graph), 'variable')}, {counted(len(shown.arrows), 'link')}"
        + (f", the strongest of {len(graph.arrows):,}" if hidden else "")
    ]
    if graph.measured:
        notes.append(f"strengths in bits per row, {graph.measured}")
    return _page(picture, notes)


class _Picture(ABC):
    """Lines under marks; `size` is half of what a mark covers, so that lines end at its edge."""

    def __init__(
        self, graph: DependencyGraph, group: tuple[int, ...], at: FloatArray, size: FloatArray
    ) -> None:
        self.graph, self.group, self.at, self.size = graph, group, at, size
        self.strongest = max([arrow.strength for arrow in graph.arrows], default=0.0)

    def lines(self) -> list[str]:
        return [self._line(tie) for tie in reversed(self.graph.ties)]  # the strongest on top

    def _line(self, tie: Tie) -> str:
        both = tie.forward is not None and tie.backward is not None
        kind = "both" if both else "one"
        share = max(tie.strength, 0.0) / self.strongest if self.strongest > 0 else 0.0
        width = 1.0 + 4.0 * math.sqrt(share)
        a, b = self.at[tie.first], self.at[tie.second]
        start, end = _edge(a, b, self.size[tie.first]), _edge(b, a, self.size[tie.second])
        way = (end - start) / max(float(np.hypot(*(end - start))), 1e-9)
        long = 4.0 + 1.8 * width
        heads = []
        if tie.forward is not None:
            heads.append(_head(end, way, long))
            end = end - way * long * 0.8
        if tie.backward is not None:
            heads.append(_head(start, -way, long))
            start = start + way * long * 0.8
        first, second = (
            xml(short(self.graph.names[tie.first], 60)),
            xml(short(self.graph.names[tie.second], 60)),
        )
        said = "&#10;".join(
            f"{tells} → {told}: {bits:.4f} bits"
            for tells, told, bits in ((first, second, tie.forward), (second, first, tie.backward))
            if bits is not None
        )
        return (
            f'<g opacity="{0.45 + 0.5 * math.sqrt(share):.2f}" class="{kind}"><title>{said}</title>'
            f'<path d="M{start[0]:.1f} {start[1]:.1f}L{end[0]:.1f} {end[1]:.1f}" stroke-width="{width:.2f}"/>'
            f'<path class="head" d="{"".join(heads)}"/></g>'
        )

    @abstractmethod
    def marks(self) -> list[str]:
        """The variables themselves."""

    def said(self, v: int) -> str:
        """What hovering over a variable says: what predicts it, what it predicts."""
        tells = [a for a in self.graph.arrows if a.source == v]
        told = [a for a in self.graph.arrows if a.target == v]
        parts = [xml(short(self.graph.names[v], 200))]
        for what, arrows, other in (("predicted by", told, "source"), ("predicts", tells, "target")):
            if arrows:
                named = some_of([short(self.graph.names[getattr(a, other)], 30) for a in arrows], NAMED)
                parts.append(xml(f"{what} {named}"))
        return "&#10;".join(parts)


class _Boxes(_Picture):
    def __init__(self, graph: DependencyGraph, group: tuple[int, ...], at: FloatArray) -> None:
        self.labels = [short(name, MOST_LETTERS) for name in graph.names]
        size = np.array([[COLUMN * max(columns(label), 2) + 18.0, FONT + 16.0] for label in self.labels])
        room = size + np.array([26.0, 26.0])
        super().__init__(graph, group, spread(at * STEP, room.reshape(-1, 2)), size.reshape(-1, 2) / 2)

    def marks(self) -> list[str]:
        found = []
        for v, label in enumerate(self.labels):
            (x, y), (w, h) = self.at[v], self.size[v]
            found.append(
                f'<g><title>{self.said(v)}</title><rect class="box" x="{x - w:.1f}" y="{y - h:.1f}" width="{2 * w:.1f}" '
                f'height="{2 * h:.1f}" rx="7" stroke="{colours.of(self.group[v])}"/>'
                f'<text x="{x:.1f}" y="{y + 0.35 * FONT:.1f}" text-anchor="middle" font-size="{FONT:g}">{xml(label)}</text>'
                "</g>"
            )
        return found


class _Dots(_Picture):
    def __init__(self, graph: DependencyGraph, group: tuple[int, ...], at: FloatArray) -> None:
        degree = Counter(v for arrow in graph.arrows for v in (arrow.source, arrow.target))
        radius = np.array([3.0 + min(1.2 * math.sqrt(degree[v]), 9.0) for v in range(len(graph))])
        self.radius = radius
        super().__init__(graph, group, at * 42.0, np.stack([radius, radius], axis=1))
        self.named = self._named(degree)

    def _named(self, degree: Counter[int]) -> dict[int, str]:
        """Names by the number of ties, each where it covers no name written before it."""
        kept: dict[int, str] = {}
        taken: list[tuple[float, float, float]] = []
        for v in sorted(range(len(self.graph)), key=lambda v: (-degree[v], v)):
            label = short(self.graph.names[v], MOST_LETTERS)
            x, y = float(self.at[v, 0] + self.radius[v] + 3), float(self.at[v, 1])
            wide = 0.62 * 11 * columns(label)
            if all(abs(y - b) > 13 or x > a + w or a > x + wide for a, b, w in taken):
                taken.append((x, y, wide))
                kept[v] = label
        return kept

    def marks(self) -> list[str]:
        found = [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{self.radius[v]:.1f}" fill="{colours.of(self.group[v])}" '
            f'stroke="#ffffff"><title>{self.said(v)}</title></circle>'
            for v, (x, y) in enumerate(self.at.tolist())
        ]
        found += [
            f'<text x="{self.at[v, 0] + self.radius[v] + 3:.1f}" y="{self.at[v, 1] + 4:.1f}" font-size="11" '
            f'class="halo">{xml(label)}</text>'
            for v, label in self.named.items()
        ]
        return found


def opened(box: tuple[float, float, float, float], said: str) -> list[str]:
    """The opening of a picture: its size, its style and its paper. `said` is what a screen reader says."""
    x, y, width, height = box
    view = f'viewBox="{x:.1f} {y:.1f} {width:.1f} {height:.1f}" width="{width:.0f}" height="{height:.0f}"'
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="depnet" {view} role="img" aria-label="{xml(said)}">',
        STYLE,
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" class="paper"/>',
    ]


def _edge(inside: FloatArray, outside: FloatArray, half: FloatArray) -> FloatArray:
    """Where the line from the middle of a box to a point outside leaves the box."""
    way = outside - inside
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.nanmin(np.where(way != 0, (half + 2.0) / np.abs(way), np.inf))
    return np.asarray(inside + way * min(float(share), 0.5))


def _head(tip: FloatArray, way: FloatArray, long: float) -> str:
    side = np.array([-way[1], way[0]]) * long * 0.45
    back = tip - way * long
    a, b = back + side, back - side
    return f"M{tip[0]:.1f} {tip[1]:.1f}L{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}Z"


def _page(picture: _Picture, notes: list[str]) -> str:
    names = 0.62 * 11 * MOST_LETTERS if isinstance(picture, _Dots) else 0.0
    low, high = (picture.at - picture.size).min(axis=0), (picture.at + picture.size).max(axis=0)
    left, top = low - MARGIN
    width = max(float(high[0] + MARGIN + names - left), 430.0)
    height = float(high[1] + MARGIN - top) + LEGEND
    base = top + height - LEGEND
    key = []
    x = left + MARGIN
    for text, kind in (
        ("both predict each other", "both"),
        ("one predicts the other", "one"),
    ):
        key.append(
            f'<path d="M{x:.1f} {base + 12:.1f}h22" class="{kind}" stroke-width="3"/>'
            f'<text class="soft" x="{x + 28:.1f}" y="{base + 16:.1f}" font-size="11">{text}</text>'
        )
        x += 40 + 6.4 * len(text)
    key += [
        f'<text class="soft" x="{left + MARGIN:.1f}" y="{base + 35 + 17 * k:.1f}" font-size="11">{xml(note)}</text>'
        for k, note in enumerate(notes)
    ]
    return "\n".join(
        [
            *opened((float(left), float(top), width, height), "dependency graph"),
            *picture.lines(),
            *picture.marks(),
            *key,
            "</svg>",
            "",
        ]
    )
