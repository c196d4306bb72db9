"""Chain diagnostics as plots: R-hat of every state, and how each chain's estimate of one settles."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Label
from depnet.errors import PictureError
from depnet.pictures import colours
from depnet.pictures.canvas import axes_of, new_figure, plain, styled
from depnet.pictures.colours import GREY
from depnet.sampling.run.diagnostics import by_chain, diagnose, state_indicators

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CONVERGED = 1.01
"""Vehtari et al. (2021): chains whose R-hat is above are not to be trusted yet."""

SHOWN = 30
LINES = 40


def plot_chains(drawn: Dataset, chains: int, *, ax: "Sequence[Axes] | None" = None) -> "Figure":
    """R-hat by variable, and the traces of the state whose R-hat is largest; `ax`: two axes.

    `drawn` are rows of `sample(network, n, chains=chains)`.
    """
    if ax is not None and len(ax) != 2:
        raise PictureError(f"plot_chains draws on two axes; got {len(ax)}.")
    with styled():
        left, right = new_figure(9.0, 3.8).subplots(1, 2, width_ratios=(1, 1.25)) if ax is None else ax
        figure = plot_r_hat(drawn, chains, ax=left)
        plot_trace(drawn, chains, ax=right)
    return figure


def plot_r_hat(drawn: Dataset, chains: int, *, ax: "Axes | None" = None) -> "Figure":
    """Split R-hat of every state, a line for each variable, the largest on top; 1 where chains agree."""
    found = diagnose(drawn, chains).r_hat
    order = sorted(found, key=lambda name: (-float(np.max(found[name])), name))[:SHOWN]
    with styled():
        figure, axes = axes_of(ax, 4.6, 1.2 + 0.2 * len(order))
        for y, name in enumerate(order):
            finite = np.where(np.isfinite(found[name]), found[name], np.nan)
            axes.plot(finite, np.full(len(finite), y), "o", ms=3.5, color=colours.BLUE, alpha=0.7, mew=0)
        axes.axvline(CONVERGED, color=colours.VERMILLION, linewidth=1, linestyle="--", label=f"{CONVERGED}")
        axes.set_yticks(range(len(order)), [plain(name, 20) for name in order], fontsize=7)
        axes.set_ylim(len(order) - 0.4, -0.6)
        axes.set_xlabel("split R-hat of each state")
        axes.legend(fontsize=7, loc="lower right")
        more = len(found) - len(order)
        axes.set_title("Do the chains agree?" + (f" (worst {len(order)} of {len(found):,})" if more else ""))
    return figure


def plot_trace(
    drawn: Dataset,
    chains: int,
    *,
    variable: str | None = None,
    state: Label | None = None,
    ax: "Axes | None" = None,
) -> "Figure":
    """Running estimates of one state's probability, a line for each chain, and that of all together.

    Without `variable`, that of the largest R-hat; without `state`, its state of the largest R-hat.
    """
    found = diagnose(drawn, chains).r_hat
    worst = {name: float(np.max(np.where(np.isnan(r), 1.0, r))) for name, r in found.items()}
    name = max(sorted(worst), key=lambda n: worst[n]) if variable is None else variable
    i = drawn.domain.index(name)
    chosen = drawn.domain.variables[i]
    code = int(np.nanargmax(found[name])) if state is None else chosen.code(state)
    ones = state_indicators(by_chain(drawn, chains)[:, :, i], chosen.cardinality)[:, :, code]
    draws = np.arange(1, ones.shape[1] + 1)
    with styled():
        figure, axes = axes_of(ax, 5.2, 3.4)
        for chain in ones[:LINES]:
            axes.plot(draws, np.cumsum(chain) / draws, color=colours.SKY, linewidth=0.7, alpha=0.6)
        mean = np.cumsum(ones.mean(axis=0)) / draws
        axes.plot(draws, mean, color=colours.VERMILLION, linewidth=1.8, label="all chains")
        axes.plot([], [], color=colours.SKY, label=f"each of {min(chains, LINES):,} chains")
        axes.axhline(float(ones.mean()), color=GREY, linewidth=0.6, linestyle=":")
        label = f"{plain(name, 24)} = {plain(chosen.states[code], 20)}"
        title = f"{label}, R-hat {found[name][code]:.4f}"
        axes.set(title=title, xlabel="draws of each chain", ylabel="share so far")
        axes.legend(fontsize=7)
    return figure
