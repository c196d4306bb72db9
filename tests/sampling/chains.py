"""Chains and the slow twin fed from the same words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet import Network, RandomScan, SequentialScan
from depnet.model import Scan
from depnet.sampling.chains import Chains, chains_of
from depnet.sampling.plan import ChainPlan
from tests.reference import sampling as reference

States = list[tuple[int, ...]]
Codes = NDArray[np.uint16]


@dataclass(frozen=True)
class Recorded:
    """How many sweeps come before the first record, between two, and how many records there are."""

    lead: int
    gap: int
    records: int


def random_words(rng: np.random.Generator, rows: int, chains: int) -> NDArray[np.uint32]:
    """Uniform words, with the extreme ones more often than chance would bring them."""
    words = rng.integers(0, 2**32, size=(rows, chains), dtype=np.uint32)
    extreme = rng.random(words.shape) < 0.05
    words[extreme] = rng.choice(np.array([0, 1, 2**31, 2**32 - 2, 2**32 - 1], dtype=np.uint32), extreme.sum())
    return words


def random_buffer(
    rng: np.random.Generator, plan: ChainPlan, task: Recorded, chains: int
) -> NDArray[np.uint64]:
    """All words [update, chain] that chains may need: a choice in the high half, a draw in the low one."""
    updates = (task.lead + task.records * (task.gap + 1)) * len(plan.order)
    high, low = (random_words(rng, updates, chains).astype(np.uint64) for _ in range(2))
    return high << np.uint64(32) | low


def random_start(rng: np.random.Generator, plan: ChainPlan, chains: int) -> Codes:
    """Arbitrary allowed states [chains, variables]."""
    codes = np.empty((chains, plan.variables), dtype=np.uint16)
    for i, k in enumerate(plan.network.domain.cardinalities):
        codes[:, i] = rng.choice(np.flatnonzero(plan.evidence.tilts.get(i, np.ones(k))), size=chains)
        codes[:, i] = plan.evidence.clamped.get(i, codes[:, i])
    return codes


def scans(rng: np.random.Generator, network: Network) -> tuple[Scan, ...]:
    """Both scans, plain and with weights or an order of their own."""
    nodes = len(network)
    weights = rng.dirichlet(np.full(nodes, 2.0)) + 1e-3
    return (
        RandomScan(),
        RandomScan(tuple(weights / weights.sum())),
        SequentialScan(),
        SequentialScan(tuple(rng.permutation(nodes).tolist())),
    )


def twin_trace(plan: ChainPlan, start: Sequence[int], words: Sequence[int]) -> States:
    """X^0, X^1, ... of the slow twin for one chain."""
    numbers = list(plan.order)
    pairs = [(word >> 32, word & reference.LARGEST) for word in words]
    if not isinstance(plan.scan, RandomScan):
        low = [word for _, word in pairs]
        return list(reference.sequential_trace(plan.network, numbers, start, low, plan.evidence))
    weights = plan.scan.weights_of(len(plan.network), numbers)
    return list(reference.random_trace(plan.network, numbers, weights.tolist(), start, pairs, plan.evidence))


def twin_rows(
    plan: ChainPlan, task: Recorded, start: Codes, words: NDArray[np.uint64], places: NDArray[np.uint32]
) -> Codes:
    """The rows [variables, records * chains] that chains should record, from the twin's traces."""
    m, chains = len(plan.order), len(start)
    out = np.zeros((plan.variables, task.records * chains), dtype=np.uint16)
    for c in range(chains):
        states = twin_trace(plan, tuple(start[c].tolist()), words[:, c].tolist())
        sweep = 0
        for r in range(task.records):
            sweep += task.gap if r else task.lead
            place = 0 if plan.random else int(places[r, c]) * m >> 32
            out[:, r * chains + c] = states[sweep * m + place]
            sweep += 0 if plan.random else 1
    return out


def chains_at(plan: ChainPlan, codes: Codes, keys: NDArray[np.uint64] | None = None) -> Chains:
    """Chains that start at these codes."""
    return chains_of(plan, codes, np.arange(len(codes), dtype=np.uint64) if keys is None else keys)
