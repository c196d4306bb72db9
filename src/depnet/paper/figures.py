"""The paper's figures from real computation: six of the geometry of two binary variables, two of a learned node.

Matplotlib is imported when something is drawn. Figures are made without pyplot, so nothing depends on a display. SVG
files keep their text as text and carry no date: the same figure is the same file.
"""

import contextlib
import math
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from depnet.arrays import FloatArray, LeafArray
from depnet.data import Dataset, titanic
from depnet.exact import law_path, stationary, stationary_cycle
from depnet.geometry import (
    FullConditionalManifold,
    full_conditional_divergence,
    kl,
    kl_to_manifold,
    m_projection,
    manifolds,
    orthogonality,
)
from depnet.learning.learn import learn
from depnet.model import DecisionGraph, Network, RandomScan, SequentialScan, Split
from depnet.model.sources.source import JointStates
from depnet.paper.report import ExperimentError, Report, columns
from depnet.pictures.colours import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, SKY, VERMILLION
from depnet.pictures.node.decision import Leaf, decision
from depnet.pictures.node.svg import places
from depnet.pictures.tetrahedron import (
    CORNERS,
    GENUINE,
    PSEUDO,
    START,
    Curve,
    edges,
    manifold_lines,
    place,
    two_nodes,
)
from depnet.plots import matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 14
SKEW, CROSSING = (14.0, -58.0), (38.0, -62.0)
"""From where skew manifolds look apart, and where manifolds that meet look crossed."""

TARGET = "survived"
FORMATS = ("png", "svg")
COLORS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, GREY)
STYLE: Any = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "lines.markersize": 3.0,
    "svg.fonttype": "none",
    "svg.hashsalt": "depnet",
}
COLUMNS = columns("""
    figure  figure
    file    file
    kib     KiB     .0f
    says    says
""")


class Picture(NamedTuple):
    """A figure before it is drawn: its size in inches, and what draws it."""

    title: str
    caption: str
    draw: "Callable[[Figure], None]"
    size: tuple[float, float] = (5.6, 5.2)


Point = tuple[FloatArray, str, str]
"""A law, its name and its colour."""


def write_figures(folder: Path, names: Iterable[str] = (), formats: Sequence[str] = FORMATS) -> Report:
    """Write the figures called `names` (none: all) into `folder`, which is made if need be."""
    chosen = tuple(names) or tuple(FIGURES)
    for name in chosen:
        if name not in FIGURES:
            raise ExperimentError(f"there is no figure {name!r}; the figures are {', '.join(FIGURES)}.")
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in chosen:
        picture = FIGURES[name]()
        for suffix in formats:
            path = folder / f"{name}.{suffix}"
            with figure_file(path, *picture.size) as figure:
                picture.draw(figure)
                figure.suptitle(picture.title, fontsize=11)
                caption = textwrap.fill(picture.caption, round(15 * picture.size[0]))
                figure.supxlabel(caption, fontsize=8, color=INK)
            size = path.stat().st_size / 1024
            rows.append({"figure": name, "file": str(path), "kib": size, "says": picture.caption})
    return Report("The paper's figures, computed", COLUMNS, rows)


@contextlib.contextmanager
def figure_file(path: Path, width: float, height: float) -> "Iterator[Figure]":
    """An empty figure, its size in inches, which is saved as `path` at the end; the suffix says the format."""
    with matplotlib("style").context(STYLE):
        figure = matplotlib("figure").Figure(figsize=(width, height), layout="constrained")
        yield figure
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=140)


