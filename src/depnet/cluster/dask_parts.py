"""Parts of the rows on the workers of a Dask cluster.

A part is the result of a task that loads and encodes it, and stays where it was made. Rounds are tasks that go to
their part; their answers are added up in a tree of tasks. Dask makes a part that was lost with its worker again, by
the same task; it then knows nothing of the leaves, says so, and is told all operations anew.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import IntArray
from depnet.learning.rounds import Errand, PartRows, wire_type
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
    """The rows of all parts: `parts` are futures of `WorkerPart`, their places being their numbers."""

    def __init__(self, client: Client, parts: Sequence[Future], total: int) -> None:
        self._client = client
        self._parts = tuple(parts)
        self._type = wire_type(total)
        self.again = 0
        """How often a part was told everything anew."""

    def roots(self, nodes: Sequence[int]) -> list[IntArray]:
        """For each of the nodes, how many rows have each state of its target."""
        each = [self._client.submit(_roots, part, tuple(nodes), pure=False) for part in self._parts]
        sizes = self._client.submit(_root_sizes, self._parts[0], tuple(nodes), pure=False).result()
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

    def tabulate(self, node: int, source: InformationSource) -> IntArray:
        """[leaf, state]: how many rows have each state of the node's target at each leaf of `source`."""
        each = [self._client.submit(_tabulate, part, node, source, pure=False) for part in self._parts]
        return self._sum(each).counts.astype(np.int64)

    def digests(self) -> list[bytes]:
        """What tells the parts' rows from others."""
        found: list[bytes] = self._client.gather(
            [self._client.submit(_digest, part, pure=False) for part in self._parts]
        )
        return found

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


def _root_sizes(part: WorkerPart, nodes: Sequence[int]) -> list[int]:
    return [part.rows.states(node) for node in nodes]


def _digest(part: WorkerPart) -> bytes:
    return part.rows.digest()


def _tabulate(part: WorkerPart, node: int, source: InformationSource) -> Answer:
    return Answer(part.rows.tabulate(node, source), ())


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
