"""Random boosted nodes and networks, for tests of whatever must work with them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from depnet import DecisionGraph, Domain, LosslessSource, Network
from depnet.arrays import LeafArray
from depnet.model import Merge, Operation, Split
from depnet.model.boosted import BoostedNode
from depnet.model.sources.source import ConstantSource, InformationSource
from depnet.model.stages import DigitTree, Scores, Stages, Test

SPREAD = 1 << 20
"""Scores are drawn from minus to plus this: one nat."""


def stages_of(stages: Sequence[tuple[Sequence[tuple[int, Test]], Any]], states: int) -> Stages:
    """Stages from their splits, (leaf, test) one after the other, and their scores [leaf, state]."""
    tests: dict[Test, int] = {}
    numbered = [
        (leaf, tests.setdefault(Test(*test), len(tests))) for splits, _ in stages for leaf, test in splits
    ]
    flat = np.array(list(tests), dtype=np.int64).reshape(-1, 3)
    scores = [np.asarray(scores).reshape(-1, states) for _, scores in stages]
    arrays: list[Any] = [
        *flat.T,
        np.cumsum([0, *(len(splits) for splits, _ in stages)]),
        [leaf for leaf, _ in numbered],
        [test for _, test in numbered],
        np.concatenate([np.zeros((0, states), dtype=np.int32), *scores]),
    ]
    return Stages(*arrays)


def stage_of(stages: Stages, m: int) -> tuple[list[tuple[int, Test]], Scores]:
    """Stage m: its splits, as (leaf, test), and its scores [leaf, state]."""
    first, last = int(stages.begin[m]), int(stages.begin[m + 1])
    tests = np.stack([stages.variable, stages.low, stages.high], axis=1).tolist()
    splits = [(int(stages.leaf[t]), Test(*tests[stages.test[t]])) for t in range(first, last)]
    return splits, stages.scores[first + m : last + m + 1]


def random_stages(
    rng: np.random.Generator,
    inputs: list[int],
    cardinalities: list[int],
    states: int,
    stages: int = 4,
    leaves: int = 4,
) -> Stages:
    """Stages with up to `leaves` leaves each, which split on random intervals of the states of `inputs`."""
    made = []
    for _ in range(stages):
        splits = []
        for t in range(int(rng.integers(1, leaves)) if inputs else 0):
            j = int(rng.choice(inputs))
            low, high = sorted(rng.integers(0, cardinalities[j], size=2).tolist())
            splits.append((int(rng.integers(0, t + 1)), Test(j, low, high)))
        made.append((splits, rng.integers(-SPREAD, SPREAD, size=(len(splits) + 1, states))))
    return stages_of(made, states)


def random_boosted_node(
    rng: np.random.Generator, i: int, inputs: list[int], cardinalities: list[int], stages: int = 4
) -> BoostedNode:
    """A boosted node of variable i, from random base rates on; of several states, half of the time of their digits."""
    states = cardinalities[i]
    start = rng.integers(-SPREAD, SPREAD, size=(1, states))
    made = random_stages(rng, inputs, cardinalities, states, stages)
    digits = DigitTree.of(rng.integers(0, 9, size=states)) if states > 2 and rng.random() < 0.5 else None
    return BoostedNode(i, ConstantSource(), start, made, None, digits)


def random_boosted_network(
    seed: int, cardinalities: list[int], *, ordered: bool = False, stages: int = 4
) -> Network:
    """A network whose nodes are all boosted; with `ordered`, in a random order."""
    rng = np.random.default_rng(seed)
    n = len(cardinalities)
    order = tuple(rng.permutation(n).tolist()) if ordered else None
    nodes = []
    for i in range(n):
        others = [j for j in range(n) if j != i] if order is None else list(order[: order.index(i)])
        nodes.append(random_boosted_node(rng, i, others, cardinalities, stages))
    return Network(Domain.from_cardinalities(cardinalities), tuple(nodes), order=order)


def random_start(
    rng: np.random.Generator, inputs: list[int], cardinalities: tuple[int, ...]
) -> InformationSource:
    """A first source that reads nothing, one of the inputs by a graph, or some of them in all their states."""
    kind = rng.random()
    if not inputs or kind < 0.4:
        return ConstantSource()
    if kind < 0.7:
        return DecisionGraph((Split(0, int(rng.choice(inputs))),), cardinalities)
    read = sorted(rng.choice(inputs, size=min(len(inputs), 2), replace=False).tolist())
    return LosslessSource(tuple(read), tuple(cardinalities[j] for j in read))


def with_boosted_nodes(rng: np.random.Generator, network: Network, share: float = 0.6) -> Network:
    """An ordered network with boosted nodes in the place of some: from a random first source on."""
    assert network.order is not None
    cards, order, nodes = network.domain.cardinalities, network.order, list(network.nodes)
    for i, states in enumerate(cards):
        if rng.random() < share:
            before = list(order[: order.index(i)])
            start = random_start(rng, before, cards)
            scores = rng.integers(-SPREAD, SPREAD, size=(start.size, states))
            nodes[i] = BoostedNode(
                i, start, scores, random_stages(rng, before, list(cards), states, int(rng.integers(0, 6)))
            )
    return replace(network, nodes=tuple(nodes))


def tabulated(network: Network) -> Network:
    """The same network with a table in the place of each boosted node."""
    cards = network.domain.cardinalities
    return replace(network, nodes=tuple(node.tabulated(cards) for node in network.nodes))


def stage_graph(stages: Stages, m: int, cardinalities: Sequence[int]) -> tuple[DecisionGraph, LeafArray]:
    """Stage m in the paper's operations, and which leaf of the stage each of the graph's leaves is.

    The paper numbers leaves anew with every operation, and has no leaf that no row can reach: `found[y]` is the
    stage's number of the leaf y of `graph`, so that `scores[found]` are the scores of the graph's leaves.
    """
    stages.check_domain(cardinalities)
    operations: list[Operation] = []
    found = [0]
    for t, (leaf, test) in enumerate(stage_of(stages, m)[0]):
        states = cardinalities[test.variable]
        if leaf not in found:
            continue  # no row is there
        y = found.index(leaf)
        if test.high - test.low + 1 == states:  # all rows go
            found[y] = t + 1
            continue
        del found[y]
        operations += _split_in_two(Split(y, test.variable), len(found), test, states)
        found += [leaf, t + 1] if test.low > 0 else [t + 1, leaf]
    return DecisionGraph(tuple(operations), tuple(cardinalities)), np.array(found, dtype=np.int32)


def _split_in_two(split: Split, first: int, test: Test, states: int) -> list[Operation]:
    """The paper's split of a leaf, and merges: of what passes the test, and of what does not.

    The split's leaves begin at `first`. Two are left: of what does not pass, then of what does; the other way round where
    state 0 passes, for a merge keeps the lower number.
    """
    low, above = test.low, states - 1 - test.high
    passing = [Merge(first + low, first + low + 1)] * (test.high - low)
    if low == 0:
        return [split, *passing, *[Merge(first + 1, first + 2)] * (above - 1)]
    return [split, *passing, *[Merge(first, first + 1)] * (low - 1), *[Merge(first, first + 2)] * above]
