"""The dependency graph as a plot."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.model.network import Network
from depnet.pictures import colours
from depnet.pictures.canvas import axes_of, plain, styled
from depnet.pictures.graph.community import communities
from depnet.pictures.graph.dependency import DependencyGraph, Tie, dependency_graph
from depnet.pictures.graph.layout import layout, spread
from depnet.pictures.labels import columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INCHES = 0.72
"""A tie of the backbone is about so long."""

LETTER = 0.085
MOST_INCHES = 20.0
NAMED = 80
"""The most variables that are all named; of more, those with the strongest links are."""


def plot_graph(
    graph: DependencyGraph | Network,
    dataset: Dataset | None = None,
    *,
    links: int | None = None,
    ax: "Axes | None" = None,
) -> "Figure":
    """Variables coloured by community, and the `links` strongest links (None: three for each variable).

    A line is as wide as its link is strong; its head points to the variable that is told. Blue: both tell each other;
    vermillion: one does. `dataset` are the rows to measure a network's links on.
    """
    graph = dependency_graph(graph, dataset) if isinstance(graph, Network) else graph
    shown = graph.strongest(3 * len(graph) if links is None else links)
    labels = [plain(name, 18) for name in graph.names]
    wide = np.array([[LETTER * columns(label) + 0.4, 0.4] for label in labels]).reshape(-1, 2) / INCHES
    at = layout(graph) if len(graph) > NAMED else spread(layout(graph), wide)
    edge = wide.max(axis=0) / 2
    span = np.ptp(at, axis=0) + 2 * edge
    inches = INCHES * span * min(1.0, MOST_INCHES / (INCHES * float(span.max())))
    with styled():
        figure, axes = axes_of(ax, max(float(inches[0]), 3.5), max(float(inches[1]) + 0.4, 2.2))
        for tie, share in reversed(shown.shares):
            _draw_tie(axes, tie, at, share, len(graph) > NAMED)
        group = communities(graph)
        named = set(range(len(graph)))
        if len(graph) > NAMED:
            named = {v for tie in shown.ties[: NAMED // 2] for v in (tie.first, tie.second)}
            shades = [colours.of(g) for g in group]
            axes.scatter(at[:, 0], at[:, 1], s=18, c=shades, zorder=3, edgecolors="white", linewidths=0.5)
        for v in sorted(named):
            box = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": colours.of(group[v])}
            look: dict[str, Any] = {
                "ha": "center",
                "va": "center",
                "fontsize": 8 if len(graph) <= NAMED else 6,
            }
            axes.text(at[v, 0], at[v, 1], labels[v], zorder=4, bbox=box, **look)
        axes.set_axis_off()
        low, high = at.min(axis=0) - edge, at.max(axis=0) + edge
        axes.set_xlim(low[0], high[0])
        axes.set_ylim(high[1], low[1])
        if graph.measured:
            axes.set_title(f"strengths in bits per row, {graph.measured}", fontsize=8, color=colours.GREY)
    return figure


def _draw_tie(axes: "Axes", tie: Tie, at: np.ndarray, share: float, small: bool) -> None:
    from matplotlib.patches import FancyArrowPatch

    start, end = (tuple(at[v]) for v in tie.ends)
    width = 0.5 + 2.6 * math.sqrt(share)
    color = colours.BOTH if tie.both else colours.ONE_WAY
    short_of = 4 if small else 15
    head: dict[str, Any] = {"arrowstyle": "<|-|>" if tie.both else "-|>", "mutation_scale": 4.0 + 3.0 * width}
    look: dict[str, Any] = {
        "linewidth": width,
        "color": color,
        "alpha": 0.4 + 0.55 * math.sqrt(share),
        "zorder": 1,
    }
    axes.add_patch(FancyArrowPatch(start, end, shrinkA=short_of, shrinkB=short_of, **head, **look))
