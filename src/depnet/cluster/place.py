"""Where rows are: a place loads the parts of a table, finds its domain and keeps the codes."""

from collections.abc import Sequence
from typing import Any, Protocol

from depnet.cluster.source import FramePart, ParquetPart
from depnet.data.frames.describe import BinChoice, Missing
from depnet.data.frames.encode import encode
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.learning.grow.rounds import Parts
from depnet.learning.options import Task

TablePart = ParquetPart | FramePart


class Place(Protocol):
    """The workers of a cluster, or a directory."""

    def describe(
        self, parts: Sequence[TablePart], *, bins: BinChoice, max_bins: int, missing: Missing
    ) -> tuple[Domain, int]:
        """The first pass: the domain of the table, and its number of rows."""

    def parts(self, parts: Sequence[TablePart], domain: Domain, tasks: Sequence[Task], total: int) -> Parts:
        """The second pass: the codes of every part, kept here."""

    def live(self, total: int) -> int:
        """How many nodes may grow at once."""


def coded(frame: Any, domain: Domain) -> Dataset:
    """The codes of one part; values are missing only where the domain has a state for that."""
    return encode(frame, domain).dataset()
