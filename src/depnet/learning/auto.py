r"""`penalty="auto"`: the penalty and the smoothing chosen on held-out rows.

No one penalty is best everywhere. Every candidate, a penalty of the ladder with one of its smoothings, is
learned and scored by the pseudo-log-likelihood of rows it has not seen, node by node. The nodes are first *pooled*:
the candidate with the best sum over all nodes. A node then leaves the pooled choice only where its own best
candidate gains more than so many standard errors of the paired difference over held-out rows, since a
node's own choice among many candidates is noisy on few rows.

Held out are the rows given as `validation`, else parts of the data: it is divided into five parts, and the
candidates are learned without a part and scored on it, for as many parts as it takes to hold out 5,000 rows (one on large
tables, all five on small ones). Then the chosen penalties learn from all rows. The parts depend on the rows
alone, not on their order.
"""

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from depnet.arrays import FloatArray
from depnet.data.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.contexts import Contexts
from depnet.learning.learn import Progress, learn_tasks
from depnet.learning.options import Limits, Task
from depnet.learning.penalty import Mdl, Penalty, StructuralMdl, checked_penalty
from depnet.learning.rows import taken
from depnet.model.counting import check_same_domain, leaf_counts
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.score import node_log_theta
from depnet.model.table import ConditionalTable, checked_smoothing

PARTS = 5
HELD_OUT_ROWS = 5_000
DEALT_ROWS = 10_000_000
"""Up to so many rows parts are dealt row by row and equal in size; beyond, each distinct row is divided at random."""

LADDER: tuple[Penalty, ...] = tuple(
    StructuralMdl(factor, factor, scale * Mdl()) for factor in (0.5, 1.0) for scale in (0.125, 0.25, 0.5, 1.0)
)
"""From long graphs to short ones: what a parameter costs, and what naming an operation costs."""

