"""Random tables, sources, networks and joint distributions for property tests.

Shapes are drawn by Hypothesis, so that a failure shrinks to a small network; the numbers inside come
from a generator seeded by Hypothesis, which is fast.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite

from depnet import Dataset, Domain, Network, TableNode
from depnet.arrays import FloatArray
from depnet.model import (
    ConditionalTable,
    ConstantSource,
    DecisionGraph,
    InformationSource,
    LosslessSource,
    Merge,
    Split,
)
from depnet.model.boosted import BoostedNode
from tests.boosted import SPREAD, random_boosted_node, random_start, with_boosted_nodes

seeds = st.integers(0, 2**32 - 1)


@composite
def cardinalities(
    draw: DrawFn,
    min_variables: int = 1,
    max_variables: int = 5,
    max_cardinality: int = 4,
    max_states: int = 600,
) -> tuple[int, ...]:
    """Cardinalities of a small domain; 1 is allowed."""
    n = draw(st.integers(min_variables, max_variables))
    cards: list[int] = []
    for left in range(n, 0, -1):
        room = max_states // math.prod(cards) // 2 ** (left - 1)
        cards.append(draw(st.integers(1, max(1, min(max_cardinality, room)))))
    return tuple(cards)


def random_operations(
    rng: np.random.Generator, cards: Sequence[int], targets: Sequence[int], steps: int
) -> tuple[Split | Merge, ...]:
    """A random history of splits on variables outside `targets` and of merges."""
    others = [j for j in range(len(cards)) if j not in set(targets)]
    operations: list[Split | Merge] = []
    size = 1
    for _ in range(steps):
        if others and (size < 2 or rng.random() < 0.6):
            split = Split(int(rng.integers(size)), int(rng.choice(others)))
            operations.append(split)
            size += cards[split.variable] - 1
        elif size >= 2:
            first, second = sorted(rng.choice(size, 2, replace=False))
            operations.append(Merge(int(first), int(second)))
            size -= 1
    return tuple(operations)


def random_source(
    rng: np.random.Generator, cards: Sequence[int], targets: Sequence[int]
) -> InformationSource:
    """A decision graph mostly, sometimes the constant or the lossless source."""
    kind = rng.random()
    if kind < 0.1:
        return ConstantSource()
    if kind < 0.3:
        inputs = tuple(j for j in range(len(cards)) if j not in targets)
        return LosslessSource(inputs, tuple(cards[j] for j in inputs))
    return DecisionGraph(random_operations(rng, cards, targets, int(rng.integers(0, 9))), tuple(cards))


def random_table(rng: np.random.Generator, leaves: int, states: int, zeros: float = 0.0) -> ConditionalTable:
    """Random rows, spread over orders of magnitude; a share `zeros` of the cells is exactly zero."""
    rows = rng.gamma(rng.choice([0.3, 1.0, 5.0]), size=(leaves, states)) + 1e-3
    kept = rng.random(rows.shape) >= zeros
    kept[np.arange(leaves), rng.integers(states, size=leaves)] = True
    rows = np.where(kept, rows, 0.0)
    return ConditionalTable.from_probabilities(rows / rows.sum(axis=1, keepdims=True))


def random_network(
    rng: np.random.Generator, cards: Sequence[int], zeros: float = 0.0, order: Sequence[int] | None = None
) -> Network:
    """A random network: positive tables unless `zeros`; where there is an `order`, sources read what is before."""
    nodes = []
    for i, states in enumerate(cards):
        unread = (i,) if order is None else order[list(order).index(i) :]
        source = random_source(rng, cards, unread)
        nodes.append(TableNode(i, source, random_table(rng, source.size, states, zeros)))
    return Network(
        Domain.from_cardinalities(cards), tuple(nodes), order=None if order is None else tuple(order)
    )


def random_ordered_network(
    rng: np.random.Generator, cards: Sequence[int], order: Sequence[int], zeros: float = 0.0
) -> Network:
    """A random network whose sources read earlier variables only; positive tables unless `zeros`."""
    return random_network(rng, cards, zeros, order)


@composite
def networks(draw: DrawFn, /, *, zeros: float = 0.0, **limits: int) -> Network:
    """A random network on a drawn domain; `limits` are those of `cardinalities`."""
    cards = draw(cardinalities(**limits))
    return random_network(np.random.default_rng(draw(seeds)), cards, zeros)


@composite
def ordered_networks(
    draw: DrawFn, /, *, zeros: float = 0.0, max_states: int = 150, boosted: bool = False, **limits: int
) -> Network:
    """A random ordered network on a drawn domain, in a drawn order; with `boosted`, often with boosted nodes."""
    cards = draw(cardinalities(max_states=max_states, **limits))
    order = draw(st.permutations(range(len(cards))))
    rng = np.random.default_rng(draw(seeds))
    network = random_network(rng, cards, zeros, order)
    return with_boosted_nodes(rng, network) if boosted and draw(st.booleans()) else network


def random_joint(rng: np.random.Generator, shape: Sequence[int], zeros: float = 0.0) -> FloatArray:
    """A random joint distribution; a share `zeros` of the states has probability 0."""
    p = rng.gamma(rng.choice([0.3, 1.0, 5.0]), size=tuple(shape)) + 1e-6
    keep = rng.random(p.shape) >= zeros
    keep.flat[rng.integers(p.size)] = True
    p = np.where(keep, p, 0.0)
    return np.asarray(p / p.sum())


@composite
def joints(draw: DrawFn, shape: Sequence[int] | None = None, zeros: float = 0.0) -> FloatArray:
    """A random joint distribution on a given or drawn shape."""
    shape = draw(cardinalities()) if shape is None else shape
    return random_joint(np.random.default_rng(draw(seeds)), shape, zeros)


def random_weights(rng: np.random.Generator, nodes: int) -> tuple[float, ...]:
    """Positive weights c_i that sum to one."""
    weights = rng.dirichlet(np.full(nodes, 2.0)) + 1e-3
    return tuple((weights / weights.sum()).tolist())


@composite
def datasets(draw: DrawFn, /, *, max_rows: int = 60, weighted: bool = False, **limits: int) -> Dataset:
    """A random table, with constant columns, copies of columns and skewed states among its columns."""
    cards = draw(cardinalities(max_states=10**6, **limits))
    rows = draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(seeds))
    codes = np.zeros((rows, len(cards)), dtype=np.int64)
    for i, k in enumerate(cards):
        kind = rng.random()
        if kind < 0.15:
            codes[:, i] = rng.integers(k)
        elif kind < 0.4 and i > 0:
            codes[:, i] = (codes[:, int(rng.integers(i))] + (rng.random(rows) < 0.1)) % k
        else:
            codes[:, i] = rng.choice(k, size=rows, p=rng.dirichlet(np.full(k, 0.7)))
    weights = rng.integers(0, 4, size=rows) + (np.arange(rows) == 0) if weighted else None
    return Dataset.from_codes(codes, cards, weights)


def random_order(rng: np.random.Generator, variables: int) -> tuple[int, ...]:
    """A random permutation of the variables."""
    return tuple(rng.permutation(variables).tolist())


def random_evidence(
    rng: np.random.Generator, cards: Sequence[int], variables: Sequence[int]
) -> dict[int, tuple[float, ...]]:
    """Weights w_j of the states of some of `variables`: one state, a set of states, or soft weights."""
    known = {}
    for j in variables:
        kind = rng.random()
        if kind < 0.4:
            continue
        weights = rng.random(cards[j]) + 0.05
        if kind < 0.8:
            weights = (rng.random(cards[j]) < 0.5).astype(np.float64)
            if kind < 0.6 or not weights.any():
                weights = np.eye(cards[j])[int(rng.integers(cards[j]))]
        known[j] = tuple(weights.tolist())
    return known


def _from_random_start(
    rng: np.random.Generator, i: int, others: list[int], cards: list[int], stages: int
) -> BoostedNode:
    start = random_start(rng, others, tuple(cards))
    node = random_boosted_node(rng, i, others, cards, stages)
    scores = rng.integers(-SPREAD, SPREAD, size=(start.size, cards[i]))
    return BoostedNode(i, start, scores, node.stages)


def random_mixed_network(seed: int, states: Sequence[int], *, stages: int = 4) -> Network:
    """A network some of whose nodes are boosted: about half, the first of them always."""
    rng = np.random.default_rng(seed)
    cards = list(states)
    plain = random_network(rng, cards)
    nodes = []
    for i, node in enumerate(plain.nodes):
        others = [j for j in range(len(cards)) if j != i]
        boosted = i == 0 or rng.random() < 0.5
        nodes.append(_from_random_start(rng, i, others, cards, stages) if boosted else node)
    return replace(plain, nodes=tuple(nodes))


@composite
def mixed_networks(draw: DrawFn, /, **limits: int) -> Network:
    """A random network with boosted nodes and others on a drawn domain; `limits` are those of `cardinalities`."""
    return random_mixed_network(draw(seeds), draw(cardinalities(**limits)))
