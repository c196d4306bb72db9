"""Which levels of numbers a question of an ordered law depends on, beside the codes (`depnet.data.frames.within`).

The law of codes and levels is Q(codes) times, number after number in the order, P(level | codes, levels before). What is
asked of a number depends on its own tree; on those of the numbers of which the evidence allows some levels only, whose
shares of allowed levels weigh the rows; and on the levels that these trees read, and so on.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from depnet.arrays import CodeArray
from depnet.data.binning.levels import Levels
from depnet.data.frames.within import Drawer, Drawn, PlaceTrees, Within
from depnet.data.table.domain import Domain
from depnet.model.evidence import Evidence
from depnet.model.network import Network


@dataclass(frozen=True, slots=True, eq=False)
class LevelPlan:
    """The numbers whose levels are drawn, and the variables whose codes that needs."""

    within: Within
    drawers: Mapping[int, Drawer]
    """Of each number, in the order."""
    variables: frozenset[int]
    weighing: frozenset[int]
    """The numbers whose levels, when drawn, have a part in later weights."""

    @classmethod
    def of(cls, network: Network, evidence: Evidence, wanted: Iterable[int]) -> "LevelPlan | None":
        """For the levels of the `wanted` numbers given evidence; None where no tree has a part in it."""
        within = network.within
        if within is None:
            return None
        read = {trees.column: _levels_read(within, trees) for trees in within.trees}
        binned = {i for i in wanted if network.domain.variables[i].bins is not None}
        needed = _closed(binned | evidence.levels.keys(), read)
        if not needed & read.keys():
            return None
        drawers = {each.trees.column: each for each in within.drawers(sorted(needed), evidence.levels)}
        codes = {j for each in drawers.values() for j in each.trees.reads()}
        before = {j for i in evidence.levels for j in read.get(i, ())}
        return cls(within, drawers, frozenset(codes | needed), _closed(before, read))

    @property
    def cuts(self) -> bool:
        """Do rows differ in weight?"""
        return any(
            each.inside is not None and (each.trees.roots >= 0).any() for each in self.drawers.values()
        )

    def draw(self, codes: CodeArray, rng: np.random.Generator) -> Drawn:
        """Levels of all numbers of the plan, for rows of codes [row, variable]."""
        return self.within.pass_through(list(self.drawers.values()), codes, rng)


def _closed(numbers: Iterable[int], read: Mapping[int, frozenset[int]]) -> frozenset[int]:
    """These numbers, those whose levels their trees read, and so on."""
    found: set[int] = set()
    waiting = list(numbers)
    while waiting:
        i = waiting.pop()
        if i not in found:
            found.add(i)
            waiting += read.get(i, ())
    return frozenset(found)


def _levels_read(within: Within, trees: PlaceTrees) -> frozenset[int]:
    """The numbers before it whose levels some test compares with one inside a bin: of all others, bins are enough."""
    before = set(within.order[: within.order.index(trees.column)])
    return frozenset(j for j in trees.reads() if j in before and _cuts_bins(within.domain, trees, j))


def _cuts_bins(domain: Domain, trees: PlaceTrees, j: int) -> bool:
    bins = domain.variables[j].bins
    if bins is None:
        return False
    levels = Levels.of(bins)
    ends = levels.same[levels.first + levels.sizes - 1]
    return not np.isin(trees.threshold[trees.variable == j], ends).all()
