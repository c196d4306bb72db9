r"""Links: which variables a node reads, and how much each says.

A link j -> i says that the information source of node i reads X_j. Its strength is the bits per row that tests of X_j gain.
The strengths of a node's links add up to all that its source knows:

.. math:: \sum_j strength_{j \to i} = I(X_i; Y_i) = H(X_i) - H(X_i \mid Y_i)

The counts of leaves, those of rows or those that a network keeps, give I(X_i; Y_i) exactly. How it is shared among the
inputs is a question of which rows passed which test, and a merged leaf does not tell by which way its rows came.
They are taken to have come by each way in proportion to its probability under independent inputs (their 1-way counts):

.. math:: N(v \to c, x) = N(c, x) \frac{reach(v)\, p(X_j = s)}{reach(c)}, \qquad
          reach(c) = \sum_{v \to c} reach(v)\, p(X_j = s)

and X_j gains, at every vertex v of the compiled graph that tests it, H(X_i | v) less the entropies after the test.
The gains add up to I(X_i; Y_i) whatever the shares are; in a graph without merged leaves they are what the splits gained.

A boosted node has many splits of every row, and its links have the strengths that learning found: what its stages gained,
shared among its inputs (`BoostedNode.gains`).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray, xlogy
from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning import limits
from depnet.learning.cost import conditional_entropy
from depnet.model.boosted import BoostedNode
from depnet.model.network import Network, check_same_domain
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.source import ConstantSource, LosslessSource
from depnet.model.table import leaf_counts

MOST_CELLS = 1 << 20
"""Vertices times states of the graphs that are gone through together."""


@dataclass(frozen=True, slots=True)
class Link:
    """The node of X_i reads X_j; quantities are in bits per row.

    Attributes:
        source: the name of X_j.
        target: the name of X_i, which the node updates.
        node: i.
        variable: j.
        strength: what the tests of X_j gained.
        mutual_information: I(X_i; X_j), whatever else is known; None without rows where the network keeps no 2-way
            counts.
        conditional_information: I(X_i; X_j | the source's other inputs), or None where the rows are too few to tell, or
            not there.

    >>> from depnet import learn, titanic
    >>> strongest = links(learn(titanic()), titanic())[0]
    >>> strongest.source, strongest.target, round(strongest.strength, 3)
    ('sex', 'class', 0.143)
    """

    source: str
    target: str
    node: int
    variable: int
    strength: float
    mutual_information: float | None
    conditional_information: float | None


def links(network: Network, dataset: Dataset | None = None) -> tuple[Link, ...]:
    """Every link of `network`, the strongest first, measured on the rows of `dataset`.

    Without a dataset, as for a network from a file, strengths come from the counts that the network keeps, which of the
    rows that it was learned from are the same ones.

    Sources that are no decision graph have no tests: what they know is shared equally among their inputs. A boosted
    node's strengths are its `gains`, from when it was learned, with rows or without.

    Args:
        network: the network.
        dataset: the rows; None: the network's own counts.

    Returns:
        A tuple of `Link`.

    >>> from depnet import learn, titanic
    >>> [(link.source, link.target) for link in links(learn(titanic()))[:2]]
    [('sex', 'class'), ('survived', 'sex')]
    """
    if dataset is not None:
        check_same_domain("links", network.domain, dataset)
        if dataset.total == 0:
            raise LearningError("links: the dataset has no rows to measure links on.")
    marginals = marginals_of(network, dataset)
    names, found = network.domain.names, []
    each = strengths(network.nodes, marginals, dataset)
    for number, (node, gained) in enumerate(zip(network.nodes, each, strict=True)):
        for j, strength in gained.items():
            if dataset is None:
                mutual, conditional = _pair_information(network, node, j), None
            else:
                mutual, conditional = _information(node, dataset, j, ()), _conditional(node, dataset, j)
            found.append(Link(names[j], names[node.variable], number, j, strength, mutual, conditional))
    return tuple(sorted(found, key=lambda link: (-link.strength, link.node, link.variable)))


def _pair_information(network: Network, node: Node, j: int) -> float | None:
    if network.counts is None or network.counts.pairs is None:
        return None
    i = node.variable
    table = network.counts.pairs[i, j] if i < j else network.counts.pairs[j, i].T
    return max(known_nats(table.T), 0.0) / (max(int(table.sum()), 1) * math.log(2))


def _information(node: Node, dataset: Dataset, j: int, given: Sequence[int]) -> float:
    """I(X_i; X_j | given) in bits per row."""
    cards = dataset.domain.cardinalities

    def entropy(inputs: Sequence[int]) -> float:
        kept = tuple(sorted(inputs))
        source = LosslessSource(kept, tuple(cards[j] for j in kept)) if kept else ConstantSource()
        return conditional_entropy(leaf_counts(source, node.variable, dataset), dataset.total)

    return max(entropy(given) - entropy((*given, j)), 0.0) / math.log(2)


def _conditional(node: Node, dataset: Dataset, j: int) -> float | None:
    cells = math.prod(dataset.domain.cardinalities[k] for k in (*node.inputs, node.variable))
    if cells * limits.ROWS_A_CELL > dataset.total:
        return None
    return _information(node, dataset, j, tuple(k for k in node.inputs if k != j))


def marginals_of(network: Network, dataset: Dataset | None = None) -> tuple[FloatArray, ...]:
    """p(X_i) of every variable from the rows, or from the counts that the network keeps; uniform where it keeps none.

    The 1-way counts where it has them, else those of its node's table; of a boosted node its first scores.
    """
    singles = None if network.counts is None else network.counts.singles
    if dataset is not None:
        singles = tuple(leaf_counts(ConstantSource(), i, dataset)[0] for i in range(len(network)))
    if singles is not None and all(counts.any() for counts in singles):
        return tuple(counts / counts.sum() for counts in singles)
    found = [np.full(k, 1.0 / k) for k in network.domain.cardinalities]
    for i, node in enumerate(network.nodes):
        if isinstance(node, BoostedNode):
            found[i] = node.theta(node.start_scores).mean(axis=0)
        elif node.table.counts is not None and node.table.counts.any():
            one = node.table.counts.sum(axis=0)
            found[i] = one / one.sum()
    return tuple(found)


def strengths(
    nodes: Sequence[Node], marginals: Sequence[FloatArray], dataset: Dataset | None = None
) -> list[dict[int, float]]:
    """Of each node {j: bits per row that tests of X_j gain}, from rows or its table alone: they add up to I(X_i; Y_i)."""
    found: list[dict[int, float]] = [{}] * len(nodes)
    graphs, cells = [], [0]
    for k, node in enumerate(nodes):
        if isinstance(node, BoostedNode):
            gains = zip(node.inputs, node.gains.tolist(), strict=True)
            found[k] = {j: nats / math.log(2) for j, nats in gains}
        elif isinstance(node.source, DecisionGraph):
            graphs.append((node.table.states, k, node, node.source))
        else:
            counts, inputs = _counts(node, None, dataset), node.source.inputs
            share = known_nats(counts) / (max(len(inputs), 1) * float(counts.sum()) * math.log(2))
            found[k] = dict.fromkeys(inputs, share)
    graphs.sort(key=lambda each: each[:2])
    for states, _, _, source in graphs:
        cells.append(cells[-1] + states * len(source.compiled.variable))
    together = groupby(zip(graphs, cells, strict=False), lambda each: (each[0][0], each[1] // MOST_CELLS))
    for _, part in together:
        some = [graph for graph, _ in part]
        gained = _gained([(node, source) for _, _, node, source in some], marginals, dataset)
        for (_, k, _, _), strength in zip(some, gained, strict=True):
            found[k] = strength
    return found


def _gained(
    nodes: Sequence[tuple[Node, DecisionGraph]], marginals: Sequence[FloatArray], dataset: Dataset | None
) -> Iterator[dict[int, float]]:
    """The same of nodes of as many states, whose graphs are taken as one with many roots: it has few levels."""
    graphs = [source.compiled for _, source in nodes]
    roots = np.cumsum([0, *(len(graph.variable) for graph in graphs)])
    variable = np.concatenate([graph.variable for graph in graphs])
    states = np.array([len(each) for each in marginals])
    ways = np.where(variable < 0, 0, states[variable])
    first = np.cumsum(ways) - ways  # the ways from a vertex follow each other
    parent = np.repeat(np.arange(len(variable)), ways)
    state = np.arange(len(parent)) - first[parent]
    tested = variable[parent]
    passes = np.concatenate(marginals)[(np.cumsum(states) - states)[tested] + state]
    tests = np.cumsum([0, *(len(graph.children) for graph in graphs)])
    begin = np.concatenate([graph.begin + at for graph, at in zip(graphs, tests, strict=False)])
    children = np.concatenate([graph.children + at for graph, at in zip(graphs, roots, strict=False)])
    child = children[begin[parent] + state]
    levels = list(_levels(roots[:-1], first, ways, child))
    reach = np.zeros(len(variable))
    reach[roots[:-1]] = 1.0
    for level in levels:
        np.add.at(reach, child[level], reach[parent[level]] * passes[level])
    rows = np.zeros((len(variable), nodes[0][0].table.states))
    for (node, source), graph, root in zip(nodes, graphs, roots, strict=False):
        own = np.flatnonzero(graph.variable < 0)
        weights = np.zeros(source.size)
        weights[graph.begin[own]] = reach[root + own]
        rows[root + own] = _counts(node, weights, dataset)[graph.begin[own]]
    into = reach[child]
    share = np.divide(reach[parent] * passes, into, out=np.zeros_like(into), where=into > 0)
    for level in reversed(levels):
        np.add.at(rows, parent[level], rows[child[level]] * share[level, None])
    gained = _nats(rows) - np.bincount(parent, _nats(rows[child] * share[:, None]), len(variable))
    for (_, source), (a, b) in zip(nodes, pairwise(roots), strict=True):
        own = a + np.flatnonzero(variable[a:b] >= 0)
        sums = np.bincount(np.searchsorted(source.inputs, variable[own]), gained[own], len(source.inputs))
        yield dict(zip(source.inputs, (sums / (rows[a].sum() * math.log(2))).tolist(), strict=True))


def _levels(roots: IntArray, first: IntArray, ways: IntArray, child: IntArray) -> Iterator[IntArray]:
    """Numbers of the ways from vertex to vertex, those from the roots first, each after all that lead to where it begins."""
    waiting = np.bincount(child, minlength=len(ways))
    ready = roots[ways[roots] > 0]
    while len(ready):
        many = ways[ready]
        level = np.repeat(first[ready] - np.cumsum(many) + many, many) + np.arange(many.sum())
        yield level
        np.subtract.at(waiting, child[level], 1)
        reached = np.unique(child[level])
        ready = reached[(waiting[reached] == 0) & (ways[reached] > 0)]


def _nats(counts: FloatArray) -> FloatArray:
    """The rows of each times the entropy of its states, in nats."""
    totals = counts.sum(axis=1)
    return np.asarray(xlogy(totals, totals) - xlogy(counts, counts).sum(axis=1))


def _counts(node: Node, weights: FloatArray | None, dataset: Dataset | None) -> FloatArray:
    """N_yx of the rows, or the table's; where it has none its rows times the weights of its leaves (None: all alike)."""
    counts = node.table.counts if dataset is None else leaf_counts(node.source, node.variable, dataset)
    if counts is not None and counts.any():
        return counts.astype(np.float64)
    if weights is None or not weights.any():
        weights = np.full(node.table.size, 1.0 / node.table.size)
    return np.asarray(node.table.probabilities * weights[:, None])


def known_nats(counts: NDArray[Any]) -> float:
    """I(X; Y) in nats, times the rows, of `counts[y, x]`."""
    return conditional_entropy(counts.sum(axis=0, keepdims=True), 1) - conditional_entropy(counts, 1)
