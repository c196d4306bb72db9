r"""`blocks="auto"`: which variables move together (ours, beyond the paper).

Where variables are tightly coupled, updating them one by one crosses between modes only through rare states, and
their tiny conditional probabilities then decide how much weight each mode gets. A node that updates
both variables at once crosses directly. Candidates are the edges of the Chow-Liu forest, the tree of most mutual
information

.. math:: I(X_i; X_j) = H(X_i) + H(X_j) - H(X_i, X_j),

an edge only where it is worth its parameters, N I > (|X_i| - 1)(|X_j| - 1) log(N) / 2, and has at most `MAX_STATES`
joint states. (Further strong pairs beside the forest's made drift worse, not better.) Each candidate is then learned
from a part of the rows beside the single variables, and kept where the held-out pseudo-likelihood of its two
variables, read off its table by

.. math:: \theta_B(x_i \mid x_{B - i}, y) = \theta_B(x_B \mid y) / \sum_{x_i} \theta_B(x_B \mid y),

does not suffer: it may lose to the single variables' nodes at most `ALLOWED_LOSS` of what those know; and where all
candidates together lose more, none is kept. Variables in no kept pair have a node of their own. A pair's parameters
cost `SCALE` times what the penalty says, since it must know of all that bears on either variable, and a source
grown too short forgets some of it. docs/blocks.md has the measurements.
"""

import math
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from depnet.arrays import FloatArray
from depnet.data.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.auto import learn_auto
from depnet.learning.held_out import held_out
from depnet.learning.ladder import Auto, Share, scaled
from depnet.learning.learn import Progress, learn_tasks
from depnet.learning.options import Limits, Role, Task, checked_seconds, plan
from depnet.learning.penalty import Mdl, Penalty, PenaltyLike, checked_penalty
from depnet.model.counting import leaf_counts
from depnet.model.marginals import PairTables, pair_cells
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.table import ConditionalTable, checked_smoothing

MAX_STATES = 64
"""A block has at most so many joint states."""

SCALE = 0.25
"""What a parameter of a chosen block costs, in units of the penalty."""

ALLOWED_LOSS = 0.03
"""A pair may lose so much of what single nodes know of its variables, H(X_i) less their held-out log loss."""

TRIAL_SMOOTHING = 0.5
"""The pseudo-count of trial tables, shared over a block's cells as `block_smoothing` does."""


PILOT = 12
"""So many candidates, evenly spread from strong to weak, are tried before all of many."""

MANY_ROWS = 25_000
"""From so many rows on, a fifth of them is enough to choose by, and cheaper."""

BAND_CELLS = 1 << 22
"""So many cells of 2-way tables are held at once."""

FEW_ROWS = 50
"""Fewer rows than this say nothing about blocks."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair of variables that may become a block."""

    variables: tuple[int, int]
    information: float
    """I(X_i; X_j), nats."""
    coupling: float
    """I(X_i; X_j) over the smaller entropy: 1 where one variable is a function of the other."""


