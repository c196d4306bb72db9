"""Parts of the rows on the workers of a Dask cluster.

A part is the result of a task that loads and encodes it, and stays where it was made. Rounds are tasks that go to
their part; their answers are added up in a tree of tasks. Dask makes a part that was lost with its worker again, by
the same task; it then knows nothing of the leaves, says so, and is told all operations anew.
"""

import threading
from collections.abc import Callable, Sequence
from operator import getitem
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import IntArray
from depnet.learning.grow.part_rows import Errand, PartRows
from depnet.learning.grow.rounds import wire_type
from depnet.learning.options import Task
from depnet.learning.rows.distinct import Distinct
from depnet.learning.rows.held_out_parts import deal_parts
from depnet.learning.rows.paired_counts import Crossed, Crossing, added
from depnet.model import InformationSource

Client: TypeAlias = Any
"""A `distributed.Client`; so that nothing here needs Dask to be imported, or typed."""
Future: TypeAlias = Any

FAN_IN = 8
"""So many answers are added by one task."""

INLINE_BYTES = 1 << 20
"""Heavier errands are put on a worker once, and fetched by the others from there."""


class WorkerPart:
    """A part where it lives. Sent elsewhere, only its rows go along: the leaves are found anew."""

    def __init__(self, number: int, rows: PartRows) -> None:
        self.number = number
        self.rows = rows
        self._lock = threading.Lock()

    def count(self, errands: Sequence[Errand]) -> IntArray | None:
        """`PartRows.count`, one at a time."""
        with self._lock:
            return self.rows.count(errands)

    def distinct(self, seed: int) -> Distinct:
        """`PartRows.distinct`."""
        return self.rows.distinct(seed)

    def dealt(self, distinct: Distinct, held: IntArray) -> "tuple[WorkerPart, WorkerPart]":
        """`PartRows.dealt`, as parts with the same number."""
        learned, scored = self.rows.dealt(distinct, held)
        return WorkerPart(self.number, learned), WorkerPart(self.number, scored)

    def __getstate__(self) -> tuple[int, PartRows]:
        return self.number, self.rows

    def __setstate__(self, state: tuple[int, PartRows]) -> None:
        self.__init__(*state)  # type: ignore[misc]  # with a lock of its own

    def __sizeof__(self) -> int:
        """What Dask believes that moving it costs."""
        return self.rows.nbytes


class Answer(NamedTuple):
    """Counts of some parts together, and those that were stale."""

    counts: NDArray[Any]
    stale: tuple[int, ...]


