"""Plots of reports: `plot_report` draws what `--plot` asks for."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from depnet.paper.beyond.plots import BEYOND_PLOTS
from depnet.paper.report import ExperimentError, Report
from depnet.paper.table1 import PAPER, QUANTITIES, determined
from depnet.pictures.canvas import COLORS, GREY, INK, checked_suffix, new_figure, save, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_report(report: Report, path: Path) -> None:
    """Draw a report into a .png, .svg or .pdf file."""
    if report.name not in PLOTS:
        raise ExperimentError(f"there is no plot of {report.name!r}; there are plots of {', '.join(PLOTS)}.")
    checked_suffix(path)
    with styled():
        save(PLOTS[report.name](report), path)


def _table1(report: Report) -> "Figure":
    """Every seed's FC and FC_lim, and the paper's, one panel a data set."""
    names = list(dict.fromkeys(r["data"] for r in report.records))
    figure = new_figure(2.1 * len(names), 3.4)
    for place, name in enumerate(names, start=1):
        axes = figure.add_subplot(1, len(names), place)
        own = [r for r in report.records if r["data"] == name and determined(r)]
        spread = np.random.default_rng(0).uniform(-0.13, 0.13, len(own)) * (len(own) > 1)
        for x, (key, _) in enumerate(QUANTITIES.items()):
            axes.scatter(x + spread, [r[key] for r in own], s=14, color=COLORS[x], alpha=0.65, linewidths=0)
            if name in PAPER:
                axes.plot(
                    [x - 0.3, x + 0.3],
                    [PAPER[name][x]] * 2,
                    color=INK,
                    lw=1.6,
                    label="the paper" if x else None,
                )
        for r in own if len(own) <= 60 else ():
            axes.plot(range(2), [r["fc"], r["fc_limit"]], color=GREY, lw=0.3, alpha=0.4, zorder=0)
        axes.set_xticks(range(2), ["FC", r"FC$_{\lim}$"])
        axes.set_xlim(-0.5, 1.5)
        axes.set_ylim(bottom=0)
        axes.set_title(name)
        axes.ticklabel_format(axis="y", style="sci", scilimits=(-2, 2))
        axes.grid(axis="y")
    first = figure.axes[0]
    first.set_ylabel("nats")
    if any(name in PAPER for name in names):
        first.legend(loc="lower left")
    return figure


def _convergence(report: Report) -> "Figure":
    """The five measures against N, one panel a law."""
    families = list(dict.fromkeys(r["family"] for r in report.records))
    labels = {
        "kl_data": r"mean $KL(p^D\|E(\theta_i))$",
        "ideal_cost": r"$FC_{\lim}(p^*)$",
        "fc_true": r"$FC(p^*\|\pi)$",
        "kl_true": r"$KL(p^*\|\pi)$",
        "pointwise": r"$\max|\pi-p^*|$",
    }
    figure = new_figure(4.2 * len(families), 3.8)
    for place, family in enumerate(families, start=1):
        axes = figure.add_subplot(1, len(families), place)
        for color, (key, label) in zip(COLORS, labels.items(), strict=False):
            for learner, style in (("greedy", "-"), ("with lossless", ":")):
                n = report.series("rows", family=family, learner=learner)
                values = [_drawable(v) for v in report.series(key, family=family, learner=learner)]
                axes.plot(
                    n, values, style, color=color, marker="o", ms=3, lw=1.4,
                    label=label if learner == "greedy" else None,
                )  # fmt: skip
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(family)
        axes.set_xlabel("N (solid: greedy; dotted: lossless source admitted)")
        axes.grid(True)
    figure.axes[0].set_ylabel("nats (probability for max)")
    figure.axes[-1].legend(fontsize=8)
    return figure


def _scans(report: Report) -> "Figure":
    """FC against the bound, and the distance from the random scan's law."""
    figure = new_figure(7.2, 3.4)
    names = ["random", *(f"order {k}" for k in range(1, len(report.records)))]
    left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    y = np.arange(len(names))
    colors = [COLORS[0] if r["bound"] else COLORS[1] for r in report.records]
    left.barh(y, [r["fc"] for r in report.records], color=colors)
    left.axvline(report.records[0]["fc_limit"], color=INK, lw=1.5)
    left.set_title(r"black line: $FC_{\lim}(p^D)$; red: beyond it")
    left.set_yticks(y, names)
    left.invert_yaxis()
    left.set_xlabel(r"$FC(p^D\|$law$)$, nats")
    width = [r["cycle_width"] or 0.0 for r in report.records]
    right.barh(
        y - 0.2, [r["tv_random"] for r in report.records], 0.4, color=COLORS[2], label=r"centroid to $\pi$"
    )
    right.barh(y + 0.2, width, 0.4, color=COLORS[3], label=r"widest $\pi^i$ to $\pi^j$")
    right.set_yticks(y, names)
    right.invert_yaxis()
    right.set_xlabel("total variation")
    right.legend()
    return figure


