"""Plots of reports: `plot_report` draws what `--plot` asks for."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from depnet.paper.report import ExperimentError, Report
from depnet.paper.table1 import PAPER, determined
from depnet.pictures.canvas import COLORS, checked_suffix, new_figure, save, styled
from depnet.pictures.colours import GREY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS: Mapping[str, Any] = {"marker": "o", "ms": 3}


def plot_report(report: Report, path: Path) -> None:
    """Draw a report into a .png, .svg or .pdf file."""
    if report.name not in PLOTS:
        raise ExperimentError(f"there is no plot of {report.name!r}; there are plots of {', '.join(PLOTS)}.")
    checked_suffix(path)
    with styled():
        save(PLOTS[report.name](report), path)


def _panels(names: Sequence[Any], width: float, height: float) -> "tuple[Figure, Iterator[tuple[Any, Axes]]]":
    """A figure of one panel for each name, beside each other, and the names with their axes."""
    figure = new_figure(width, height)
    made = ((name, figure.add_subplot(1, len(names), place)) for place, name in enumerate(names, start=1))
    return figure, made


def _pair(width: float, height: float) -> "tuple[Figure, Axes, Axes]":
    figure, made = _panels("lr", width, height)
    (_, left), (_, right) = made
    return figure, left, right


def _distinct(report: Report, key: str) -> list[Any]:
    return list(dict.fromkeys(report.series(key)))


def _drawable(values: Iterable[Any]) -> list[float]:
    """What a logarithmic axis can show; nan, a gap, for the rest."""
    return [float(v) if v is not None and math.isfinite(v) and v > 1e-14 else math.nan for v in values]


def _curves(
    axes: "Axes",
    report: Report,
    x: str,
    labels: Mapping[str, str | None],
    own: Mapping[str, Any] | None = None,
    colors: Sequence[str] = COLORS,
    **look: Any,
) -> None:
    """A line for each key of `labels` against the key `x`, in the records that agree with `own`."""
    where = own or {}
    for color, (key, label) in zip(colors, labels.items(), strict=False):
        values = _drawable(report.series(key, **where))
        axes.plot(report.series(x, **where), values, color=color, label=label, **look)


def _table1(report: Report) -> "Figure":
    """Every seed's FC and FC_lim, and the paper's, one panel a data set."""
    names = _distinct(report, "data")
    figure, panels = _panels(names, 2.1 * len(names), 3.4)
    for name, axes in panels:
        own = [r for r in report.records if r["data"] == name and determined(r)]
        spread = np.random.default_rng(0).uniform(-0.13, 0.13, len(own)) * (len(own) > 1)
        for x, key in enumerate(("fc", "fc_limit")):
            axes.scatter(x + spread, [r[key] for r in own], s=14, color=COLORS[x], alpha=0.65, linewidths=0)
            if name in PAPER:
                said = "the paper" if x else None
                axes.plot([x - 0.3, x + 0.3], [PAPER[name][x]] * 2, color=INK, lw=1.6, label=said)
        for r in own if len(own) <= 60 else ():
            axes.plot(range(2), [r["fc"], r["fc_limit"]], color=GREY, lw=0.3, alpha=0.4, zorder=0)
        axes.set_xticks(range(2), ["FC", r"FC$_{\lim}$"])
        axes.set_xlim(-0.5, 1.5)
        axes.set_ylim(bottom=0)
        axes.set_title(name)
        axes.ticklabel_format(axis="y", style="sci", scilimits=(-2, 2))
        axes.grid(axis="y")
    figure.axes[0].set_ylabel("nats")
    if any(name in PAPER for name in names):
        figure.axes[0].legend(loc="lower left")
    return figure


def _convergence(report: Report) -> "Figure":
    """The five measures against N, one panel a law."""
    families = _distinct(report, "family")
    labels = {
        "kl_data": r"mean $KL(p^D\|E(\theta_i))$",
        "ideal_cost": r"$FC_{\lim}(p^*)$",
        "fc_true": r"$FC(p^*\|\pi)$",
        "kl_true": r"$KL(p^*\|\pi)$",
        "pointwise": r"$\max|\pi-p^*|$",
    }
    figure, panels = _panels(families, 4.2 * len(families), 3.8)
    for family, axes in panels:
        for learner, style, said in (("greedy", "-", labels), ("with lossless", ":", dict.fromkeys(labels))):
            own = {"family": family, "learner": learner}
            _curves(axes, report, "rows", said, own, ls=style, lw=1.4, **DOTS)
        x = "N (solid: greedy; dotted: lossless source admitted)"
        axes.set(xscale="log", yscale="log", title=family, xlabel=x)
        axes.grid(True)
    figure.axes[0].set_ylabel("nats (probability for max)")
    figure.axes[-1].legend(fontsize=8)
    return figure


def _scans(report: Report) -> "Figure":
    """FC against the bound, and the distance from the random scan's law."""
    figure, left, right = _pair(7.2, 3.4)
    names = ["random", *(f"order {k}" for k in range(1, len(report.records)))]
    y = np.arange(len(names))
    colors = [COLORS[0] if kept else COLORS[1] for kept in report.series("bound")]
    left.barh(y, report.series("fc"), color=colors)
    left.axvline(report.records[0]["fc_limit"], color=INK, lw=1.5)
    left.set(title=r"black line: $FC_{\lim}(p^D)$; red: beyond it", xlabel=r"$FC(p^D\|$law$)$, nats")
    width = [width or 0.0 for width in report.series("cycle_width")]
    right.barh(y - 0.2, report.series("tv_random"), 0.4, color=COLORS[2], label=r"centroid to $\pi$")
    right.barh(y + 0.2, width, 0.4, color=COLORS[3], label=r"widest $\pi^i$ to $\pi^j$")
    right.set_xlabel("total variation")
    right.legend()
    for axes in (left, right):
        axes.set_yticks(y, names)
        axes.invert_yaxis()
    return figure


