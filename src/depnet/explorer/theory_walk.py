r"""The path of p^t between the two manifolds, under either scan, with what is said beside it (Sec. 3.1 and 3.2).

At each step stand KL(p^t||pi), FC(p^t||pi) and the FC-limit of p^t. Under the random scan pi is its stationary
law, and Theorem 3 says :math:`FC(p^t\|\pi) \le FC_{\lim}(p^t)`; under the sequential scan pi is the centroid of the
cycle pi^0, pi^1, for which nothing is promised. The tetrahedron with the path is a Plotly figure.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import FloatArray
from depnet.errors import PictureError
from depnet.exact import law_path, stationary, stationary_cycle
from depnet.geometry import fc_limit, full_conditional_divergence, kl, m_projection, manifolds
from depnet.model import Network, RandomScan, Scan
from depnet.pictures.colours import BLUE, GREY, INK, PURPLE, SKY, VERMILLION
from depnet.pictures.tetrahedron import CORNERS, START, Curve, edges, manifold_lines, place

STEPS = 30
NEAR = 1e-9
"""Laws of a cycle that differ by less are one."""


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """`laws[t]` is p^t, `end` is pi, `cycle` the laws that a sequential scan goes round (empty: random scan).

    `kl[t]`, `fc[t]` and `limit[t]` are KL(p^t||pi), FC(p^t||pi) and the FC-limit of p^t, in nats.
    """

    network: Network
    scan: Scan
    laws: FloatArray
    end: FloatArray
    cycle: tuple[FloatArray, ...]
    kl: FloatArray
    fc: FloatArray
    limit: FloatArray

    @property
    def steps(self) -> int:
        return len(self.laws) - 1

    @property
    def apart(self) -> tuple[FloatArray, ...]:
        """The laws of the cycle, where it has more than one; else none."""
        one = not self.cycle or float(np.abs(self.cycle[0] - self.cycle[1]).sum()) < NEAR
        return () if one else self.cycle

    @property
    def meets(self) -> bool:
        """Do the manifolds meet in pi? Then the tables are those of one law."""
        ends = [m_projection(self.end, space) for space in manifolds(self.network)]
        return all(float(np.abs(end - self.end).sum()) < NEAR for end in ends)


def walk(network: Network, scan: Scan, start: ArrayLike = START, steps: int = STEPS) -> Walk:
    """The first `steps` steps of a chain of two binary variables that starts from the law `start`.

    >>> from depnet import SequentialScan
    >>> path = walk(Network.from_joint([[0.40, 0.10], [0.14, 0.36]]), SequentialScan())
    >>> path.meets, bool(path.kl[30] < 1e-6 < path.kl[0])
    (True, True)
    """
    if network.domain.cardinalities != (2, 2):
        raise PictureError(
            "the tetrahedron holds the laws of two binary variables; this network has the "
            f"cardinalities {network.domain.cardinalities}."
        )
    laws = np.stack(list(law_path(network, scan, start, steps)))
    end = stationary(network, scan)
    return Walk(
        network,
        scan,
        laws,
        end,
        cycle=() if isinstance(scan, RandomScan) else tuple(stationary_cycle(network, scan)),
        kl=np.array([kl(p, end) for p in laws]),
        fc=np.array([full_conditional_divergence(p, end) for p in laws]),
        limit=np.array([fc_limit(p, network) for p in laws]),
    )


@dataclass(frozen=True, slots=True)
class Palette:
    """Greys of a light or a dark page; what carries meaning has Okabe and Ito's colours (`pictures.colours`)."""

    text: str
    muted: str


LIGHT = Palette(text="#1d232b", muted="#5a6470")
DARK = Palette(text="#e8ebef", muted="#a6afb9")


def walk_figure(path: Walk, step: int, corners: Sequence[str], colours: Palette) -> dict[str, Any]:
    """The manifolds, p^0, ..., p^step and, from p^step, the m-projections that come next, as plain data."""
    curves = [*edges(), *manifold_lines(path.network), *_next_projections(path, step)]
    curves.append(Curve.through(path.laws[: step + 1], VERMILLION, "pᵗ", width=3, marked=True))
    named = [(path.laws[0], "p⁰", VERMILLION), (path.end, "π", INK)]
    if path.apart:
        curves.append(Curve.through(path.apart, PURPLE, "cycle", width=3))
        named += [(law, name, PURPLE) for law, name in zip(path.apart, ("π⁰", "π¹"), strict=True)]
    if step:
        named.append((path.laws[step], "pᵗ", VERMILLION))
    traces = [_line(curve, colours) for curve in curves]
    for corner, name in zip(CORNERS, corners, strict=True):
        look = {"mode": "text", "textfont": {"color": colours.muted, "size": 12}}
        traces.append(_point(1.08 * corner, name, look))
    for law, name, colour in named:
        marker = {"size": 5, "color": _colour(colour, colours)}
        look = {"mode": "markers+text", "textfont": {"color": colours.text, "size": 15}, "marker": marker}
        traces.append(_point(place(law), name, look))
    hidden = {"visible": False, "range": [-1.25, 1.25]}
    return {
        "data": traces,
        "layout": {
            "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "font": {"color": colours.text, "size": 13},
            "uirevision": "kept",  # the reader's own turn of the picture stays
            "legend": {"orientation": "h", "y": 0, "bgcolor": "rgba(0,0,0,0)"},
            "scene": {
                "xaxis": hidden,
                "yaxis": hidden,
                "zaxis": hidden,
                "aspectmode": "cube",
                "camera": {"eye": {"x": 0.93, "y": -1.62, "z": 0.52}, "center": {"x": 0, "y": 0, "z": -0.1}},
            },
        },
        "config": {"displaylogo": False, "responsive": True, "displayModeBar": False},
    }


def _next_projections(path: Walk, step: int) -> Iterable[Curve]:
    p = path.laws[step]
    ahead, label = [m_projection(p, space) for space in manifolds(path.network)], "m-projections of pᵗ"
    if path.cycle:
        ahead, label = [ahead[step % 2]], "next m-projection"  # the order of the scan is 0, 1
    return [Curve.through([p, q], GREY, "" if i else label) for i, q in enumerate(ahead)]


def _line(curve: Curve, colours: Palette) -> dict[str, Any]:
    x, y, z = np.round(curve.points, 6).T.tolist()
    return {
        "type": "scatter3d",
        "mode": "lines+markers" if curve.marked else "lines",
        "x": x,
        "y": y,
        "z": z,
        "name": curve.label,
        "showlegend": bool(curve.label),
        "hoverinfo": "skip",
        "line": {
            "color": _colour(curve.color, colours),
            "width": (3 if curve.dotted else 2) * curve.width,
            "dash": "dot" if curve.dotted else "solid",
        },
        "marker": {"size": 3, "color": _colour(curve.color, colours)},
    }


def _point(at: FloatArray, label: str, look: dict[str, Any]) -> dict[str, Any]:
    x, y, z = np.round(at, 6).tolist()
    return {
        "type": "scatter3d",
        "x": [x],
        "y": [y],
        "z": [z],
        # Text of a figure is markup to Plotly, and the corners are named by states of the reader's table.
        "text": [label.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")],
        "textposition": "top center",
        "showlegend": False,
        "hoverinfo": "text",
        **look,
    }


def _colour(colour: str, colours: Palette) -> str:
    """Ink and grey are the page's; on a dark one blue is the lighter of Okabe and Ito's two."""
    mapped = {INK: colours.text, GREY: colours.muted, BLUE: SKY if colours is DARK else BLUE}
    return mapped.get(colour, colour)
