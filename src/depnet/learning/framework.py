r"""Parameters for given sources (Sec. 4.2), and Algorithm 3: greedy learning with any way of making candidates (Sec. 4.3).

*Theorem 4*: whatever the information source Y_i, the table nearest to the data is the data's own,

.. math:: \theta_i^{\min}(X_i \mid Y_i) = p^D(X_i \mid Y_i), \qquad
          KL(p^D \| E(\theta_i^{\min})) = H(p^D(X_i \mid Y_i)) - H(p^D(X_i \mid X_{-i})).

*Algorithm 3*:

    Y <- identically-zero function
    loop:  Cand <- candidates made from Y;  Y_min <- the one of least cost
           if cost(Y_min) >= cost(Y): return Y;  Y <- Y_min

`learn_with` is that loop, in Python and slowly; a strategy is any object that proposes changed sources. Two
are shipped: `SplitMerge`, the candidates of Sec. 4.5 to the letter (what `learn` does natively), and
`WithLossless`, which adds the lossless source to another strategy's candidates: the first condition of
Theorems 5 and 6.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from depnet.arrays import IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Domain
from depnet.errors import LearningError
from depnet.learning import limits
from depnet.learning.cost import Mdl, Penalty, PenaltyLike, StructuralMdl, checked_penalty, delta
from depnet.learning.options import LearnOptions, Order, checked_order, node_specs, order_of
from depnet.model.network import Network
from depnet.model.node import Node, TableNode
from depnet.model.sources.decision_graph import DecisionGraph, Merge, Split
from depnet.model.sources.source import InformationSource, LosslessSource
from depnet.model.table import ConditionalTable, checked_smoothing, leaf_counts, tabulate

STEP = 1e-12
"""An operation must lower the cost by more than this, nats per row, so that rounding makes no cycle."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A changed source, with what is needed to evaluate Delta from the leaves that changed alone.

    `removed` and `added` are the counts [leaf, state] of the leaves that go and that come; `naming` is what a
    structural penalty charges for the change, in nats per row.
    """

    source: InformationSource
    removed: IntArray
    added: IntArray
    naming: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class NodeData:
    """What a strategy may look at: the rows, the node's variable, the inputs it may use, the penalty."""

    dataset: Dataset
    variable: int
    penalty: Penalty
    order: tuple[int, ...] | None = None

    @property
    def inputs(self) -> tuple[int, ...]:
        """The variables that a source of this node may read, ascending: all others, or those before it in the order."""
        if self.order is not None:
            return tuple(sorted(self.order[: self.order.index(self.variable)]))
        return tuple(j for j in range(len(self.dataset.domain)) if j != self.variable)

    @property
    def states(self) -> int:
        """|X_i|."""
        return self.dataset.domain.cardinalities[self.variable]

    def counts(self, source: InformationSource) -> IntArray:
        """N_yx, [leaf, state]."""
        return leaf_counts(source, self.variable, self.dataset)


class CandidateStrategy(Protocol):
    """Proposes changed sources for a node. Equal costs: the first proposed wins."""

    def candidates(
        self, source: InformationSource, data: NodeData
    ) -> Iterable[Candidate | InformationSource]:
        """Functions obtained by modifying `source`; plain sources are counted from the data."""


def learn_with(
    dataset: Dataset,
    strategy: CandidateStrategy,
    *,
    penalty: PenaltyLike = Mdl(),  # noqa: B008  # a frozen value
    smoothing: float = 0.0,
    order: Order = None,
) -> Network:
    """The network that Algorithm 3 learns with the candidates of `strategy`: the paper's framework, in Python and slowly.

    Args:
        dataset: the rows.
        strategy: has `candidates(source, data)`, which proposes changed sources.
        penalty: R(k, N): a value such as `Mdl()`, its name, or a function.
        smoothing: the pseudo-count of each cell of the tables; 0 is the paper's.
        order: as of `learn`: sources then read earlier variables only, and `data.inputs` says which.

    Returns:
        The network.

    A strategy of one's own:

    >>> class Neighbours:
    ...     def candidates(self, source, data):           # X_i may look at X_{i-1} and X_{i+1}
    ...         n, i = len(data.dataset.domain), data.variable
    ...         near = tuple(j for j in (i - 1, i + 1) if 0 <= j < n)
    ...         yield LosslessSource(near, tuple(data.dataset.domain.cardinalities[j] for j in near))
    >>> chain = Dataset.from_codes([[0, 0, 0], [1, 1, 1]] * 20, [2, 2, 2])
    >>> [node.inputs for node in learn_with(chain, Neighbours()).nodes]
    [(1,), (0, 2), (1,)]
    """
    rule = checked_penalty(penalty)
    smoothing = checked_smoothing(smoothing)
    if dataset.total == 0:
        raise LearningError("learn_with: the dataset has no rows; there is nothing to learn from.")
    if not callable(getattr(strategy, "candidates", None)):
        raise LearningError(
            f"a strategy has a method candidates(source, data) that proposes sources; got {strategy!r}."
        )
    found = order_of(node_specs(dataset.domain, LearnOptions(order=order), dataset))
    nodes = []
    for i in range(len(dataset.domain)):
        data = NodeData(dataset, i, rule, found)
        source = greedy(strategy, data)
        nodes.append(TableNode(i, source, ConditionalTable.from_counts(data.counts(source), smoothing)))
    return Network(dataset.domain, tuple(nodes), order=found)


