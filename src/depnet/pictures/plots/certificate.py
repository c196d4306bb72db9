"""The certificate as a plot: how far each node is from the data's own full conditional."""

from typing import TYPE_CHECKING

import numpy as np

from depnet.learning.certificate import Certificate
from depnet.pictures import colours
from depnet.pictures.canvas import axes_of, plain, styled
from depnet.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_certificate(certificate: Certificate, *, nodes: int = 30, ax: "Axes | None" = None) -> "Figure":
    """KL(p^D || E(theta_i)) of the `nodes` furthest from the data, beside that of one leaf; the bound is the title.

    What is between the two bars is what the node's information source has learned.
    """
    order = sorted(certificate.nodes, key=lambda node: (-node.kl, node.variables))[:nodes]
    where = np.arange(len(order))
    kl = np.array([node.kl for node in order])
    with styled():
        figure, axes = axes_of(ax, 5.8, 1.3 + 0.24 * len(order))
        axes.barh(
            where,
            [node.one_leaf_kl for node in order],
            0.72,
            color=colours.REST,
            label="knowing nothing, one leaf",
        )
        axes.barh(where, np.where(np.isfinite(kl), kl, 0.0), 0.42, color=colours.VERMILLION, label="the node")
        for y in where[~np.isfinite(kl)]:
            axes.text(0.0, y, " infinite: a probability is 0", va="center", fontsize=7)
        axes.set_yticks(where, [plain(node.name, 24) for node in order], fontsize=7)
        axes.set_ylim(len(order) - 0.4, -0.6)
        axes.set_xlabel("KL(data ‖ E(θ)), nats per row")
        more = len(certificate.nodes) - len(order)
        rest = f", {counted(more, 'node')} nearer not shown" if more else ""
        bound = f"FC(data ‖ model) ≤ {certificate.fc_limit:.4g}; knowing nothing {certificate.one_leaf_limit:.4g}{rest}"
        axes.set_title(bound, fontsize=9, pad=20)
        axes.legend(fontsize=7, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return figure
