"""Hidden classes, by loops: one step of EM of columns that are independent given the class, and a class summed out.

theta_z(x_i) = (sum over rows of c r_z [x_i] + P(x_i)) / (sum over rows of c r_z + 1),  w_z ~ the latter,
    P(x_i) = (sum over rows of c [x_i] + 1/2) / (sum over rows of c + k_i / 2)
r_z ~ w_z prod over i of theta_z(x_i)
"""

import math
from collections.abc import Sequence

import numpy as np

from depnet import Network
from depnet.arrays import FloatArray
from tests.reference import ordered

Classes = list[float]
Thetas = list[list[list[float]]]
"""[class][variable][state]"""


def maximise(
    codes: Sequence[Sequence[int]], counts: Sequence[int], cards: Sequence[int], shares: Sequence[Classes]
) -> tuple[Classes, Thetas]:
    """Weights and theta of the rows' shares."""
    total = sum(counts)
    weights, theta = [], []
    for z in range(len(shares[0])):
        own = sum(c * share[z] for c, share in zip(counts, shares, strict=True)) + 1
        weights.append(own)
        columns = []
        for i, k in enumerate(cards):
            column = []
            for x in range(k):
                here = [r for r in range(len(codes)) if codes[r][i] == x]
                mass = sum(counts[r] * shares[r][z] for r in here) + (sum(counts[r] for r in here) + 0.5) / (
                    total + 0.5 * k
                )
                column.append(mass / own)
            columns.append(column)
        theta.append(columns)
    return [w / sum(weights) for w in weights], theta


def expect(codes: Sequence[Sequence[int]], weights: Classes, theta: Thetas) -> list[Classes]:
    """The shares of each row."""
    shares = []
    for row in codes:
        own = [
            w * math.prod(columns[i][x] for i, x in enumerate(row))
            for w, columns in zip(weights, theta, strict=True)
        ]
        shares.append([each / sum(own) for each in own])
    return shares


def without_last(network: Network) -> FloatArray:
    """The law of all variables but the last, as a tensor."""
    q = np.zeros(network.domain.cardinalities[:-1])
    for state in np.ndindex(network.domain.cardinalities):
        q[state[:-1]] += ordered.density(network, state)
    return q
