r"""What a node's links are worth from its own table, where the rows are gone: a model file keeps counts.

The leaf counts give all that the source knows, I(X_i; Y_i), exactly. How it is shared among the inputs is a
question of which rows passed which test, and a merged leaf no longer tells by which way its rows came. They are
taken to have come by each way in proportion to its probability under independent inputs (their 1-way counts):

.. math:: N(v \to c, x) = N(c, x) \frac{reach(v)\, p(X_j = s)}{reach(c)}, \qquad
          reach(c) = \sum_{v \to c} reach(v)\, p(X_j = s)

and X_j gains, at every vertex v of the compiled graph that tests it, H(X_i | v) less the entropies after the test.
The gains add up to I(X_i; Y_i) whatever the shares are, and in a graph without merged leaves they are the
strengths that the rows themselves give.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.data.table.dataset import Dataset
from depnet.learning.cost import conditional_entropy
from depnet.model.boosted import BoostedNode
from depnet.model.counting import leaf_counts
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph, Split, replayed
from depnet.model.sources.source import InformationSource


def own_marginals(network: Network) -> tuple[FloatArray, ...]:
    """p(X_i) of every variable from the counts that the network keeps; uniform where it keeps none.

    The 1-way counts where it has them, else those of its node's table; of a boosted node its first scores.
    """
    if network.counts is not None and all(counts.any() for counts in network.counts.singles):
        return tuple(counts / counts.sum() for counts in network.counts.singles)
    found = [np.full(k, 1.0 / k) for k in network.domain.cardinalities]
    for i, node in enumerate(network.nodes):
        if isinstance(node, BoostedNode):
            found[i] = node.theta(node.start_scores).mean(axis=0)
        elif node.table.counts is not None and node.table.counts.any():
            one = node.table.counts.sum(axis=0)
            found[i] = one / one.sum()
    return tuple(found)


def own_strengths(node: Node, marginals: Sequence[FloatArray]) -> dict[int, float]:
    """{j: bits per row that the tests of X_j gain}, from the node's table alone; they add up to I(X_i; Y_i).

    Where the table keeps no counts, its leaves weigh what independent inputs give them. Sources that are no
    decision graph have no tests: what they know is shared equally among their inputs.
    """
    if isinstance(node, BoostedNode):
        return boosted_strengths(node)
    source = node.source
    if not isinstance(source, DecisionGraph):
        return shared_equally(source, leaf_weights(node, None))
    ways = _ways(source)
    reach = np.zeros(len(source.compiled.variable))
    reach[0] = 1.0
    for v, j, children in ways:
        np.add.at(reach, children, reach[v] * marginals[j])
    leaves = np.flatnonzero(source.compiled.variable < 0)
    numbers = source.compiled.begin[leaves]
    weights = np.zeros(source.size)
    weights[numbers] = reach[leaves]
    rows = np.zeros((len(reach), node.table.states))
    rows[leaves] = leaf_weights(node, weights)[numbers]
    total = rows.sum()
    gained = dict.fromkeys(source.inputs, 0.0)
    for v, j, children in reversed(ways):
        into = reach[children]
        share = np.divide(reach[v] * marginals[j], into, out=np.zeros_like(into), where=into > 0)
        parts = rows[children] * share[:, None]
        rows[v] = parts.sum(axis=0)
        gained[j] += known_nats(parts) / (total * math.log(2))
    return gained


def boosted_strengths(node: BoostedNode) -> dict[int, float]:
    """{j: bits per row that X_j told a boosted node, by what its stages gained when they were learned}."""
    return {j: nats / math.log(2) for j, nats in zip(node.inputs, node.gains.tolist(), strict=True)}


def leaf_weights(node: Node, weights: FloatArray | None) -> FloatArray:
    """The table's counts, or where it has none its rows times the weights of its leaves (None: all alike)."""
    if node.table.counts is not None and node.table.counts.any():
        return node.table.counts.astype(np.float64)
    if weights is None or not weights.any():
        weights = np.full(node.table.size, 1.0 / node.table.size)
    return np.asarray(node.table.probabilities * weights[:, None])