class DaskParts:
    """The rows of all parts: `parts` are futures of `WorkerPart`, their places being their numbers.

    `states` are the states of each node's target, `total` is at least the rows of all parts.
    """

    def __init__(self, client: Client, parts: Sequence[Future], states: Sequence[int], total: int) -> None:
        self._client = client
        self._parts = tuple(parts)
        self._states = tuple(states)
        self._total = total
        self._type = wire_type(total)
        self.again = 0
        """How often a part was told everything anew."""

    def roots(self, nodes: Sequence[int]) -> list[IntArray]:
        """For each of the nodes, how many rows have each state of its target."""
        each = self._call(_roots, self._parts, [tuple(nodes)] * len(self._parts))
        sizes = [self._states[node] for node in nodes]
        return np.split(self._sum(each).counts.astype(np.int64), np.cumsum(sizes)[:-1])

    def count(self, errands: Sequence[Errand], again: Callable[[], list[Errand]]) -> IntArray:
        """The counts of the leaves wanted, one errand after the other, over all parts."""
        answer = self._round(self._parts, errands)
        counts = answer.counts.astype(np.int64)
        while answer.stale:
            self.again += len(answer.stale)
            answer = self._round([self._parts[number] for number in answer.stale], again())
            counts = counts + answer.counts  # of parts that were all stale there is a single zero so far
        return counts

    def tabulate(self, nodes: Sequence[int], sources: Sequence[InformationSource]) -> list[IntArray]:
        """For each of the nodes [leaf, state]: how many rows have each state of its target at each leaf of its source."""
        asked = list(zip(nodes, sources, strict=True))
        each = self._call(_tabulate, self._parts, [asked] * len(self._parts))
        shapes = [(source.size, self._states[node]) for node, source in asked]
        ends = np.cumsum([leaves * states for leaves, states in shapes])
        tables = np.split(self._sum(each).counts.astype(np.int64), ends[:-1])
        return [table.reshape(shape) for table, shape in zip(tables, shapes, strict=True)]

    def crossed(self, asked: Sequence[Crossing]) -> list[Crossed]:
        """How many rows are at each pair of leaves of two sources, by state."""
        answers = self._client.gather(self._call(_crossed, self._parts, [list(asked)] * len(self._parts)))
        return [added(each) for each in zip(*answers, strict=True)]

    def pairs(self, first: int, last: int) -> IntArray:
        """The 2-way counts of these variables with later ones, as `TablePairs` has them."""
        each = [
            self._client.submit(_pairs, part, first, last, self._type, pure=False) for part in self._parts
        ]
        return self._sum(each).counts.astype(np.int64)

    def planned(self, tasks: Sequence[Task]) -> "DaskParts":
        """The same rows, for other tasks: where they are."""
        parts = self._call(_planned, self._parts, [list(tasks)] * len(self._parts))
        return DaskParts(self._client, parts, self._states, self._total)

    def held_out(self, total: int) -> "list[tuple[DaskParts, DaskParts, int]]":
        """Parts of the N = `total` rows: those to learn from, those to score on, and how many the latter are."""
        return [
            (self._side(pairs, 0, total), self._side(pairs, 1, total), held)
            for pairs, held in deal_parts(self._call, self._client.gather, self._parts, total)
        ]

    def _side(self, pairs: Sequence[Future], side: int, total: int) -> "DaskParts":
        parts = self._call(getitem, pairs, [side] * len(pairs))
        return DaskParts(self._client, parts, self._states, total)

    def digests(self) -> list[bytes]:
        """What tells the parts' rows from others."""
        found: list[bytes] = self._client.gather(self._call(_digest, self._parts))
        return found

    def _call(self, function: Callable[..., Any], *columns: Sequence[Any]) -> list[Future]:
        """A task for each part: columns have a value for each, a future or what it is told."""
        return [self._client.submit(function, *each, pure=False) for each in zip(*columns, strict=True)]

    def _round(self, parts: Sequence[Future], errands: Sequence[Errand]) -> Answer:
        told: Any = list(errands)
        if len(parts) > 1 and sum(errand.bytes for errand in errands) > INLINE_BYTES:
            told = self._client.scatter([told], hash=False)[0]
        return self._sum([self._client.submit(_count, part, told, self._type, pure=False) for part in parts])

    def _sum(self, answers: Sequence[Future]) -> Answer:
        while len(answers) > 1:
            answers = [
                self._client.submit(_add, answers[at : at + FAN_IN], pure=False)
                for at in range(0, len(answers), FAN_IN)
            ]
        result: Answer = answers[0].result()
        return result


def _roots(part: WorkerPart, nodes: Sequence[int]) -> Answer:
    return Answer(np.concatenate(part.rows.roots(nodes)), ())


def _pairs(part: WorkerPart, first: int, last: int, wire: "np.dtype[Any]") -> Answer:
    return Answer(part.rows.pairs(first, last).astype(wire), ())


def _planned(part: WorkerPart, tasks: Sequence[Task]) -> WorkerPart:
    return WorkerPart(part.number, part.rows.planned(tasks))


def _digest(part: WorkerPart) -> bytes:
    return part.rows.digest()


def _tabulate(part: WorkerPart, asked: Sequence[tuple[int, InformationSource]]) -> Answer:
    return Answer(np.concatenate([part.rows.tabulate(*one).ravel() for one in asked]), ())


def _crossed(part: WorkerPart, asked: Sequence[Crossing]) -> list[Crossed]:
    return [part.rows.crossed(one) for one in asked]


def _count(part: WorkerPart, errands: Sequence[Errand], wire: "np.dtype[Any]") -> Answer:
    counts = part.count(errands)
    if counts is None:
        return Answer(np.zeros(1, dtype=wire), (part.number,))
    return Answer(counts.astype(wire), ())


def _add(answers: Sequence[Answer]) -> Answer:
    counts = answers[0].counts.copy()
    for answer in answers[1:]:  # those that are stale have a single zero
        counts = counts + answer.counts
    return Answer(counts, tuple(number for answer in answers for number in answer.stale))
