r"""`blocks="auto"`: which variables move together (ours, beyond the paper).

Where variables are tightly coupled, updating them one by one crosses between modes only through rare states, and
their tiny conditional probabilities then decide how much weight each mode gets. A node that updates
both variables at once crosses directly. Candidates are the edges of the Chow-Liu forest (`depnet.learning.coupling`)
with at most `MAX_STATES` joint states. (Further strong pairs beside the forest's made drift worse, not better.) Each
candidate is then learned from a part of the rows beside the single variables, and accepted where

1. the held-out pseudo-likelihood of its two variables, read off its table by

   .. math:: \theta_B(x_i \mid x_{B - i}, y) = \theta_B(x_B \mid y) / \sum_{x_i} \theta_B(x_B \mid y),

   does not suffer: it may lose to the single variables' nodes at most `ALLOWED_LOSS` of what those know; and where all
   candidates together lose more, none is kept;
2. the model's 1- and 2-way marginals come nearer to those of held-out rows than without blocks, or are within twice the
   distance of rows of the data (`depnet.learning.pilot`). Where those of all blocks are not, the stronger half of them is
   tried, and so on.

Variables in no kept pair have a node of their own. A pair's parameters cost `SCALE` times what the penalty says, since it
must know of all that bears on either variable, and a source grown too short forgets some of it. docs/blocks.md has the
measurements.
"""

import math
import time
from collections.abc import Collection, Sequence

import numpy as np
from scipy.special import xlogy

from depnet.arrays import FloatArray
from depnet.data.dataset import Dataset
from depnet.learning.coupling import MAX_STATES, Candidate, candidates, entropy
from depnet.learning.deal import dealt
from depnet.learning.ladder import Share, scaled
from depnet.learning.native import Grower
from depnet.learning.options import Limits, checked_jobs, plan
from depnet.learning.parallel import grown_batches
from depnet.learning.penalty import Penalty
from depnet.learning.pilot import apart, pilot, some_rows
from depnet.model.counting import joint_states, tabulate
from depnet.model.decision_graph import DecisionGraph
from depnet.model.node import Node

SCALE = 0.25
"""What a parameter of a chosen block costs, in units of the penalty."""

ALLOWED_LOSS = 0.03
"""A pair may lose so much of what single nodes know of its variables, H(X_i) less their held-out log loss."""

TRIAL_SMOOTHING = 0.5
"""The pseudo-count of trial tables, shared over a block's cells as `block_smoothing` does."""

SOME = 8
"""So many candidates, evenly spread from strong to weak, are tried before all of many."""

HELD_OUT = 4_000
"""Rows to score on, at most; four times as many to learn from. On more rows the trials would say the same."""

FEW_ROWS = 50
"""Fewer rows than this say nothing about blocks."""


