"""Queries with dictionaries and loops: the closure, and the laws."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from depnet import Network
from depnet.arrays import FloatArray
from depnet.exact import stationary
from depnet.model import Evidence, Scan
from tests.reference.stages import node_theta


def joint_states(cards: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return itertools.product(*map(range, cards))


def theta(network: Network, i: int, row: Sequence[int], evidence: Evidence) -> dict[int, float]:
    """What node i draws its state from in the state `row`: theta, tilted."""
    weights = {}
    for x, probability in enumerate(node_theta(network.nodes[i], row)):
        weights[x] = probability * (evidence.tilts[i][x] if i in evidence.tilts else 1.0)
    total = sum(weights.values())
    if total == 0:
        return {row[i]: 1.0}
    return {x: weight / total for x, weight in weights.items()}


def relevant(network: Network, targets: Sequence[int], evidence: Evidence) -> set[int]:
    """The unclamped variables that `targets` reach: by what theta depends on, looked at state by state."""
    cards = network.domain.cardinalities
    allowed = [
        [evidence.clamped[i]] if i in evidence.clamped else list(range(k)) for i, k in enumerate(cards)
    ]
    reads: dict[int, set[int]] = {}
    free = [i for i in range(len(cards)) if i not in evidence.clamped]
    for i, j in itertools.permutations(free, 2):
        for row in itertools.product(*allowed):
            laws = [theta(network, i, (*row[:j], x, *row[j + 1 :]), evidence) for x in allowed[j]]
            if any(law != laws[0] for law in laws):
                reads.setdefault(i, set()).add(j)
                break
    inside: set[int] = set()
    waiting = [i for i in targets if i not in evidence.clamped]
    while waiting:
        i = waiting.pop()
        if i not in inside:
            inside.add(i)
            waiting.extend(reads.get(i, set()))
    return inside


def query_law(network: Network, targets: Sequence[int], evidence: Evidence, scan: Scan) -> FloatArray:
    """The joint law of the targets, summed from the law of the whole network."""
    law = stationary(network, scan, evidence)
    table = np.zeros([law.shape[i] for i in targets])
    for row in joint_states(law.shape):
        table[tuple(row[i] for i in targets)] += law[row]
    return table
