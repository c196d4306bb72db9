"""Growing all nodes in rounds, from counts: for rows that lie in many parts, wherever those are.

A round asks every part, for all live nodes at once, for the counts of the leaves that are new and may be split again;
the counts of the parts are added up, and each node is grown as far as they allow. What travels are operations and
counts, never rows. A part is told only the operations since the last round and keeps the rows of each leaf; one that
has lost them (its machine is gone, say) answers that it is stale, and is told all operations anew.

Counts are whole numbers and their sums do not depend on how rows are parted; every float is computed from the sums by
the same native functions as in `depnet.learn`. So the network is the same, bit for bit.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self

import numpy as np

from depnet._native import learner as native
from depnet.arrays import IntArray
from depnet.learning.grow.native import Grown
from depnet.learning.grow.part_rows import Errand
from depnet.learning.options import Limits, Task
from depnet.learning.penalty import Penalty, StructuralMdl, penalty_value, per_parameter
from depnet.learning.rows.paired_counts import Crossed, Crossing
from depnet.model import InformationSource


class Parts(Protocol):
    """The rows, in parts. Answers are sums over all parts."""

    def roots(self, nodes: Sequence[int]) -> list[IntArray]:
        """For each of the nodes, how many rows have each state of its target."""

    def count(self, errands: Sequence[Errand], again: Callable[[], list[Errand]]) -> IntArray:
        """The counts of the leaves wanted, one errand after the other.

        `again()` are the same errands with all operations from the start, for parts that are stale.
        """

    def tabulate(self, nodes: Sequence[int], sources: Sequence[InformationSource]) -> list[IntArray]:
        """For each of the nodes [leaf, state]: how many rows have each state of its target at each leaf of its source."""

    def crossed(self, asked: Sequence[Crossing]) -> list[Crossed]:
        """How many rows are at each pair of leaves of two sources, by state."""

    def pairs(self, first: int, last: int) -> IntArray:
        """The cells of the 2-way tables of `first` .. `last` - 1 with later variables, as `TablePairs` has them."""

    def planned(self, tasks: Sequence[Task]) -> Self:
        """The same rows, for other tasks of the same variables."""

    def held_out(self, total: int) -> list[tuple[Self, Self, int]]:
        """Parts of the N = `total` rows: those to learn from, those to score on, and how many the latter are."""

    def digests(self) -> list[bytes]:
        """What tells the parts' rows from others."""


@dataclass(frozen=True, slots=True)
class Round:
    """A report: how far growing has come, and what this round moved."""

    number: int
    live: int
    done: int
    nodes: int
    leaves: int
    """Leaves counted."""
    told: int
    """Bytes of operations, to each part."""
    counted: int
    """Bytes of counts, from each part."""
    seconds: float


@dataclass(eq=False)
class _Live:
    """A node that grows, and all that it told the parts."""

    grower: native.CountedNode
    log: list[Errand] = field(default_factory=list)
    told: int = 0

    def advance(self, number: int, counts: IntArray | None) -> bool:
        """True when it is done; else the last errand of the log says what is wanted."""
        kinds, first, second, wanted, done = self.grower.advance(counts)
        self.log.append(Errand(number, self.told, kinds, first, second, wanted))
        self.told += len(kinds)
        return done

    def again(self) -> Errand:
        """The last errand, with all operations."""
        last = self.log[-1]
        return Errand(
            last.node,
            0,
            np.concatenate([errand.kinds for errand in self.log]),
            np.concatenate([errand.first for errand in self.log]),
            np.concatenate([errand.second for errand in self.log]),
            last.wanted,
        )


def grow_in_rounds(
    parts: Parts,
    cardinalities: Sequence[int],
    tasks: Sequence[Task],
    penalties: Sequence[Penalty],
    numbers: Sequence[int],
    *,
    total: int,
    limits: Limits = Limits(),  # noqa: B008  # a frozen value
    live: int = 64,
    max_seconds: float | None = None,
    report: Callable[[Round], object] | None = None,
) -> Iterator[tuple[int, Grown]]:
    """The nodes `numbers` of `tasks`, each as soon as it is grown; at most `live` of them grow at once.

    `total` is N, the rows of all parts. After `max_seconds` nodes end as they are, and are marked so.
    """
    waiting = list(reversed(numbers))
    growing: dict[int, _Live] = {}
    began, rounds, finished = time.monotonic(), 0, 0
    counts = np.zeros(0, dtype=np.int64)
    while waiting or growing:
        over = max_seconds is not None and time.monotonic() - began >= max_seconds
        started = time.monotonic()
        done: list[int] = []
        at = 0
        for number, node in growing.items():
            width = len(node.log[-1].wanted) * node.grower.width
            if over or node.advance(number, counts[at : at + width]):
                done.append(number)
            at += width
        for number in done:
            finished += 1
            yield number, _grown(growing.pop(number).grower, cardinalities, tasks[number], not over)
        while waiting and len(growing) < live:
            some = [waiting.pop() for _ in range(min(len(waiting), live - len(growing)))]
            for number, root in zip(some, parts.roots(some), strict=True):
                node = _Live(
                    _counted_node(cardinalities, tasks[number], penalties[number], limits, root, total)
                )
                if node.advance(number, None) or over:
                    finished += 1
                    yield number, _grown(node.grower, cardinalities, tasks[number], not over)
                else:
                    growing[number] = node
        if not growing:
            continue
        rounds += 1
        errands = [node.log[-1] for node in growing.values()]
        counts = parts.count(errands, lambda: [node.again() for node in growing.values()])
        if report is not None:
            report(
                Round(
                    rounds,
                    len(growing),
                    finished,
                    len(numbers),
                    sum(len(errand.wanted) for errand in errands),
                    sum(errand.bytes for errand in errands),
                    counts.size * wire_type(total).itemsize,
                    time.monotonic() - started,
                )
            )


def wire_type(total: int) -> "np.dtype[np.uint32] | np.dtype[np.int64]":
    """The narrowest type that holds every count of `total` rows, for their way over a network."""
    return np.dtype(np.uint32) if total < 2**32 else np.dtype(np.int64)


def _counted_node(
    cardinalities: Sequence[int], task: Task, penalty: Penalty, limits: Limits, root: IntArray, total: int
) -> native.CountedNode:
    linear = per_parameter(penalty, total)
    return native.CountedNode(
        list(cardinalities),
        root,
        targets=(task.target,),
        inputs=task.inputs,
        per_parameter=0.0 if linear is None else linear,
        penalty=None if linear is not None else lambda k: penalty_value(penalty, k, total),
        name_factors=(penalty.split_factor, penalty.merge_factor)
        if isinstance(penalty, StructuralMdl)
        else None,
        max_leaves=limits.max_leaves,
        min_leaf_rows=limits.min_leaf_rows,
    )


def _grown(node: native.CountedNode, cardinalities: Sequence[int], task: Task, complete: bool) -> Grown:
    kinds, first, second, counts = node.result()
    return Grown(kinds, first, second, counts.reshape(-1, cardinalities[task.target]), complete)