class BlockTrials:
    """Nodes learned from a part of the rows, each once, and what they are worth on rows held out."""

    def __init__(
        self, dataset: Dataset, penalty: Penalty, limits: Limits, n_jobs: int | None, before: float
    ) -> None:
        cycle = max(5, dataset.total // HELD_OUT)
        self.rows, self.held = dealt(dataset, (4, 1), of=cycle)
        self._penalties = (penalty, scaled(SCALE, penalty))
        self._limits, self._jobs, self._before = limits, n_jobs, before
        self._nodes: dict[tuple[int, ...], Node] = {}
        self._alone: dict[int, tuple[float, float]] = {}

    def nodes(self, targets: Sequence[tuple[int, ...]]) -> list[Node]:
        """The nodes that update these variables, with smoothed tables."""
        domain, missing = self.rows.domain, [block for block in targets if block not in self._nodes]
        names = [tuple(domain.names[i] for i in block) for block in missing]
        tasks = plan(domain, blocks=names)[: len(missing)]
        grower = Grower(
            self.rows,
            tasks,
            [self._penalties[len(block) > 1] for block in missing],
            self._limits,
            None if math.isinf(self._before) else max(self._before - time.monotonic(), 0.0),
        )
        for batch in grown_batches(grower, range(len(missing)), self._jobs):
            for grown in batch.nodes(tasks, domain.cardinalities, TRIAL_SMOOTHING):
                block = missing[grown.number]
                node = Node.learned(block, grown.source, grown.table)
                cards = [domain.cardinalities[i] for i in block]
                self._nodes[block] = node.smoothed(block_smoothing(TRIAL_SMOOTHING, cards))
        return [self._nodes[block] for block in targets]

    def gains(self, some: Sequence[Candidate]) -> list[tuple[float, float]]:
        """`held_out_gain` of each of these pairs."""
        singles = sorted({i for c in some for i in c.variables})
        found = self.nodes([*((i,) for i in singles), *(c.variables for c in some)])
        for i, node in zip(singles, found, strict=False):
            if i not in self._alone:
                self._alone[i] = what_it_knows(node, self.held)
        return [
            held_out_gain(block, [self._alone[i] for i in block.variables], self.held)
            for block in found[len(singles) :]
        ]

    def distance(self, pairs: Sequence[tuple[int, ...]]) -> float:
        """How far the marginals of the network with these pairs are from the held-out rows'."""
        covered = {i for pair in pairs for i in pair}
        others = [(i,) for i in range(len(self.rows.domain)) if i not in covered]
        return apart(pilot(self.nodes([*pairs, *others]), some_rows(self.rows)), self.held)

    def near(self, pairs: Sequence[tuple[int, ...]]) -> bool:
        """Do these pairs bring the marginals nearer than single variables do, or within twice what rows of the data have?"""
        floor = apart(some_rows(self.rows), self.held)
        distance = self.distance(pairs)
        return distance <= 2 * floor or distance <= self.distance([])


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
    before = math.inf if max_seconds is None else time.monotonic() + max_seconds
    barred = {dataset.domain.index(name) for name in alone}
    trials = BlockTrials(dataset, penalty, limits, checked_jobs(n_jobs), before)
    found = [c for c in candidates(trials.rows, max_states) if not barred.intersection(c.variables)]
    # Where pairs suffer as a whole there are too few rows for them, and those that seem not to are luck. Some of many
    # show it where it is clear, and half of those where it is clearer: most of a wide table's cost is spared.
    if len(found) > 3 * SOME:
        some = found[:: len(found) // SOME]
        for tried, allowed in ((some[::2], 2 * ALLOWED_LOSS), (some, 1.5 * ALLOWED_LOSS)):
            if not _suffer_little(trials.gains(tried), allowed):
                return ()
    gains = trials.gains(found)
    if not found or not _suffer_little(gains, ALLOWED_LOSS):
        return ()
    kept = [c.variables for c, gain in zip(found, gains, strict=True) if _suffer_little([gain], ALLOWED_LOSS)]
    while kept and not trials.near(kept):
        kept = kept[: len(kept) // 2]
    names = dataset.domain.names
    return tuple((names[i], names[j]) for i, j in kept)


def what_it_knows(node: Node, held: Dataset) -> tuple[float, float]:
    """The mean held-out log theta of a single variable's node, and H(X_i) less its log loss, in nats per row."""
    counts = _counts(node, held)
    score = float(xlogy(counts, node.table.probabilities).sum()) / held.total
    return score, entropy(counts.sum(axis=0)) + score


def held_out_gain(block: Node, singles: Sequence[tuple[float, float]], held: Dataset) -> tuple[float, float]:
    """(gain, known): the held-out log theta of the block's variables over their single nodes', and
    what those nodes know, both summed over the block and in nats per row. `singles` is `what_it_knows` of each.
    """
    gain = float(read_off(block, held).sum()) - sum(score for score, _ in singles)
    return gain, max(sum(known for _, known in singles), 0.0)


def read_off(block: Node, held: Dataset) -> FloatArray:
    """For each variable of a block, the mean held-out log theta_B(x_i | the rest of the block, y)."""
    cards = [held.domain.cardinalities[i] for i in block.variables]
    counts = _counts(block, held).reshape(-1, *cards)
    theta = block.table.probabilities.reshape(-1, *cards)
    scores = []
    for axis in range(1, len(cards) + 1):
        totals = theta.sum(axis=axis, keepdims=True)
        conditional = np.divide(theta, totals, out=np.zeros_like(theta), where=totals > 0)
        scores.append(float(xlogy(counts, conditional).sum()) / held.total)
    return np.array(scores)


def _counts(node: Node, held: Dataset) -> np.ndarray:
    source = node.source
    leaves = source.leaves(held) if isinstance(source, DecisionGraph) else source(held.codes)
    return tabulate(leaves, joint_states(held, node.variables), source.size, node.table.states, held)


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