SMOOTHINGS = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Smoothings tried, in units of the `smoothing` that was asked for."""


@dataclass(frozen=True, slots=True)
class Auto:
    """What `penalty="auto"` chooses from, and how sure a node must be to choose for itself."""

    penalties: tuple[Penalty, ...] = LADDER
    smoothings: tuple[float, ...] = SMOOTHINGS
    standard_errors: float = 2.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "penalties", tuple(checked_penalty(p) for p in self.penalties))
        object.__setattr__(self, "smoothings", tuple(checked_smoothing(s) for s in self.smoothings))
        if not self.penalties or not self.smoothings or min(self.smoothings) <= 0:
            raise LearningError(
                "Auto needs at least one penalty and one smoothing, and smoothings above 0; got "
                f"{self.penalties} and {self.smoothings}."
            )
        if not self.standard_errors >= 0:
            raise LearningError(f"standard_errors is a number of at least 0; got {self.standard_errors!r}.")


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What was chosen: `pooled` for all nodes, and for each node its own (mostly the same)."""

    penalties: tuple[Penalty, ...]
    """Of each node."""
    smoothings: tuple[float, ...]
    """Of each node."""
    pooled: tuple[Penalty, float]
    scores: FloatArray
    """[node, penalty, smoothing]: held-out log theta, nats per row."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """Every node learned with every penalty, without the rows that it is then scored on.

    `network` has the nodes of the first penalty, then those of the second, and so on.
    """

    network: Network
    held: Dataset


def learn_auto(
    dataset: Dataset,
    tasks: Sequence[Task],
    auto: Auto,
    *,
    smoothing: float,
    validation: Dataset | None = None,
    n_jobs: int | None = 1,
    limits: Limits = Limits(),  # noqa: B008  # a frozen value
    max_seconds: float | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> tuple[Network, Choice]:
    """`learn_tasks` with chosen penalties and smoothings; see the module.

    Of `max_seconds`, trials may take four fifths. `resume` is the file of the last fit; each trial has one beside
    it, with ".trial0" and so on at the end of its name.
    """
    smoothing = checked_smoothing(smoothing)
    if smoothing == 0:
        raise LearningError(
            'penalty="auto" scores held-out rows, which smoothing=0 may give the probability 0. Give a smoothing above 0, '
            "such as smoothing=0.5."
        )
    if dataset.total == 0:
        raise LearningError('penalty="auto": the dataset has no rows; there is nothing to learn from.')
    if validation is not None:
        check_same_domain("validation", dataset.domain, validation)
        if validation.total == 0:
            raise LearningError(
                "validation has no rows to score on; leave it out to hold out rows of the data."
            )
    parts = [(dataset, validation)] if validation is not None else list(held_out(dataset))
    stages = len(parts) * len(auto.penalties) + (validation is None)
    trials = []
    for number, (rows, held) in enumerate(parts):
        network = learn_tasks(
            rows,
            [*tasks] * len(auto.penalties),
            [penalty for penalty in auto.penalties for _ in tasks],
            n_jobs=n_jobs,
            limits=limits,
            max_seconds=None if max_seconds is None else 0.8 * max_seconds / len(parts),
            progress=_part_of(progress, len(tasks), number * len(auto.penalties), stages),
            resume=None if resume is None else f"{os.fspath(resume)}.trial{number}",
        )
        trials.append(_Trial(network, held))
    choice = choose(trials, len(tasks), auto, smoothing)
    if validation is not None:  # the trial learned from all rows: its nodes are the answer
        places = [auto.penalties.index(p) * len(tasks) + i for i, p in enumerate(choice.penalties)]
        grown = [trials[0].network.nodes[place] for place in places]
    else:
        network = learn_tasks(
            dataset,
            tasks,
            choice.penalties,
            n_jobs=n_jobs,
            limits=limits,
            max_seconds=None if max_seconds is None else 0.2 * max_seconds,
            progress=_part_of(progress, len(tasks), stages - 1, stages),
            resume=resume,
        )
        grown = list(network.nodes)
    nodes = tuple(_smoothed(node, s) for node, s in zip(grown, choice.smoothings, strict=True))
    return Network(dataset.domain, nodes), choice


def held_out(dataset: Dataset) -> Iterator[tuple[Dataset, Dataset]]:
    """(rows to learn from, rows to score on), the same whatever the order of rows."""
    distinct = Contexts(dataset).distinct
    assert distinct.weights is not None
    if distinct.total < 2:
        raise LearningError(
            'penalty="auto" holds out rows, and the dataset has only one. Give a penalty, or validation=.'
        )
    parts = min(PARTS, distinct.total)
    shares = _dealt(distinct.weights, parts, np.random.default_rng(0))
    scored = 0
    for part in shares:
        yield _expanded(distinct, distinct.weights - part), _expanded(distinct, part)
        scored += int(part.sum())
        if scored >= HELD_OUT_ROWS:
            return


def choose(trials: Sequence[_Trial], nodes: int, auto: Auto, smoothing: float) -> Choice:
    """The pooled candidate, and for each node its own where that is surely better."""
    smoothings = [s * smoothing for s in auto.smoothings]
    rows = sum(trial.held.total for trial in trials)
    shape = (nodes, len(auto.penalties), len(smoothings))
    sums = np.zeros(shape)
    for trial in trials:
        for place, node in enumerate(trial.network.nodes):
            p, i = divmod(place, nodes)
            sums[i, p] += _held_scores(node, trial.held, smoothings)
    scores = sums / rows
    flat = scores.reshape(nodes, -1)
    pooled = int(np.argmax(flat.sum(axis=0)))
    chosen = []
    for i in range(nodes):
        own = int(np.argmax(flat[i]))
        sure = own != pooled and _surely_better(
            trials, nodes, i, own, pooled, smoothings, auto.standard_errors
        )
        chosen.append(own if sure else pooled)
    pairs = [np.unravel_index(c, shape[1:]) for c in (*chosen, pooled)]
    named = [(auto.penalties[int(p)], smoothings[int(s)]) for p, s in pairs]
    return Choice(tuple(p for p, _ in named[:-1]), tuple(s for _, s in named[:-1]), named[-1], scores)


def _held_scores(node: Node, held: Dataset, smoothings: Sequence[float]) -> list[float]:
    """The sum over held-out rows of log theta, for each smoothing, from counts alone."""
    counts = leaf_counts(node.source, node.variables, held)
    return [float(xlogy(counts, _smoothed(node, s).table.probabilities).sum()) for s in smoothings]


def _surely_better(
    trials: Sequence[_Trial],
    nodes: int,
    i: int,
    own: int,
    pooled: int,
    smoothings: Sequence[float],
    standard_errors: float,
) -> bool:
    """Is the mean of the paired differences over held-out rows above so many of its standard errors?"""
    total = squares = 0.0
    rows = 0
    for trial in trials:
        each = []
        for candidate in (own, pooled):
            p, s = divmod(candidate, len(smoothings))
            each.append(
                node_log_theta(_smoothed(trial.network.nodes[p * nodes + i], smoothings[s]), trial.held)
            )
        gains = each[0] - each[1]
        weights = np.ones(trial.held.rows) if trial.held.weights is None else trial.held.weights
        total += float(weights @ gains)
        squares += float(weights @ gains**2)
        rows += trial.held.total
    variance = max(squares / rows - (total / rows) ** 2, 0.0)
    return total / rows > standard_errors * math.sqrt(variance / rows)


def _smoothed(node: Node, smoothing: float) -> Node:
    assert node.table.counts is not None, "learned"
    return Node(node.variables, node.source, ConditionalTable.from_counts(node.table.counts, smoothing))


def _dealt(weights: np.ndarray, parts: int, rng: np.random.Generator) -> list[np.ndarray]:
    """The N rows in `parts` parts as equal as can be: for each part its row weights."""
    if weights.sum() > DEALT_ROWS:
        return list(rng.multinomial(weights, np.full(parts, 1 / parts)).T)
    part_of = np.arange(weights.sum()) % parts
    rng.shuffle(part_of)
    row_of = np.repeat(np.arange(len(weights)), weights)
    return [np.bincount(row_of[part_of == part], minlength=len(weights)) for part in range(parts)]


def _expanded(distinct: Dataset, weights: np.ndarray) -> Dataset:
    """The rows with these weights: as single rows where most are single, since those are counted faster."""
    kept = np.flatnonzero(weights)
    if weights.sum() < 4 * max(len(kept), 1):
        return Dataset(distinct.domain, taken(distinct, np.repeat(kept, weights[kept])).codes)
    return taken(distinct, kept, weights[kept])


def _part_of(progress: Progress | None, nodes: int, before: int, stages: int) -> Progress | None:
    """A progress callback for some of all stages that still counts to the number of nodes."""
    if progress is None:
        return None

    def told(done: int, total: int) -> None:
        progress((before * nodes + done) // stages, nodes)

    return told
