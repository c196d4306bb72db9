"""Where rows are: a place loads the parts of a table, finds its domain and keeps the codes.

Two passes over the rows: the first finds the states of the columns, the second the codes, which stay where they are.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from depnet.cluster.source import FramePart, ParquetPart
from depnet.data.frames.encode import encode
from depnet.data.table.domain import Domain
from depnet.learning.grow.node_specs import NodeSpec
from depnet.learning.rows.part import Keep, Part, in_memory
from depnet.learning.rows.workers import Workers

TablePart = ParquetPart | FramePart


class Place(Protocol):
    """The workers of a cluster, or a directory."""

    @property
    def workers(self) -> Workers:
        """Who has the parts."""

    def columns(self, parts: Sequence[TablePart]) -> AbstractContextManager[list[Any]]:
        """The first pass: `part_columns` of each part, where it is, for a while."""

    def load(
        self, parts: Sequence[TablePart], domain: Domain, specs: Sequence[NodeSpec], total: int
    ) -> list[Any]:
        """The second pass: a `Part` for each part, kept where it is."""

    def live(self, total: int) -> int:
        """How many nodes may grow at once."""


def coded_part(
    frame: Any,
    number: int,
    domain: Domain,
    specs: Sequence[NodeSpec],
    in_bits: bool = True,
    keep: Keep = in_memory,
) -> Part:
    """A part whose rows are in `frame`; values are missing only where the domain has a state for that."""
    dataset = encode(frame, domain).dataset()
    if keep is not in_memory:
        dataset = type(dataset)(domain, keep(dataset.codes))
    return Part(dataset, specs, number, in_bits, keep)