def greedy(strategy: CandidateStrategy, data: NodeData) -> InformationSource:
    """Algorithm 3 for one node."""
    source: InformationSource = DecisionGraph((), data.dataset.domain.cardinalities)
    while True:
        best, least = None, math.inf
        for proposed in strategy.candidates(source, data):
            candidate = proposed if isinstance(proposed, Candidate) else _count(proposed, source, data)
            change = _delta(candidate, source, data)
            if change < least:
                best, least = candidate, change
        if best is None or not least < -STEP:
            return source
        source = best.source


def _count(proposed: InformationSource, source: InformationSource, data: NodeData) -> Candidate:
    if not isinstance(proposed, InformationSource):
        raise LearningError(
            f"a strategy proposes information sources, or Candidates; node {data.variable} was given {proposed!r}."
        )
    proposed.check_domain(data.dataset.domain.cardinalities)
    return Candidate(proposed, data.counts(source), data.counts(proposed))


def _delta(candidate: Candidate, source: InformationSource, data: NodeData) -> float:
    rows = data.dataset.total
    without_name = delta(candidate.removed, candidate.added, source.size, rows, data.penalty)
    return without_name + candidate.naming


@dataclass(frozen=True, slots=True)
class SplitMerge:
    """The candidates of Sec. 4.5: every Split(y, j) and every Merge(y0, y1) of the current decision graph.

    The order decides ties: splits before merges, the least Delta without the name first, then the lowest (leaf,
    variable) or (first, second). So an empty leaf, which ties with every partner, joins the lowest leaf.

    >>> from depnet import learn, titanic
    >>> learn_with(titanic(), SplitMerge()) == learn(titanic())
    True
    """

    def candidates(
        self, source: InformationSource, data: NodeData
    ) -> Iterable[Candidate | InformationSource]:
        """All splits, then all merges; none for a source that is no decision graph."""
        if not isinstance(source, DecisionGraph):
            return
        counts = data.counts(source)
        for group in (_splits(source, counts, data), _merges(source, counts, data)):
            # Adding the name rounds, and could make a tie of what was none: hence sorted before.
            yield from sorted(group, key=lambda candidate: _rank(candidate, source, data))


def _rank(candidate: Candidate, source: DecisionGraph, data: NodeData) -> float:
    rows = data.dataset.total
    if len(candidate.removed) == 2:  # all merges change R alike: compared without it, exactly
        return delta(candidate.removed, candidate.added, source.size, 1, _free)
    return delta(candidate.removed, candidate.added, source.size, rows, data.penalty)


def _free(parameters: int, rows: int, /) -> float:
    return 0.0


def _splits(source: DecisionGraph, counts: IntArray, data: NodeData) -> Iterator[Candidate]:
    domain, rows = data.dataset.domain, data.dataset.total
    leaves = source(data.dataset.codes)
    state = data.dataset.column(data.variable).astype(np.int64)
    name = 0.0
    if isinstance(data.penalty, StructuralMdl) and data.inputs:
        name = data.penalty.split_name(source.size, len(data.inputs), rows)
    by_variable = {}
    for j in data.inputs:
        k = domain.cardinalities[j]
        cells = leaves.astype(np.int64) * k + data.dataset.column(j)
        by_variable[j] = tabulate(cells, state, source.size * k, data.states, data.dataset)
    for y in range(source.size):
        for j in data.inputs:
            k = domain.cardinalities[j]
            grown = DecisionGraph((*source.operations, Split(y, j)), source.cardinalities)
            yield Candidate(grown, counts[y : y + 1], by_variable[j][y * k : (y + 1) * k], name)


