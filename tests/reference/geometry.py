"""The slow twin of `depnet.geometry`: a joint is a dictionary of states, every formula a loop."""

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from depnet import Dataset, InformationSource, Network, Node
from depnet.arrays import FloatArray
from tests.reference.stages import node_theta

State = tuple[int, ...]
Law = dict[State, float]
Variables = Sequence[int]


def law_of(tensor: FloatArray) -> Law:
    return {x: float(tensor[x]) for x in itertools.product(*map(range, tensor.shape))}


def tensor_of(law: Law) -> FloatArray:
    shape = tuple(max(x[i] for x in law) + 1 for i in range(len(next(iter(law)))))
    tensor = np.zeros(shape)
    for x, probability in law.items():
        tensor[x] = probability
    return tensor


def times_log(a: float, b: float) -> float:
    """a log b, with 0 log 0 = 0."""
    if a == 0:
        return 0.0
    return a * math.log(b) if b > 0 else -a * math.inf


def part(x: State, variables: Variables) -> State:
    return tuple(x[i] for i in variables)


def others(x: State, variables: Variables) -> State:
    return tuple(x[i] for i in range(len(x)) if i not in variables)


def marginal(p: Law, key: Callable[[State], object]) -> dict[object, float]:
    """The law of a function of X."""
    totals: dict[object, float] = {}
    for x in p:
        totals[key(x)] = totals.get(key(x), 0.0) + p[x]
    return totals


def entropy(p: Law) -> float:
    return -math.fsum(times_log(p[x], p[x]) for x in p)


def conditional_entropy(p: Law, variables: Variables, key: Callable[[State], object]) -> float:
    """H(p(X_B | Y)) where Y = key(X)."""
    p_y = marginal(p, key)
    p_xy = marginal(p, lambda x: (part(x, variables), key(x)))
    total = 0.0
    for x in p:
        if p[x] > 0:
            total -= p[x] * math.log(p_xy[part(x, variables), key(x)] / p_y[key(x)])
    return total


def leaf(source: InformationSource, x: State) -> int:
    return int(source(np.array([x]))[0])


def kl(p: Law, q: Law) -> float:
    return math.fsum(times_log(p[x], p[x]) - times_log(p[x], q[x]) for x in p)


def full_conditional(p: Law, i: int) -> Law:
    """p(x_i | x_-i) for every x; 0 where p(x_-i) = 0."""
    p_others = marginal(p, lambda x: others(x, [i]))
    return {x: p[x] / p_others[others(x, [i])] if p_others[others(x, [i])] > 0 else 0.0 for x in p}


def theta_of(node: Node, states: Law) -> Law:
    """theta_i(x_i | Y_i(x)) for every x."""
    return {x: node_theta(node, x)[x[node.variable]] for x in states}


def m_projection(p: Law, theta: Law, i: int) -> Law:
    p_others = marginal(p, lambda x: others(x, [i]))
    return {x: p_others[others(x, [i])] * theta[x] for x in p}


def kl_to_manifold(p: Law, theta: Law, i: int) -> float:
    conditional = full_conditional(p, i)
    return math.fsum(times_log(p[x], conditional[x]) - times_log(p[x], theta[x]) for x in p)


def full_conditional_divergence(p: Law, q: Law, weights: Sequence[float]) -> float:
    return sum(c * kl_to_manifold(p, full_conditional(q, i), i) for i, c in enumerate(weights))


def fc_limit(p: Law, network: Network, weights: Sequence[float]) -> float:
    return sum(
        c * kl_to_manifold(p, theta_of(node, p), node.variable)
        for c, node in zip(weights, network.nodes, strict=True)
    )


def pseudo_log_likelihood(p: Law, q: Law, weights: Sequence[float]) -> float:
    return sum(
        c * times_log(p[x], conditional)
        for i, c in enumerate(weights)
        for x, conditional in full_conditional(q, i).items()
    )


def kl_by_evidence(
    p: Law, theta: Law, i: int, clamped: Variables
) -> tuple[dict[State, float], dict[State, float]]:
    """p(x_C) and KL(p(X_Cbar | x_C) || E(theta(. ; x_C))), every x_C in turn clamped for real."""
    probabilities: dict[State, float] = {}
    divergences: dict[State, float] = {}
    for known in {part(x, clamped) for x in p}:
        agreeing = [x for x in p if part(x, clamped) == known]
        probabilities[known] = math.fsum(p[x] for x in agreeing)
        divergences[known] = 0.0
        if probabilities[known] > 0:
            given = {x: p[x] / probabilities[known] for x in agreeing}
            divergences[known] = kl_to_manifold(given, {x: theta[x] for x in agreeing}, i)
    return probabilities, divergences


def m_geodesic(p0: Law, p1: Law, lam: float) -> Law:
    return {x: (1 - lam) * p0[x] + lam * p1[x] for x in p0}


def e_geodesic(p0: Law, p1: Law, lam: float) -> Law:
    """Powers of the probabilities themselves: 0 ** 0 is 1 in Python too."""
    powers = {x: p0[x] ** (1 - lam) * p1[x] ** lam if p0[x] or p1[x] else 0.0 for x in p0}
    z = math.fsum(powers.values())
    return {x: powers[x] / z for x in powers}


def orthogonality(p: Law, q: Law, r: Law) -> float:
    """For positive q and r."""
    return math.fsum((p[x] - q[x]) * (math.log(q[x]) - math.log(r[x])) for x in p)


def bregman_divergence(f: Callable[[Law], float], p: Law, q: Law, step: float = 1e-5) -> float:
    """f(p) - f(q) - grad f(q) . (p - q), the gradient by central differences: for positive q."""
    total = f(p) - f(q)
    for x in p:
        h = step * q[x]
        slope = (f({**q, x: q[x] + h}) - f({**q, x: q[x] - h})) / (2 * h)
        total -= slope * (p[x] - q[x])
    return total


def empirical(dataset: Dataset) -> Law:
    counts = dict.fromkeys(itertools.product(*map(range, dataset.domain.cardinalities)), 0)
    for r in range(dataset.rows):
        x = tuple(int(code) for code in dataset.codes[r])
        counts[x] += 1 if dataset.weights is None else int(dataset.weights[r])
    return {x: counts[x] / dataset.total for x in counts}


def total_variation(p: Law, q: Law) -> float:
    """The largest difference in the probability of an event: of that of all states that p holds more probable."""
    event = [x for x in p if p[x] > q[x]]
    return sum(p[x] for x in event) - sum(q[x] for x in event)
