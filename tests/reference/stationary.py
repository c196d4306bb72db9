"""Stationary laws, to be read: the transition matrix by loops over joint states, a dense solve.

States are tuples of codes. Evidence leaves the states that it allows; the chain runs on those.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from depnet import Network, RandomScan, SequentialScan
from depnet.arrays import FloatArray
from depnet.model import Evidence, Given
from tests.reference.stages import node_theta

State = tuple[int, ...]


class Chain:
    """The chain that evidence leaves of a network: its states, and one matrix K_i for each free node."""

    def __init__(self, network: Network, given: Given | None = None) -> None:
        self.network = network
        self.evidence = Evidence.parse(network.domain, given)
        everything = itertools.product(*(range(k) for k in network.domain.cardinalities))
        self.states: list[State] = [x for x in everything if self.weight(x, range(len(x))) > 0]
        self.number = {x: s for s, x in enumerate(self.states)}
        self.free = [
            number for number, node in enumerate(network.nodes) if node.variable not in self.evidence.clamped
        ]
        self.impossible: set[tuple[int, State]] = (
            set()
        )  # (node, state) where theta has no mass on the evidence
        self.updates = {number: self.update_matrix(number) for number in self.free}

    def weight(self, x: State, variables: Sequence[int]) -> float:
        """What the evidence on `variables` says of x: 0 where it contradicts."""
        w = 1.0
        for i in variables:
            if i in self.evidence.clamped and x[i] != self.evidence.clamped[i]:
                return 0.0
            if i in self.evidence.tilts:
                w *= float(self.evidence.tilts[i][x[i]])
        return w

    def update_matrix(self, number: int) -> FloatArray:
        """K_i[x, x'] = theta_i(x'_i | Y_i(x)) tilted by the evidence, where x' = x but for X_i."""
        node = self.network.nodes[number]
        K = np.zeros((len(self.states), len(self.states)))
        for x in self.states:
            mass: dict[State, float] = {}
            for value, theta in enumerate(node_theta(node, x)):
                moved = list(x)
                moved[node.variable] = value
                mass[tuple(moved)] = theta * self.weight(tuple(moved), [node.variable])
            total = math.fsum(mass.values())
            if total == 0:
                self.impossible.add((number, x))
                K[self.number[x], self.number[x]] = 1.0
                continue
            for target, m in mass.items():
                if m > 0:
                    K[self.number[x], self.number[target]] = m / total
        return K

    def random_matrix(self, scan: RandomScan) -> FloatArray:
        """K = sum of c_i K_i over the free nodes, c_i divided by their sum."""
        nodes = len(self.network.nodes)
        c = [1 / nodes] * nodes if scan.weights is None else list(scan.weights)
        total = sum(c[i] for i in self.free)
        K = np.zeros((len(self.states), len(self.states)))
        for i in self.free:
            K += c[i] / total * self.updates[i]
        return K if self.free else np.eye(len(self.states))

    def sweep_matrix(self, scan: SequentialScan, place: int = 0) -> FloatArray:
        """The homogeneous chain X^place, X^(place+n), ...: the product of the updates from that place on."""
        order = self.order(scan)
        K = np.eye(len(self.states))
        for i in order[place:] + order[:place]:
            K = K @ self.updates[i]
        return K

    def order(self, scan: SequentialScan) -> list[int]:
        """The free nodes in the order of the scan."""
        order = range(len(self.network.nodes)) if scan.order is None else scan.order
        return [i for i in order if i in self.free]

    def matrix(self, scan: RandomScan | SequentialScan) -> FloatArray:
        """The homogeneous chain: the random scan's, or the sequential scan's at place 0."""
        return self.random_matrix(scan) if isinstance(scan, RandomScan) else self.sweep_matrix(scan)

    def keeps_meeting_the_impossible(self, scan: RandomScan | SequentialScan) -> bool:
        """Some recurrent class holds a state in which the node to be updated has no possible outcome."""
        if isinstance(scan, RandomScan):
            classes = recurrent(self.random_matrix(scan))
            return any((i, self.states[s]) in self.impossible for c in classes for s in c for i in self.free)
        for place, i in enumerate(self.order(scan)):
            classes = recurrent(self.sweep_matrix(scan, place))
            if any((i, self.states[s]) in self.impossible for c in classes for s in c):
                return True
        return False

    def tensor(self, law: FloatArray) -> FloatArray:
        """A law over the states as a tensor over the whole domain."""
        p = np.zeros(self.network.domain.cardinalities)
        for x, probability in zip(self.states, law, strict=True):
            p[x] = probability
        return p


def reachable(K: FloatArray, start: int) -> set[int]:
    """The states that can follow `start`, by depth-first search."""
    seen, stack = {start}, [start]
    while stack:
        for t in np.flatnonzero(K[stack.pop()]):
            if int(t) not in seen:
                seen.add(int(t))
                stack.append(int(t))
    return seen


def recurrent(K: FloatArray) -> list[list[int]]:
    """The recurrent classes: s is recurrent if every state it reaches leads back to it."""
    reach = [reachable(K, s) for s in range(len(K))]
    classes = {tuple(sorted(r)) for r in reach if all(r == reach[t] for t in r)}
    return [list(members) for members in sorted(classes)]


def class_law(K: FloatArray, members: Sequence[int]) -> FloatArray:
    """The one stationary law of a recurrent class: pi (I - K) = 0 and sum(pi) = 1, solved densely."""
    m = len(members)
    A = np.eye(m) - K[np.ix_(members, members)]
    A[:, -1] = 1.0
    b = np.zeros(m)
    b[-1] = 1.0
    law = np.zeros(len(K))
    law[list(members)] = np.linalg.solve(A.T, b)
    return law


def stationary_laws(
    network: Network, scan: RandomScan | SequentialScan, given: Given | None = None
) -> list[FloatArray]:
    """The law of each recurrent class as a tensor: of the random scan, or pi^0 of the sequential."""
    chain = Chain(network, given)
    K = chain.matrix(scan)
    return [chain.tensor(class_law(K, members)) for members in recurrent(K)]


def cycle(network: Network, scan: SequentialScan, given: Given | None = None) -> list[FloatArray]:
    """pi^0, pi^1, ... of a chain with one recurrent class, each from its own product of updates."""
    chain = Chain(network, given)
    laws = []
    for place in range(len(chain.free)):
        K = chain.sweep_matrix(scan, place)
        (members,) = recurrent(K)
        laws.append(chain.tensor(class_law(K, members)))
    return laws
