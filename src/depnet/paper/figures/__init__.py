"""The paper's figures from real computation: PNG, SVG and an interactive page each.

- `simplex`: the geometric figures, as scenes of the tetrahedron;
- `diagram`, `graphs`: boxes and arrows; a node and the growing of its leaves;
- `draw`, `web`: either kind as a matplotlib figure, and as a page.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from depnet.paper.figures.diagram import Diagram
from depnet.paper.figures.draw import draw
from depnet.paper.figures.graphs import node_figure, split_merge_figure
from depnet.paper.figures.simplex import (
    fcd_figure,
    genuine_figure,
    m_projection_figure,
    movement_figure,
    overview,
    pseudo_figure,
)
from depnet.paper.figures.web import page
from depnet.paper.report import ExperimentError, Report, columns
from depnet.pictures.canvas import save, styled
from depnet.pictures.tetrahedron.scene import Scene

FIGURES: Mapping[str, Callable[[], Scene | Diagram]] = {
    "tetrahedron": overview,
    "node": node_figure,
    "m-projection": m_projection_figure,
    "genuine_gs": genuine_figure,
    "pseudo-gs": pseudo_figure,
    "movement": movement_figure,
    "fcd": fcd_figure,
    "split_merge": split_merge_figure,
}
"""Figures by the paper's labels (fig:node is node); the tetrahedron is the space they are drawn in."""

FORMATS = ("png", "svg", "html")

COLUMNS = columns("""
    figure  figure
    file    file
    kib     KiB     .0f
    says    says
""")


def write_figures(folder: Path, names: Iterable[str] = (), formats: Sequence[str] = FORMATS) -> Report:
    """Write the figures called `names` (none: all) into `folder`, which is made if need be."""
    chosen = tuple(names) or tuple(FIGURES)
    for name in chosen:
        if name not in FIGURES:
            raise ExperimentError(f"there is no figure {name!r}; the figures are {', '.join(FIGURES)}.")
    for suffix in formats:
        if suffix not in FORMATS:
            raise ExperimentError(f"figures are written as {', '.join(FORMATS)}; got {suffix!r}.")
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in chosen:
        picture = FIGURES[name]()
        for suffix in formats:
            path = folder / f"{name}.{suffix}"
            if suffix == "html":
                path.write_text(page(picture), encoding="utf-8")
            else:
                with styled():
                    save(draw(picture), path)
            size = path.stat().st_size / 1024
            rows.append({"figure": name, "file": str(path), "kib": size, "says": picture.caption})
    shown = [{**row, "says": "" if k % len(formats) else row["says"]} for k, row in enumerate(rows)]
    return Report("figures", "The paper's figures, computed", COLUMNS, tuple(shown), records=rows)
