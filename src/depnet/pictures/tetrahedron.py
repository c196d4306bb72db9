"""The laws of two binary variables as points of a tetrahedron, and the manifolds of two tables as lines in it.

The corners are the four joint states; a law is the mean of the corners weighted by its probabilities. The map is linear,
so m-geodesics are straight. As in the paper, solid lines are m-flat and dotted lines e-flat; a full conditional manifold
is both.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import FloatArray
from depnet.data.table.variable import Domain
from depnet.geometry import m_projection, manifolds
from depnet.model import ConditionalTable, LosslessSource, Network, TableNode
from depnet.pictures.colours import BLUE, GREEN, GREY

CORNERS: FloatArray = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=np.float64)
"""The joint states 00, 01, 10, 11 of (X_0, X_1)."""

START: FloatArray = np.array([[0.06, 0.84], [0.04, 0.06]])
"""Where the paper's paths begin."""

GENUINE = ((0.40 / 0.54, 0.10 / 0.46), (0.40 / 0.50, 0.14 / 0.50))
"""P(X_0 = 0 | X_1) and P(X_1 = 0 | X_0) of one law, (0.40, 0.10, 0.14, 0.36): consistent tables."""

PSEUDO = ((0.92, 0.20), (0.80, 0.42))
"""Tables of no common law: their manifolds are skew lines."""


def place(laws: ArrayLike) -> FloatArray:
    """Laws [..., 2, 2] as points [..., 3] of the tetrahedron."""
    p = np.asarray(laws, dtype=np.float64)
    return np.asarray(p.reshape(*p.shape[:-2], 4) @ CORNERS)


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A line through points [k, 3]; `marked` ones show the points."""

    points: FloatArray
    color: str
    label: str = ""
    dotted: bool = False
    width: float = 1.5
    marked: bool = False

    @classmethod
    def through(cls, laws: Iterable[ArrayLike], color: str, label: str = "", **look: Any) -> "Curve":
        return cls(place(np.stack([np.asarray(law) for law in laws])), color, label, **look)


def edges() -> list[Curve]:
    return [Curve(CORNERS[list(pair)], GREY, width=0.8) for pair in itertools.combinations(range(4), 2)]


def manifold_lines(network: Network, names: Sequence[str] = ("E(θ₀)", "E(θ₁)")) -> list[Curve]:
    """Each manifold from end to end: the m-geodesic between the projections of two opposite laws."""
    lines = []
    for space, name, color in zip(manifolds(network), names, (BLUE, GREEN), strict=True):
        ends = np.zeros((2, 2, 2))  # all mass on one state of the other variable
        for code in range(2):
            ends[code][(0, code) if space.variable == 0 else (code, 0)] = 1.0
        lines.append(
            Curve.through([m_projection(p, space) for p in ends], color, name, dotted=True, width=2.2)
        )
    return lines


def two_nodes(first: Sequence[float], second: Sequence[float]) -> Network:
    """Binary X_0 and X_1, each looking at the other: P(X_0 = 0 | X_1 = 0, 1) and P(X_1 = 0 | X_0 = 0, 1)."""
    nodes = []
    for i, zeros in enumerate((first, second)):
        table = ConditionalTable.from_probabilities([[p, 1 - p] for p in zeros])
        nodes.append(TableNode(i, LosslessSource((1 - i,), (2,)), table))
    return Network(Domain.from_cardinalities([2, 2]), tuple(nodes))