def geometric(
    title: str,
    caption: str,
    curves: Iterable[Curve],
    points: Iterable[Point],
    view: tuple[float, float] = SKEW,
    surface: FloatArray | None = None,
) -> Picture:
    """A picture of laws in the tetrahedron, looked at from an elevation and an azimuth."""

    def draw(figure: "Figure") -> None:
        axes: Any = figure.add_subplot(projection="3d", computed_zorder=False)
        axes.set_axis_off()
        axes.set_box_aspect((1, 1, 1), zoom=1.06)
        axes.view_init(*view)
        if surface is not None:
            axes.plot_wireframe(*surface.T, color=ORANGE, alpha=0.5, linewidth=0.5, label="independent laws")
        for curve in (*edges(), *curves):
            style = (0, (1, 1.2)) if curve.dotted else "-"
            look = {"color": curve.color, "lw": curve.width, "ls": style, "label": curve.label or None}
            axes.plot(*curve.points.T, marker="o" if curve.marked else "", zorder=2, **look)
        for corner, name in zip(CORNERS, ("00", "01", "10", "11"), strict=True):
            axes.text(*(1.13 * corner), name, color=INK, fontsize=8)
        for law, name, color in points:
            axes.scatter(*place(law), color=color, s=26, zorder=4, depthshade=False)
            axes.text(*(place(law) + 0.07), name, color=color, fontsize=10, zorder=5)
        axes.legend(loc="upper left")

    return Picture(title, caption, draw)


def overview() -> Picture:
    """The tetrahedron, both manifolds, the independent laws, and where the random scan ends."""
    network = two_nodes(*PSEUDO)
    a = np.linspace(0, 1, 14)
    rows = np.stack([a, 1 - a], axis=1)
    return geometric(
        "Laws of two binary variables",
        "Corners: the joint states. Lines: the full conditional manifolds E(θ₀), E(θ₁) of two tables, straight and "
        "skew. Surface: the laws under which X₀ and X₁ are independent. π: the law of the random scan.",
        manifold_lines(network),
        [(stationary(network, RandomScan()), "π", INK)],
        surface=place(rows[:, None, :, None] * rows[None, :, None, :]),
    )


def m_projection_figure() -> Picture:
    """Fig. m-projection: p, its m-projection q onto E(theta_1), another r in E(theta_1); Pythagoras."""
    network = two_nodes(*PSEUDO)
    space = manifolds(network)[1]
    p = np.array([[0.55, 0.27], [0.12, 0.06]])
    q = m_projection(p, space)
    r = m_projection(np.array([[0.06, 0.06], [0.44, 0.44]]), space)
    ends = ((q, VERMILLION, "m-geodesic pq"), (r, GREY, "m-geodesic pr"))
    geodesics = [Curve.through([p, end], color, label) for end, color, label in ends]
    return geometric(
        "m-projection onto an e-flat manifold",
        f"KL(p‖r) = {kl(p, r):.4f} = {kl(p, q):.4f} + {kl(q, r):.4f} = KL(p‖q) + KL(q‖r); "
        f"the m-geodesic pq and the e-geodesic qr are orthogonal ({abs(orthogonality(p, q, r)):.0e}).",
        [*manifold_lines(network)[1:], *geodesics],
        [(p, "p", INK), (q, "q = pΠₘ(E)", VERMILLION), (r, "r", BLUE)],
    )


def genuine_figure() -> Picture:
    """Fig. genuine_gs: p^t under the sequential scan, m-projections onto one manifold after the other."""
    caption = "The manifolds of consistent tables meet in π, and alternating m-projections lead there."
    return _sequential("Genuine Gibbs sampling, sequential scan", caption, GENUINE, CROSSING)


def pseudo_figure() -> Picture:
    """Fig. pseudo-gs: the same with tables of no common law."""
    caption = (
        "The manifolds do not meet: pᵗ ends going round the cycle π⁰ → π¹ → π⁰, whose centroid is the model."
    )
    return _sequential("Pseudo-Gibbs sampling, sequential scan", caption, PSEUDO, SKEW)


