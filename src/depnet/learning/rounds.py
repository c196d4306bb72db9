"""Growing all nodes in rounds, from counts: for rows that lie in many parts, wherever those are.

A round asks every part, for all live nodes at once, for the counts of the leaves that are new and may be split again;
the counts of the parts are added up, and each node is grown as far as they allow. What travels are operations and
counts, never rows. A part is told only the operations since the last round and keeps the rows of each leaf; one that
has lost them (its machine is gone, say) answers that it is stale, and is told all operations anew.

Counts are whole numbers and their sums do not depend on how rows are parted; every float is computed from the sums by
the same native functions as in `depnet.learn`. So the network is the same, bit for bit.
"""

import hashlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from depnet._native import learner as native
from depnet.arrays import CodeArray, IntArray
from depnet.learning.native import Grown
from depnet.learning.options import Limits, Task
from depnet.learning.penalty import Penalty, StructuralMdl, penalty_value, per_parameter
from depnet.model import InformationSource


class Errand(NamedTuple):
    """What a round asks of every part for one node: apply the operations, then count the leaves `wanted`.

    `since` operations were told before these. Leaves are called by their ids (see `native.CountedNode`).
    """

    node: int
    since: int
    kinds: NDArray[np.uint8]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    wanted: NDArray[np.int64]

    @property
    def bytes(self) -> int:
        """What it weighs on its way."""
        return sum(array.nbytes for array in (self.kinds, self.first, self.second, self.wanted))


class Parts(Protocol):
    """The rows, in parts. Answers are sums over all parts."""

    def roots(self, nodes: Sequence[int]) -> list[IntArray]:
        """For each of the nodes, how many rows have each state of its target."""

    def count(self, errands: Sequence[Errand], again: Callable[[], list[Errand]]) -> IntArray:
        """The counts of the leaves wanted, one errand after the other.

        `again()` are the same errands with all operations from the start, for parts that are stale.
        """

    def tabulate(self, node: int, source: InformationSource) -> IntArray:
        """[leaf, state]: how many rows have each state of the node's target at each leaf of `source`."""

    def digests(self) -> list[bytes]:
        """What tells the parts' rows from others."""