def _game(report: Report) -> "Figure":
    """Both costs, and the distance from the equilibrium, at each step."""
    figure, left, right = _pair(7.2, 3.2)
    costs = {
        "cost_players": r"players $p_i$: $\sum c_i KL(p\|p_i)$",
        "cost_mixture": r"player $p$: $\sum c_i KL(p_i\|p)$",
    }
    _curves(left, report, "t", costs)
    for color, key in zip(COLORS, costs, strict=False):
        left.axhline(report.rows[-1][key], color=color, lw=0.8, ls=":")
    left.set_ylabel("nats")
    _curves(right, report, "t", {"kl": r"$KL(p^t\|\pi)$", "tv": r"$TV(p^t,\pi)$"}, colors=COLORS[2:])
    for axes in (left, right):
        axes.set(yscale="log", xlabel="t")
        axes.legend(fontsize=8)
    return figure


def _perturbation(report: Report) -> "Figure":
    """How far pi moves against the size of the change, one panel a model."""
    models = _distinct(report, "model")
    labels = {"change": r"$\|K'-K\|$", "tv": r"$TV(\pi,\pi')$", "kl": r"$KL(\pi\|\pi')$"}
    figure, panels = _panels(models, 4.0 * len(models), 3.4)
    for model, axes in panels:
        own = {"model": model}
        _curves(
            axes, report, "parameter", {**labels, "fc_limit": r"$FC_{\lim}(\pi)$"}, own, marker="o", ms=3.5
        )
        sticky = min(report.series("parameter", **own)) > 0
        axes.set(yscale="log", title=model, xlabel="stickiness eps" if sticky else "coupling J")
        if sticky:
            axes.set_xscale("log")
            axes.invert_xaxis()
        axes.grid(True)
    figure.axes[0].legend(fontsize=8, loc="lower left")
    return figure


def _rare(report: Report) -> "Figure":
    """Error against the probability of the evidence; and Sec. 5.1's inconsistency."""
    figure, left, right = _pair(7.2, 3.4)
    p = report.series("probability")
    for axes, key, color, label in (
        (left, "kl", COLORS[1], r"$KL(p^*(\cdot|x_C)\|\pi')$"),
        (left, "terms", COLORS[0], "mean node term"),
        (right, "inconsistency", COLORS[2], None),
    ):
        axes.scatter(p, report.series(key), s=12, color=color, linewidths=0, label=label)
    right.set_ylabel(r"$TV(\pi(\cdot|x_C),\,\pi')$")
    left.set_ylabel("nats")
    left.legend(fontsize=8, loc="lower left")
    for axes in (left, right):
        axes.set(xscale="log", yscale="log", xlabel=r"probability of the evidence, $p^*(x_C)$")
        axes.grid(True)
    return figure


PLOTS: Mapping[str, Callable[[Report], "Figure"]] = {
    "table1": _table1,
    "convergence": _convergence,
    "scans": _scans,
    "game": _game,
    "perturbation": _perturbation,
    "rare": _rare,
}
