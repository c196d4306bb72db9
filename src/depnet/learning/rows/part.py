"""One part of the rows, and what a round of growing asks of it (`depnet.learning.grow.rounds`)."""

import hashlib
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet._native import learner as native
from depnet.arrays import IntArray
from depnet.data import Dataset
from depnet.data.table.row_levels import RowLevels
from depnet.learning.grow.cuts import CutDomain, rows_with_cuts
from depnet.learning.grow.node_specs import NodeSpec
from depnet.learning.rows.distinct import Distinct, distinct_rows
from depnet.learning.rows.pair_counts import TablePairs
from depnet.model import InformationSource
from depnet.model.counting import leaf_counts
from depnet.model.marginals import MarginalCounts

Keep = Callable[[NDArray[Any]], NDArray[Any]]
"""Where an array of a part is kept: what it gives is the same array, in memory or on disk."""


def in_memory(array: NDArray[Any]) -> NDArray[Any]:
    """The array as it is."""
    return array


class CountRequest(NamedTuple):
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


class Part:
    """One part: its rows, and which of them are at each leaf of the nodes that grow.

    With `cuts`, sources read these, too, numbered after the variables, as `specs` say. Of some rows a part may have the
    `levels` of their numbers. Sent elsewhere, only its rows go along: the leaves are found anew.
    """

    def __init__(
        self,
        dataset: Dataset,
        specs: Sequence[NodeSpec],
        number: int = 0,
        in_bits: bool = True,
        keep: Keep = in_memory,
        cuts: CutDomain | None = None,
        levels: RowLevels | None = None,
    ) -> None:
        self.dataset, self.number, self.levels = dataset, number, levels
        self._specs, self._in_bits, self._keep, self._cuts = specs, in_bits, keep, cuts
        self._forget()

    def _forget(self) -> None:
        self._table: native.Table | None = None
        self._rows: dict[int, native.NodeRows] = {}
        self._told: dict[int, int] = {}
        self._lock = threading.Lock()

    def count(self, requests: Sequence[CountRequest]) -> IntArray | None:
        """The counts of the leaves wanted, one request after the other; None if this part is stale.

        Requests that were carried out before are only counted again.
        """
        with self._lock:
            return self._count(requests)

    def _count(self, requests: Sequence[CountRequest]) -> IntArray | None:
        for node in self._rows.keys() - {request.node for request in requests}:  # these nodes are done
            del self._rows[node], self._told[node]
        counts = [
            np.zeros(len(request.wanted) * self._width(request.node), dtype=np.int64) for request in requests
        ]
        if self.dataset.rows:  # else there is nothing to tell, and nothing to count
            for request, own in zip(requests, counts, strict=True):
                if not self._apply(request):
                    return None
                self._rows[request.node].add_counts(request.wanted, own)
        return np.concatenate([np.zeros(0, dtype=np.int64), *counts])

    def _apply(self, request: CountRequest) -> bool:
        told = self._told.get(request.node, -1)
        if told == request.since + len(request.kinds):
            return True
        if request.since == 0 and told != 0:
            self._rows[request.node] = self._root(self._specs[request.node])
        elif told != request.since:
            return False
        self._rows[request.node].apply(request.kinds, request.first, request.second)
        self._told[request.node] = request.since + len(request.kinds)
        return True

    def _root(self, spec: NodeSpec) -> native.NodeRows:
        if self._table is None:
            rows, codes = self.dataset, self.dataset.codes
            if self._cuts is not None:
                rows = rows_with_cuts(rows, self._cuts)
                codes = self._keep(rows.codes)
            self._table = native.Table(codes, rows.domain.cardinalities, rows.weights, self._in_bits)
        return native.NodeRows(self._table, target=spec.target, inputs=spec.inputs)

    def _width(self, node: int) -> int:
        """Counts of a leaf: by the state of the target, and of each input."""
        domain = self.dataset.domain if self._cuts is None else self._cuts.wide
        cards, spec = domain.cardinalities, self._specs[node]
        return cards[spec.target] * sum(cards[j] for j in spec.inputs)

    def leaf_counts(self, asked: Sequence[tuple[int, InformationSource]]) -> IntArray:
        """How many rows have each state of a node's target at each leaf of its source, one node after the other, flat."""
        tables = [leaf_counts(source, self._specs[node].target, self.dataset) for node, source in asked]
        return np.concatenate([table.ravel() for table in tables])

    def marginal_cells(self) -> IntArray:
        """The cells of `MarginalCounts` of these rows: 2-way where they are not too many, else 1-way."""
        return MarginalCounts.of(self.dataset).cells

    def pair_cells(self, first: int, last: int) -> IntArray:
        """The cells of `TablePairs` of these rows."""
        return TablePairs(self.dataset)(first, last).cells

    def with_specs(self, specs: Sequence[NodeSpec]) -> "Part":
        """The same rows, for other nodes; what the native learner has made of them is kept."""
        part = Part(self.dataset, specs, self.number, self._in_bits, self._keep, self._cuts, self.levels)
        part._table = self._table
        return part

    def distinct(self, seed: int) -> Distinct:
        """The distinct rows, with the words of this seed, or of a later one if that shows a collision."""
        found = distinct_rows(self.dataset, seed)
        arrays = (found.first, found.check, found.rows, found.counts)
        return Distinct(found.seed, *(self._keep(array) for array in arrays))

    def digest(self) -> bytes:
        """What tells these rows from others."""
        codes, weights = self.dataset.codes, self.dataset.weights
        found = hashlib.sha256(repr(codes.shape).encode())
        for i in range(codes.shape[1]):
            found.update(np.ascontiguousarray(codes[:, i]).data)
        if weights is not None:
            found.update(weights.data)
        return found.digest()

    def __sizeof__(self) -> int:
        """What moving it costs, about: the codes, and a number of 4 bytes a row for each node that grows."""
        return int(self.dataset.codes.nbytes) + 4 * self.dataset.rows * len(self._rows)

    def __getstate__(self) -> dict[str, Any]:
        """Without what is native, and the lock."""
        kept = ("dataset", "number", "levels", "_specs", "_in_bits", "_keep", "_cuts")
        return {name: self.__dict__[name] for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()
