"""What would move a target, by loops over the joint states of a small law.

z_j(x) = sum over states with X_j = x of P(state) g(t) h(t), divided by the sum of P(state) h(t)
I(T; X_j) = sum over t and x of P(t, x) log2(P(t, x) / (P(t) P(x)))
"""

import math
from collections.abc import Sequence

import numpy as np

from depnet.arrays import FloatArray


def values(law: FloatArray, target: int, j: int, g: Sequence[float], h: Sequence[float]) -> list[float]:
    """z_j(x) of each state x; nan where it has no mass."""
    found = []
    for x in range(law.shape[j]):
        above = below = 0.0
        for state in np.ndindex(law.shape):
            if state[j] == x:
                above += float(law[state]) * g[state[target]] * h[state[target]]
                below += float(law[state]) * h[state[target]]
        found.append(above / below if below > 0 else math.nan)
    return found


def marginal(law: FloatArray, j: int) -> list[float]:
    """P(X_j = x) of each state x."""
    found = [0.0] * law.shape[j]
    for state in np.ndindex(law.shape):
        found[state[j]] += float(law[state])
    return found


def information(law: FloatArray, target: int, j: int) -> float:
    """I(T; X_j) in bits."""
    joint: dict[tuple[int, int], float] = {}
    for state in np.ndindex(law.shape):
        pair = (state[target], state[j])
        joint[pair] = joint.get(pair, 0.0) + float(law[state])
    of_target, of_other = marginal(law, target), marginal(law, j)
    return sum(p * math.log2(p / (of_target[t] * of_other[x])) for (t, x), p in joint.items() if p > 0)


def reach(probabilities: Sequence[float], found: Sequence[float], level: float) -> tuple[float, float]:
    """The least value up to which there is at least `level` of the mass, and the greatest from which on."""
    pairs = sorted((z, p) for z, p in zip(found, probabilities, strict=True) if not math.isnan(z))

    def end(ordered: list[tuple[float, float]]) -> float:
        mass, whole = 0.0, sum(p for _, p in ordered)
        for z, p in ordered:
            mass += p
            if mass >= level * whole:
                return z
        raise AssertionError("all of the mass is enough")

    return end(pairs), end(pairs[::-1])