def _sequential(title: str, caption: str, tables: Any, view: tuple[float, float]) -> Picture:
    network = two_nodes(*tables)
    path = Curve.through(law_path(network, SequentialScan(), START, STEPS), VERMILLION, "pᵗ", marked=True)
    curves, points = [*manifold_lines(network), path], [(START, "p⁰", VERMILLION)]
    cycle = stationary_cycle(network, SequentialScan())
    middle = np.mean(cycle, axis=0)
    if np.allclose(cycle[0], cycle[1]):
        points.append((middle, "π", INK))
    else:
        curves.append(Curve.through(cycle, PURPLE, "cycle", width=2.2))
        points += [(cycle[0], "π⁰", PURPLE), (cycle[1], "π¹", PURPLE), (middle, "centroid", INK)]
    return geometric(title, caption, curves, points, view)


def movement_figure() -> Picture:
    """Fig. movement: the random scan, p^(t+1) the mean of both m-projections of p^t."""
    network = two_nodes(*PSEUDO)
    laws, pi = list(law_path(network, RandomScan(), START, STEPS)), stationary(network, RandomScan())
    onto = [[m_projection(p, space) for space in manifolds(network)] for p in (*laws[:5], pi)]
    projections = [
        Curve.through([p, q], color, width=0.7)
        for p, both in zip(laws[:3], onto, strict=False)
        for q, color in zip(both, (BLUE, GREEN), strict=True)
    ]
    return geometric(
        "Pseudo-Gibbs sampling, random scan",
        "Grey: from pᵗ₀ to pᵗ₁, the m-projections of pᵗ; pᵗ⁺¹ is halfway between them. At the end π is halfway "
        "between its own m-projections π₀ and π₁: a Nash equilibrium.",
        [
            *manifold_lines(network),
            *(Curve.through(both, GREY, width=0.9) for both in onto[:-1]),
            *projections,
            Curve.through(laws, VERMILLION, "pᵗ", marked=True),
            Curve.through(onto[-1], PURPLE, "π₀π₁", width=2.2),
        ],
        [(START, "p⁰", VERMILLION), (pi, "π", INK), (onto[-1][0], "π₀", PURPLE), (onto[-1][1], "π₁", PURPLE)],
    )


def fcd_figure() -> Picture:
    """Fig. fcd: FC(p||q) is the mean divergence of p from the manifolds through q."""
    p, q = np.array([[0.05, 0.62], [0.13, 0.20]]), np.array([[0.36, 0.14], [0.16, 0.34]])
    curves = [*manifold_lines(Network.from_joint(q), ("E₀(q)", "E₁(q)")), Curve.through([p, q], GREY, "pq")]
    points = [(p, "p", VERMILLION), (q, "q", INK)]
    terms = []
    for i, sub in enumerate("₀₁"):
        space = FullConditionalManifold.of_joint(q, i)
        end = m_projection(p, space)
        terms.append(kl_to_manifold(p, space))
        curves.append(Curve.through([p, end], VERMILLION, f"KL(p‖E{sub}(q)) = {terms[-1]:.3f}"))
        points.append((end, f"pΠₘ(E{sub}(q))", VERMILLION))
    return geometric(
        "The full conditional divergence FC(p‖q)",
        f"FC(p‖q) = ½ · {terms[0]:.4f} + ½ · {terms[1]:.4f} = {full_conditional_divergence(p, q):.4f}, from p to the "
        f"manifolds E₀(q), E₁(q) that meet in q; KL(p‖q) = {kl(p, q):.4f} is more.",
        curves,
        points,
        CROSSING,
    )


def learn_example() -> tuple[Dataset, Network]:
    data = titanic()
    return data, learn(data)


