r"""Links: which variable tells a node what, and how surely.

A link j -> i says that the information source of node i reads X_j. Its strength is the bits per row that splits
on X_j gained. The operations are replayed on the rows: Split(y, j) lowers H(X_i | Y) and its gain is X_j's;
Merge(y0, y1) raises it, and that loss is charged to the splits that told y0 and y1 apart, in proportion to what
each had gained. So the strengths of a node's links add up to all that its source knows:

.. math:: \sum_j strength_{j \to i} = I(X_i; Y_i) = H(X_i) - H(X_i \mid Y_i)

and a split whose leaves were all merged again has gained nothing. Without rows, a network's own counts tell nearly
as much: `depnet.learning.links.from_counts`.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import IntArray
from depnet.checks import whole_number
from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.certificate import conditional_entropy
from depnet.learning.learn import learn
from depnet.learning.links.from_counts import own_marginals, own_strengths
from depnet.learning.penalty import Mdl, PenaltyLike
from depnet.learning.rows.some_rows import some_rows
from depnet.model.counting import check_same_domain, leaf_counts
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.operations import Split
from depnet.model.sources.source import ConstantSource, LosslessSource

ROWS_A_CELL = 5
"""Conditional mutual information is given where the inputs' joint table has so many rows a cell or more."""


@dataclass(frozen=True, slots=True)
class Link:
    """X_j tells the node of X_i something; quantities in bits per row."""

    source: str
    """The name of X_j."""
    targets: tuple[str, ...]
    """The name of X_i, which the node updates."""
    node: int
    variable: int
    """j."""
    strength: float
    """What the splits on X_j gained, less their share of what merges lost."""
    mutual_information: float | None
    """I(X_i; X_j), whatever else is known; None without rows where the network keeps no 2-way counts."""
    conditional_information: float | None
    """I(X_i; X_j | the source's other inputs), or None where the rows are too few to tell, or not there."""
    frequency: float | None
    """The share of bootstrap networks in which the link came back; None without bootstrap."""


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
    node's still add up to I(X_i; Y_i), shared among its inputs as `depnet.learning.links.from_counts` says.

    With `bootstrap=B` the network is learned again from B tables of N rows drawn with replacement (as row
    weights), with `penalty`, `n_jobs` and the network's order, or by `learner` where other options were used;
    `frequency` says how often a link came back. Drawing rows twice adds noise of its own, so that a chance link
    comes back in a good share of the tables too: read frequencies against each other, near 1 being sure. `rng` seeds
    the drawing.

    Sources that are no decision graph have no splits: what they know is shared equally among their inputs.
    """
    bootstrap = whole_number("bootstrap", bootstrap, at_least=0, error=LearningError)
    if dataset is None:
        if bootstrap:
            raise LearningError(
                "links: bootstrap draws rows again, so it needs the dataset: links(network, dataset, B)."
            )
        return _ordered(_from_counts(network))
    check_same_domain("links", network.domain, dataset)
    if dataset.total == 0:
        raise LearningError("links: the dataset has no rows to measure links on.")
    relearn = learner
    if relearn is None:

        def relearn(drawn: Dataset) -> Network:
            return learn(drawn, penalty=penalty, n_jobs=n_jobs, order=network.order)

    frequency = _frequencies(network, dataset, bootstrap, relearn, rng)
    return _ordered(
        link for number in range(len(network)) for link in _of_node(network, number, dataset, frequency)
    )


def by_variable(found: Iterable[Link]) -> dict[str, tuple[Link, ...]]:
    """Links by the variable they tell of, in the order given.

    >>> from depnet import learn, titanic
    >>> told = by_variable(links(learn(titanic()), titanic()))
    >>> {link.source for link in told["survived"]} <= {"class", "sex", "age"}
    True
    """
    told: dict[str, list[Link]] = defaultdict(list)
    for link in found:
        for name in link.targets:
            told[name].append(link)
    return {name: tuple(own) for name, own in told.items()}


def _ordered(found: Iterable[Link]) -> tuple[Link, ...]:
    return tuple(sorted(found, key=lambda link: (-link.strength, link.node, link.variable)))


def _from_counts(network: Network) -> Iterator[Link]:
    names, marginals = network.domain.names, own_marginals(network)
    for number, node in enumerate(network.nodes):
        for j, strength in own_strengths(node, marginals).items():
            yield Link(
                source=names[j],
                targets=tuple(names[i] for i in node.variables),
                node=number,
                variable=j,
                strength=strength,
                mutual_information=_pair_information(network, node, j),
                conditional_information=None,
                frequency=None,
            )


def _pair_information(network: Network, node: Node, j: int) -> float | None:
    if network.counts is None or network.counts.pairs is None:
        return None
    i = node.variable
    table = network.counts.pairs[i, j] if i < j else network.counts.pairs[j, i].T
    nats = _nats(table.sum(axis=1)[None, :]) - _nats(table.T)
    return max(nats, 0.0) / (max(network.counts.total, 1) * math.log(2))


def strengths(node: Node, dataset: Dataset) -> dict[int, float]:
    """{j: bits per row that X_j's splits gained}, for the inputs of the node's source."""
    source = node.source
    if isinstance(source, DecisionGraph):
        return _shared(_Replay(node, source, dataset).gained, source.inputs)
    counts = leaf_counts(source, node.variables, dataset)
    known = _nats(counts.sum(axis=0, keepdims=True)) - _nats(counts)
    share = known / (max(len(source.inputs), 1) * dataset.total * math.log(2))
    return dict.fromkeys(source.inputs, share)


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


class _Replay:
    """The operations replayed on rows, keeping who gained what.

    `history[leaf][event]` is the set of branches of that split which lead to the leaf: two leaves are told
    apart by the splits of which they lie on different branches.
    """

    def __init__(self, node: Node, source: DecisionGraph, dataset: Dataset) -> None:
        self._dataset = dataset
        self._state = dataset.column(node.variable)
        self._states = node.table.states
        self._gain: list[float] = []
        self._variable: list[int] = []
        rows = np.arange(dataset.rows)
        self._rows, self._terms = [rows], [self._term(rows)]
        self._history: list[dict[int, frozenset[int]]] = [{}]
        for operation in source.operations:
            if isinstance(operation, Split):
                self._split(*operation, source.cardinalities[operation.variable])
            else:
                self._merge(*operation)
        self.gained: defaultdict[int, float] = defaultdict(float)
        for j, nats in zip(self._variable, self._gain, strict=True):
            self.gained[j] += nats / (dataset.total * math.log(2))

    def _term(self, rows: IntArray) -> float:
        weights = None if self._dataset.weights is None else self._dataset.weights[rows]
        counts = np.bincount(self._state[rows], weights=weights, minlength=self._states)
        return _nats(counts[None, :])

    def _split(self, leaf: int, j: int, cardinality: int) -> None:
        rows, term, past = self._rows.pop(leaf), self._terms.pop(leaf), self._history.pop(leaf)
        event = len(self._gain)
        codes = self._dataset.column(j)[rows]
        parts = [rows[codes == x] for x in range(cardinality)]
        terms = [self._term(part) for part in parts]
        self._gain.append(term - sum(terms))
        self._variable.append(j)
        self._rows += parts
        self._terms += terms
        self._history += [{**past, event: frozenset([x])} for x in range(cardinality)]

    def _merge(self, first: int, second: int) -> None:
        ours, theirs = self._history[first], self._history.pop(second)
        rows = np.concatenate([self._rows[first], self._rows.pop(second)])
        term = self._term(rows)
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
        self._rows[first], self._terms[first] = rows, term


def _nats(counts: np.ndarray) -> float:
    """H(X | Y) times the rows."""
    return conditional_entropy(counts, 1)


def _of_node(
    network: Network, number: int, dataset: Dataset, frequency: dict[tuple[int, int], float] | None
) -> list[Link]:
    node = network.nodes[number]
    names = network.domain.names
    return [
        Link(
            source=names[j],
            targets=tuple(names[i] for i in node.variables),
            node=number,
            variable=j,
            strength=strength,
            mutual_information=_information(node, dataset, (j,), ()),
            conditional_information=_conditional(node, dataset, j),
            frequency=None if frequency is None else frequency[number, j],
        )
        for j, strength in strengths(node, dataset).items()
    ]


def _information(node: Node, dataset: Dataset, more: Sequence[int], given: Sequence[int]) -> float:
    """I(X_i; more | given) in bits per row."""
    cards = dataset.domain.cardinalities

    def entropy(inputs: Sequence[int]) -> float:
        kept = tuple(sorted(inputs))
        source = LosslessSource(kept, tuple(cards[j] for j in kept)) if kept else ConstantSource()
        return conditional_entropy(leaf_counts(source, node.variables, dataset), dataset.total)

    return max(entropy(given) - entropy((*given, *more)), 0.0) / math.log(2)


def _conditional(node: Node, dataset: Dataset, j: int) -> float | None:
    cells = math.prod(dataset.domain.cardinalities[k] for k in (*node.source.inputs, *node.variables))
    if cells * ROWS_A_CELL > dataset.total:
        return None
    return _information(node, dataset, (j,), tuple(k for k in node.source.inputs if k != j))


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
            for j in node.source.inputs:
                times[number, j] += 1
    frequency: defaultdict[tuple[int, int], float] = defaultdict(float)
    frequency.update({link: count / bootstrap for link, count in times.items()})
    return frequency


def resampled(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """N rows drawn with replacement, as row weights; rows that were not drawn are left out."""
    weights = np.ones(dataset.rows, dtype=np.int64) if dataset.weights is None else dataset.weights
    drawn = rng.multinomial(dataset.total, weights / weights.sum())
    kept = np.flatnonzero(drawn)
    return some_rows(dataset, kept, drawn[kept])
