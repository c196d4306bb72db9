r"""What held-out rows choose of decision graphs: the penalty "auto" with its smoothing, and columns that repeat others.

*The penalty.* No one penalty is best everywhere. Every candidate, a penalty of the ladder with one of its smoothings, is
learned and scored by the pseudo-log-likelihood of rows it has not seen (of an ordered network the log-likelihood), node by
node (`trials` says how the choice follows).
The ladder goes from strict to generous and is left where the pooled score has not improved for some rungs, since generous
penalties cost the most time. Held out are parts of the data (`held_out` of `TrainingRows`). Then the
chosen penalties learn from all rows. What the held-out rows said of the choice stays with the network (`held_out`), and the
choice has the networks that were learned without each part of them.

*Columns that repeat each other* (ours, beyond the paper): a number and its name, a code and its label. A graph that splits
on a variable of many states pays for a table row for each of them, R(k, N) = k (log N) / 2 with k = |X_i| |X_j| parameters,
although nearly all of these are zero: X_j = f(X_i). So no such split is ever made. In the law, such a column gets a function
node: its source is one split on X_i, its table the counts, with pseudo-counts that are e + 1/2 rows in all, e being the rows
that are exceptions to f. (Of a column that X_i divides further, X_i = g(X_j), alike.) A function node is taken where
held-out rows gain by it, by more than two standard errors. The paper's network keeps R(k, N).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray, xlogy
from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning import limits
from depnet.learning.cost import Auto, Penalty
from depnet.learning.grow import TrainingRows, learn_nodes
from depnet.learning.options import LearnOptions, NodeSpec, node_specs
from depnet.model.marginals import HeldOut
from depnet.model.mixture import AnyNetwork, components_of
from depnet.model.network import Network
from depnet.model.node import Node, TableNode
from depnet.model.sources.decision_graph import DecisionGraph, Split
from depnet.model.table import ConditionalTable, leaf_counts
from depnet.threads import Work

ONE_LEAF_SMOOTHING = 0.5
"""The pseudo-count of a cell in the network that knows nothing, with which held-out scores are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What was chosen: `pooled` for all nodes, and for each node its own (mostly the same)."""

    penalties: tuple[Penalty, ...]
    """One for each node."""
    smoothings: tuple[float, ...]
    """One for each node."""
    pooled: tuple[Penalty, float]
    scores: FloatArray
    """[node, penalty, smoothing]: held-out log theta, nats per row, of the rungs that were tried."""
    tried: tuple[Network, ...]
    """The choice as it was learned without each part held out in turn."""
    held_out: HeldOut
    """What was chosen, on all rows held out, beside one leaf a node."""


class Trials:
    """The rungs tried so far: their networks, one for each part held out, and every candidate's scores."""

    def __init__(self, held: Sequence[Dataset], auto: Auto, smoothing: float) -> None:
        self.networks: list[Sequence[Network]] = []
        self._held, self._auto = held, auto
        # the whole sum is rounded, once: survey weights of a part sum to no whole number
        self._rows = round(
            sum(rows.rows if rows.weights is None else float(rows.weights.sum()) for rows in held)
        )
        self._smoothings = [s * smoothing for s in auto.smoothings]
        self._scores: list[FloatArray] = []  # of each rung: [node, smoothing]
        self._pooling: NDArray[np.bool_] = np.zeros(0, dtype=bool)  # the nodes whose scores are pooled
        self._independent = 0.0

    def add(self, networks: Sequence[Network]) -> None:
        """The next rung, learned without each part in turn."""
        self.networks.append(networks)
        sums = np.zeros((len(networks[0]), len(self._smoothings)))
        for network, held in zip(networks, self._held, strict=True):
            counts = [leaf_counts(node.source, node.variable, held) for node in network.nodes]
            for i, node in enumerate(network.nodes):
                sums[i] += _held_scores(node, counts[i], self._smoothings)
            if not self._scores:
                self._independent += sum(map(_one_leaf_score, network.nodes, counts))
        if not self._scores:
            telling = np.array([not _is_identifier(node) for node in networks[0].nodes])
            self._pooling = telling if telling.any() else ~telling
        self._scores.append(sums / self._rows)

    @property
    def over(self) -> bool:
        """Is the ladder at its end, or has it not become better for long enough?"""
        pooled = [float(scores[self._pooling].sum(axis=0).max()) for scores in self._scores]
        if not pooled:
            return False
        since_best = len(pooled) - 1 - int(np.argmax(pooled))
        return len(pooled) == len(self._auto.penalties) or since_best >= self._auto.patience

    def choice(self) -> Choice:
        """The pooled candidate, and for each node its own where that is surely better."""
        scores = np.stack(self._scores, axis=1)
        flat = scores.reshape(len(scores), -1)
        pooled = int(np.argmax(flat[self._pooling].sum(axis=0)))
        own = {i: best for i, best in enumerate(np.argmax(flat, axis=1).tolist()) if best != pooled}
        better = self._surely_better(own, pooled)
        chosen = [own[i] if i in better else pooled for i in range(len(flat))]
        named = [self._settings(candidate) for candidate in chosen]
        tried = tuple(
            replace(
                network,
                nodes=tuple(self._candidate(part, i, candidate) for i, candidate in enumerate(chosen)),
            )
            for part, network in enumerate(self.networks[0])
        )
        score = sum(float(flat[i, candidate]) for i, candidate in enumerate(chosen))
        return Choice(
            tuple(penalty for penalty, _ in named),
            tuple(s for _, s in named),
            self._settings(pooled),
            scores,
            tried,
            HeldOut(self._rows, score, self._independent / self._rows),
        )

    def _settings(self, candidate: int) -> tuple[Penalty, float]:
        rung, s = divmod(candidate, len(self._smoothings))
        return self._auto.penalties[rung], self._smoothings[s]

    def _surely_better(self, own: dict[int, int], pooled: int) -> set[int]:
        """The nodes whose own candidate gains more than `standard_errors` standard errors of the paired differences."""
        sure = set()
        for i, best in own.items():
            total = squares = 0.0
            for part, held in enumerate(self._held):
                one, other = self._candidate(part, i, best), self._candidate(part, i, pooled)
                gains = one.log_theta(held) - other.log_theta(held)
                weights = np.ones(held.rows) if held.weights is None else held.weights
                total += float(weights @ gains)
                squares += float(weights @ gains**2)
            mean = total / self._rows
            variance = max(squares / self._rows - mean**2, 0.0)
            if mean > self._auto.standard_errors * math.sqrt(variance / self._rows):
                sure.add(i)
        return sure

    def _candidate(self, part: int, i: int, candidate: int) -> Node:
        """Node i as the candidate has it, learned without this part."""
        rung, s = divmod(candidate, len(self._smoothings))
        return self.networks[rung][part].nodes[i].smoothed(self._smoothings[s])


