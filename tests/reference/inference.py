"""Queries with dictionaries and loops: the closure, the laws, the estimates."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from depnet import Network, RandomScan, SequentialScan
from depnet.arrays import FloatArray
from depnet.exact import stationary, stationary_cycle
from depnet.model import Evidence, Scan
from tests.reference.sampling import LARGEST, drawn_state, split_word
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


def rao_blackwell_random(
    network: Network, targets: Sequence[int], evidence: Evidence, scan: RandomScan
) -> FloatArray:
    """The sum over i in T of (c_i / c_T) E_pi[theta_i(x_i) 1(X_{T without i} = x)]."""
    law = stationary(network, scan, evidence)
    table = np.zeros([law.shape[i] for i in targets])
    for row in joint_states(law.shape):
        table += law[row] * rao_blackwell_state(network, targets, evidence, scan, row)
    return table


def rao_blackwell_state(
    network: Network, targets: Sequence[int], evidence: Evidence, scan: RandomScan, row: Sequence[int]
) -> FloatArray:
    """What one state adds: the sum over i in T of (c_i / c_T) theta_i(x_i) 1(X_{T without i} = x)."""
    free = evidence.free_nodes(network)
    chances = dict(zip(free, scan.weights_of(len(network), free), strict=True))
    touching = [i for i in free if i in targets]
    c_t = sum(chances[i] for i in touching)
    table = np.zeros([network.domain.cardinalities[i] for i in targets])
    for i in touching:
        for cell, probability in _drawn(network, i, row, targets, evidence).items():
            table[cell] += chances[i] / c_t * probability
    return table


def rao_blackwell_sequential(
    network: Network, targets: Sequence[int], evidence: Evidence, scan: SequentialScan
) -> FloatArray:
    """theta_i just before its own update, weighted by the steps until the next update of a target."""
    cycle = stationary_cycle(network, scan, evidence)
    order = scan.order_of(len(network), evidence.free_nodes(network))
    touches = [i in targets for i in order]
    table = np.zeros([cycle[0].shape[i] for i in targets])
    for place, i in enumerate(order):
        if not touches[place]:
            continue
        steps = next(s for s in range(1, len(order) + 1) if touches[(place + s) % len(order)])
        for row in joint_states(cycle[place].shape):
            for cell, probability in _drawn(network, i, row, targets, evidence).items():
                table[cell] += steps / len(order) * cycle[place][row] * probability
    return table


def _drawn(
    network: Network, i: int, row: Sequence[int], targets: Sequence[int], evidence: Evidence
) -> dict[tuple[int, ...], float]:
    """The law of X_T just after node i, one of T, is updated in the state `row`."""
    return {
        tuple(x if j == i else row[j] for j in targets): probability
        for x, probability in theta(network, i, row, evidence).items()
    }


def clamped_chain(
    network: Network,
    evidence: Evidence,
    scan: Scan,
    start: Sequence[int],
    key: int,
    sweeps: int,
    estimators: Sequence[Sequence[int]],
) -> tuple[list[int], list[dict[tuple[int, ...], float]], list[float]]:
    """One chain: the last state, and for each estimator the sums of theta and of its weights."""
    free = evidence.free_nodes(network)
    sequential = isinstance(scan, SequentialScan)
    order = scan.order_of(len(network), free) if isinstance(scan, SequentialScan) else free
    row = list(start)
    sums: list[dict[tuple[int, ...], float]] = [{} for _ in estimators]
    weights = [0.0] * len(estimators)
    for t in range(sweeps * len(order)):
        word = split_word(key, t)
        low, high = word & LARGEST, word >> 32
        number = order[t % len(order)]
        if isinstance(scan, RandomScan):
            number = order[drawn_state(scan.weights_of(len(network), free).tolist(), high)]
        law = theta(network, number, row, evidence)
        for e, targets in enumerate(estimators):
            touches = [i in targets for i in order]
            if number not in targets:
                continue
            place, weight = t % len(order), 1.0
            if sequential:
                steps = next(s for s in range(1, len(order) + 1) if touches[(place + s) % len(order)])
                weight = steps / len(order)
            for cell, probability in _drawn(network, number, row, targets, evidence).items():
                sums[e][cell] = sums[e].get(cell, 0.0) + weight * probability
            weights[e] += weight
        row[number] = list(law)[drawn_state(list(law.values()), low)]
    return row, sums, weights
