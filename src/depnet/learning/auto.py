r"""`penalty="auto"`: the penalty and the smoothing chosen on held-out rows.

No one penalty is best everywhere. Every candidate, a penalty of the ladder with one of its smoothings, is
learned and scored by the pseudo-log-likelihood of rows it has not seen, node by node. The nodes are first *pooled*:
the candidate with the best sum over all nodes. A node then leaves the pooled choice only where its own best
candidate gains more than so many standard errors of the paired difference over held-out rows: a node's own
choice, the best of a hundred, is noisy on few rows. The ladder goes from strict to generous and is left where
the pooled score has not improved for some rungs, since generous penalties cost the most time.

Held out are the rows given as `validation`, else parts of the data: it is divided into five parts, and the
candidates are learned without a part and scored on it, for as many parts as it takes to hold out 5,000 rows
(one on large tables, all five on small ones). Then the chosen penalties learn from all rows. The parts depend
on the rows alone, not on their order.
"""

import math
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from depnet.arrays import FloatArray
from depnet.data.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.contexts import Contexts
from depnet.learning.learn import Progress, learn_tasks
from depnet.learning.options import Limits, Role, Task, checked_seconds, plan
from depnet.learning.penalty import Mdl, Penalty, Scaled, StructuralMdl, checked_penalty
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

LADDER: tuple[Penalty, ...] = (
    StructuralMdl(1.0, 1.0, Mdl()),
    StructuralMdl(1.0, 1.0, 0.5 * Mdl()),
    StructuralMdl(0.5, 1.0, Mdl()),
    StructuralMdl(0.5, 1.0, 0.5 * Mdl()),
    StructuralMdl(0.5, 1.0, 0.25 * Mdl()),
    Mdl(),
    StructuralMdl(0.0, 1.0, Mdl()),
    StructuralMdl(0.25, 1.0, 0.5 * Mdl()),
    StructuralMdl(0.25, 1.0, 0.25 * Mdl()),
    StructuralMdl(0.0, 1.0, 0.5 * Mdl()),
    StructuralMdl(0.0, 1.0, 0.25 * Mdl()),
)
"""From strict to generous: what naming an operation costs, and what a parameter costs (docs/penalties.md)."""

SMOOTHINGS = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Smoothings tried, in units of the `smoothing` that was asked for."""


@dataclass(frozen=True, slots=True)
class Auto:
    """What `penalty="auto"` chooses from, and how sure a node must be to choose for itself."""

    penalties: tuple[Penalty, ...] = LADDER
    smoothings: tuple[float, ...] = SMOOTHINGS
    standard_errors: float = 3.0
    patience: int = 3
    """The ladder is left after so many rungs without a better pooled score."""

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
        if isinstance(self.patience, bool) or not isinstance(self.patience, int) or self.patience < 1:
            raise LearningError(f"patience is a number of rungs, at least 1; got {self.patience!r}.")


@dataclass(frozen=True, slots=True)
class Share:
    """What part of a rung's penalty and smoothing a node has: all, or less where it is a chosen block."""

    scale: float = 1.0
    smoothing: float = 1.0

    def penalty(self, penalty: Penalty) -> Penalty:
        """`scale * penalty`, for a user's own function too."""
        return penalty if self.scale == 1 else scaled(self.scale, penalty)


def scaled(scale: float, penalty: Penalty) -> Penalty:
    """`scale * penalty`, for a user's own function too."""
    multiply = getattr(penalty, "__rmul__", None)
    return multiply(scale) if multiply is not None else Scaled(scale, penalty)


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