def _merges(source: DecisionGraph, counts: IntArray, data: NodeData) -> Iterator[Candidate]:
    name = 0.0
    if isinstance(data.penalty, StructuralMdl) and source.size > 1:
        name = data.penalty.merge_name(source.size, data.dataset.total)
    for first in range(source.size):
        for second in range(first + 1, source.size):
            joined = DecisionGraph((*source.operations, Merge(first, second)), source.cardinalities)
            pair = counts[[first, second]]
            yield Candidate(joined, pair, pair.sum(axis=0, keepdims=True), name)


@dataclass(frozen=True, slots=True)
class WithLossless:
    """Another strategy's candidates and the lossless source Y_i^ll: condition 1 of Theorems 5 and 6.

    Its table grows with the product of all other cardinalities, so it is proposed only on small domains, of at
    most 2^20 cells a table. Once taken, it stays: SplitMerge proposes nothing from it.

    Args:
        strategy: the other strategy.

    >>> from depnet import Dataset
    >>> either = Dataset.from_codes([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 20, [2, 2, 2])
    >>> learn_with(either, WithLossless(SplitMerge())).nodes[0].source  # no single split says anything here
    LosslessSource(inputs=(1, 2), input_cardinalities=(2, 2))
    """

    strategy: CandidateStrategy = SplitMerge()  # a frozen value

    def candidates(
        self, source: InformationSource, data: NodeData
    ) -> Iterable[Candidate | InformationSource]:
        """The other strategy's candidates, then the lossless source."""
        yield from self.strategy.candidates(source, data)
        cards = tuple(data.dataset.domain.cardinalities[j] for j in data.inputs)
        if data.states * math.prod(cards) <= limits.LOSSLESS_CELLS:
            yield LosslessSource(data.inputs, cards)


Sources: TypeAlias = Sequence[InformationSource] | Mapping[str, InformationSource]
"""One source a variable, in order; or {name: source}."""


def learn_parameters(
    dataset: Dataset,
    sources: Sources,
    *,
    smoothing: float = 0.0,
    order: Sequence[str] | Sequence[int] | None = None,
) -> Network:
    """The network with these information sources and, for each, the table of Theorem 4.

    Args:
        dataset: the rows.
        sources: one source for each variable, in order, or a mapping from the variables' names to their sources.
            A network's own are `[node.source for node in network.nodes]`.
        smoothing: a pseudo-count that every cell gets; 0 is the paper's p^D(X_i | Y_i).
        order: all variables by name or number: the network is then an ordered one, and each source must read earlier
            variables only.

    Returns:
        The network.

    >>> from depnet import Dataset, LosslessSource
    >>> dataset = Dataset.from_codes([[0, 0], [0, 0], [1, 0], [1, 1]], [2, 2])
    >>> network = learn_parameters(dataset, {"X0": LosslessSource((1,), (2,)), "X1": LosslessSource((0,), (2,))})
    >>> network.nodes[1].table.probabilities.tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    if dataset.total == 0:
        raise LearningError("learn_parameters: the dataset has no rows; there is nothing to learn from.")
    nodes = []
    for i, source in enumerate(_checked_sources(dataset.domain, sources)):
        source.check_domain(dataset.domain.cardinalities)
        counts = leaf_counts(source, i, dataset)
        nodes.append(TableNode(i, source, ConditionalTable.from_counts(counts, smoothing)))
    chosen = None if order is None else checked_order(dataset.domain, order)
    return Network(dataset.domain, tuple(nodes), order=chosen)


def _checked_sources(domain: Domain, sources: Sources) -> list[InformationSource]:
    """The source of every variable, in order."""
    wanted = f"learn_parameters takes one source for each of the {len(domain)} variables"
    if isinstance(sources, Mapping):
        given = {domain.index(name): source for name, source in sources.items()}
        missing = next((name for i, name in enumerate(domain.names) if i not in given), None)
        if missing is not None:
            raise LearningError(f"{wanted}; {missing!r} has none.")
        sources = [given[i] for i in range(len(domain))]
    if len(sources) != len(domain):
        raise LearningError(f"{wanted}; got {len(sources)}.")
    for i, source in enumerate(sources):
        if isinstance(source, Node):
            raise LearningError(
                f"learn_parameters takes information sources; for {domain.names[i]!r} there is a node. Its source is "
                "node.source; a boosted node has none, for its scores are no table that counting could fill: fit it again."
            )
        if not isinstance(source, InformationSource):
            raise LearningError(
                f"the source of {domain.names[i]!r} is not an information source: {source!r}. Any object with size, "
                "inputs, check_domain and a call on codes is one."
            )
    return list(sources)
