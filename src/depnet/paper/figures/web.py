"""Scenes and diagrams as one self-contained page: our own small viewer, no library, no network."""

import json
from dataclasses import asdict
from importlib.resources import files

import numpy as np

from depnet.paper.figures.diagram import Diagram
from depnet.pictures.canvas import COLORS
from depnet.pictures.tetrahedron.scene import Scene

MARK = "/*PICTURE*/null"


def page(picture: Scene | Diagram) -> str:
    """The page: drag to turn, wheel to zoom, a slider for the steps, tips on boxes."""
    template = files("depnet.paper.figures").joinpath("viewer.html").read_text(encoding="utf-8")
    plain = asdict(picture)
    if isinstance(picture, Scene):
        plain["kind"] = "scene"
        for point, known in zip(plain["points"], picture.points, strict=True):
            point["corner"] = known.corner
    else:
        plain |= {"kind": "diagram", "colors": COLORS}
    text = json.dumps(
        plain, ensure_ascii=False, separators=(",", ":"), default=lambda array: np.round(array, 5).tolist()
    )
    return template.replace(MARK, text.replace("</", "<\\/"), 1)
