r"""Links: which variable tells a node what, and how surely.

A link j -> i says that the information source of node i reads X_j. Its strength is the bits per row that splits
on X_j gained, from the rows or, nearly as well, from a network's own counts. The strengths of a node's links add up to all
that its source knows:

.. math:: \sum_j strength_{j \to i} = I(X_i; Y_i) = H(X_i) - H(X_i \mid Y_i)

A boosted node has many splits of every row, and its links have the strengths that learning found: what its stages gained,
shared among its inputs (`BoostedNode.gains`).

A model file keeps counts, and no rows. The leaf counts give all that the source knows, I(X_i; Y_i), exactly. How it is
shared among the inputs is a question of which rows passed which test, and a merged leaf no longer tells by which way its
rows came.
They are taken to have come by each way in proportion to its probability under independent inputs (their 1-way counts):

.. math:: N(v \to c, x) = N(c, x) \frac{reach(v)\, p(X_j = s)}{reach(c)}, \qquad
          reach(c) = \sum_{v \to c} reach(v)\, p(X_j = s)

and X_j gains, at every vertex v of the compiled graph that tests it, H(X_i | v) less the entropies after the test.
The gains add up to I(X_i; Y_i) whatever the shares are, and in a graph without merged leaves they are the
strengths that the rows themselves give.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.checks import whole_number
from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.cost import conditional_entropy
from depnet.learning.learn import learn
from depnet.learning.penalty import Mdl, PenaltyLike
from depnet.learning.rows.some_rows import resampled
from depnet.model.boosted import BoostedNode
from depnet.model.counting import check_same_domain, leaf_counts
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph, Split, replayed
from depnet.model.sources.source import ConstantSource, InformationSource, LosslessSource

ROWS_A_CELL = 5
"""Conditional mutual information is given where the inputs' joint table has this many rows a cell or more."""


@dataclass(frozen=True, slots=True)
class Link:
    """X_j tells the node of X_i something; quantities in bits per row.

    Attributes:
        source: the name of X_j.
        target: the name of X_i, which the node updates.
        node: i.
        variable: j.
        strength: what the splits on X_j gained, less their share of what merges lost.
        mutual_information: I(X_i; X_j), whatever else is known; None without rows where the network keeps no 2-way
            counts.
        conditional_information: I(X_i; X_j | the source's other inputs), or None where the rows are too few to tell, or
            not there.
        frequency: the share of bootstrap networks in which the link came back; None without bootstrap.

    >>> from depnet import learn, titanic
    >>> strongest = links(learn(titanic()), titanic())[0]
    >>> strongest.source, strongest.target, round(strongest.strength, 3)
    ('sex', 'survived', 0.142)
    """

    source: str
    target: str
    node: int
    variable: int
    strength: float
    mutual_information: float | None
    conditional_information: float | None
    frequency: float | None


def links(
    network: Network,
    dataset: Dataset | None = None,
    bootstrap: int = 0,
    *,
    penalty: PenaltyLike = Mdl(),  # noqa: B008  # a frozen value
    n_jobs: int = 1,
    learner: Callable[[Dataset], Network] | None = None,
    rng: np.random.Generator | None = None,
) -> tuple[Link, ...]:
    """Every link of `network`, the strongest first, measured on the rows of `dataset`.

    Without a dataset, as for a network from a file, strengths come from the counts that the network keeps: a
    node's still add up to I(X_i; Y_i), shared among its inputs as `depnet.learning.links` says.

    Sources that are no decision graph have no splits: what they know is shared equally among their inputs. A boosted
    node's strengths are its `gains`, from when it was learned, with rows or without.

    Args:
        network: the network.
        dataset: the rows it was learned from; None: its own counts.
        bootstrap: learn the network again from this many tables of N rows drawn with replacement (as row weights);
            `frequency` says how often a link came back. Drawing rows twice adds noise of its own, so that a chance link
            comes back in a good share of the tables too: read frequencies against each other, near 1 being sure.
        penalty: of the networks learned again.
        n_jobs: threads.
        learner: learns from such a table, where other options were used.
        rng: the generator of the tables; None: fresh entropy.

    Returns:
        A tuple of `Link`.

    >>> from depnet import learn, titanic
    >>> [(link.source, link.target) for link in links(learn(titanic()))[:2]]
    [('sex', 'class'), ('survived', 'sex')]
    """
    bootstrap = whole_number("bootstrap", bootstrap, at_least=0, error=LearningError)
    if dataset is None:
        if bootstrap:
            raise LearningError(
                "links: bootstrap draws rows again, so it needs the dataset: links(network, dataset, B)."
            )
        frequency = None
    else:
        check_same_domain("links", network.domain, dataset)
        if dataset.total == 0:
            raise LearningError("links: the dataset has no rows to measure links on.")
        if learner is None:
            learner = partial(learn, penalty=penalty, n_jobs=n_jobs, order=network.order)
        frequency = _frequencies(network, dataset, bootstrap, learner, rng)
    found = _measured(network, dataset, frequency)
    return tuple(sorted(found, key=lambda link: (-link.strength, link.node, link.variable)))


def _measured(
    network: Network, dataset: Dataset | None, frequency: Mapping[tuple[int, int], float] | None
) -> Iterator[Link]:
    """Every link, measured on the rows, or by the counts that the network keeps where there are none."""
    names = network.domain.names
    marginals = own_marginals(network) if dataset is None else ()
    for number, node in enumerate(network.nodes):
        found = own_strengths(node, marginals) if dataset is None else strengths(node, dataset)
        for j, strength in found.items():
            if dataset is None:
                mutual, conditional = _pair_information(network, node, j), None
            else:
                mutual, conditional = _information(node, dataset, j, ()), _conditional(node, dataset, j)
            yield Link(
                source=names[j],
                target=names[node.variable],
                node=number,
                variable=j,
                strength=strength,
                mutual_information=mutual,
                conditional_information=conditional,
                frequency=None if frequency is None else frequency[number, j],
            )


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
    if cells * ROWS_A_CELL > dataset.total:
        return None
    return _information(node, dataset, j, tuple(k for k in node.inputs if k != j))


def _frequencies(
    network: Network,
    dataset: Dataset,
    bootstrap: int,
    relearn: Callable[[Dataset], Network],
    rng: np.random.Generator | None,
) -> dict[tuple[int, int], float] | None:
    if bootstrap == 0:
        return None
    rng = np.random.default_rng() if rng is None else rng
    times: defaultdict[tuple[int, int], int] = defaultdict(int)
    for _ in range(bootstrap):
        again = relearn(resampled(dataset, rng))
        if again.domain != network.domain:
            raise LearningError("links: the learner gave a network over other variables than this one's.")
        for number, node in enumerate(again.nodes):
            for j in node.inputs:
                times[number, j] += 1
    frequency: defaultdict[tuple[int, int], float] = defaultdict(float)
    frequency.update({link: count / bootstrap for link, count in times.items()})
    return frequency


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
