"""Nodes, sources and costs on random tables, for the theory of Sec. 4."""

from collections.abc import Iterable

import numpy as np

from depnet import (
    ConstantSource,
    Dataset,
    DecisionGraph,
    InformationSource,
    Network,
    Node,
    TableNode,
    empirical,
    learn_parameters,
)
from depnet.arrays import FloatArray
from depnet.geometry import FullConditionalManifold, kl_to_manifold
from depnet.learning.cost import Penalty, cost_prime
from depnet.model.table import leaf_counts
from tests.strategies import random_operations, random_source, random_table


def any_node(dataset: Dataset, seed: int) -> Node:
    """A node of a random variable with a random source and any table."""
    rng = np.random.default_rng(seed)
    cards = dataset.domain.cardinalities
    i = int(rng.integers(len(cards)))
    source = random_source(rng, cards, (i,))
    return TableNode(i, source, random_table(rng, source.size, cards[i]))


def network_with(node: Node, dataset: Dataset, smoothing: float = 0.0) -> Network:
    """A network with the node's source and the table of Theorem 4, or a smoothed one."""
    sources: list[InformationSource] = [ConstantSource()] * len(dataset.domain)
    sources[node.variable] = node.source
    return learn_parameters(dataset, sources, smoothing=smoothing)


def learned(node: Node, dataset: Dataset, smoothing: float = 0.0) -> Node:
    return network_with(node, dataset, smoothing).nodes[node.variable]


def kl_of(node: Node, dataset: Dataset) -> float:
    """KL(p^D || E(theta)), by the geometry: the m-projection on the joint tensor."""
    manifold = FullConditionalManifold.of_node(node, dataset.domain.cardinalities)
    return kl_to_manifold(empirical(dataset), manifold)


def square(parameters: int, rows: int) -> float:
    """A penalty that is not linear in k."""
    return parameters**2 / (100 * rows)


def a_graph(dataset: Dataset, seed: int) -> DecisionGraph:
    """A random decision graph for X_0."""
    cards = dataset.domain.cardinalities
    return DecisionGraph(random_operations(np.random.default_rng(seed), cards, (0,), 6), cards)


def reduced(graph: DecisionGraph, dataset: Dataset, penalty: Penalty) -> float:
    """cost'(Y) of X_0."""
    return cost_prime(leaf_counts(graph, 0, dataset), dataset.total, penalty)


GROWING = (100, 1_000, 10_000, 100_000, 1_000_000)


def growing_samples(p: FloatArray, seed: int) -> Iterable[Dataset]:
    """omega(N) for growing N: the first N samples of one sequence, as distinct rows with weights."""
    rng = np.random.default_rng(seed)
    states = np.array(list(np.ndindex(p.shape)))
    counts = np.zeros(p.size, dtype=np.int64)
    for N in GROWING:
        counts += rng.multinomial(N - counts.sum(), p.ravel())
        yield Dataset.from_codes(states, p.shape, counts)