def _game(report: Report) -> "Figure":
    """Both costs, and the distance from the equilibrium, at each step."""
    figure = new_figure(7.2, 3.2)
    left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    t = report.series("t")
    end = report.rows[-1]
    left.plot(
        t, report.series("cost_players"), color=COLORS[0], label=r"players $p_i$: $\sum c_i KL(p\|p_i)$"
    )
    left.plot(t, report.series("cost_mixture"), color=COLORS[1], label=r"player $p$: $\sum c_i KL(p_i\|p)$")
    for key, color in (("cost_players", COLORS[0]), ("cost_mixture", COLORS[1])):
        left.axhline(end[key], color=color, lw=0.8, ls=":")
    left.set_yscale("log")
    left.set_xlabel("t")
    left.set_ylabel("nats")
    left.legend(fontsize=8)
    right.plot(t, [_drawable(v) for v in report.series("kl")], color=COLORS[2], label=r"$KL(p^t\|\pi)$")
    right.plot(t, [_drawable(v) for v in report.series("tv")], color=COLORS[3], label=r"$TV(p^t,\pi)$")
    right.set_yscale("log")
    right.set_xlabel("t")
    right.legend(fontsize=8)
    return figure


def _perturbation(report: Report) -> "Figure":
    """How far pi moves against the size of the change, one panel a model."""
    models = list(dict.fromkeys(r["model"] for r in report.records))
    figure = new_figure(4.0 * len(models), 3.4)
    lines = {
        "change": r"$\|K'-K\|$",
        "tv": r"$TV(\pi,\pi')$",
        "kl": r"$KL(\pi\|\pi')$",
        "fc_limit": r"$FC_{\lim}(\pi)$",
    }
    for place, model in enumerate(models, start=1):
        axes = figure.add_subplot(1, len(models), place)
        x = report.series("parameter", model=model)
        for color, (key, label) in zip(COLORS, lines.items(), strict=False):
            axes.plot(x, report.series(key, model=model), color=color, marker="o", ms=3.5, label=label)
        axes.set_yscale("log")
        if min(x) > 0:
            axes.set_xscale("log")
            axes.invert_xaxis()
        axes.set_title(model)
        axes.set_xlabel("stickiness eps" if min(x) > 0 else "coupling J")
        axes.grid(True)
    figure.axes[0].legend(fontsize=8, loc="lower left")
    return figure


def _rare(report: Report) -> "Figure":
    """Error against the probability of the evidence; and Sec. 5.1's inconsistency."""
    figure = new_figure(7.2, 3.4)
    left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    p = report.series("probability")
    left.scatter(
        p, report.series("kl"), s=12, color=COLORS[1], linewidths=0, label=r"$KL(p^*(\cdot|x_C)\|\pi')$"
    )
    left.scatter(p, report.series("terms"), s=12, color=COLORS[0], linewidths=0, label="mean node term")
    right.scatter(p, report.series("inconsistency"), s=12, color=COLORS[2], linewidths=0)
    right.set_ylabel(r"$TV(\pi(\cdot|x_C),\,\pi')$")
    left.set_ylabel("nats")
    left.legend(fontsize=8, loc="lower left")
    for axes in (left, right):
        _log_log(axes, r"probability of the evidence, $p^*(x_C)$")
    return figure


def _log_log(axes: "Axes", xlabel: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(xlabel)
    axes.grid(True)


def _drawable(value: Any) -> float:
    """What a logarithmic axis can show; nan, a gap, for the rest."""
    return float(value) if value is not None and math.isfinite(value) and value > 1e-14 else math.nan


PLOTS: Mapping[str, Callable[[Report], "Figure"]] = {
    "table1": _table1,
    "convergence": _convergence,
    "scans": _scans,
    "game": _game,
    "perturbation": _perturbation,
    "rare": _rare,
    **BEYOND_PLOTS,
}
