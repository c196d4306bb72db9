"""The certificate as a plot: how far each node is from what the data knows of its variable."""

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
    """The KL of the `nodes` furthest from the data, beside that of one leaf; what they sum to is the title.

    KL(p^D || E(theta_i)) of a dependency network, whose sum bounds FC; of an ordered network the nodes' parts of
    KL(p^D || Q). What is between the two bars is what the node's information source has learned.
    """
    order = sorted(certificate.nodes, key=lambda node: (-node.kl, node.variables))[:nodes]
    where = np.arange(len(order))
    kl = np.array([node.kl for node in order])
    with styled():
        figure, axes = axes_of(ax, 5.8, 1.3 + 0.24 * len(order))
        nothing = [node.one_leaf_kl for node in order]
        axes.barh(where, nothing, 0.72, color=colours.REST, label="knowing nothing, one leaf")
        axes.barh(where, np.where(np.isfinite(kl), kl, 0.0), 0.42, color=colours.VERMILLION, label="the node")
        for y in where[~np.isfinite(kl)]:
            axes.text(0.0, y, " infinite: a probability is 0", va="center", fontsize=7)
        axes.set_yticks(where, [plain(node.name, 24) for node in order], fontsize=7)
        axes.set_ylim(len(order) - 0.4, -0.6)
        law = certificate.kind == "law"
        axes.set_xlabel("part of KL(data ‖ law), nats per row" if law else "KL(data ‖ E(θ)), nats per row")
        more = len(certificate.nodes) - len(order)
        rest = f", {counted(more, 'node')} nearer not shown" if more else ""
        if law:
            proven = f"KL(data ‖ law) = {certificate.kl:.4g}"
        elif certificate.no_bound is None:
            proven = f"FC(data ‖ model) ≤ {certificate.fc_limit:.4g}"
        else:
            proven = "no bound on FC(data ‖ model)"
        bound = f"{proven}; knowing nothing {certificate.one_leaf_limit:.4g}{rest}"
        axes.set_title(bound, fontsize=9, pad=20)
        axes.legend(fontsize=7, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return figure
