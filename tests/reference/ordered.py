"""The law Q of an ordered network, its passes, its conditionals and its moves, by loops.

    Q(x) = product over i of theta_i(x_i | Y_i(x))

Evidence is weights: `weights[j][x]` is w_j(x), 0 or 1 for a state or a set, any number that is not negative for soft
evidence; a variable without an entry has weights of one. Nodes are asked for `probabilities` and `inputs` alone.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from depnet import Network
from depnet.arrays import FloatArray
from depnet.model import Evidence

Weights: TypeAlias = Mapping[int, Sequence[float]]

BEYOND = 2**32 - 1


def weights_of(network: Network, evidence: Evidence) -> dict[int, tuple[float, ...]]:
    """Evidence as weights: a clamped variable has one state of weight 1."""
    cards = network.domain.cardinalities
    known = {j: tuple(float(x == code) for x in range(cards[j])) for j, code in evidence.clamped.items()}
    return known | {j: tuple(float(w) for w in weights) for j, weights in evidence.tilts.items()}


def order_of(network: Network) -> tuple[int, ...]:
    """The order; a network without one has no law Q."""
    assert network.order is not None
    return network.order


def theta(network: Network, i: int, state: Sequence[int]) -> list[float]:
    """theta_i(. | Y_i(x))."""
    codes = np.array([list(state)], dtype=np.uint16)
    return [float(p) for p in network.nodes[i].probabilities(codes)[0]]


def density(network: Network, state: Sequence[int]) -> float:
    """Q(x)."""
    q = 1.0
    for i in order_of(network):
        q *= theta(network, i, state)[state[i]]
    return q


def law(network: Network) -> FloatArray:
    """Q as a tensor over the joint domain."""
    q = np.zeros(network.domain.cardinalities)
    for state in np.ndindex(q.shape):
        q[state] = density(network, state)
    return q


def condition(joint: FloatArray, weights: Weights) -> FloatArray:
    """Q(x) product of w_j(x_j), divided by its sum: Q(. | x_C) where the weights are those of states."""
    weighted = np.zeros(joint.shape)
    for state in np.ndindex(joint.shape):
        weighted[state] = joint[state]
        for j, w in weights.items():
            weighted[state] *= w[state[j]]
    if not weighted.sum() > 0:
        raise ZeroDivisionError("the evidence has no mass")
    return np.asarray(weighted / weighted.sum())


def ancestors(network: Network, variables: Collection[int]) -> set[int]:
    """The variables, what their sources read, what the sources of these read, and so on."""
    found: set[int] = set()
    waiting = list(variables)
    while waiting:
        i = waiting.pop()
        if i not in found:
            found.add(i)
            waiting.extend(network.nodes[i].inputs)
    return found


def interval_ends(row: Sequence[float]) -> list[int]:
    """The ends of the states' intervals among 32-bit words, as `depnet.sampling.chains` has them."""
    total = 0.0
    for weight in row:
        total += weight
    ends, below = [], 0.0
    for weight in row[:-1]:
        below += weight
        if below == 0:
            ends.append(0)
        elif below / total >= 1 - 2.0**-32:
            ends.append(BEYOND)
        else:
            ends.append(min(max(math.floor(below / total * 2.0**32 + 0.5), 1), BEYOND - 1))
    return ends


def drawn(row: Sequence[float], word: int) -> int:
    """The number of ends at or below the word; the largest word is read as the one below it."""
    return sum(end <= min(word, BEYOND - 1) for end in interval_ends(row))


def one_pass(
    network: Network,
    words: Sequence[int],
    weights: Weights | None = None,
    only: Collection[int] | None = None,
) -> tuple[tuple[int, ...], float]:
    """One pass along the order: the state, and its weight, the product of sum over x of theta_j(x | y_j) w_j(x).

    `words[i]` draws X_i, in proportion to theta_i, or to theta_i w_i where something is known of X_i. Where nothing
    of what is known is possible the weight is 0 and X_i takes the first state that w_i allows. Variables outside
    `only`, which is closed under `ancestors`, are passed over and stay 0.
    """
    known = {} if weights is None else weights
    state = [0] * len(network)
    weight = 1.0
    for i in order_of(network):
        if only is not None and i not in only:
            continue
        row = theta(network, i, state)
        if i not in known:
            state[i] = drawn(row, words[i])
            continue
        row = [p * w for p, w in zip(row, known[i], strict=True)]
        total = 0.0
        for each in row:
            total += each
        weight *= total
        if total > 0:
            state[i] = drawn(row, words[i])
        else:
            state[i] = next(x for x, w in enumerate(known[i]) if w > 0)
    return tuple(state), weight


def conditional_under_q(
    network: Network, state: Sequence[int], i: int, weights: Weights | None = None
) -> list[float] | None:
    """Q(X_i | x_-i) under the weights: theta_i w_i times the tables of the nodes that read X_i, divided by its sum.

    None where no state is possible.
    """
    known = {} if weights is None else weights
    row = []
    for x, p in enumerate(theta(network, i, state)):
        changed = [*state[:i], x, *state[i + 1 :]]
        mass = p * (known[i][x] if i in known else 1.0)
        for j, node in enumerate(network.nodes):
            if i in node.inputs:
                mass *= theta(network, j, changed)[changed[j]]
        row.append(mass)
    total = sum(row)
    return [mass / total for mass in row] if total > 0 else None


def gibbs_update(
    network: Network, state: Sequence[int], i: int, word: int, weights: Weights | None = None
) -> tuple[int, ...]:
    """X_i is drawn from its conditional under Q: the first state whose cumulative share is above word / 2^32.

    The state stays where nothing is possible.
    """
    row = conditional_under_q(network, state, i, weights)
    if row is None:
        return tuple(state)
    below = 0.0
    last = max(x for x, p in enumerate(row) if p > 0)
    for x, p in enumerate(row):
        below += p
        if word / 2**32 < below or x == last:
            return (*state[:i], x, *state[i + 1 :])
    raise AssertionError("a distribution sums to one")


def acceptance(
    network: Network,
    proposer: Network,
    state: Sequence[int],
    i: int,
    proposed: int,
    weights: Weights | None = None,
) -> float:
    """min(1, Q(x') w_i(x_i') theta_i(x_i | y_i) / (Q(x) w_i(x_i) theta_i(x_i' | y_i))), theta_i the proposer's.

    y_i is the same before and after: Y_i does not read X_i. From a state of mass 0 everything is accepted.
    """
    w = weights[i] if weights is not None and i in weights else [1.0] * network.domain.cardinalities[i]
    there = (*state[:i], proposed, *state[i + 1 :])
    row = theta(proposer, i, state)
    gained = density(network, there) * w[proposed] * row[state[i]]
    paid = density(network, state) * w[state[i]] * row[proposed]
    return min(1.0, gained / paid) if paid > 0 else 1.0


def combined(counts: Sequence[float], answer: Sequence[float], s: float) -> list[float]:
    """(n observed + s law) / (n + s): `counts` are those of n matching rows, `answer` is the law's."""
    n = sum(counts)
    return [(c + s * q) / (n + s) for c, q in zip(counts, answer, strict=True)]