class PartRows:
    """One part: its codes, and the rows of the leaves of all live nodes in it."""

    def __init__(
        self,
        codes: CodeArray,
        cardinalities: Sequence[int],
        tasks: Sequence[Task],
        weights: IntArray | None = None,
        in_bits: bool = True,
    ) -> None:
        self._in_bits = in_bits
        self._codes, self._weights = codes, weights
        self._cardinalities = tuple(cardinalities)
        self._tasks = tasks
        self._table: native.Table | None = None
        self._rows: dict[int, native.NodeRows] = {}
        self._told: dict[int, int] = {}

    def roots(self, nodes: Sequence[int]) -> list[IntArray]:
        """For each of the nodes, how many rows have each state of its target."""
        # Weights as float64 are exact: their sum is below 2^53.
        return [
            np.bincount(self._state(node), self._weights, minlength=self.states(node)).astype(np.int64)
            for node in nodes
        ]

    def count(self, errands: Sequence[Errand]) -> IntArray | None:
        """The counts of the leaves wanted, one errand after the other; None if this part is stale.

        Errands that were carried out before are only counted again.
        """
        for node in self._rows.keys() - {errand.node for errand in errands}:  # these nodes are done
            del self._rows[node], self._told[node]
        if len(self._codes) == 0:  # nothing to tell, and nothing to count
            return np.zeros(
                sum(len(errand.wanted) * self._width(errand.node) for errand in errands), dtype=np.int64
            )
        if self._table is None:
            self._table = native.Table(self._codes, self._cardinalities, self._weights, self._in_bits)
        counted = []
        for errand in errands:
            if not self._apply(errand):
                return None
            width = self.states(errand.node) * sum(
                self._cardinalities[j] for j in self._tasks[errand.node].inputs
            )
            counts = np.zeros(len(errand.wanted) * width, dtype=np.int64)
            self._rows[errand.node].add_counts(errand.wanted, counts)
            counted.append(counts)
        return np.concatenate(counted) if counted else np.zeros(0, dtype=np.int64)

    def _apply(self, errand: Errand) -> bool:
        told = self._told.get(errand.node, -1)
        if told == errand.since + len(errand.kinds):
            return True
        if errand.since == 0 and told != 0:
            assert self._table is not None
            task = self._tasks[errand.node]
            self._rows[errand.node] = native.NodeRows(self._table, targets=task.targets, inputs=task.inputs)
        elif told != errand.since:
            return False
        self._rows[errand.node].apply(errand.kinds, errand.first, errand.second)
        self._told[errand.node] = errand.since + len(errand.kinds)
        return True

    def tabulate(self, node: int, source: InformationSource) -> IntArray:
        """[leaf, state]: how many rows have each state of the node's target at each leaf of `source`."""
        cells = source(self._codes).astype(np.int64) * self.states(node) + self._state(node)
        counts = np.bincount(cells, self._weights, minlength=source.size * self.states(node))
        return counts.astype(np.int64).reshape(source.size, -1)

    def digest(self) -> bytes:
        """What tells these rows from others."""
        found = hashlib.sha256(repr(self._codes.shape).encode())
        for i in range(self._codes.shape[1]):
            found.update(np.ascontiguousarray(self._codes[:, i]).data)
        if self._weights is not None:
            found.update(self._weights.data)
        return found.digest()

    def _state(self, node: int) -> IntArray:
        targets = self._tasks[node].targets
        cards = [self._cardinalities[i] for i in targets]
        state: IntArray = np.ravel_multi_index(
            tuple(self._codes[:, i].astype(np.int64) for i in targets), cards
        )
        return state

    def states(self, node: int) -> int:
        """The joint states of a node's target."""
        return math.prod(self._cardinalities[i] for i in self._tasks[node].targets)

    def _width(self, node: int) -> int:
        return self.states(node) * sum(self._cardinalities[j] for j in self._tasks[node].inputs)

    @property
    def nbytes(self) -> int:
        """What it holds, about: the codes, and a number of 4 bytes a row for each live node."""
        return int(self._codes.nbytes) + 4 * len(self._codes) * len(self._rows)

    def __getstate__(self) -> dict[str, Any]:
        """The rows, without what is known of leaves: that is native, and told again."""
        return {**self.__dict__, "_table": None, "_rows": {}, "_told": {}}


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


@dataclass(frozen=True, eq=False)
class LocalParts:
    """Parts in this process."""

    parts: Sequence[PartRows]

    def roots(self, nodes: Sequence[int]) -> list[IntArray]:
        """For each of the nodes, how many rows have each state of its target."""
        each = [part.roots(nodes) for part in self.parts]
        return [np.sum(counts, axis=0) for counts in zip(*each, strict=True)]

    def count(self, errands: Sequence[Errand], again: Callable[[], list[Errand]]) -> IntArray:
        """The counts of the leaves wanted, one errand after the other."""
        total: IntArray | None = None
        for part in self.parts:
            counts = part.count(errands)
            if counts is None:
                counts = part.count(again())
                assert counts is not None, "all operations were told"
            total = counts if total is None else total + counts
        assert total is not None, "there is at least one part"
        return total

    def tabulate(self, node: int, source: InformationSource) -> IntArray:
        """[leaf, state]: how many rows have each state of the node's target at each leaf of `source`."""
        counts: IntArray = np.sum([part.tabulate(node, source) for part in self.parts], axis=0)
        return counts

    def digests(self) -> list[bytes]:
        """What tells the parts' rows from others."""
        return [part.digest() for part in self.parts]


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
        targets=task.targets,
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
    states = math.prod(cardinalities[i] for i in task.targets)
    return Grown(kinds, first, second, counts.reshape(-1, states), complete)
