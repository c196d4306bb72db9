"""Random ordered networks with boosted nodes among the others, and the same with tables."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite

from depnet import DecisionGraph, LosslessSource, Network
from depnet.model import ConstantSource, InformationSource, Split
from depnet.model.boosted import BoostedNode
from tests.boosted import SPREAD, random_stages
from tests.strategies import ordered_networks, seeds


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
                (i,), start, scores, random_stages(rng, before, list(cards), states, int(rng.integers(0, 6)))
            )
    return replace(network, nodes=tuple(nodes))


def tabulated(network: Network) -> Network:
    """The same network with a table in the place of each boosted node."""
    cards = network.domain.cardinalities
    return replace(network, nodes=tuple(node.tabulated(cards) for node in network.nodes))


@composite
def mixed_laws(draw: DrawFn, /, *, zeros: float = 0.0, max_states: int = 150, **limits: int) -> Network:
    """One of the `ordered_networks`, often with boosted nodes in the place of some."""
    network = draw(ordered_networks(zeros=zeros, max_states=max_states, **limits))
    rng = np.random.default_rng(draw(seeds))
    return with_boosted_nodes(rng, network) if draw(st.booleans()) else network
