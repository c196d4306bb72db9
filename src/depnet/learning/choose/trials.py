r"""The rungs of a ladder, scored on held-out rows, and what follows from the scores.

Every candidate, a penalty with one of the smoothings, has the score of each node: the sum over held-out rows of
log theta_i(x_i | y_i), whose sum over nodes is the pseudo-log-likelihood, of an ordered network the log-likelihood. The
nodes are first *pooled*: the candidate with the best sum over all nodes. A node then leaves the pooled choice only where
its own best candidate gains more than some standard errors (`Auto.standard_errors`) of the paired difference over held-out
rows: a node's own choice, the best of a hundred, is noisy on few rows.

Scores are sums over cells of a whole number, how many held-out rows are there, times a logarithm, in a fixed order: the
same bits whatever the order of the rows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray, xlogy
from depnet.data.table.dataset import Dataset
from depnet.learning.choose.ladder import Auto
from depnet.learning.penalty import Penalty
from depnet.learning.rows.training import MANY_STATES
from depnet.model.counting import leaf_counts, leaves_of
from depnet.model.held_out import HeldOut
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.table import ConditionalTable

ONE_LEAF_SMOOTHING = 0.5
"""The pseudo-count of a cell in the network that knows nothing, with which held-out scores are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What was chosen: `pooled` for all nodes, and for each node its own (mostly the same)."""

    penalties: tuple[Penalty, ...]
    """Of each node."""
    smoothings: tuple[float, ...]
    """Of each node."""
    pooled: tuple[Penalty, float]
    scores: FloatArray
    """[node, penalty, smoothing]: held-out log theta, nats per row, of the rungs that were tried."""
    tried: tuple[Network, ...]
    """The choice as it was learned without each part held out in turn."""
    held_out: HeldOut
    """What was chosen, on all rows held out, beside one leaf a node."""


@dataclass(frozen=True, slots=True, eq=False)
class Tuning:
    """The rungs that were tried, every candidate's held-out (pseudo-)log-likelihood, and the choice.

    Attributes:
        penalties: the rungs.
        smoothings: the pseudo-counts tried with each.
        scores: [penalty, smoothing]: the sum over nodes (but those of identifiers), nats per held-out row.
        leaves: of each rung, the leaves of all nodes, on average over the parts.
        held_out: rows that were scored.
        choice: what was chosen for all nodes, and for each.

    >>> from depnet import titanic, tune
    >>> from depnet.learning.choose.ladder import Auto
    >>> tuning = tune(titanic(), auto=Auto(penalties=("mdl", "aic"), smoothings=(1.0,)))
    >>> tuning.best, tuning.held_out
    ((1, 0), 2201)
    """

    penalties: tuple[Penalty, ...]
    smoothings: tuple[float, ...]
    scores: FloatArray
    leaves: tuple[int, ...]
    held_out: int
    choice: Choice

    @property
    def best(self) -> tuple[int, int]:
        """The place in `scores` of the pooled choice."""
        rung, s = np.unravel_index(int(np.argmax(self.scores)), self.scores.shape)
        return int(rung), int(s)

    @property
    def own(self) -> int:
        """How many nodes leave the pooled choice for their own."""
        each = zip(self.choice.penalties, self.choice.smoothings, strict=True)
        return sum(one != self.choice.pooled for one in each)


class Trials:
    """The rungs tried so far: their networks, one for each part held out, and every candidate's scores."""

    def __init__(self, held: Sequence[Dataset], auto: Auto, smoothing: float) -> None:
        self.networks: list[Sequence[Network]] = []
        self._held, self._auto = held, auto
        self._rows = sum(rows.total for rows in held)
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
        named = [self._named(candidate) for candidate in chosen]
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
            self._named(pooled),
            scores,
            tried,
            HeldOut(self._rows, score, self._independent / self._rows),
        )

    def tuning(self) -> Tuning:
        """All that was tried, and what is chosen."""
        choice = self.choice()
        leaves = [
            round(sum(node.source.size for network in rung for node in network.nodes) / len(rung))
            for rung in self.networks
        ]
        return Tuning(
            self._auto.penalties[: len(self.networks)],
            tuple(self._smoothings),
            choice.scores[self._pooling].sum(axis=0),
            tuple(leaves),
            self._rows,
            choice,
        )

    def _named(self, candidate: int) -> tuple[Penalty, float]:
        rung, s = divmod(candidate, len(self._smoothings))
        return self._auto.penalties[rung], self._smoothings[s]

    def _surely_better(self, own: dict[int, int], pooled: int) -> set[int]:
        """The nodes whose own candidate gains more than `standard_errors` standard errors of the paired differences."""
        sums, squares = dict.fromkeys(own, 0.0), dict.fromkeys(own, 0.0)
        for part, held in enumerate(self._held):
            for i, best in own.items():
                one, other = self._candidate(part, i, best), self._candidate(part, i, pooled)
                first, second, state, counts = paired_counts(one, other, held)
                gains = np.log(one.table.probabilities)[first, state]
                gains = gains - np.log(other.table.probabilities)[second, state]
                sums[i] += float((counts * gains).sum())
                squares[i] += float((counts * gains**2).sum())
        return {i for i in own if self._is_sure(sums[i] / self._rows, squares[i] / self._rows)}

    def _is_sure(self, mean: float, square: float) -> bool:
        variance = max(square - mean**2, 0.0)
        return mean > self._auto.standard_errors * math.sqrt(variance / self._rows)

    def _candidate(self, part: int, i: int, candidate: int) -> Node:
        """Node i as the candidate has it, learned without this part."""
        rung, s = divmod(candidate, len(self._smoothings))
        return self.networks[rung][part].nodes[i].smoothed(self._smoothings[s])


class PairedCounts(NamedTuple):
    """The cells (first leaf, second leaf, state) that have rows, ascending, and how many rows."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    state: NDArray[np.intp]
    counts: IntArray


def paired_counts(one: Node, other: Node, dataset: Dataset) -> PairedCounts:
    """Rows by the leaves of two nodes of a variable and its state: what a paired difference of log theta depends on."""
    shape = (one.source.size, other.source.size, one.table.states)
    first, second = (leaves_of(node.source, dataset) for node in (one, other))
    cells = np.ravel_multi_index((first, second, dataset.column(one.variable)), shape)
    found, where = np.unique(cells, return_inverse=True)
    sums = np.bincount(
        where, dataset.weights, minlength=len(found)
    )  # exact: all weights sum to less than 2^53
    leaf, other_leaf, state = np.unravel_index(found, shape)
    return PairedCounts(leaf, other_leaf, state, sums.astype(np.int64))


def _is_identifier(node: Node) -> bool:
    """Its variable has a state for every other row: its score is large, and says nothing of the others."""
    counts = node.table.counts
    assert counts is not None
    return node.table.states > max(MANY_STATES, int(counts.sum()) // 2)


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
