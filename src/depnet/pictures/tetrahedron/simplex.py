"""The tetrahedron of the laws of two binary variables: its edges and corners, and the manifolds of two tables."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.domain import Domain
from depnet.geometry import m_geodesic, m_projection, manifolds
from depnet.model import ConditionalTable, LosslessSource, Network, Node
from depnet.pictures.canvas import COLORS
from depnet.pictures.colours import GREY
from depnet.pictures.tetrahedron.scene import CORNERS, Curve, Point, Scene, Surface, place

BLUE, _, GREEN, GOLD = COLORS[:4]

START: FloatArray = np.array([[0.06, 0.84], [0.04, 0.06]])
"""Where the paper's paths begin."""

GENUINE = ((0.40 / 0.54, 0.10 / 0.46), (0.40 / 0.50, 0.14 / 0.50))
"""P(X_0 = 0 | X_1) and P(X_1 = 0 | X_0) of one law, (0.40, 0.10, 0.14, 0.36): consistent tables."""

PSEUDO = ((0.92, 0.20), (0.80, 0.42))
"""Tables of no common law: their manifolds are skew lines."""


def two_nodes(first: Sequence[float], second: Sequence[float]) -> Network:
    """Binary X_0 and X_1, each looking at the other: P(X_0 = 0 | X_1 = 0, 1) and P(X_1 = 0 | X_0 = 0, 1)."""
    nodes = []
    for i, zeros in enumerate((first, second)):
        table = ConditionalTable.from_probabilities([[p, 1 - p] for p in zeros])
        nodes.append(Node((i,), LosslessSource((1 - i,), (2,)), table))
    return Network(Domain.from_cardinalities([2, 2]), tuple(nodes))


def edges() -> tuple[Curve, ...]:
    """The six edges."""
    return tuple(Curve(CORNERS[list(pair)], GREY, width=0.8) for pair in itertools.combinations(range(4), 2))


def corners(names: Sequence[str] = ("00", "01", "10", "11")) -> tuple[Point, ...]:
    """The four joint states, by their names."""
    return tuple(Point(corner, name, GREY) for corner, name in zip(CORNERS, names, strict=True))


def in_tetrahedron(
    curves: Iterable[Curve],
    points: Iterable[Point],
    title: str = "",
    caption: str = "",
    names: Sequence[str] = ("00", "01", "10", "11"),
    **more: Any,
) -> Scene:
    """A scene with the edges and corners of the tetrahedron before what is in it."""
    return Scene(title, caption, (*edges(), *curves), (*corners(names), *points), **more)


def manifold_lines(
    network: Network,
    names: Sequence[str] = ("E(θ₀)", "E(θ₁)"),
    colors: Sequence[str] = (BLUE, GREEN),
) -> tuple[Curve, ...]:
    """Each manifold from end to end: the m-geodesic between the projections of two opposite laws."""
    lines = []
    for space, name, color in zip(manifolds(network), names, colors, strict=True):
        i = space.variable
        ends: list[FloatArray] = []
        for code in range(2):  # all mass on one state of the other variable
            p = np.zeros((2, 2))
            p[(0, code) if i == 0 else (code, 0)] = 1.0
            ends.append(m_projection(p, space))
        points = [m_geodesic(ends[0], ends[1], lam) for lam in (0.0, 1.0)]
        lines.append(Curve.through(points, color, name, dotted=True, width=2.2))
    return tuple(lines)


def independence(cells: int = 14) -> Surface:
    """The laws under which X_0 and X_1 are independent."""
    a = np.linspace(0, 1, cells)
    rows = np.stack([a, 1 - a], axis=1)
    return Surface(place(rows[:, None, :, None] * rows[None, :, None, :]), GOLD, "independent laws")
