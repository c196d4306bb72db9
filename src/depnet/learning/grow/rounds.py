"""Growing all nodes in rounds, from counts: for rows that lie in many parts, wherever those are.

A round asks every part, for all live nodes at once, for the counts of the leaves that are new and may be split again;
the counts of the parts are added up, and each node is grown as far as they allow. What travels are operations and
counts, never rows. A part is told only the operations since the last round and keeps the rows of each leaf; one that
has lost them (its machine is gone, say) answers that it is stale, and is told all operations anew.

Counts are whole numbers and their sums do not depend on how rows are parted; every float is computed from the sums by
the same native functions as in `depnet.learn`. So the network is the same, bit for bit.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from depnet._native import learner as native
from depnet.arrays import IntArray
from depnet.learning.grow.native import GrownNode, native_settings
from depnet.learning.penalty import Penalty, per_parameter
from depnet.learning.rows.part import CountRequest
from depnet.model import ConditionalTable, DecisionGraph

if TYPE_CHECKING:
    from depnet.learning.rows.learning_rows import GrowRequest
    from depnet.learning.rows.parts import PartedRows


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


class Reports:
    """Tells of the rounds of several fits, one after the other, numbered through."""

    def __init__(self, report: Callable[[Round], object] | None = None) -> None:
        self._report = report
        self._before = self._number = 0

    def begin(self) -> None:
        """The rounds that follow are those of another fit."""
        self._before = self._number

    def __call__(self, done: Round) -> None:
        """A round more of this fit."""
        self._number = self._before + done.number
        if self._report is not None:
            self._report(replace(done, number=self._number))


@dataclass(eq=False)
class _Live:
    """A node that grows, and all that it told the parts."""

    grower: native.CountedNode
    log: list[CountRequest] = field(default_factory=list)
    told: int = 0

    def advance(self, number: int, counts: IntArray | None) -> bool:
        """True when it is done; else the last request of the log says what is wanted."""
        kinds, first, second, wanted, done = self.grower.advance(counts)
        self.log.append(CountRequest(number, self.told, kinds, first, second, wanted))
        self.told += len(kinds)
        return done

    def again(self) -> CountRequest:
        """The last request, with all operations."""
        last = self.log[-1]
        return CountRequest(
            last.node,
            0,
            np.concatenate([request.kinds for request in self.log]),
            np.concatenate([request.first for request in self.log]),
            np.concatenate([request.second for request in self.log]),
            last.wanted,
        )


def grow_in_rounds(rows: "PartedRows", request: "GrowRequest") -> Iterator[GrownNode]:
    """The nodes that are asked for, each as soon as it is grown; at most `rows.live` of them grow at once.

    After `max_seconds` nodes end as they are, and are marked so.
    """
    waiting = list(reversed(request.numbers))
    growing: dict[int, _Live] = {}
    began, rounds, finished = time.monotonic(), 0, 0
    counts = np.zeros(0, dtype=np.int64)
    while waiting or growing:
        started = time.monotonic()
        over = request.max_seconds is not None and started - began >= request.max_seconds
        done = _advanced(growing, counts, over)
        while waiting and len(growing) < rows.live:
            some = [waiting.pop() for _ in range(min(len(waiting), rows.live - len(growing)))]
            for number, root in zip(some, rows.roots(some), strict=True):
                node = _Live(_counted_node(rows, number, request.penalties[number], root))
                (done if node.advance(number, None) or over else growing)[number] = node
        for number, node in done.items():
            finished += 1
            yield _grown(rows, number, node.grower, request.smoothing, not over)
        if not growing:
            continue
        rounds += 1
        requests = [node.log[-1] for node in growing.values()]
        counts = rows.count(requests, lambda: [node.again() for node in growing.values()])
        rows.reports(
            Round(
                rounds,
                len(growing),
                finished,
                len(request.numbers),
                sum(len(asked.wanted) for asked in requests),
                sum(asked.bytes for asked in requests),
                counts.size * rows.wire_type.itemsize,
                time.monotonic() - started,
            )
        )


def _advanced(growing: dict[int, _Live], counts: IntArray, over: bool) -> dict[int, _Live]:
    """Tell the growing nodes their counts; those that are done, or all if the time is over, grow no more."""
    done: dict[int, _Live] = {}
    at = 0
    for number, node in growing.items():
        width = len(node.log[-1].wanted) * node.grower.width
        if over or node.advance(number, counts[at : at + width]):
            done[number] = node
        at += width
    for number in done:
        del growing[number]
    return done


def _grown(
    rows: "PartedRows", number: int, node: native.CountedNode, smoothing: float, complete: bool
) -> GrownNode:
    cards = rows.grown_domain.cardinalities
    kinds, first, second, flat = node.result()
    counts = flat.reshape(-1, cards[rows.specs[number].target])
    source = DecisionGraph.recorded(kinds, first, second, cards, len(counts))
    return GrownNode(number, source, ConditionalTable.learned(counts, smoothing), complete)


def _counted_node(rows: "PartedRows", number: int, penalty: Penalty, root: IntArray) -> native.CountedNode:
    spec, limits, total = rows.grown_specs[number], rows.limits, rows.total
    settings = native_settings(penalty, per_parameter(penalty, total), limits, total)
    cards = rows.grown_domain.cardinalities
    return native.CountedNode(settings, cards, root, target=spec.target, inputs=spec.inputs)
