"""Counts, scores and conditional entropies of a table, one row at a time."""

import math
from collections import Counter

import numpy as np

from depnet import Dataset, Network, Node
from depnet.arrays import IntArray
from tests.reference.stages import node_theta


def weighted_rows(dataset: Dataset) -> list[tuple[tuple[int, ...], int]]:
    """Every row as a tuple, with its weight."""
    weights = [1] * dataset.rows if dataset.weights is None else dataset.weights.tolist()
    return [(tuple(row), weight) for row, weight in zip(dataset.codes.tolist(), weights, strict=True)]


def pair_counts(dataset: Dataset) -> dict[tuple[int, int], IntArray]:
    """For each pair i < j how many rows have X_i = x and X_j = x', [x, x']."""
    cards = dataset.domain.cardinalities
    tables: dict[tuple[int, int], IntArray] = {}
    for i in range(len(cards)):
        for j in range(i + 1, len(cards)):
            tables[i, j] = np.zeros((cards[i], cards[j]), dtype=np.int64)
            for row, weight in weighted_rows(dataset):
                tables[i, j][row[i], row[j]] += weight
    return tables


def counts_of(node: Node, dataset: Dataset) -> list[list[int]]:
    """N_yx."""
    counts = [[0] * node.table.states for _ in range(node.source.size)]
    for row, weight in weighted_rows(dataset):
        leaf = int(node.source([row])[0])
        counts[leaf][row[node.variable]] += weight
    return counts


def node_score(node: Node, dataset: Dataset) -> float:
    """The mean of log theta over rows."""
    total = 0.0
    for row, weight in weighted_rows(dataset):
        theta = node_theta(node, row)[row[node.variable]]
        if weight > 0:
            total += weight * (math.log(theta) if theta > 0 else -math.inf)
    return total / dataset.total


def entropy_given_the_others(variable: int, dataset: Dataset) -> float:
    """H(p^D(X_i | X_-i)) in nats, with a dictionary of contexts."""
    contexts: dict[tuple[int, ...], Counter[tuple[int, ...]]] = {}
    for row, weight in weighted_rows(dataset):
        others = tuple(x for j, x in enumerate(row) if j != variable)
        contexts.setdefault(others, Counter())[row] += weight
    total = 0.0
    for states in contexts.values():
        n = sum(states.values())
        total -= sum(m * math.log(m / n) for m in states.values() if m > 0)
    return total / dataset.total


def kl_to_manifold(node: Node, dataset: Dataset) -> float:
    """KL(p^D || E(theta)) = < log p(X_i | X_-i) / theta(X_i | Y_i) >, straight from the definition."""
    return -node_score(node, dataset) - entropy_given_the_others(node.variable, dataset)


def network_scores(network: Network, dataset: Dataset) -> list[float]:
    """Every node's mean log theta."""
    return [node_score(node, dataset) for node in network.nodes]
