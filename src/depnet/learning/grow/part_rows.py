"""One part of the rows, and what is asked of it in a round (`depnet.learning.grow.rounds`)."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet._native import learner as native
from depnet.arrays import CodeArray, IntArray
from depnet.data import Dataset, Domain
from depnet.learning.choose.order import TablePairs
from depnet.learning.options import Task
from depnet.learning.rows.distinct import Distinct, distinct_rows
from depnet.learning.rows.held_out import expanded
from depnet.learning.rows.paired_counts import Crossed, Crossing, crossed
from depnet.learning.rows.some_rows import codes_of
from depnet.model import InformationSource

Keep = Callable[[NDArray[Any]], NDArray[Any]]
"""Where an array of a part is kept: what it gives is the same array, in memory or on disk."""


def in_memory(array: NDArray[Any]) -> NDArray[Any]:
    """The array as it is."""
    return array


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


class PartRows:
    """One part: its codes, and the rows of the leaves of all live nodes in it."""

    def __init__(
        self,
        codes: CodeArray,
        cardinalities: Sequence[int],
        tasks: Sequence[Task],
        weights: IntArray | None = None,
        in_bits: bool = True,
        keep: Keep = in_memory,
    ) -> None:
        self._in_bits, self._keep = in_bits, keep
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
            counts = np.zeros(len(errand.wanted) * self._width(errand.node), dtype=np.int64)
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
            self._rows[errand.node] = native.NodeRows(self._table, targets=(task.target,), inputs=task.inputs)
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

    def crossed(self, asked: Crossing) -> Crossed:
        """How many rows are at each pair of leaves of two sources, by state."""
        return crossed(asked, self._codes, self._state(asked.node), self.states(asked.node), self._weights)

    def pairs(self, first: int, last: int) -> IntArray:
        """`TablePairs.band(first, last).cells` of these rows."""
        domain = Domain.from_cardinalities(self._cardinalities)
        return TablePairs(Dataset(domain, self._codes, self._weights)).band(first, last).cells

    def planned(self, tasks: Sequence[Task]) -> "PartRows":
        """The same rows, for other tasks."""
        return PartRows(self._codes, self._cardinalities, tasks, self._weights, self._in_bits, self._keep)

    def distinct(self, seed: int) -> Distinct:
        """The distinct rows, with the words of this seed, or of a later one if that shows a collision."""
        found = distinct_rows(self._codes, self._cardinalities, self._weights, seed)
        arrays = (found.first, found.check, found.rows, found.counts)
        return Distinct(found.seed, *(self._keep(array) for array in arrays))

    def dealt(self, distinct: Distinct, held: IntArray) -> "tuple[PartRows, PartRows]":
        """The rows without, and those, that are held out: so many of each distinct row."""
        return self._some(distinct, distinct.counts - held), self._some(distinct, held)

    def _some(self, distinct: Distinct, counts: IntArray) -> "PartRows":
        numbers, weights = expanded(counts)
        codes = self._keep(codes_of(self._codes, distinct.rows[numbers]))
        weights = None if weights is None else weights.astype(np.int64)
        return PartRows(codes, self._cardinalities, self._tasks, weights, self._in_bits, self._keep)

    def digest(self) -> bytes:
        """What tells these rows from others."""
        found = hashlib.sha256(repr(self._codes.shape).encode())
        for i in range(self._codes.shape[1]):
            found.update(np.ascontiguousarray(self._codes[:, i]).data)
        if self._weights is not None:
            found.update(self._weights.data)
        return found.digest()

    def _state(self, node: int) -> IntArray:
        return self._codes[:, self._tasks[node].target].astype(np.int64)

    def states(self, node: int) -> int:
        """The states of a node's target."""
        return self._cardinalities[self._tasks[node].target]

    def _width(self, node: int) -> int:
        return self.states(node) * sum(self._cardinalities[j] for j in self._tasks[node].inputs)

    @property
    def nbytes(self) -> int:
        """What it holds, about: the codes, and a number of 4 bytes a row for each live node."""
        return int(self._codes.nbytes) + 4 * len(self._codes) * len(self._rows)

    def __getstate__(self) -> dict[str, Any]:
        """The rows, without what is known of leaves: that is native, and told again."""
        return {**self.__dict__, "_table": None, "_rows": {}, "_told": {}}
