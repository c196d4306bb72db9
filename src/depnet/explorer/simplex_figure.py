"""The tetrahedron with the path of p^t as a Plotly figure, in the greys of a light or a dark page."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.explorer.parts import DARK, Palette
from depnet.explorer.theory_walk import Walk
from depnet.geometry import m_projection, manifolds
from depnet.pictures.colours import BLUE, GREY, INK, PURPLE, SKY, VERMILLION
from depnet.pictures.tetrahedron import CORNERS, Curve, edges, manifold_lines, place


def walk_figure(path: Walk, step: int, corners: Sequence[str], colours: Palette) -> dict[str, Any]:
    """The manifolds, p^0, ..., p^step and, from p^step, the m-projections that come next, as plain data."""
    curves = [*edges(), *manifold_lines(path.network), *_next_projections(path, step)]
    curves.append(Curve.through(path.laws[: step + 1], VERMILLION, "pᵗ", width=3, marked=True))
    named = [(path.laws[0], "p⁰", VERMILLION), (path.end, "π", INK)]
    if path.apart:
        curves.append(Curve.through(path.apart, PURPLE, "cycle", width=3))
        named += [(law, name, PURPLE) for law, name in zip(path.apart, ("π⁰", "π¹"), strict=True)]
    if step:
        named.append((path.laws[step], "pᵗ", VERMILLION))
    traces = [_line(curve, colours) for curve in curves]
    for corner, name in zip(CORNERS, corners, strict=True):
        look = {"mode": "text", "textfont": {"color": colours.muted, "size": 12}}
        traces.append(_point(1.08 * corner, name, look))
    for law, name, colour in named:
        marker = {"size": 5, "color": _colour(colour, colours)}
        look = {"mode": "markers+text", "textfont": {"color": colours.text, "size": 15}, "marker": marker}
        traces.append(_point(place(law), name, look))
    hidden = {"visible": False, "range": [-1.25, 1.25]}
    return {
        "data": traces,
        "layout": {
            "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "font": {"color": colours.text, "size": 13},
            "uirevision": "kept",  # the reader's own turn of the picture stays
            "legend": {"orientation": "h", "y": 0, "bgcolor": "rgba(0,0,0,0)"},
            "scene": {
                "xaxis": hidden,
                "yaxis": hidden,
                "zaxis": hidden,
                "aspectmode": "cube",
                "camera": {"eye": {"x": 0.93, "y": -1.62, "z": 0.52}, "center": {"x": 0, "y": 0, "z": -0.1}},
            },
        },
        "config": {"displaylogo": False, "responsive": True, "displayModeBar": False},
    }


def _next_projections(path: Walk, step: int) -> Iterable[Curve]:
    p = path.laws[step]
    ahead, label = [m_projection(p, space) for space in manifolds(path.network)], "m-projections of pᵗ"
    if path.cycle:
        ahead, label = [ahead[step % 2]], "next m-projection"  # the order of the scan is 0, 1
    return [Curve.through([p, q], GREY, "" if i else label) for i, q in enumerate(ahead)]


def _line(curve: Curve, colours: Palette) -> dict[str, Any]:
    x, y, z = np.round(curve.points, 6).T.tolist()
    return {
        "type": "scatter3d",
        "mode": "lines+markers" if curve.marked else "lines",
        "x": x,
        "y": y,
        "z": z,
        "name": curve.label,
        "showlegend": bool(curve.label),
        "hoverinfo": "skip",
        "line": {
            "color": _colour(curve.color, colours),
            "width": (3 if curve.dotted else 2) * curve.width,
            "dash": "dot" if curve.dotted else "solid",
        },
        "marker": {"size": 3, "color": _colour(curve.color, colours)},
    }


def _point(at: FloatArray, label: str, look: dict[str, Any]) -> dict[str, Any]:
    x, y, z = np.round(at, 6).tolist()
    return {
        "type": "scatter3d",
        "x": [x],
        "y": [y],
        "z": [z],
        # Text of a figure is markup to Plotly, and the corners are named by states of the reader's table.
        "text": [label.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")],
        "textposition": "top center",
        "showlegend": False,
        "hoverinfo": "text",
        **look,
    }


def _colour(colour: str, colours: Palette) -> str:
    """Ink and grey are the page's; on a dark one blue is the lighter of Okabe and Ito's two."""
    mapped = {INK: colours.text, GREY: colours.muted, BLUE: SKY if colours is DARK else BLUE}
    return mapped.get(colour, colour)