def _is_identifier(node: Node) -> bool:
    """Its variable has a state for every other row: its score is large, and says nothing of the others."""
    counts = node.table.counts
    assert counts is not None
    return node.table.states > max(limits.IDENTIFIER_STATES, int(counts.sum()) // 2)


def _held_scores(node: Node, counts: IntArray, smoothings: Sequence[float]) -> FloatArray:
    """The sum over held-out rows of log theta, for each smoothing, from `counts[leaf, state]` of them.

    Only cells that hold rows matter, and there theta is (N_yx + s) / (N_y + s |X|): no table is made for it.
    """
    learned = node.table.counts
    assert learned is not None
    leaf, state = np.nonzero(counts)
    s = np.array(smoothings)[:, None]
    totals = learned.sum(axis=1)[leaf] + s * learned.shape[1]
    return np.asarray((counts[leaf, state] * np.log((learned[leaf, state] + s) / totals)).sum(axis=1))


def _one_leaf_score(node: Node, counts: IntArray) -> float:
    """The sum over held-out rows of log theta of the node with one leaf, from the counts that it was learned from."""
    learned = node.table.counts
    assert learned is not None
    theta = ConditionalTable.from_counts(learned.sum(axis=0, keepdims=True), ONE_LEAF_SMOOTHING).probabilities
    return float(xlogy(counts.sum(axis=0), theta[0]).sum())


TRIALS_SHARE = 0.75
"""The share of the available time that trials may take."""


def learn_graphs(rows: TrainingRows, options: LearnOptions, work: Work) -> tuple[Network, Choice | None]:
    """The network of these rows, of decision graphs, and what penalty="auto" chose, where it did."""
    specs = node_specs(rows.domain, options, rows.dataset)
    if options.auto is None:
        penalties = [options.fixed_penalty] * len(specs)
        return learn_nodes(rows, specs, penalties, options, work, smoothing=options.smoothing), None
    trials, stages = _climb(rows, specs, options.auto, options, work.share(TRIALS_SHARE))
    choice = trials.choice()
    del trials  # and with them the rows held out, before all rows are learned from
    last = work.stage(len(specs), stages - 1, stages)
    network = learn_nodes(rows, specs, choice.penalties, options, last)
    return replace(network.smoothed(choice.smoothings), held_out=choice.held_out), choice


def _climb(
    rows: TrainingRows, specs: Sequence[NodeSpec], auto: Auto, options: LearnOptions, work: Work
) -> tuple[Trials, int]:
    """Climb the ladder of penalties; also the number of stages reported to progress, of which the last fit is one more."""
    if rows.total == 0:
        raise LearningError('the penalty "auto": the dataset has no rows; there is nothing to learn from.')
    parts = rows.held_out
    stages = len(auto.penalties) * len(parts) + 1
    trials = Trials([held for _, held in parts], auto, options.smoothing)
    while not trials.over and not (work.over and trials.networks):
        rung = len(trials.networks)
        penalties = [auto.penalties[rung]] * len(specs)
        trials.add(
            [
                learn_nodes(
                    learned,
                    specs,
                    penalties,
                    options,
                    work.stage(len(specs), rung * len(parts) + number, stages),
                )
                for number, (learned, _) in enumerate(parts)
            ]
        )
    return trials, stages


class Copy(NamedTuple):
    """`column` repeats `of`: the one is a function of the other, and back."""

    column: str
    of: str

    def __str__(self) -> str:
        return f"{self.column} repeats {self.of}"


def learn_copies(
    rows: TrainingRows, law: Network, choice: Choice, options: LearnOptions
) -> tuple[Network, Choice]:
    """The law with function nodes where held-out rows gain by them, and its trials on the rows held out alike."""
    found = {}
    for spec in node_specs(rows.domain, replace(options, order=law.order)):
        pairs = list(_functions(rows.dataset, spec.target, spec.inputs))
        if pairs:
            found[spec.target] = min(pairs)[1]
    parts = [(learned.dataset, held) for learned, held in rows.held_out[: len(choice.tried)]]
    weight = np.concatenate(
        [np.ones(held.rows) if held.weights is None else held.weights for _, held in parts]
    )
    tried, nodes, gained = [list(graphs.nodes) for graphs in choice.tried], list(law.nodes), 0.0
    for j, i in found.items():
        own = [_function_node(learned, i, j) for learned, _ in parts]
        each = zip(own, choice.tried, parts, strict=True)
        gains = np.concatenate(
            [node.log_theta(held) - graphs.nodes[j].log_theta(held) for node, graphs, (_, held) in each]
        )
        mean = float(weight @ gains / weight.sum())
        if mean * weight.sum() > limits.SURE * math.sqrt(float(weight @ (gains - mean) ** 2)):
            nodes[j], gained = _function_node(rows.dataset, i, j), gained + mean
            for trial, node in zip(tried, own, strict=True):
                trial[j] = node
    if not gained:
        return law, choice
    of_trials = zip(choice.tried, tried, strict=True)
    again = tuple(replace(graphs, nodes=tuple(trial)) for graphs, trial in of_trials)
    judged = law.held_out and replace(law.held_out, score=law.held_out.score + gained)
    return replace(law, nodes=tuple(nodes), held_out=judged), replace(choice, tried=again)


def copies_of(law: AnyNetwork) -> tuple[Copy, ...]:
    """The columns that repeat another, by the law's function nodes: each of the two is a function of the other.

    >>> from depnet import titanic, learn
    >>> copies_of(learn(titanic(), order="auto"))
    ()
    """
    found = []
    for node in components_of(law)[0].nodes:
        if node.boosted or node.counts is None or len(node.inputs) != 1 or node.states < limits.COPY_STATES:
            continue
        whole = node.source.size == law.domain.cardinalities[node.inputs[0]]  # a leaf for each state
        exceptions = max(_exceptions(node.counts), _exceptions(node.counts.T))
        if whole and exceptions <= limits.EXCEPTIONS * node.counts.sum():
            names = law.domain.names
            found.append(Copy(names[node.variable], names[node.inputs[0]]))
    return tuple(found)


def _functions(dataset: Dataset, j: int, inputs: Sequence[int]) -> Iterator[tuple[float, int]]:
    """(exceptions, i) of each X_i that X_j is a function of, or that is one of X_j, but for a few rows."""
    cards = dataset.domain.cardinalities
    for i in inputs:
        if min(cards[i], cards[j]) < limits.COPY_STATES or cards[i] * cards[j] > limits.COPY_CELLS:
            continue
        for rows in (slice(limits.COPY_ROWS), slice(None)):
            pairs = dataset.column(i)[rows].astype(np.int64) * cards[j] + dataset.column(j)[rows]
            weights = None if dataset.weights is None else dataset.weights[rows]
            cells, where = np.unique(pairs, return_inverse=True)
            counts: FloatArray = np.asarray(np.bincount(where, weights, len(cells)), dtype=np.float64)
            fewest = min(_misses(cells // cards[j], counts), _misses(cells % cards[j], counts))
            if fewest > limits.EXCEPTIONS * counts.sum():
                break
        else:
            yield fewest, i


def _misses(of: IntArray, counts: FloatArray) -> float:
    """The number of rows that are not in the largest cell of their state."""
    largest = np.zeros(int(of.max()) + 1)
    np.maximum.at(largest, of, counts)
    return float(counts.sum() - largest.sum())


def _exceptions(counts: IntArray) -> float:
    """Rows that are not in the most frequent state of their leaf."""
    return float(counts.sum() - counts.max(axis=1).sum())


def _function_node(dataset: Dataset, i: int, j: int) -> Node:
    cards = dataset.domain.cardinalities
    source = DecisionGraph((Split(0, i),), cards)
    counts = leaf_counts(source, j, dataset)
    e = min(_exceptions(counts), _exceptions(counts.T))
    return TableNode(j, source, ConditionalTable.from_counts(counts, (e + 0.5) / counts.size))
