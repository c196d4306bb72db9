"""Matplotlib, kept at arm's length: imported when something is drawn, and styled in one place.

Figures are made without pyplot, so nothing depends on a display. SVG files keep their text as text and
carry no date: the same figure is the same file.
"""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depnet.errors import PictureError
from depnet.pictures.colours import GREY, INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = ("#1f6feb", "#d1495b", "#2a9d6f", "#b8860b", "#7b4bb7", "#4f5d75", "#d97706", "#0e7490")
SUFFIXES = (".png", ".svg", ".pdf")

STYLE: Any = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": "#e3e6ea",
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "depnet",
    "figure.dpi": 140,
}


def new_figure(width: float = 6.4, height: float = 4.2) -> "Figure":
    """An empty figure; its size is in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise _missing() from None
    return Figure(figsize=(width, height), layout="constrained")


def styled() -> "AbstractContextManager[None]":
    """The context in which a figure is made and saved."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise _missing() from None
    return rc_context(STYLE)


def _missing() -> PictureError:
    return PictureError("drawing needs matplotlib; install it with: pip install 'depnet[plot]'.")


def checked_suffix(path: Path) -> Path:
    """`path`, if its name says a format that figures are written in."""
    if path.suffix.lower() not in SUFFIXES:
        raise PictureError(f"a plot is written as {', '.join(SUFFIXES)}; got the file name {path.name!r}.")
    return path


def save(figure: "Figure", path: Path) -> None:
    """The figure as a file whose suffix says the format."""
    metadata = {"Date": None} if path.suffix.lower() == ".svg" else None
    figure.savefig(checked_suffix(path), metadata=metadata, dpi=140)