@dataclass(frozen=True, slots=True, eq=False)
class Tuning:
    """The rungs that were tried, every candidate's held-out pseudo-log-likelihood, and the choice."""

    penalties: tuple[Penalty, ...]
    smoothings: tuple[float, ...]
    scores: FloatArray
    """[penalty, smoothing]: the sum over nodes, nats per held-out row."""
    leaves: tuple[int, ...]
    """Of each rung: the leaves of all nodes, on average over the parts."""
    held_out: int
    """Rows that were scored."""
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
    shares: "Sequence[Share] | None" = None,
) -> tuple[Network, Choice]:
    """`learn_tasks` with chosen penalties and smoothings; see the module.

    `shares` say for each node what part of a rung's penalty and smoothing is its own (chosen blocks have less).
    Of `max_seconds`, trials take at most three quarters. `resume` is the file of the last fit; trials are made again.
    """
    budget = checked_seconds(max_seconds)
    trials, stages = _tried(
        dataset,
        tasks,
        auto,
        smoothing=smoothing,
        validation=validation,
        n_jobs=n_jobs,
        limits=limits,
        max_seconds=None if budget is None else 0.75 * budget,
        progress=progress,
        shares=shares,
    )
    choice = trials.choice()
    network = learn_tasks(
        dataset,
        tasks,
        choice.penalties,
        n_jobs=n_jobs,
        limits=limits,
        max_seconds=None if budget is None else 0.25 * budget,
        progress=_part_of(progress, len(tasks), stages - 1, stages),
        resume=resume,
    )
    nodes = tuple(_smoothed(node, s) for node, s in zip(network.nodes, choice.smoothings, strict=True))
    return Network(dataset.domain, nodes), choice


