r"""Where in its bin a number lies, given all bins and the numbers before it (ours, not the paper's).

A drawn row has a code for each variable. Its numbers are then drawn one after another in the order of the law, each in its
bin: with c the codes of the row and l the levels (`depnet.data.binning.levels`) of the numbers drawn before,

.. math:: l_i \sim P(l_i \mid c, l_j : j \text{ before } i) = P_{leaf}(place), \qquad leaf = Tree_{i, c_i}(c, l)

There is one tree for each bin of a variable, so what the law says of bins stays as it is, and what a bin keeps, too: a leaf
has quantiles of the place among the kept values, and no values. A bin without a tree draws all of its places alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet._native import within as native
from depnet.arrays import read_only
from depnet.data.binning.bins import Bins, Numbers
from depnet.data.binning.levels import LevelArray, Levels
from depnet.data.table.domain import Domain
from depnet.data.table.variable import Variable

PARTS = 8
"""A leaf has the quantiles 0, 1/8, ..., 1 of the place, in eighths: place p is the interval from 8 p to 8 (p + 1)."""

KNOTS = PARTS + 1

BLOCK = 1 << 16
"""Rows that are drawn at once."""


@dataclass(frozen=True, slots=True, eq=False)
class PlaceTrees:
    """The trees of one variable, a bin each, as flat arrays.

    Node t sends rows with level <= threshold[t] of variable[t] (= threshold[t], where that is a category) to node child[t],
    others to the next one. Where variable[t] is -1, it is the leaf child[t], with nine knots.
    """

    column: int
    roots: LevelArray
    """The first node of each bin's tree; -1 where there is none."""
    variable: LevelArray
    threshold: LevelArray
    child: LevelArray
    knots: LevelArray

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PlaceTrees) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in self.__slots__
        )

    __hash__ = None  # type: ignore[assignment]  # as arrays have none

    @classmethod
    def none_of(cls, column: int, bins: Bins) -> "PlaceTrees":
        """No tree at all: every bin draws its places alike."""
        empty = np.empty(0, dtype=np.int32)
        return cls(column, np.full(len(bins), -1, dtype=np.int32), empty, empty, empty, empty)


@dataclass(frozen=True, slots=True)
class Within:
    """The trees of the variables that have some, of a domain whose numbers are drawn in an `order`."""

    domain: Domain
    order: tuple[int, ...]
    trees: tuple[PlaceTrees, ...]

    def draw(
        self, codes: NDArray[np.integer], narrowed: Domain, rng: np.random.Generator
    ) -> dict[int, Numbers]:
        """A number for each row and each variable with bins, given the codes [row, variable].

        `narrowed` is the domain, or has bins that keep fewer values, of which one is drawn then. Where a code is not a
        bin's, the number is any.
        """
        binned = [i for i in self.order if self.domain.variables[i].bins is not None]
        drawers = [self._drawer(i, narrowed.variables[i]) for i in binned]
        found = {each.column: each.new(len(codes)) for each in drawers}
        equal = np.array([is_category(variable) for variable in self.domain.variables], dtype=np.uint8)
        for begin in range(0, len(codes), BLOCK):
            some = codes[begin : begin + BLOCK]
            levels = first_levels(self.domain, some)
            for each in drawers:
                own = some[:, each.column].astype(np.int32)
                numbers = each.draw(levels, own, equal, rng.random(len(some)))
                found[each.column][begin : begin + BLOCK] = numbers
        return found

    def _drawer(self, i: int, narrowed: Variable) -> "_Drawer":
        bins = self.domain.variables[i].bins
        assert bins is not None
        assert narrowed.bins is not None
        trees = next((each for each in self.trees if each.column == i), None)
        return _Drawer.of(trees or PlaceTrees.none_of(i, bins), bins, narrowed.bins)


@dataclass(frozen=True, slots=True)
class _Drawer:
    """A variable's trees, and which of its levels may be drawn."""

    trees: PlaceTrees
    levels: Levels
    values: Numbers
    """Of every level, what is given for it: itself, or the nearest value that may be drawn."""
    low: LevelArray
    high: LevelArray
    """Of every bin, its places from low to high - 1 may be drawn."""

    @property
    def column(self) -> int:
        return self.trees.column

    @classmethod
    def of(cls, trees: PlaceTrees, bins: Bins, narrowed: Bins) -> "_Drawer":
        levels = Levels.of(bins)
        values, low, high = levels.values.copy(), np.zeros(len(bins), dtype=np.int32), levels.sizes.copy()
        for k, (own, allowed) in enumerate(zip(bins.quantiles, narrowed.quantiles, strict=True)):
            if own == allowed:
                continue
            kept, left = np.array(own), np.array(allowed)
            inside = np.flatnonzero((kept >= left[0]) & (kept <= left[-1]))
            low[k], high[k] = (inside[0], inside[-1] + 1) if len(inside) else (0, len(own))
            nearest = np.abs(kept[:, None] - left[None, :]).argmin(axis=1)
            values[levels.first[k] : levels.first[k] + len(own)] = left[nearest]
        return cls(trees, levels, values, low, high)

    def new(self, rows: int) -> Numbers:
        return np.empty(rows, dtype=self.values.dtype)

    def draw(
        self,
        levels: LevelArray,
        codes: LevelArray,
        equal: NDArray[np.uint8],
        random: NDArray[np.float64],
    ) -> Numbers:
        """The numbers of rows, whose levels [row, variable] have this variable's from then on."""
        bins = np.where(codes < len(self.low), codes, -1).astype(np.int32)
        found = np.zeros(len(bins), dtype=np.int32)
        trees, own = self.trees, self.levels
        native.draw(
            levels,
            trees.column,
            bins,
            trees.roots,
            trees.variable,
            trees.threshold,
            trees.child,
            trees.knots,
            equal,
            own.first,
            self.low,
            self.high,
            own.same,
            random,
            found,
        )
        numbers: Numbers = self.values[found]
        return numbers


def is_category(variable: Variable) -> bool:
    """Has it no order, so that a tree asks which state it is, and not whether it is at most some level?"""
    if variable.bins is not None or variable.ordered:
        return False
    states = variable.present_states
    return not all(isinstance(state, (int, float)) and not isinstance(state, bool) for state in states)


def level_count(variable: Variable) -> int:
    """How many levels a variable has: its states, or of bins the values that they keep, and one for a missing value."""
    if variable.bins is None:
        return variable.cardinality
    return sum(map(len, variable.bins.quantiles)) + (variable.missing is not None)


def first_levels(domain: Domain, codes: NDArray[np.integer]) -> LevelArray:
    """[row, variable], row-major: what is known before any number is drawn: states, and the first level of each bin."""
    levels = np.empty(codes.shape, dtype=np.int32)
    for i, first in enumerate(_first_of_codes(domain)):
        levels[:, i] = codes[:, i] if first is None else first[np.maximum(codes[:, i], 0)]
    return levels


def _first_of_codes(domain: Domain) -> Iterator[LevelArray | None]:
    """Of each variable with bins, the first level of every code; a missing value comes after all."""
    for variable in domain.variables:
        if variable.bins is None:
            yield None
            continue
        sizes = np.array([len(kept) for kept in variable.bins.quantiles])
        yield read_only(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32))
