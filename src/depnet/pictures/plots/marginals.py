"""Marginals of data against rows drawn from the model, as a plot."""

from typing import TYPE_CHECKING

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.model.marginals import MarginalCounts
from depnet.pictures import colours
from depnet.pictures.canvas import axes_of, plain, styled
from depnet.pictures.compared import marginals
from depnet.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_marginals(
    data: Dataset | MarginalCounts,
    drawn: Dataset,
    *,
    variables: int = 10,
    states: int = 8,
    ax: "Axes | None" = None,
) -> "Figure":
    """Bars of p(X_i = x) in the data and among drawn rows, of the `variables` furthest apart.

    `data` are rows, or the counts that a network keeps (`network.counts`). Past `states` states of a variable the least
    frequent are one bar.
    """
    found = marginals(data, drawn)[:variables]
    labels: list[str] = []
    place: list[float] = []
    pairs: list[tuple[float, float]] = []
    heads: list[tuple[float, str]] = []
    y = 0.0
    for one in found:
        heads.append((y - 0.15, f"{plain(one.name, 28)}  (distance {one.apart:.4f})"))
        y += 0.75
        for state, a, b in one.shown(states):
            labels.append(plain(state, 20))
            place.append(y)
            pairs.append((a, b))
            y += 1.0
        y += 0.35
    with styled():
        figure, axes = axes_of(ax, 5.6, 1.0 + 0.21 * y)
        bars, where = np.array(pairs), np.array(place)
        axes.barh(where - 0.19, bars[:, 0], 0.36, color=colours.DATA, label="data")
        axes.barh(
            where + 0.19, bars[:, 1], 0.36, color=colours.MODEL, label=f"{counted(drawn.total, 'row')} drawn"
        )
        for height, head in heads:
            axes.text(0.0, height, head, fontsize=8, fontweight="bold", va="center")
        axes.set_yticks(where, labels, fontsize=7)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(y, -0.7)
        axes.set_xlim(0, min(float(bars.max()) * 1.05, 1.05))
        axes.set_xlabel("probability")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, fontsize=8)
    return figure
