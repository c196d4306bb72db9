"""Rows in many parts as one table: what is asked of it is asked of each part, and the answers are added up.

The parts are where `workers` has them: in this process, or on the workers of a cluster (`depnet.cluster`).
Nodes are grown by rounds of counts (`depnet.learning.grow.rounds`).
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from depnet.arrays import IntArray, read_only
from depnet.data import Domain
from depnet.learning.grow.cuts import CutDomain, specs_with_cuts, spelled_out
from depnet.learning.grow.native import GrownNode
from depnet.learning.grow.node_specs import NodeSpec
from depnet.learning.grow.resume import fingerprint
from depnet.learning.grow.rounds import Reports, grow_in_rounds
from depnet.learning.options import Limits
from depnet.learning.penalty import Penalty
from depnet.learning.rows.held_out import held_out_parts
from depnet.learning.rows.learning_rows import GrowRequest
from depnet.learning.rows.pair_counts import CountPairs, folded
from depnet.learning.rows.part import CountRequest, Part
from depnet.learning.rows.prepared import HeldOut, PreparedRows
from depnet.learning.rows.table import TableRows
from depnet.learning.rows.workers import Answer, Workers
from depnet.model import InformationSource
from depnet.model.marginals import MarginalCounts, PairTables
from depnet.model.sources.source import ConstantSource


@dataclass(frozen=True, slots=True, eq=False)
class PartedRows:
    """`total` rows in `parts`, which are `Part`s where the workers have them, numbered by their places.

    At most `live` nodes grow at once: each takes 4 bytes for every row, where the row is. With `cuts`, sources may also
    split binned variables at these; the parts have them, too. Rows that are held out are brought here, and kept in `held`.
    """

    workers: Workers
    parts: Sequence[Any]
    domain: Domain
    specs: Sequence[NodeSpec]
    total: int
    limits: Limits = field(default_factory=Limits)
    live: int = 64
    reports: Reports = field(default_factory=Reports)
    cuts: CutDomain | None = None
    held: list[HeldOut] = field(default_factory=list)
    grown_specs: Sequence[NodeSpec] = field(init=False)
    """The nodes as they are grown: with cuts to read."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "grown_specs", with_cuts(self.specs, self.cuts))

    @property
    def grown_domain(self) -> Domain:
        """What sources read while they grow."""
        return self.domain if self.cuts is None else self.cuts.wide

    @property
    def wire_type(self) -> "np.dtype[Any]":
        """The narrowest type that holds every count, for its way over a network."""
        return np.dtype(np.uint32) if self.total < 2**32 else np.dtype(np.int64)

    def fingerprint(self, penalties: Sequence[Penalty]) -> str:
        """A digest of all that decides the structure."""
        digests = self.workers.gather(self.workers.call(Part.digest, self.parts))
        key = hashlib.sha256(b"".join([b"parts", *digests]))
        return fingerprint(key, self.domain, self.total, self.grown_specs, penalties, self.limits)

    def with_specs(self, specs: Sequence[NodeSpec]) -> "PartedRows":
        """The same rows, for other nodes of the same variables: where they are."""
        parts = self.workers.call(
            Part.with_specs, self.parts, [with_cuts(specs, self.cuts)] * len(self.parts)
        )
        return replace(self, parts=parts, specs=specs)

    def pair_counts(self) -> CountPairs:
        """What counts pairs of variables."""

        def count(first: int, last: int) -> PairTables:
            cells = self._sum(Part.pair_cells, first, last)
            return PairTables(folded(self.domain.cardinalities), read_only(cells), first, last)

        return count

    def grow(self, request: GrowRequest) -> Iterator[GrownNode]:
        """The nodes that are asked for, in any order: by rounds of counts."""
        self.reports.begin()
        for node in grow_in_rounds(self, request):
            if self.cuts is None:
                yield node
                continue
            source = spelled_out(node.source, self.cuts.numbered, self.domain.cardinalities)
            yield node._replace(source=source)

    def roots(self, numbers: Sequence[int]) -> list[IntArray]:
        """For each of the nodes, how many rows have each state of its target."""
        return [counts[0] for counts in self.leaf_counts(numbers, [ConstantSource()] * len(numbers))]

    def count(self, requests: Sequence[CountRequest], again: Callable[[], list[CountRequest]]) -> IntArray:
        """The counts of the leaves wanted, one request after the other.

        `again()` are the same requests with all operations from the start, for parts that are stale.
        """
        counts: IntArray = np.zeros(1, dtype=np.int64)
        parts = list(self.parts)
        while parts:
            told = self.workers.share(list(requests), sum(request.bytes for request in requests))
            answer = self.workers.add(_count, parts, [told] * len(parts), [self.wire_type] * len(parts))
            counts = counts + answer.counts
            parts = [self.parts[number] for number in answer.stale]
            if parts:
                requests = again()
        return counts

    def leaf_counts(self, numbers: Sequence[int], sources: Sequence[InformationSource]) -> list[IntArray]:
        """For the nodes with these numbers `counts[leaf, state]`, their sources being those given."""
        asked = list(zip(numbers, sources, strict=True))
        shapes = [
            (source.size, self.domain.cardinalities[self.specs[number].target]) for number, source in asked
        ]
        ends = np.cumsum([leaves * states for leaves, states in shapes])
        tables = np.split(self._sum(Part.leaf_counts, asked), ends[:-1])
        return [table.reshape(shape) for table, shape in zip(tables, shapes, strict=True)]

    def held_out(self) -> list[tuple[TableRows, TableRows]]:
        """(rows to learn from, rows to score on), for each part that is held out; here, as tables."""
        if not self.held:
            found = held_out_parts(self.workers, self.parts, self.domain, self.total)
            self.held.extend(HeldOut(PreparedRows(learned, self.cuts), scored) for learned, scored in found)
        return [
            (
                TableRows(
                    each.learned.dataset,
                    self.specs,
                    self.limits,
                    cuts=self.cuts is not None,
                    prepared=each.learned,
                ),
                TableRows(each.scored, self.specs, self.limits),
            )
            for each in self.held
        ]

    def marginal_counts(self) -> MarginalCounts:
        """The 1- and 2-way counts of all parts together."""
        cells = self._sum(Part.marginal_cells)
        return MarginalCounts.of_cells(self.domain.cardinalities, read_only(cells))

    def _sum(self, count: Callable[..., IntArray], *asked: Any) -> IntArray:
        """The sum over parts of what they count, `count(part, *asked)`."""
        columns = ([value] * len(self.parts) for value in (count, asked, self.wire_type))
        return self.workers.add(_counts, self.parts, *columns).counts.astype(np.int64)


def _counts(
    part: Part, count: Callable[..., IntArray], asked: tuple[Any, ...], wire: "np.dtype[Any]"
) -> Answer:
    return Answer(count(part, *asked).astype(wire))


def _count(part: Part, requests: Sequence[CountRequest], wire: "np.dtype[Any]") -> Answer:
    counts = part.count(requests)
    return Answer(np.zeros(1, dtype=wire), (part.number,)) if counts is None else Answer(counts.astype(wire))


def with_cuts(specs: Sequence[NodeSpec], cuts: CutDomain | None) -> Sequence[NodeSpec]:
    """The nodes, with cuts to read where there are some."""
    return specs if cuts is None else specs_with_cuts(specs, cuts.cuts, len(cuts.domain))