def node_figure() -> Picture:
    """Fig. node: variable X_i, its information source as a decision graph, its conditional table in the leaves."""
    data, network = learn_example()
    graph = decision(network, TARGET)
    at = {v: (x, -1.25 * layer) for v, (x, layer) in places(graph, 1.45, lambda _: 1.7).items()}

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        axes.set_axis_off()
        xs, ys = zip(*at.values(), strict=True)
        axes.set(xlim=(min(xs) - 0.6, max(xs) + 0.6), ylim=(min(ys) - 0.4, max(ys) + 0.3))
        arrow = {"arrowstyle": "-|>", "color": GREY}
        for v, (x, y) in at.items():
            vertex = graph.vertices[v]
            if isinstance(vertex, Leaf):
                shares = "  ".join(f"{p:.2f}" for p in vertex.probabilities)
                text = f"y = {vertex.number}{vertex.rows_said}\n{shares}"
            else:
                text = vertex.variable
            box = {"boxstyle": "round", "facecolor": "#eef2f7", "edgecolor": GREY}
            axes.text(x, y, text, ha="center", va="center", bbox=box, zorder=3)
            for branch in vertex.branches:
                end = at[branch.to]
                axes.annotate("", (end[0], end[1] + 0.15), (x, y), arrowprops=arrow, zorder=1)
                states = ", ".join(map(str, branch.states))
                axes.text(
                    0.6 * x + 0.4 * end[0], 0.6 * y + 0.4 * end[1], states, fontsize=7.5, ha="center",
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
                )  # fmt: skip

    return Picture(
        f"A node: X = {graph.name}, its information source Y and its table θ",
        f"Learned from {data.total:,} rows. Y is a decision graph of {graph.leaves} leaves (leaves that were merged have "
        f"several ways in); in them is θ({graph.name} | leaf), the states being {' and '.join(graph.states)}.",
        draw,
        (9.4, 5.2),
    )


def partitions() -> Mapping[str, LeafArray]:
    """The leaves L_y as a partition of the other variables' states, operation by operation of a learned node.

    Each is an array of leaves: the states of the first of the other variables down, those of the rest across.
    """
    data, network = learn_example()
    target = data.domain.index(TARGET)
    graph = network.nodes[target].source
    assert isinstance(graph, DecisionGraph)
    names, sizes = data.domain.names, data.domain.cardinalities
    others = [j for j in range(len(names)) if j != target]
    cells = JointStates(sizes, others).codes()
    titles = ["Y = 0: one leaf"]
    for t, step in enumerate(graph.operations, start=1):
        split = isinstance(step, Split)
        titles.append(f"{t}. " + (f"Split({step[0]}, {names[step[1]]})" if split else f"Merge{tuple(step)}"))
    return {
        title: np.asarray(DecisionGraph(graph.operations[:t], sizes)(cells)).reshape(sizes[others[0]], -1)
        for t, title in enumerate(titles)
    }


def split_merge_figure() -> Picture:
    """Fig. split_merge: the leaves grow by splits and merges."""
    frames = partitions()
    names = [name for name in titanic().domain.names if name != TARGET]
    rows = math.ceil(len(frames) / 4)

    def draw(figure: "Figure") -> None:
        from matplotlib.colors import ListedColormap

        for number, (title, leaves) in enumerate(frames.items(), start=1):
            axes = figure.add_subplot(rows, 4, number)
            axes.set_axis_off()
            axes.set_title(title, fontsize=9)
            axes.pcolormesh(
                leaves[::-1] % len(COLORS), cmap=ListedColormap(COLORS), vmin=0, vmax=len(COLORS),
                alpha=0.4, edgecolors=GREY,
            )  # fmt: skip
            for (row, column), leaf in np.ndenumerate(leaves[::-1]):
                axes.text(column + 0.5, row + 0.5, str(leaf), ha="center", va="center")

    return Picture(
        "Split and merge: the leaves of Y grow",
        f"Each cell is a joint state of the variables other than {TARGET} (down: {names[0]}; across: "
        f"{' and '.join(names[1:])}); its colour and number are its leaf L_y in the "
        "paper's numbering. The operations are those that learning recorded.",
        draw,
        (9.2, 2.5 * rows + 0.7),
    )


FIGURES: Mapping[str, Callable[[], Picture]] = {
    "tetrahedron": overview,
    "node": node_figure,
    "m-projection": m_projection_figure,
    "genuine_gs": genuine_figure,
    "pseudo-gs": pseudo_figure,
    "movement": movement_figure,
    "fcd": fcd_figure,
    "split_merge": split_merge_figure,
}
"""Figures by the paper's labels (fig:node is node); the tetrahedron is the space they are drawn in."""
