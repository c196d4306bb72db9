"""Matplotlib, kept at arm's length: imported when something is drawn, and styled in one place.

Figures are made without pyplot, so nothing depends on a display. SVG files keep their text as text and
carry no date: the same figure is the same file.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depnet.errors import PictureError
from depnet.pictures.colours import GREY, INK
from depnet.pictures.labels import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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


def axes_of(ax: "Axes | None", width: float, height: float) -> "tuple[Figure, Axes]":
    """The caller's axes with their figure, or those of a new figure; its size is in inches."""
    if ax is None:
        figure = new_figure(width, height)
        return figure, figure.add_subplot()
    whole: Any = ax.figure
    while whole is not None and whole.figure is not whole:  # from a subfigure to its figure
        whole = whole.figure
    if whole is None:
        raise PictureError("these axes are on no figure; make them with figure.add_subplot().")
    return whole, ax


def plain(text: object, limit: int) -> str:
    """A label as matplotlib shows it as it is: no formulas between dollars, not hidden for a leading underscore."""
    shown = short(text, limit).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def share_bar(
    axes: "Axes",
    corner: tuple[float, float],
    size: tuple[float, float],
    shares: Iterable[tuple[str, float]],
    least: float = 0.25,
    ink: Callable[[str], str] = lambda _: "black",
) -> None:
    """Shares, each with its colour, from end to end of a bar; those of at least `least` are written inside."""
    from matplotlib.patches import Rectangle

    (left, bottom), (width, height) = corner, size
    for colour, share in shares:
        wide = share * width
        axes.add_patch(Rectangle((left, bottom), wide, height, facecolor=colour, linewidth=0, zorder=3))
        if share >= least:
            where: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 6.5, "zorder": 4}
            axes.text(left + wide / 2, bottom + height / 2, f"{share:.2f}", color=ink(colour), **where)
        left += wide


def checked_suffix(path: Path) -> Path:
    """`path`, if its name says a format that figures are written in."""
    if path.suffix.lower() not in SUFFIXES:
        raise PictureError(f"a plot is written as {', '.join(SUFFIXES)}; got the file name {path.name!r}.")
    return path


def save(figure: "Figure", path: Path) -> None:
    """The figure as a file whose suffix says the format."""
    metadata = {"Date": None} if path.suffix.lower() == ".svg" else None
    figure.savefig(checked_suffix(path), metadata=metadata, dpi=140)
