"""An SVG picture of ours by matplotlib: on Axes, or as the bytes of a PNG or PDF file.

The drawing is the SVG text itself, whose few elements (`depnet.pictures.svg`) are read back: what a picture looks like is
said once. Of the style it takes the light one.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal
from xml.etree import ElementTree as ET

from depnet import plots
from depnet.errors import PictureError, brief
from depnet.pictures import colours

INCH = 96.0
"""Units of a picture in an inch, as in a browser; letters are measured in points, of which it has 72."""
SOFT = "#57606a"
CLASSES: Mapping[str, dict[str, str]] = {
    "both": {"fill": colours.BOTH, "stroke": colours.BOTH},
    "one": {"fill": colours.ONE_WAY, "stroke": colours.ONE_WAY},
    "head": {"stroke": "none"},
    "soft": {"fill": SOFT},
    "paper": {"fill": "#ffffff"},
    "box": {"fill": "#ffffff", "stroke-width": "2.5"},
}
"""What the classes of `svg.STYLE` say."""
ALIGNED = {"middle": "center", "end": "right", "start": "left"}


def plot_svg(svg: str, ax: Any = None) -> Any:
    """Draw a picture of `to_svg` or `node_svg` with matplotlib.

    Args:
        svg: the text.
        ax: the Axes to draw on, which then have the picture's own coordinates and no frame; None: new ones.

    Returns:
        The Axes.

    >>> from depnet import learn, titanic
    >>> from depnet.pictures import dependency_graph, to_svg
    >>> to_image(to_svg(dependency_graph(learn(titanic()))), "png")[1:4]
    b'PNG'
    """
    _, _, width, height = _box(svg)
    (axes,) = plots.new_axes(ax, [height / INCH], width / INCH)
    _draw(svg, axes, fill=ax is None)
    return axes


def to_image(svg: str, form: Literal["png", "pdf"]) -> bytes:
    """A picture of `to_svg` or `node_svg` as a PNG or PDF file: the same picture is the same bytes.

    Args:
        svg: the text.
        form: "png" or "pdf".

    Returns:
        The bytes of the file.
    """
    if form not in ("png", "pdf"):
        raise PictureError(f'a picture is made a "png" or a "pdf"; got {brief(form)}.')
    _, _, width, height = _box(svg)
    figure = plots.matplotlib("figure").Figure(figsize=(width / INCH, height / INCH))
    _draw(svg, figure.subplots(), fill=True)
    return plots.image(figure, form)


def _box(svg: str) -> list[float]:
    """Left, top, width and height of what is drawn."""
    found = re.search(r'viewBox="([^"]*)"', svg)
    if found is None:
        raise PictureError(f"a picture is the text of `to_svg` or `node_svg`; got {brief(svg)}.")
    return [float(number) for number in found[1].split()]


def _draw(svg: str, ax: Any, *, fill: bool) -> None:
    """Draw on Axes; `fill`: which have a figure of their own, and all of it."""
    left, top, width, height = _box(svg)
    if fill:
        ax.figure.set_layout_engine("none")
        ax.set_position((0, 0, 1, 1))
    ax.set(xlim=(left, left + width), ylim=(top + height, top), aspect="equal")
    ax.axis("off")
    room = ax.get_window_extent()
    points = min(room.width / width, room.height / height) * 72 / ax.figure.dpi
    for order, (element, look) in enumerate(_elements(ET.fromstring(svg), {})):
        _add(ax, element, look, points, order)


def _elements(element: Any, above: Mapping[str, str]) -> Any:
    """Every element with all that is said of its look, by itself, its classes and those around it."""
    style = dict(part.split(":", 1) for part in element.get("style", "").split(";") if ":" in part)
    look = {**above, **CLASSES.get(element.get("class", ""), {}), **element.attrib, **style}
    yield element, look
    for inside in element:
        yield from _elements(inside, {key: look[key] for key in ("fill", "stroke", "opacity") if key in look})


def _add(ax: Any, element: Any, look: Mapping[str, str], points: float, order: int) -> None:
    tag, patches = element.tag.rpartition("}")[2], plots.matplotlib("patches")
    width = float(look.get("stroke-width", 1))
    edge = look.get("stroke", "none")
    drawn = {"facecolor": look.get("fill", colours.INK), "edgecolor": edge, "zorder": order}
    drawn |= {"linewidth": points * width, "alpha": float(look.get("opacity", 1))}
    if tag == "rect":
        x, y, wide, high, round_by = (
            float(look.get(name, 0)) for name in ("x", "y", "width", "height", "rx")
        )
        shape = f"round,pad=0,rounding_size={round_by}" if round_by else "square,pad=0"
        ax.add_patch(patches.FancyBboxPatch((x, y), wide, high, boxstyle=shape, **drawn))
    elif tag == "path":
        ax.add_patch(patches.PathPatch(_path(look["d"]), capstyle="butt", **drawn))
    elif tag == "text":
        at = {"ha": ALIGNED[look.get("text-anchor", "start")], "va": "baseline", "zorder": order}
        weight = "bold" if look.get("font-weight", "400") not in ("400", "normal") else "normal"
        size = points * float(look["font-size"])
        said = plots.plain(element.text or "", len(element.text or "") + 1)
        ax.text(
            float(look["x"]),
            float(look["y"]),
            said,
            size=size,
            color=look.get("fill", colours.INK),
            weight=weight,
            **at,
        )


def _path(way: str) -> Any:
    """A path of the commands M, L, h, C and Z."""
    codes: list[int] = []
    points: list[tuple[float, float]] = []
    known = plots.matplotlib("path").Path
    for letter, numbers in re.findall(r"([MLhCZ])([^MLhCZ]*)", way):
        given = [float(number) for number in numbers.replace(",", " ").split()]
        if letter == "h":
            given = [points[-1][0] + given[0], points[-1][1]]
        places = list(zip(given[::2], given[1::2], strict=True)) or [points[-1]]
        code = {"M": known.MOVETO, "C": known.CURVE4, "Z": known.CLOSEPOLY}.get(letter, known.LINETO)
        codes += [code] * len(places)
        points += places
    return known(points, codes) if points else known([(0.0, 0.0)])
