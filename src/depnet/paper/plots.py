"""Plots of reports, with matplotlib: `plot_report` draws what `--plot` asks for.

Matplotlib is imported when something is drawn. Figures are made without pyplot, so nothing depends on a display. SVG
files keep their text as text and carry no date: the same figure is the same file.
"""

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from depnet.errors import PictureError
from depnet.paper.learned import PAPER, determined
from depnet.paper.report import Report
from depnet.pictures.colours import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, SKY, VERMILLION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, GREY)
SUFFIXES = (".png", ".svg", ".pdf")
STYLE: Any = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": f"cycler('color', {COLORS})",
    "grid.color": "#e3e6ea",
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "lines.markersize": 3.0,
    "svg.fonttype": "none",
    "svg.hashsalt": "depnet",
}


@contextlib.contextmanager
def figure_file(path: Path, width: float, height: float) -> "Iterator[Figure]":
    """An empty figure, its size in inches, which is saved as `path` at the end; the suffix says the format."""
    if path.suffix.lower() not in SUFFIXES:
        raise PictureError(f"a plot is written as {', '.join(SUFFIXES)}; got the file name {path.name!r}.")
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise PictureError("drawing needs matplotlib; install it with: pip install 'depnet[plot]'.") from None
    with rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        figure.savefig(path, metadata={"Date": None} if path.suffix.lower() == ".svg" else None, dpi=140)


def plot_report(report: Report, path: Path) -> None:
    """Draw a report into a .png, .svg or .pdf file."""
    draw, panels = PLOTS[report.name]
    names = panels or tuple(
        dict.fromkeys(report.series({"perturbation": "model"}.get(report.name, "family")))
    )
    with figure_file(path, 3.9 * len(names), 3.5) as figure:
        for place, name in enumerate(names, start=1):
            axes = figure.add_subplot(1, len(names), place)
            draw(report, name, axes)
            axes.legend()


def _lines(axes: "Axes", report: Report, x: str, keys: str, **look: Any) -> None:
    """A line for each of the keys against the key `x`, with gaps where a logarithmic axis can show nothing."""
    where, titles = look.pop("where", {}), {column.key: column.title for column in report.columns}
    for color, key in zip(COLORS, keys.split(), strict=False):
        found = report.series(key, **where)
        values = [v if v is not None and 1e-14 < v < math.inf else math.nan for v in found]
        label = None if look.get("ls") == ":" else titles[key]
        axes.plot(report.series(x, **where), values, color=color, label=label, **look)
    axes.set(xscale="log", yscale="log", xlabel=titles.get(x))
    axes.grid(True)


def _table1(report: Report, _: str, axes: "Axes") -> None:
    for color, name in zip(COLORS, dict.fromkeys(report.series("data")), strict=False):
        own = [r for r in report.records if r["data"] == name and determined(r)]
        axes.loglog([r["fc_limit"] for r in own], [r["fc"] for r in own], "o", color=color, label=name)
        if name in PAPER:
            axes.loglog(*reversed(PAPER[name]), "*", color=color, ms=11, mec=INK)
    axes.axline((1e-3, 1e-3), (1, 1), color=INK, lw=0.8)
    axes.set(xlabel=r"$FC_{\lim}(p^D)$, nats", ylabel=r"$FC(p^D\|\pi)$, nats", title="stars: the paper")


def _convergence(report: Report, family: str, axes: "Axes") -> None:
    for learner, style in (("greedy", "-"), ("with lossless", ":")):
        where = {"family": family, "learner": learner}
        keys = "kl_data ideal_cost fc_true kl_true pointwise"
        _lines(axes, report, "rows", keys, where=where, ls=style, marker="o")
    axes.set(title=family, xlabel="N (dotted: lossless source admitted)", ylabel="nats (probability for max)")


def _scans(report: Report, panel: str, axes: "Axes") -> None:
    """FC against the bound, or the distance from the random scan's law."""
    y = np.arange(len(report.records))
    if panel == "bound":
        colors = [BLUE if kept else VERMILLION for kept in report.series("bound")]
        axes.barh(y, report.series("fc"), color=colors)
        axes.axvline(report.records[0]["fc_limit"], color=INK, label=r"$FC_{\lim}(p^D)$; red: beyond it")
        axes.set_xlabel(r"$FC(p^D\|$law$)$, nats")
    else:
        widths = [width or 0.0 for width in report.series("cycle_width")]
        axes.barh(y - 0.2, report.series("tv_random"), 0.4, color=GREEN, label=r"centroid to $\pi$")
        axes.barh(y + 0.2, widths, 0.4, color=ORANGE, label=r"widest $\pi^i$ to $\pi^j$")
        axes.set_xlabel("total variation")
    axes.set_yticks(y, ["random", *(f"order {k}" for k in y[1:])])
    axes.invert_yaxis()


def _game(report: Report, keys: str, axes: "Axes") -> None:
    _lines(axes, report, "t", keys)
    axes.set(xscale="linear")


def _perturbation(report: Report, model: str, axes: "Axes") -> None:
    _lines(axes, report, "parameter", "change tv kl fc_limit", where={"model": model}, marker="o")
    sticky = model == "sticky pair"
    axes.set(title=model, xscale="log" if sticky else "linear")
    axes.xaxis.set_inverted(sticky)


def _rare(report: Report, keys: str, axes: "Axes") -> None:
    """Error, or Sec. 5.1's inconsistency, against the probability of the evidence."""
    _lines(axes, report, "probability", keys, ls="", marker="o")
    axes.set_xlabel(r"probability of the evidence, $p^*(x_C)$")


PLOTS: "Mapping[str, tuple[Callable[[Report, str, Axes], None], tuple[str, ...]]]" = {
    "table1": (_table1, ("",)),
    "convergence": (_convergence, ()),
    "scans": (_scans, ("bound", "distance")),
    "game": (_game, ("cost_players cost_mixture", "kl tv")),
    "perturbation": (_perturbation, ()),
    "rare": (_rare, ("terms kl", "inconsistency")),
}
"""How each experiment is drawn, and its panels; of none, one for each family or model."""
