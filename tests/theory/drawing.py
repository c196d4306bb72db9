"""What the theorems are tried on: points of a manifold, neighbours of a law, laws by a dense solve."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from depnet import Network
from depnet.arrays import FloatArray
from depnet.geometry import FullConditionalManifold, manifolds
from tests.strategies import random_joint


def point_of(
    manifold: FullConditionalManifold, shape: tuple[int, ...], rng: np.random.Generator, zeros: float = 0.0
) -> FloatArray:
    """A random q(X_-i) theta_i: a point of E(theta_i) by its definition, not by `m_projection`."""
    context = tuple(1 if i == manifold.variable else k for i, k in enumerate(shape))
    q = random_joint(rng, context, zeros) * manifold.theta
    return np.asarray(q / q.sum())


def joint_pairs(rng: np.random.Generator, shape: tuple[int, ...]) -> Iterator[tuple[FloatArray, FloatArray]]:
    """(p, q) with a positive q, where p is positive, and where p has zeros."""
    q = random_joint(rng, shape)
    for zeros in (0.0, 0.4):
        yield random_joint(rng, shape, zeros), q


def laws_beside_manifolds(
    rng: np.random.Generator, network: Network
) -> Iterator[tuple[FloatArray, FullConditionalManifold]]:
    """A law, positive and then with zeros, beside each manifold of a network."""
    for zeros in (0.0, 0.4):
        p = random_joint(rng, network.domain.cardinalities, zeros)
        for manifold in manifolds(network):
            yield p, manifold


def parity(even: float) -> FloatArray:
    """Three variables, independent in pairs, whose codes have an odd sum but for a share `even` in each other state."""
    p = np.full((2, 2, 2), even)
    for x in np.ndindex(2, 2, 2):
        if sum(x) % 2:
            p[x] = 0.25 - even
    return p


def neighbours(
    p: FloatArray, rng: np.random.Generator, steps: tuple[float, ...] = (1e-3, 0.05, 0.5)
) -> list[FloatArray]:
    """Laws around a positive `p`, nearer and farther."""
    around = [p * np.exp(step * rng.standard_normal(p.shape)) for step in steps]
    return [q / q.sum() for q in around]


def transition_matrix(manifold: FullConditionalManifold, shape: tuple[int, ...]) -> FloatArray:
    """K_i[x, x'] = theta_i(x'_i | x_-i) where x and x' agree in all but X_i, else 0; states row-major."""
    context = tuple(1 if i == manifold.variable else k for i, k in enumerate(shape))
    numbers = np.broadcast_to(np.arange(math.prod(context)).reshape(context), shape).ravel()
    theta = np.broadcast_to(manifold.theta, shape).ravel()
    return np.where(numbers[:, None] == numbers[None, :], theta[None, :], 0.0)


def dense_stationary(network: Network, weights: Sequence[float]) -> FloatArray:
    """The law of the random scan of a small positive network, by a dense solve of pi = pi K."""
    shape = network.domain.cardinalities
    K = sum(c * transition_matrix(m, shape) for c, m in zip(weights, manifolds(network), strict=True))
    equations = np.asarray(K).T - np.eye(math.prod(shape))
    equations[-1] = 1.0  # one equation is redundant; the law sums to one instead
    sums = np.zeros(len(equations))
    sums[-1] = 1.0
    pi = np.maximum(np.linalg.solve(equations, sums), 0.0)
    return np.asarray(pi / pi.sum()).reshape(shape)
