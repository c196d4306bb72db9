r"""Where in its bin a number lies, given all bins and the numbers before it (ours, not the paper's).

A drawn row has a code for each variable. Its numbers are then drawn one after another in the order of the law, each in its
bin: with c the codes of the row and l the levels (`depnet.data.binning.levels`) of the numbers drawn before,

.. math:: l_i \sim P(l_i \mid c, l_j : j \text{ before } i) = P_{leaf}(place), \qquad leaf = Tree_{i, c_i}(c, l)

There is one tree for each bin of a variable, so what the law says of bins stays as it is, and what a bin keeps, too: a leaf
has the shares of its rows at each place among the kept values, and no values. A bin without a tree draws all of its places
alike, and so does a part in `OWN` of every leaf: what a bin keeps is never impossible. Where only some levels are allowed, a
level is drawn among these, and the row's weight is multiplied by their share of the leaf's law over that of the bin's:
weighted rows follow the law of codes and levels given that levels are allowed, where the codes were drawn with the bin's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet._native import within as native
from depnet.arrays import ByFields, FloatArray, IntArray
from depnet.data.binning.bins import Bins, Numbers
from depnet.data.binning.levels import LevelArray, Levels
from depnet.data.table.variable import Domain, Variable

WHOLE = 256
"""What the shares of a leaf are in all."""

OWN = 1024
"""One part in so many of a leaf's law is that of its bin."""

TRIES = 8
"""Where levels are drawn for rows whose codes are given, and some are not allowed: of so many tries, one by its weight."""

BLOCK = 1 << 16
"""Rows that are drawn at once."""


