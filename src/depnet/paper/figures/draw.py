"""Scenes and diagrams as matplotlib figures."""

import itertools
import math
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from depnet.paper.figures.diagram import Box, Diagram, Frame
from depnet.pictures.canvas import COLORS, new_figure
from depnet.pictures.colours import GREY, INK
from depnet.pictures.tetrahedron.scene import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(picture: Scene | Diagram) -> "Figure":
    """The picture as a figure."""
    return _scene(picture) if isinstance(picture, Scene) else _diagram(picture)


def _scene(scene: Scene) -> "Figure":
    figure = new_figure(5.6, 5.2)
    axes: Any = figure.add_subplot(projection="3d", computed_zorder=False)
    axes.set_axis_off()
    axes.set_box_aspect((1, 1, 1), zoom=1.06)
    axes.view_init(*scene.view)
    for surface in scene.surfaces:
        x, y, z = np.moveaxis(surface.grid, -1, 0)
        axes.plot_surface(x, y, z, color=surface.color, alpha=0.16, linewidth=0, shade=False, zorder=1)
        axes.plot_wireframe(x, y, z, color=surface.color, alpha=0.45, linewidth=0.4, zorder=1)
        axes.plot([], [], [], color=surface.color, label=surface.label)
    for curve in scene.curves:
        style = (0, (1, 1.2)) if curve.dotted else "-"
        look = {"marker": "o", "ms": 2.6} if curve.stepwise else {}
        look |= {"color": curve.color, "lw": curve.width, "ls": style, "label": curve.label or None}
        axes.plot(*curve.points.T, zorder=2, **look)
    for point in scene.points:
        corner = point.corner
        if not corner:
            axes.scatter(*point.at, color=point.color, s=26, zorder=4, depthshade=False)
        where = point.at * (1.13 if corner else 1.0) + (0 if corner else 0.07)
        look = {"color": INK, "fontsize": 8} if corner else {"color": point.color, "fontsize": 10}
        axes.text(*where, point.label, zorder=5, **look)
    axes.legend(loc="upper left", fontsize=8)
    figure.suptitle(scene.title, fontsize=11)
    figure.supxlabel(textwrap.fill(scene.caption, 92), fontsize=8, color="#444c56")
    return figure


def _diagram(diagram: Diagram) -> "Figure":
    columns = min(diagram.columns, len(diagram.frames))
    rows = math.ceil(len(diagram.frames) / columns)
    single = len(diagram.frames) == 1
    figure = new_figure(9.4 if single else 2.3 * columns, 5.2 if single else 2.5 * rows + 0.7)
    for place, frame in enumerate(diagram.frames, start=1):
        axes = figure.add_subplot(rows, columns, place)
        axes.set_axis_off()
        axes.set_title(frame.title, fontsize=9)
        _frame(axes, frame)
    figure.suptitle(diagram.title, fontsize=11)
    figure.supxlabel(textwrap.fill(diagram.caption, 118), fontsize=8, color="#444c56")
    return figure


def _frame(axes: "Axes", frame: Frame) -> None:
    from matplotlib.patches import Rectangle

    for arrow in frame.arrows:
        axes.annotate(
            "",
            arrow.end,
            arrow.start,
            arrowprops={"arrowstyle": "-|>", "color": GREY, "lw": 0.9, "shrinkB": 0},
        )
        where = [0.6 * a + 0.4 * b for a, b in zip(arrow.start, arrow.end, strict=True)]
        axes.text(
            where[0], where[1], arrow.label, fontsize=7.5, ha="center", va="center", color=INK,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )  # fmt: skip
    for box in frame.boxes:
        corner = (box.x - box.width / 2, box.y - box.height / 2)
        axes.add_patch(Rectangle(corner, box.width, box.height, facecolor=box.color, edgecolor=GREY, lw=0.8))
        _text_and_bars(axes, box)
    xs = [b.x + s * b.width / 2 for b in frame.boxes for s in (-1, 1)]
    ys = [b.y + s * b.height / 2 for b in frame.boxes for s in (-1, 1)]
    axes.set_xlim(min(xs) - 0.08, max(xs) + 0.08)
    axes.set_ylim(min(ys) - 0.08, max(ys) + 0.08)


def _text_and_bars(axes: "Axes", box: Box) -> None:
    if not box.bars:
        axes.text(box.x, box.y, box.text, ha="center", va="center", fontsize=8.5)
        return
    axes.text(box.x, box.y + box.height * 0.2, box.text, ha="center", va="center", fontsize=7.5)
    corner = (box.x - box.width * 0.45, box.y - box.height * 0.44)
    shades = (color + "99" for color in itertools.cycle(COLORS))
    _share_bar(
        axes, corner, (box.width * 0.9, box.height * 0.26), zip(shades, box.bars, strict=False), least=0.2
    )


def _share_bar(
    axes: "Axes",
    corner: tuple[float, float],
    size: tuple[float, float],
    shares: Iterable[tuple[str, float]],
    least: float = 0.25,
) -> None:
    """Shares, each with its colour, from end to end of a bar; those of at least `least` are written inside."""
    from matplotlib.patches import Rectangle

    (left, bottom), (width, height) = corner, size
    for colour, share in shares:
        wide = share * width
        axes.add_patch(Rectangle((left, bottom), wide, height, facecolor=colour, linewidth=0, zorder=3))
        if share >= least:
            where: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 6.5, "zorder": 4}
            axes.text(left + wide / 2, bottom + height / 2, f"{share:.2f}", color="black", **where)
        left += wide
