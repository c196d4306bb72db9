"""Plots of what is ours."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from depnet.paper.report import Report
from depnet.paper.table1 import PAPER
from depnet.pictures.canvas import COLORS, GREY, INK, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _couplings(report: Report) -> "Figure":
    """FC and FC_lim against J with their spread, and the paper's numbers."""
    names = list(dict.fromkeys(report.series("data")))
    figure = new_figure(4.0 * len(names), 3.4)
    for place, name in enumerate(names, start=1):
        axes = figure.add_subplot(1, len(names), place)
        j = report.series("coupling", data=name)
        for k, (key, label) in enumerate((("fc", r"$FC(p^D\|\pi)$"), ("fc_limit", r"$FC_{\lim}(p^D)$"))):
            low, middle, high = (
                np.array(report.series(f"{key}{part}", data=name), dtype=float)
                for part in ("_low", "", "_high")
            )
            axes.fill_between(j, low, high, color=COLORS[k], alpha=0.2, linewidth=0)
            axes.plot(j, middle, color=COLORS[k], marker="o", ms=3, label=label)
            if name in PAPER:
                axes.axhline(PAPER[name][k], color=COLORS[k], lw=1.0, ls="--")
        axes.axvline(1.0, color=GREY, lw=0.8, ls=":")
        axes.set_yscale("log")
        axes.set_title(f"{name} (dashed: the paper)")
        axes.set_xlabel("coupling J")
        axes.grid(True)
    figure.axes[0].legend()
    figure.axes[0].set_ylabel("nats")
    return figure


def _tightness(report: Report) -> "Figure":
    """FC / FC_lim against what is varied."""
    kinds = {"J": ["J"], "N": ["N (Ising4x3)", "N (RB12-21)"], "n": ["n"], "cardinality": ["cardinality"]}
    figure = new_figure(8.6, 2.9)
    for place, (title, members) in enumerate(kinds.items(), start=1):
        axes = figure.add_subplot(1, 4, place)
        for k, varied in enumerate(members):
            x = report.series("value", varied=varied)
            low, middle, high = (
                np.array(report.series(key, varied=varied), dtype=float) for key in ("low", "ratio", "high")
            )
            axes.fill_between(x, low, high, color=COLORS[k], alpha=0.18, linewidth=0)
            axes.plot(x, middle, color=COLORS[k], marker="o", ms=3, label=varied[3:-1] or None)
        if title == "N":
            axes.set_xscale("log")
            axes.legend(fontsize=7, loc="lower left")
        axes.set_ylim(0, 1.05)
        axes.set_xlabel(title)
        axes.grid(True)
    figure.axes[0].set_ylabel(r"$FC(p^D\|\pi)\,/\,FC_{\lim}(p^D)$")
    return figure


def _sequential(report: Report) -> "Figure":
    """How often the centroid is beyond the bound, and by how much."""
    figure = new_figure(8.0, 3.4)
    names = [f"{r['networks']}, n = {r['variables']}, p: {r['p']}" for r in report.records]
    y = np.arange(len(names))
    left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    left.barh(y, [100 * r["sequential_beyond"] for r in report.records], color=COLORS[1])
    left.set_yticks(y, names, fontsize=7)
    left.set_xlim(0, 100)
    left.set_xlabel("% of networks with the centroid beyond the bound")
    right.barh(y, [r["worst"] for r in report.records], color=COLORS[0])
    right.axvline(1.0, color=INK, lw=1.2)
    right.set_yticks(y, [])
    right.set_xlabel(r"largest $FC(p\|centroid)\,/\,FC_{\lim}(p)$")
    for axes in (left, right):
        axes.invert_yaxis()
        axes.grid(axis="x")
    return figure


def _overfit(report: Report) -> "Figure":
    """Loss on fresh rows, and operations a node, against the number of variables."""
    figure = new_figure(7.6, 3.4)
    left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    lengths = list(dict.fromkeys(report.series("rows")))
    for k, penalty in enumerate(dict.fromkeys(report.series("penalty"))):
        for length, style in zip(lengths, (":", "--", "-"), strict=False):
            own = {"penalty": penalty, "rows": length}
            n = report.series("variables", **own)
            look: dict[str, Any] = {"color": COLORS[k], "ls": style, "marker": "o", "ms": 3}
            left.plot(n, report.series("loss", **own), **look)
            right.plot(n, report.series("operations", **own), **look, label=f"{penalty}, N = {length:,}")
    for axes, label in ((left, "loss on fresh rows, nats per variable"), (right, "operations a node")):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("variables n")
        axes.set_ylabel(label)
        axes.grid(True)
    right.legend(fontsize=6.5)
    return figure


BEYOND_PLOTS: Mapping[str, Callable[[Report], "Figure"]] = {
    "couplings": _couplings,
    "tightness": _tightness,
    "sequential": _sequential,
    "overfit": _overfit,
}
