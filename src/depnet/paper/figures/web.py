"""Scenes and diagrams as one self-contained page: our own small viewer, no library, no network."""

import json
from dataclasses import asdict
from importlib.resources import files
from typing import Any

import numpy as np

from depnet.paper.figures.diagram import Diagram
from depnet.pictures.canvas import COLORS
from depnet.pictures.tetrahedron.scene import CORNERS, Scene

MARK = "/*PICTURE*/null"


def page(picture: Scene | Diagram) -> str:
    """The page: drag to turn, wheel to zoom, a slider for the steps, tips on boxes."""
    template = files("depnet.paper.figures").joinpath("viewer.html").read_text(encoding="utf-8")
    data = json.dumps(_plain(picture), ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return template.replace(MARK, data, 1)


def _plain(picture: Scene | Diagram) -> dict[str, Any]:
    if isinstance(picture, Diagram):
        return {"kind": "diagram", "colors": COLORS, **asdict(picture)}
    corners = {tuple(corner) for corner in CORNERS}
    return {
        "kind": "scene",
        "title": picture.title,
        "caption": picture.caption,
        "readout": picture.readout,
        "view": picture.view,
        "points": [
            {"at": _rounded(p.at), "label": p.label, "color": p.color, "corner": tuple(p.at) in corners}
            for p in picture.points
        ],
        "curves": [
            {
                "points": _rounded(c.points),
                "color": c.color,
                "label": c.label,
                "dotted": c.dotted,
                "width": c.width,
                "stepwise": c.stepwise,
            }
            for c in picture.curves
        ],
        "surfaces": [
            {"grid": _rounded(s.grid), "color": s.color, "label": s.label} for s in picture.surfaces
        ],
    }


def _rounded(points: Any) -> Any:
    return np.round(points, 5).tolist()
