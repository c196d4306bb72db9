"""The one protocol of rows that networks are learned from, wherever they lie: in memory, on disk or on workers.

Learning, and `penalty="auto"` with its held-out rows, ask nothing else of a table than is here.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from depnet.arrays import IntArray
from depnet.data.table.domain import Domain
from depnet.learning.grow.native import GrownNode
from depnet.learning.grow.node_specs import NodeSpec
from depnet.learning.options import Limits
from depnet.learning.penalty import Penalty
from depnet.learning.rows.pair_counts import CountPairs
from depnet.model.sources.source import InformationSource

if TYPE_CHECKING:
    from depnet.learning.rows.table import TableRows


class GrowRequest(NamedTuple):
    """The nodes with these `numbers` are to be grown, each with its own of `penalties`, within `max_seconds`."""

    penalties: Sequence[Penalty]
    numbers: Sequence[int]
    smoothing: float = 0.0
    max_seconds: float | None = None
    one_by_one: bool = False
    """Each node is given as soon as it is grown, so that it can be kept."""


class LearningRows(Protocol):
    """Rows, and the nodes that are to be learned from them."""

    @property
    def domain(self) -> Domain:
        """Of all variables."""

    @property
    def specs(self) -> Sequence[NodeSpec]:
        """The nodes."""

    @property
    def total(self) -> int:
        """N, weights included."""

    @property
    def limits(self) -> Limits:
        """How far sources may be grown."""

    def fingerprint(self, penalties: Sequence[Penalty]) -> str:
        """A digest of all that decides the structure."""

    def with_specs(self, specs: Sequence[NodeSpec]) -> Self:
        """The same rows, for other nodes of the same variables."""

    def pair_counts(self) -> CountPairs:
        """What counts pairs of variables."""

    def grow(self, request: GrowRequest) -> Iterator[GrownNode]:
        """The nodes that are asked for, in any order."""

    def leaf_counts(self, numbers: Sequence[int], sources: Sequence[InformationSource]) -> list[IntArray]:
        """For the nodes with these numbers `counts[leaf, state]`, their sources being those given."""

    def held_out(self) -> "Sequence[tuple[TableRows, TableRows]]":
        """(rows to learn from, rows to score on), for each part that is held out; they are few, and in memory."""
