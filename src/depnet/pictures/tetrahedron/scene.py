"""What a picture of the tetrahedron is made of, before it is drawn: curves, points, surfaces.

The laws of two binary variables are the points of a tetrahedron whose corners are the four joint states; a
law is the mean of the corners weighted by its probabilities. The map is linear, so m-geodesics are straight.
As in the paper, solid lines are m-flat and dotted lines e-flat; a full conditional manifold is both.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import FloatArray

CORNERS: FloatArray = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=np.float64)
"""The joint states 00, 01, 10, 11 of (X_0, X_1)."""


def place(laws: ArrayLike) -> FloatArray:
    """Laws [..., 2, 2] as points [..., 3] of the tetrahedron."""
    p = np.asarray(laws, dtype=np.float64)
    return np.asarray(p.reshape(*p.shape[:-2], 4) @ CORNERS)


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A line through points [k, 3]; `stepwise` ones grow with the slider of the interactive figure."""

    points: FloatArray
    color: str
    label: str = ""
    dotted: bool = False
    width: float = 1.5
    stepwise: bool = False

    @classmethod
    def through(cls, laws: Iterable[ArrayLike], color: str, label: str = "", **look: Any) -> "Curve":
        """The line through these laws."""
        return cls(place(np.stack([np.asarray(law) for law in laws])), color, label, **look)


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A law with its name."""

    at: FloatArray
    label: str
    color: str

    @classmethod
    def of(cls, law: ArrayLike, label: str, color: str) -> "Point":
        """Where a law is."""
        return cls(place(law), label, color)

    @property
    def corner(self) -> bool:
        """Is it a joint state?"""
        return bool((self.at == CORNERS).all(axis=1).any())


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A grid of points [u, v, 3]."""

    grid: FloatArray
    color: str
    label: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Everything that one figure of the tetrahedron shows; `readout[t]` is said at step t."""

    title: str
    caption: str
    curves: tuple[Curve, ...] = ()
    points: tuple[Point, ...] = ()
    surfaces: tuple[Surface, ...] = ()
    readout: tuple[str, ...] = ()
    view: tuple[float, float] = (14.0, -58.0)