def choose_blocks(
    dataset: Dataset,
    penalty: Penalty,
    *,
    alone: Collection[str] = (),
    max_states: int = MAX_STATES,
    limits: Limits = Limits(),  # noqa: B008  # a frozen value
    n_jobs: int | None = 1,
    max_seconds: float | None = None,
) -> tuple[tuple[str, str], ...]:
    """The pairs of names that are worth a node of their own: see the module.

    Variables in `alone` are left out. The rows' order does not matter. With `max_seconds` the trials are cut short;
    what is then chosen depends on the machine.
    """
    if dataset.total < FEW_ROWS or len(dataset.domain) < 2:
        return ()
    names = dataset.domain.names
    barred = {dataset.domain.index(name) for name in alone}
    if dataset.total >= MANY_ROWS:
        _, dataset = next(held_out(dataset))
    found = [c for c in candidates(dataset, max_states) if not barred.intersection(c.variables)]
    if not found:
        return ()
    rows, held = next(held_out(dataset))

    def tried(some: Sequence[Candidate]) -> list[tuple[float, float]]:
        singles = sorted({i for c in some for i in c.variables})
        targets = [*((i,) for i in singles), *(c.variables for c in some)]
        whole = plan(dataset.domain, blocks=[tuple(names[i] for i in block) for block in targets])
        # The variables of no candidate need a node, but nobody asks what it knows.
        tasks = [
            *whole[: len(targets)],
            *(Task(task.targets, (), frozenset()) for task in whole[len(targets) :]),
        ]
        penalties = [block_penalty(penalty, task.targets) for task in tasks]
        network = learn_tasks(rows, tasks, penalties, n_jobs=n_jobs, limits=limits, max_seconds=max_seconds)
        trial = network.nodes[: len(targets)]
        single = dict(zip(singles, trial[: len(singles)], strict=True))
        return [
            held_out_gain(block, [single[i] for i in c.variables], held)
            for c, block in zip(some, trial[len(singles) :], strict=True)
        ]

    # Where pairs suffer as a whole there are too few rows for them, and those that seem not to are luck.
    if len(found) > 3 * PILOT and not _suffer_little(
        tried(found[:: len(found) // PILOT]), 1.5 * ALLOWED_LOSS
    ):
        return ()  # so clearly that some of them show it: most of a wide table's cost is spared
    gains = tried(found)
    if not _suffer_little(gains, ALLOWED_LOSS):
        return ()
    return tuple(
        (names[c.variables[0]], names[c.variables[1]])
        for c, gain in zip(found, gains, strict=True)
        if _suffer_little([gain], ALLOWED_LOSS)
    )


def candidates(dataset: Dataset, max_states: int = MAX_STATES) -> tuple[Candidate, ...]:
    """The Chow-Liu forest's edges that pay for themselves and are small enough, the strongest first."""
    if isinstance(max_states, bool) or not isinstance(max_states, int) or max_states < 4:
        raise LearningError(
            f"max_states is a whole number of at least 4, two variables of two states; got {max_states!r}."
        )
    rows, cards = dataset.total, np.array(dataset.domain.cardinalities)
    if rows == 0 or len(cards) < 2:
        return ()
    entropies, information = mutual_information(dataset)
    first, second = np.triu_indices(len(cards), 1)
    parameters = (cards[first] - 1) * (cards[second] - 1)
    worth = np.flatnonzero((parameters > 0) & (rows * information > parameters * math.log(rows) / 2))
    # Equal information is broken by the variables' numbers, so that the forest is one.
    order = worth[np.argsort(-information[worth], kind="stable")]
    edges = _forest(
        zip(first[order].tolist(), second[order].tolist(), order.tolist(), strict=True), len(cards)
    )
    found = []
    for i, j, number in edges:
        if cards[i] * cards[j] <= max_states:
            coupling = float(information[number] / min(entropies[i], entropies[j]))
            found.append(Candidate((i, j), float(information[number]), min(coupling, 1.0)))
    return tuple(found)


def mutual_information(dataset: Dataset) -> tuple[FloatArray, FloatArray]:
    """H(X_i) of each variable and I(X_i; X_j) of each pair (0, 1), (0, 2), ..., (1, 2), ..., in nats."""
    cards, rows = dataset.domain.cardinalities, dataset.total
    entropies, joint = np.zeros(len(cards)), []
    first = 0
    while first < len(cards) - 1:
        last = first + 1
        while last < len(cards) - 1 and pair_cells(cards, first, last + 1) <= BAND_CELLS:
            last += 1
        tables = PairTables.of(dataset, first, last)
        joint.append(math.log(rows) - tables.sums(xlogy(tables.cells, tables.cells)) / rows)
        if first == 0:
            entropies[0] = _entropy(tables[0, 1].sum(axis=1))
            entropies[1:] = [_entropy(tables[0, j].sum(axis=0)) for j in range(1, len(cards))]
        first = last
    i, j = np.triu_indices(len(cards), 1)
    return entropies, np.maximum(entropies[i] + entropies[j] - np.concatenate(joint), 0.0)


def held_out_gain(block: Node, singles: Sequence[Node], held: Dataset) -> tuple[float, float]:
    """(gain, known): the held-out log theta of the block's variables over their single nodes', and
    what those nodes know, H(X_i) less their log loss, both summed over the block and in nats per row.
    """
    gain = known = 0.0
    for node, score in zip(singles, read_off(_smoothed(block, held.domain.cardinalities), held), strict=True):
        counts = leaf_counts(node.source, node.variables, held)
        alone = (
            float(xlogy(counts, _smoothed(node, held.domain.cardinalities).table.probabilities).sum())
            / held.total
        )
        gain += score - alone
        known += _entropy(counts.sum(axis=0)) + alone
    return gain, max(known, 0.0)


def read_off(block: Node, held: Dataset) -> FloatArray:
    """For each variable of a block, the mean held-out log theta_B(x_i | the rest of the block, y)."""
    cards = [held.domain.cardinalities[i] for i in block.variables]
    counts = leaf_counts(block.source, block.variables, held).reshape(-1, *cards)
    theta = block.table.probabilities.reshape(-1, *cards)
    scores = []
    for axis in range(1, len(cards) + 1):
        totals = theta.sum(axis=axis, keepdims=True)
        conditional = np.divide(theta, totals, out=np.zeros_like(theta), where=totals > 0)
        scores.append(float(xlogy(counts, conditional).sum()) / held.total)
    return np.array(scores)


def _suffer_little(gains: Sequence[tuple[float, float]], allowed: float) -> bool:
    return sum(gain for gain, _ in gains) >= -allowed * sum(known for _, known in gains)


def block_smoothing(smoothing: float, cardinalities: Sequence[int]) -> float:
    """The pseudo-count of a block's cell: its leaf gets the total that a leaf of a single variable gets.

    Half a row in each of 64 cells would be 32 rows in every leaf, and carry the law away.

    >>> block_smoothing(0.5, [2]), block_smoothing(0.5, [4, 4])
    (0.5, 0.125)
    """
    return smoothing * (sum(cardinalities) / len(cardinalities)) / math.prod(cardinalities)


def share_of(cardinalities: Sequence[int]) -> Share:
    """What a block, or a variable, has of the penalties and smoothings that penalty="auto" tries."""
    return Share(1.0 if len(cardinalities) == 1 else SCALE, block_smoothing(1.0, cardinalities))


def block_penalty(penalty: Penalty, variables: Sequence[int]) -> Penalty:
    """The penalty of a chosen node: `SCALE` times the given one for a block, the given one for a variable."""
    return penalty if len(variables) == 1 else scaled(SCALE, penalty)


def _smoothed(node: Node, cardinalities: Sequence[int]) -> Node:
    return _with_smoothing(node, block_smoothing(TRIAL_SMOOTHING, [cardinalities[i] for i in node.variables]))


def _entropy(counts: np.ndarray) -> float:
    rows = counts.sum()
    return float(math.log(rows) - xlogy(counts, counts).sum() / rows) if rows else 0.0


def _forest(found: Iterable[tuple[int, int, int]], variables: int) -> list[tuple[int, int, int]]:
    """Kruskal's algorithm: the edges (i, j, number), given heaviest first, that close no circle."""
    group = list(range(variables))

    def root(i: int) -> int:
        while group[i] != i:
            group[i] = group[group[i]]
            i = group[i]
        return i

    edges = []
    for edge in found:
        i, j = root(edge[0]), root(edge[1])
        if i != j:
            group[i] = j
            edges.append(edge)
            if len(edges) == variables - 1:
                break
    return edges


def learn_with_chosen_blocks(
    dataset: Dataset,
    *,
    penalty: "PenaltyLike | Auto",
    smoothing: float,
    n_jobs: int | None,
    limits: Limits,
    roles: Mapping[str, Role] | None,
    forbidden: Iterable[tuple[str, str]],
    max_seconds: float | None,
    progress: Progress | None,
    resume: str | os.PathLike[str] | None,
    validation: Dataset | None,
) -> Network:
    """`learn(blocks="auto")`. Of `max_seconds`, the choice of blocks may take a third.

    With penalty="auto" blocks are chosen by the paper's penalty; on the ladder a block pays `SCALE` of a rung's
    penalty, and its cells share a rung's smoothing.
    """
    forbidden = tuple(forbidden)
    plan(dataset.domain, roles=roles, forbidden=forbidden)  # what is wrong is said before any work
    smoothing = checked_smoothing(smoothing)
    max_seconds = checked_seconds(max_seconds)
    by_held_out = isinstance(penalty, Auto) or penalty == "auto"
    rule = Mdl() if isinstance(penalty, Auto) or penalty == "auto" else checked_penalty(penalty)
    chosen = choose_blocks(
        dataset,
        rule,
        alone=[name for name, role in (roles or {}).items() if role == "input"],
        limits=limits,
        n_jobs=n_jobs,
        max_seconds=None if max_seconds is None else max_seconds / 3,
    )
    left = None if max_seconds is None else max_seconds * 2 / 3
    tasks = plan(dataset.domain, blocks=chosen, roles=roles, forbidden=forbidden)
    cards = dataset.domain.cardinalities
    if by_held_out:
        network, _ = learn_auto(
            dataset,
            tasks,
            penalty if isinstance(penalty, Auto) else Auto(),
            smoothing=smoothing,
            validation=validation,
            n_jobs=n_jobs,
            limits=limits,
            max_seconds=left,
            progress=progress,
            resume=resume,
            shares=[share_of([cards[i] for i in task.targets]) for task in tasks],
        )
        return network
    if validation is not None:
        raise LearningError('validation= is for penalty="auto"; no other penalty looks at held-out rows.')
    network = learn_tasks(
        dataset,
        tasks,
        [block_penalty(rule, task.targets) for task in tasks],
        smoothing=smoothing,
        n_jobs=n_jobs,
        limits=limits,
        max_seconds=left,
        progress=progress,
        resume=resume,
    )
    nodes = tuple(
        _with_smoothing(node, block_smoothing(smoothing, [cards[i] for i in node.variables]))
        for node in network.nodes
    )
    return Network(dataset.domain, nodes)


def _with_smoothing(node: Node, smoothing: float) -> Node:
    assert node.table.counts is not None, "learned"
    return Node(node.variables, node.source, ConditionalTable.from_counts(node.table.counts, smoothing))