def _ways(source: DecisionGraph) -> list[tuple[int, int, np.ndarray]]:
    """(vertex, variable, children) of every test, each after all tests that lead to it."""
    variable, begin, children = source.compiled
    below = {
        v: children[begin[v] : begin[v] + source.cardinalities[variable[v]]]
        for v in range(len(variable))
        if variable[v] >= 0
    }
    waiting = np.zeros(len(variable), dtype=np.int64)
    for reached in below.values():
        np.add.at(waiting, reached, 1)
    ready, order = [0], []
    while ready:
        v = ready.pop()
        if v not in below:
            continue
        order.append((v, int(variable[v]), below[v]))
        for child in below[v].tolist():
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    return order


def known_nats(counts: NDArray[Any]) -> float:
    """I(X; Y) in nats, times the rows, of `counts[y, x]`."""
    return conditional_entropy(counts.sum(axis=0, keepdims=True), 1) - conditional_entropy(counts, 1)


def shared_equally(source: InformationSource, counts: NDArray[Any]) -> dict[int, float]:
    """What a source without tests knows, in bits per row, shared equally among its inputs."""
    share = known_nats(counts) / (max(len(source.inputs), 1) * counts.sum() * math.log(2))
    return dict.fromkeys(source.inputs, share)


def strengths(node: Node, dataset: Dataset) -> dict[int, float]:
    """{j: bits per row that X_j's splits gained}, for the inputs of the node."""
    if isinstance(node, BoostedNode):
        return boosted_strengths(node)
    source = node.source
    if isinstance(source, DecisionGraph):
        gains = _Gains(node, source, dataset)
        return _shared(gains.of_variables(dataset.total * math.log(2)), source.inputs)
    return shared_equally(source, leaf_counts(source, node.variable, dataset))


def _shared(gained: Mapping[int, float], inputs: Sequence[int]) -> dict[int, float]:
    """The gains of the inputs. Merges can leave a variable no say at all, and yet charge a part of what they
    lost to others; what is then left of its gain goes to the inputs, in proportion to theirs.
    """
    kept = {j: gained.get(j, 0.0) for j in inputs}
    left = sum(gained.values()) - sum(kept.values())
    positive = sum(max(bits, 0.0) for bits in kept.values())
    for j, bits in kept.items():
        kept[j] += left * (max(bits, 0.0) / positive if positive > 0 else 1 / len(kept))
    return kept


class _Gains:
    """What the splits of a source gained, in nats times rows, while its operations are replayed on rows.

    `_history[leaf][event]` is the set of branches of that split which lead to the leaf: two leaves are told
    apart by the splits of which they lie on different branches.
    """

    def __init__(self, node: Node, source: DecisionGraph, dataset: Dataset) -> None:
        self._gain: list[float] = []
        self._variable: list[int] = []
        self._terms: list[float] = []
        self._history: list[dict[int, frozenset[int]]] = [{}]
        for operation, counts in replayed(source, node.variable, dataset):
            terms = [conditional_entropy(each[None, :], 1) for each in counts]
            if operation is None:
                self._terms = terms
            elif isinstance(operation, Split):
                self._split(*operation, terms)
            else:
                self._merge(*operation, terms[0])

    def of_variables(self, unit: float) -> dict[int, float]:
        """{j: what the splits on X_j gained, in this unit}."""
        gained: defaultdict[int, float] = defaultdict(float)
        for j, nats in zip(self._variable, self._gain, strict=True):
            gained[j] += nats / unit
        return gained

    def _split(self, leaf: int, j: int, terms: list[float]) -> None:
        term, past = self._terms.pop(leaf), self._history.pop(leaf)
        event = len(self._gain)
        self._gain.append(term - sum(terms))
        self._variable.append(j)
        self._terms += terms
        self._history += [{**past, event: frozenset([x])} for x in range(len(terms))]

    def _merge(self, first: int, second: int, term: float) -> None:
        ours, theirs = self._history[first], self._history.pop(second)
        loss = term - self._terms[first] - self._terms.pop(second)
        common = [event for event in ours if event in theirs]
        apart = [event for event in common if not ours[event] & theirs[event]] or common
        gains = np.maximum([self._gain[event] for event in apart], 0.0)
        shares = gains / gains.sum() if gains.sum() > 0 else np.full(len(apart), 1 / len(apart))
        for event, share in zip(apart, shares, strict=True):
            self._gain[event] -= loss * float(share)
        nothing: frozenset[int] = frozenset()
        self._history[first] = {
            event: ours.get(event, nothing) | theirs.get(event, nothing) for event in ours | theirs
        }
        self._terms[first] = term
