"""The rows in parts, all in this process: in memory, or on its disk."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet.arrays import IntArray
from depnet.learning.grow.part_rows import Errand, PartRows
from depnet.learning.options import Task
from depnet.learning.rows.held_out_parts import deal_parts
from depnet.learning.rows.paired_counts import Crossed, Crossing, added
from depnet.model import InformationSource


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

    def tabulate(self, nodes: Sequence[int], sources: Sequence[InformationSource]) -> list[IntArray]:
        """For each of the nodes [leaf, state]: how many rows have each state of its target at each leaf of its source."""
        asked = zip(nodes, sources, strict=True)
        return [np.sum([part.tabulate(*one) for part in self.parts], axis=0) for one in asked]

    def crossed(self, asked: Sequence[Crossing]) -> list[Crossed]:
        """How many rows are at each pair of leaves of two sources, by state."""
        return [added([part.crossed(one) for part in self.parts]) for one in asked]

    def pairs(self, first: int, last: int) -> IntArray:
        """The 2-way counts of these variables with later ones, as `TablePairs` has them."""
        total: IntArray = np.sum([part.pairs(first, last) for part in self.parts], axis=0)
        return total

    def planned(self, tasks: Sequence[Task]) -> "LocalParts":
        """The same rows, for other tasks."""
        return LocalParts([part.planned(tasks) for part in self.parts])

    def held_out(self, total: int) -> "list[tuple[LocalParts, LocalParts, int]]":
        """Parts of the N = `total` rows: those to learn from, those to score on, and how many the latter are."""
        return [
            (LocalParts([one for one, _ in pairs]), LocalParts([other for _, other in pairs]), held)
            for pairs, held in deal_parts(_call, list, self.parts, total)
        ]

    def digests(self) -> list[bytes]:
        """What tells the parts' rows from others."""
        return [part.digest() for part in self.parts]


def _call(function: Callable[..., Any], *columns: Sequence[Any]) -> list[Any]:
    return [function(*each) for each in zip(*columns, strict=True)]