def tune(
    dataset: Dataset,
    *,
    auto: Auto = Auto(),  # noqa: B008  # a frozen value
    smoothing: float = 0.5,
    validation: Dataset | None = None,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
    max_leaves: int | None = None,
    min_leaf_rows: int = 0,
    n_jobs: int | None = 1,
    max_seconds: float | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """The ladder that `penalty="auto"` climbs, with the held-out score of every rung and smoothing, and the choice.

    `smoothing` is the unit of the smoothings tried; the other options are those of `learn`.

    >>> from depnet import titanic
    >>> tuning = tune(titanic(), auto=Auto(penalties=("mdl", "aic"), smoothings=(1.0, 2.0)))
    >>> tuning.scores.shape
    (2, 2)
    """
    tasks = plan(dataset.domain, roles=roles, forbidden=forbidden)
    trials, _ = _tried(
        dataset,
        tasks,
        auto,
        smoothing=smoothing,
        validation=validation,
        n_jobs=n_jobs,
        limits=Limits(max_leaves, min_leaf_rows),
        max_seconds=checked_seconds(max_seconds),
        progress=progress,
    )
    return trials.tuning()


def _tried(
    dataset: Dataset,
    tasks: Sequence[Task],
    auto: Auto,
    *,
    smoothing: float,
    validation: Dataset | None,
    n_jobs: int | None,
    limits: Limits,
    max_seconds: float | None,
    progress: Progress | None,
    shares: "Sequence[Share] | None" = None,
) -> "tuple[_Trials, int]":
    """The ladder climbed; and the stages that `progress` was told of, the last fit being one more."""
    smoothing = checked_smoothing(smoothing)
    if smoothing == 0:
        raise LearningError(
            'penalty="auto" scores held-out rows, which smoothing=0 may give the probability 0. Give a smoothing '
            "above 0, such as smoothing=0.5."
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
    ends = math.inf if max_seconds is None else time.monotonic() + max_seconds
    stages = len(auto.penalties) * len(parts) + 1
    shares = [Share()] * len(tasks) if shares is None else shares
    trials = _Trials([held for _, held in parts], auto, smoothing, shares)
    while not trials.over and (time.monotonic() < ends or not trials.networks):
        penalty = auto.penalties[len(trials.networks)]
        networks = []
        for number, (rows, _) in enumerate(parts):
            left = None if max_seconds is None else max(ends - time.monotonic(), 0.0)
            before = len(trials.networks) * len(parts) + number
            told = _part_of(progress, len(tasks), before, stages)
            rung = [share.penalty(penalty) for share in shares]
            networks.append(
                learn_tasks(rows, tasks, rung, n_jobs=n_jobs, limits=limits, max_seconds=left, progress=told)
            )
        trials.add(networks)
    return trials, stages


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


class _Trials:
    """The rungs tried so far: their networks, one for each part held out, and every candidate's scores."""

    def __init__(
        self, held: Sequence[Dataset], auto: Auto, smoothing: float, shares: "Sequence[Share]"
    ) -> None:
        self.networks: list[Sequence[Network]] = []
        self._held, self._auto, self._shares = held, auto, shares
        self._rows = sum(rows.total for rows in held)
        self._smoothings = [s * smoothing for s in auto.smoothings]
        self._scores: list[FloatArray] = []  # of each rung: [node, smoothing]

    def add(self, networks: Sequence[Network]) -> None:
        """The next rung, learned without each part in turn."""
        self.networks.append(networks)
        sums = np.zeros((len(networks[0]), len(self._smoothings)))
        for network, held in zip(networks, self._held, strict=True):
            for i, node in enumerate(network.nodes):
                own = [self._shares[i].smoothing * s for s in self._smoothings]
                sums[i] += _held_scores(node, held, own)
        self._scores.append(sums / self._rows)

    @property
    def over(self) -> bool:
        """Is the ladder at its end, or has it not become better for long enough?"""
        pooled = [float(scores.sum(axis=0).max()) for scores in self._scores]
        if not pooled:
            return False
        since_best = len(pooled) - 1 - int(np.argmax(pooled))
        return len(pooled) == len(self._auto.penalties) or since_best >= self._auto.patience

    def choice(self) -> Choice:
        """The pooled candidate, and for each node its own where that is surely better."""
        scores = np.stack(self._scores, axis=1)
        flat = scores.reshape(len(scores), -1)
        pooled = int(np.argmax(flat.sum(axis=0)))
        chosen = [
            own if own != pooled and self._surely_better(i, own, pooled) else pooled
            for i, own in enumerate(np.argmax(flat, axis=1).tolist())
        ]
        named = [self._named(candidate) for candidate in chosen]
        each = list(zip(self._shares, named, strict=True))
        return Choice(
            tuple(share.penalty(penalty) for share, (penalty, _) in each),
            tuple(share.smoothing * s for share, (_, s) in each),
            self._named(pooled),
            scores,
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
            choice.scores.sum(axis=0),
            tuple(leaves),
            self._rows,
            choice,
        )

    def _named(self, candidate: int) -> tuple[Penalty, float]:
        rung, s = divmod(candidate, len(self._smoothings))
        return self._auto.penalties[rung], self._smoothings[s]

    def _surely_better(self, i: int, own: int, pooled: int) -> bool:
        """Is the mean of the paired differences over held-out rows above so many of its standard errors?"""
        total = squares = 0.0
        for part, held in enumerate(self._held):
            each = []
            for candidate in (own, pooled):
                rung, s = divmod(candidate, len(self._smoothings))
                own_smoothing = self._shares[i].smoothing * self._smoothings[s]
                node = _smoothed(self.networks[rung][part].nodes[i], own_smoothing)
                each.append(node_log_theta(node, held))
            gains = each[0] - each[1]
            weights = np.ones(held.rows) if held.weights is None else held.weights
            total += float(weights @ gains)
            squares += float(weights @ gains**2)
        mean = total / self._rows
        variance = max(squares / self._rows - mean**2, 0.0)
        return mean > self._auto.standard_errors * math.sqrt(variance / self._rows)


def _held_scores(node: Node, held: Dataset, smoothings: Sequence[float]) -> list[float]:
    """The sum over held-out rows of log theta, for each smoothing, from counts alone."""
    counts = leaf_counts(node.source, node.variables, held)
    return [float(xlogy(counts, _smoothed(node, s).table.probabilities).sum()) for s in smoothings]


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
