"""Random boosted nodes and networks, for tests of whatever must work with them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis.strategies import DrawFn, composite

from depnet import Domain, Network
from depnet.model.boosted import BoostedNode
from depnet.model.sources.source import ConstantSource
from depnet.model.stages import Stages, Test
from tests.strategies import cardinalities as domains
from tests.strategies import random_network, seeds

SPREAD = 1 << 20
"""Scores are drawn from minus to plus this: one nat."""


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
    return Stages.of(made, states)


def random_boosted_node(
    rng: np.random.Generator, i: int, inputs: list[int], cardinalities: list[int], stages: int = 4
) -> BoostedNode:
    """A boosted node of variable i, from random base rates on."""
    states = cardinalities[i]
    start = rng.integers(-SPREAD, SPREAD, size=(1, states))
    made = random_stages(rng, inputs, cardinalities, states, stages)
    return BoostedNode((i,), ConstantSource(), start, made)


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


def random_mixed_network(seed: int, cardinalities: Sequence[int], *, stages: int = 4) -> Network:
    """A network some of whose nodes are boosted: about half, the first of them always."""
    rng = np.random.default_rng(seed)
    cards = list(cardinalities)
    plain = random_network(rng, cards)
    nodes = []
    for i, node in enumerate(plain.nodes):
        others = [j for j in range(len(cards)) if j != i]
        boosted = i == 0 or rng.random() < 0.5
        nodes.append(random_boosted_node(rng, i, others, cards, stages) if boosted else node)
    return replace(plain, nodes=tuple(nodes))


@composite
def mixed_networks(draw: DrawFn, /, **limits: int) -> Network:
    """A random network with boosted nodes and others on a drawn domain; `limits` are those of `cardinalities`."""
    return random_mixed_network(draw(seeds), draw(domains(**limits)))


def written_out(network: Network) -> Network:
    """The same thetas as tables."""
    cards = network.domain.cardinalities
    return replace(network, nodes=tuple(node.tabulated(cards) for node in network.nodes))
