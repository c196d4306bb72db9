"""One node's decision graph as a plot."""

from typing import TYPE_CHECKING

from depnet.model.network import Network
from depnet.pictures import colours
from depnet.pictures.canvas import axes_of, plain, share_bar, styled
from depnet.pictures.colours import GREY, INK
from depnet.pictures.labels import listed
from depnet.pictures.node.decision import Decision, Leaf, Test, decision, legend, shares, state_colours
from depnet.pictures.node.layout import places

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BAR = 1.0


def plot_node(network: Network, node: int | str, *, ax: "Axes | None" = None) -> "Figure":
    """The decision graph of a node, by its number or by the name of a variable: tests from left to right.

    Bars are theta_i(. | leaf); a leaf that several branches lead to is one leaf, framed in orange.
    """
    graph = decision(network, node)
    at = places(graph, test=1.3)
    depth = max(layer for _, layer in at.values())
    rows = 1 + max(place for place, _ in at.values()) - min(place for place, _ in at.values())
    with styled():
        figure, axes = axes_of(ax, 3.4 + 1.75 * depth, 0.9 + 0.46 * rows)
        colour = state_colours(graph)
        for v, (place, layer) in at.items():
            vertex = graph.vertices[v]
            if isinstance(vertex, Leaf):
                _draw_leaf(axes, vertex, depth, place, colour)
            else:
                _draw_test(axes, graph, vertex, (layer, place), at)
        axes.set_xlim(-0.35, depth + BAR + 0.9)
        axes.set_ylim(max(p for p, _ in at.values()) + 0.7, min(p for p, _ in at.values()) - 0.7)
        axes.set_axis_off()
        axes.set_title(plain(graph.name, 60), loc="left")
        _legend(axes, graph, colour)
    return figure


def _legend(axes: "Axes", graph: Decision, colour: dict[int, str]) -> None:
    from matplotlib.patches import Patch

    key = [Patch(color=c, label=plain(state, 18)) for state, c in legend(graph, colour)]
    axes.legend(
        handles=key, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=min(len(key), 4), fontsize=7
    )


def _draw_test(
    axes: "Axes", graph: Decision, test: Test, here: tuple[float, float], at: dict[int, tuple[float, int]]
) -> None:
    x, y = here
    for branch in test.branches:
        place, layer = at[branch.to]
        end = layer - 0.02 if isinstance(graph.vertices[branch.to], Leaf) else layer
        axes.plot([x, end], [y, place], color=GREY, linewidth=0.8, zorder=1)
        share = 0.6 if end - x <= 1.2 else 0.4
        axes.text(
            x + share * (end - x), y + share * (place - y), plain(listed(branch.states, 16), 20),
            fontsize=6.5, ha="center", va="center", color=INK, zorder=2,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
        )  # fmt: skip
    axes.text(
        x, y, plain(test.variable, 14), ha="center", va="center", fontsize=8, zorder=4,
        bbox={"boxstyle": "round,pad=0.35", "facecolor": "#eef2f7", "edgecolor": GREY, "linewidth": 0.8},
    )  # fmt: skip


def _draw_leaf(axes: "Axes", leaf: Leaf, x: float, y: float, colour: dict[int, str]) -> None:
    from matplotlib.patches import Rectangle

    share_bar(axes, (x, y - 0.28), (BAR, 0.56), shares(leaf, colour), ink=colours.readable_on)
    shared = leaf.ways > 1
    axes.add_patch(
        Rectangle(
            (x, y - 0.28), BAR, 0.56, fill=False, zorder=5,
            edgecolor=colours.ORANGE if shared else GREY, linewidth=1.8 if shared else 0.6,
        )
    )  # fmt: skip
    axes.text(x + BAR + 0.06, y, f"y = {leaf.number}{leaf.rows_said}", va="center", fontsize=6.5)
