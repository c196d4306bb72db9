"""What the theorems are tried on: points of a manifold, and neighbours of a law."""

import numpy as np

from depnet.arrays import FloatArray
from depnet.geometry import FullConditionalManifold
from tests.strategies import random_joint


def point_of(
    manifold: FullConditionalManifold, shape: tuple[int, ...], rng: np.random.Generator, zeros: float = 0.0
) -> FloatArray:
    """A random q(X_-B) theta_B: a point of E(theta_B) by its definition, not by `m_projection`."""
    context = tuple(1 if i in manifold.variables else k for i, k in enumerate(shape))
    q = random_joint(rng, context, zeros) * manifold.theta
    return np.asarray(q / q.sum())


def neighbours(
    p: FloatArray, rng: np.random.Generator, steps: tuple[float, ...] = (1e-3, 0.05, 0.5)
) -> list[FloatArray]:
    """Laws around a positive `p`, nearer and farther."""
    around = [p * np.exp(step * rng.standard_normal(p.shape)) for step in steps]
    return [q / q.sum() for q in around]
