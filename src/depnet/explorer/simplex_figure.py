"""A scene of the tetrahedron as a Plotly figure, in the greys of a light or a dark page."""

from typing import Any

import numpy as np

from depnet.explorer.parts import DARK, Palette
from depnet.pictures.colours import BLUE, GREY, INK, SKY
from depnet.pictures.tetrahedron.scene import Curve, Point, Scene


def figure_of(scene: Scene, colours: Palette) -> dict[str, Any]:
    """The figure as plain data. Text of a figure is markup to Plotly, so `<` is written as an entity."""
    traces = [_line(curve, colours) for curve in scene.curves]
    traces += [_point(point, colours) for point in scene.points]
    hidden = {
        "visible": False,
        "range": [-1.25, 1.25],
    }
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


def _line(curve: Curve, colours: Palette) -> dict[str, Any]:
    x, y, z = np.round(curve.points, 6).T.tolist()
    return {
        "type": "scatter3d",
        "mode": "lines+markers" if curve.stepwise else "lines",
        "x": x,
        "y": y,
        "z": z,
        "name": _text(curve.label),
        "showlegend": bool(curve.label),
        "hoverinfo": "skip",
        "line": {
            "color": _colour(curve.color, colours),
            "width": (3 if curve.dotted else 2) * curve.width,
            "dash": "dot" if curve.dotted else "solid",
        },
        "marker": {"size": 3, "color": _colour(curve.color, colours)},
    }


def _point(point: Point, colours: Palette) -> dict[str, Any]:
    corner = point.corner
    x, y, z = np.round(point.at * (1.08 if corner else 1.0), 6).tolist()
    return {
        "type": "scatter3d",
        "mode": "text" if corner else "markers+text",
        "x": [x],
        "y": [y],
        "z": [z],
        "text": [_text(point.label)],
        "textposition": "top center",
        "showlegend": False,
        "hoverinfo": "text",
        "textfont": {"color": colours.muted if corner else colours.text, "size": 12 if corner else 15},
        "marker": {"size": 5, "color": _colour(point.color, colours)},
    }


def _colour(colour: str, colours: Palette) -> str:
    """Ink and grey are the page's; on a dark one blue is the lighter of Okabe and Ito's two."""
    mapped = {INK: colours.text, GREY: colours.muted, BLUE: SKY if colours is DARK else BLUE}
    return mapped.get(colour, colour)


def _text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