@dataclass(frozen=True, slots=True, eq=False)
class PlaceTrees(ByFields):
    """The trees of one variable, a bin each, as flat arrays.

    Node t sends rows with level <= threshold[t] of variable[t] (= threshold[t], where that is a category) to node child[t],
    others to the next one. Where variable[t] is -1, it is the leaf child[t], with a share of each place.
    """

    column: int
    roots: LevelArray
    """The first node of each bin's tree; -1 where there is none."""
    variable: LevelArray
    threshold: LevelArray
    child: LevelArray
    shares: LevelArray
    """Leaf after leaf, the share of each place in 256ths; all leaves have as many as the largest bin has places."""

    def reads(self) -> frozenset[int]:
        """The variables that some tree asks for."""
        return frozenset(self.variable[self.variable >= 0].tolist())

    def laws(self, levels: Levels) -> FloatArray:
        """[leaf, then bin; place]: the law of each leaf, and that of a bin without a tree."""
        alike = (np.arange(levels.sizes.max()) < levels.sizes[:, None]) / levels.sizes[:, None]
        told = self.shares.reshape(-1, alike.shape[1]) / WHOLE
        return np.concatenate([told + (alike[self.law_bins(levels)[: len(told)]] - told) / OWN, alike])

    def law_bins(self, levels: Levels) -> LevelArray:
        """The bin of each law; the tree of a leaf is the last that begins before it."""
        found = np.zeros(len(self.shares) // int(levels.sizes.max()), dtype=np.int32)
        bins = np.flatnonzero(self.roots >= 0)
        bins = bins[np.argsort(self.roots[bins], kind="stable")]
        nodes = np.flatnonzero(self.variable < 0)
        if len(bins):
            found[self.child[nodes]] = bins[np.searchsorted(self.roots[bins], nodes, side="right") - 1]
        return np.concatenate([found, np.arange(len(levels.sizes), dtype=np.int32)])


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Rows whose numbers have levels: `levels` [row, variable], and what each number was drawn by."""

    levels: LevelArray
    weights: FloatArray
    """[row]: the product, over the numbers, of the allowed share of the leaf's law over that of the bin's."""
    places: dict[int, LevelArray]
    """The level of each drawn number in each row (any of equal ones); -1 where the code is not a bin."""
    laws: dict[int, LevelArray]
    """The row of `Drawer.laws` for each of them; -1 as above."""


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
        bins = {i: own for i in self.order if (own := self.domain.variables[i].bins) is not None}
        left = {i: narrowed.variables[i].bins or own for i, own in bins.items()}
        allowed = {i: mask for i in bins if not (mask := allowed_levels(bins[i], left[i])).all()}
        drawers = self.drawers(list(bins), allowed)
        values = {i: allowed_values(bins[i], left[i]) for i in bins}
        found = {i: np.empty(len(codes), dtype=own.dtype) for i, own in values.items()}
        for begin in range(0, len(codes), BLOCK):
            some = codes[begin : begin + BLOCK]
            for i, levels in self._choose(drawers, some, rng, TRIES if allowed else 1).items():
                found[i][begin : begin + BLOCK] = values[i][levels]
        return found

    def _choose(
        self, drawers: Sequence["Drawer"], codes: NDArray[np.integer], rng: np.random.Generator, tries: int
    ) -> dict[int, LevelArray]:
        """The levels of one of several tries, which a row takes in proportion to their weights."""
        kept = self.pass_through(drawers, codes, rng)
        places, total = kept.places, kept.weights
        for _ in range(1, tries):
            other = self.pass_through(drawers, codes, rng)
            total = total + other.weights
            taken = rng.random(len(codes)) * total < other.weights
            places = {i: np.where(taken, other.places[i], own) for i, own in places.items()}
        return places

    def drawers(self, columns: Sequence[int], allowed: Mapping[int, NDArray[np.bool_]]) -> list["Drawer"]:
        """What draws the levels of some numbers, in the order, each with its trees and the levels that are allowed."""
        trees, none = {each.column: each for each in self.trees}, np.empty(0, dtype=np.int32)
        found = []
        for i in (i for i in self.order if i in set(columns)):
            bins = self.domain.variables[i].bins
            assert bins is not None
            alike = PlaceTrees(i, np.full(len(bins), -1, dtype=np.int32), none, none, none, none)
            found.append(Drawer.of(trees.get(i, alike), Levels.of(bins), allowed.get(i)))
        return found

    def pass_through(
        self, drawers: Sequence["Drawer"], codes: NDArray[np.integer], rng: np.random.Generator
    ) -> Drawn:
        """A level for each row and each of the drawers."""
        # A tree asks of a category which state it is, of all else whether it is at most some level.
        equal = np.array([not variable.has_order for variable in self.domain.variables], dtype=np.uint8)
        drawn = Drawn(first_levels(self.domain, codes), np.ones(len(codes)), {}, {})
        for each in drawers:
            i = each.trees.column
            own = codes[:, i].astype(np.int32)
            drawn.places[i], drawn.laws[i] = each.draw(drawn.levels, own, equal, rng.random(len(codes)))
            if each.inside is not None:
                drawn.weights[:] *= np.append(each.inside, 1.0)[drawn.laws[i]]
        return drawn


@dataclass(frozen=True, slots=True, eq=False)
class Drawer:
    """A variable's trees, and the laws of places that they lead to, as far as places are allowed."""

    trees: PlaceTrees
    levels: Levels
    laws: FloatArray
    """[law, place], as `PlaceTrees.laws` has them; where only some levels are allowed, given that it is one of these."""
    inside: FloatArray | None
    """[law]: the share of it that is allowed, over that of its bin's own law; None where all levels are."""
    ends: FloatArray

    @classmethod
    def of(cls, trees: PlaceTrees, levels: Levels, allowed: NDArray[np.bool_] | None) -> "Drawer":
        """Make it from trees and the allowed levels; None: all are allowed."""
        laws, inside = trees.laws(levels), None
        if allowed is not None:
            kept = np.zeros((len(levels.sizes), laws.shape[1]), dtype=bool)
            kept[np.arange(laws.shape[1]) < levels.sizes[:, None]] = allowed
            laws = np.where(kept[trees.law_bins(levels)], laws, 0.0)
            inside = laws.sum(axis=1)
            laws = laws / inside[:, None]
            inside = inside / inside[-len(levels.sizes) :][trees.law_bins(levels)]
        ends = np.cumsum(laws, axis=1)
        ends[ends >= ends[:, -1:]] = 1.0  # no place is drawn after the last that has a share
        return cls(trees, levels, laws, inside, np.ascontiguousarray(ends))

    def draw(
        self,
        levels: LevelArray,
        codes: LevelArray,
        equal: NDArray[np.uint8],
        random: NDArray[np.float64],
    ) -> tuple[LevelArray, LevelArray]:
        """The levels of rows, and the laws that they are drawn by; `levels` [row, variable] has them from then on."""
        bins = np.where(codes < len(self.levels.sizes), codes, -1).astype(np.int32)
        places, laws = np.full((2, len(bins)), -1, dtype=np.int32)
        trees, own = self.trees, self.levels
        native.draw(
            levels,
            trees.column,
            bins,
            trees.roots,
            trees.variable,
            trees.threshold,
            trees.child,
            equal,
            own.first,
            own.sizes,
            self.ends,
            own.same,
            random,
            places,
            laws,
        )
        return places, laws

    def add_over_levels(self, sums: FloatArray, groups: IntArray | slice, of_law: FloatArray) -> None:
        """Add to `sums` [group, ..., level] of these groups all laws, each with its weight `of_law` [group, ..., law]."""
        of_bin = self.trees.law_bins(self.levels)
        for k, (first, size) in enumerate(zip(self.levels.first, self.levels.sizes, strict=True)):
            own = np.flatnonzero(of_bin == k)
            sums[groups, ..., first : first + size] += of_law[..., own] @ self.laws[own, :size]


def allowed_levels(bins: Bins, narrowed: Bins) -> NDArray[np.bool_]:
    """[level]: is its value one that the narrowed bins keep? Where a bin keeps none of these: its neighbours on both sides.

    >>> bins = Bins((0, 10, 20), ((1, 3, 3, 7), (12, 15)), "integer")
    >>> allowed_levels(bins, Bins(bins.edges, ((4,), (15,)), "integer")).tolist()
    [False, True, True, True, False, True]
    """
    found = []
    for own, left in zip(bins.quantiles, narrowed.quantiles, strict=True):
        kept = set(left)
        inside = [value in kept for value in own]
        if not any(inside):
            around = {
                max((v for v in own if v < left[0]), default=None),
                min((v for v in own if v > left[-1]), default=None),
            }
            inside = [value in around for value in own]
        found += inside
    return np.array(found)


def allowed_values(bins: Bins, narrowed: Bins) -> Numbers:
    """[level]: its value, or of one that the narrowed bins do not keep the nearest that they do."""
    values = Levels.of(bins).values.copy()
    at = 0
    for own, left in zip(bins.quantiles, narrowed.quantiles, strict=True):
        if own != left:
            kept, some = np.array(own), np.array(left)
            values[at : at + len(own)] = some[np.abs(kept[:, None] - some[None, :]).argmin(axis=1)]
        at += len(own)
    return values


def level_count(variable: Variable) -> int:
    """How many levels a variable has: its states, or of bins the values that they keep, and one for a missing value."""
    if variable.bins is None:
        return variable.cardinality
    return sum(map(len, variable.bins.quantiles)) + (variable.missing is not None)


def first_levels(domain: Domain, codes: NDArray[np.integer]) -> LevelArray:
    """[row, variable], row-major: what is known before any number is drawn: states, and the first level of each bin."""
    levels = np.array(codes, dtype=np.int32, order="C")
    for i, variable in enumerate(domain.variables):
        if variable.bins is not None:
            first = np.cumsum([0, *map(len, variable.bins.quantiles)])  # a missing value comes after all
            levels[:, i] = first[np.maximum(codes[:, i], 0)]
    return levels
