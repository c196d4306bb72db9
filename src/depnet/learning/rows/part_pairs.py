"""The 2-way counts of rows in parts, which an order is chosen by (`depnet.learning.choose.order`)."""

from collections.abc import Sequence

from depnet.arrays import read_only
from depnet.learning.choose.order import MAX_STATES
from depnet.learning.grow.rounds import Parts
from depnet.model.marginals import PairTables


class PartPairs:
    """What `TablePairs` is of one table: the counts of the parts, added up."""

    def __init__(self, parts: Parts, cardinalities: Sequence[int]) -> None:
        self._parts = parts
        self._cardinalities = tuple(min(k, MAX_STATES) for k in cardinalities)

    def band(self, first: int, last: int) -> PairTables:
        """The 2-way tables of `first` .. `last` - 1 with each later variable."""
        cells = read_only(self._parts.pairs(first, last))
        return PairTables(self._cardinalities, cells, first, last)
