"""Rows that keep constraints (`depnet.model.constraints`), of a law that does not know them.

A row has its codes first, which were learned from rows that keep the constraints: its numbers are drawn in their bins, and
as far as can be they are made to keep the constraints there. A total is computed from its parts, or, where the total is
known, the part that varies most from all else; of two numbers that are out of order one is moved to a value that its bin
keeps and the order allows. Rows that still break a constraint, or whose computed numbers are beyond the table's, are for the
caller to leave out: that makes the law the one given the constraints. (To leave out all that break one at first would move
the law from bins that an order cuts, two to four times as far as this does.) Where hardly any row is left, numbers are
moved to the nearest value of the table that the order allows.

What is fixed, known of the row or given as evidence, is never changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.binning.bins import Numbers
from depnet.data.binning.times import DAY
from depnet.data.table.variable import Domain
from depnet.model.constraints import MOST_DIGITS, ROUNDING, Before, Constraint, Total, keeps
from depnet.model.event import compared_values

Bools = NDArray[np.bool_]


@dataclass(slots=True, eq=False)
class Draft:
    """Rows in the making: codes [row, variable], and numbers where there are bins; `fixed` cells stay."""

    domain: Domain
    codes: NDArray[Any]
    values: dict[int, Numbers]
    fixed: Bools

    def column(self, i: int) -> NDArray[Any]:
        return self.codes[:, i]

    def numbers(self, i: int) -> Numbers | None:
        return self.values.get(i)

    def known(self, i: int) -> Bools | None:
        variable = self.domain.variables[i]
        return None if variable.missing is None else self.codes[:, i] != variable.cardinality - 1

    def put(self, i: int, rows: IntArray, numbers: Numbers) -> None:
        """New numbers of X_i; of a variable without bins, those that are no state are left out."""
        bins = self.domain.variables[i].bins
        if bins is not None:
            self.values[i][rows] = numbers
            self.codes[rows, i] = bins.locate(self.values[i][rows])
            return
        states = np.array(self.domain.variables[i].present_states)
        code = np.minimum(np.searchsorted(states, numbers), len(states) - 1)
        there = states[code] == numbers
        self.codes[rows[there], i] = code[there]

    def take(self, rows: IntArray, other: "Draft", some: IntArray) -> None:
        """These rows become some of the other's."""
        self.codes[rows] = other.codes[some]
        for i, each in self.values.items():
            each[rows] = other.values[i][some]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The values that a column may be moved to, ascending, as they are compared, and where those of each code are."""

    values: Numbers
    first: IntArray
    sizes: IntArray
    scale: int

    @classmethod
    def of(cls, domain: Domain, i: int, weights: FloatArray | None) -> "Column":
        """The values that its bins keep, or its states, but for those whose states have weight 0."""
        variable = domain.variables[i]
        bins, count = variable.bins, len(variable.present_states)
        each = [(state,) for state in variable.present_states] if bins is None else bins.quantiles
        allowed = np.ones(count) if weights is None else weights[:count]
        kept = [values if weight else () for values, weight in zip(each, allowed, strict=True)]
        scale = DAY if bins is not None and bins.kind == "date" else 1
        sizes = np.array([*map(len, kept)])
        return cls(
            np.array([v for values in kept for v in values]) * scale, np.cumsum(sizes) - sizes, sizes, scale
        )

    def plain(self, compared: Numbers) -> Numbers:
        """Values as bins have them, of those that are compared."""
        whole = self.values.dtype.kind == "i" and compared.dtype.kind == "f"
        numbers = np.floor(compared).astype(np.int64) if whole else compared
        return numbers // self.scale if self.scale > 1 else numbers


class Keeper:
    """What makes rows keep constraints.

    Args:
        domain: the variables, whose bins keep the values that are allowed.
        constraints: what is to hold.
        weights: by variable, the weights of its states; a number is never moved to one of weight 0.
    """

    def __init__(
        self,
        domain: Domain,
        constraints: Sequence[Constraint],
        weights: Mapping[int, FloatArray] | None = None,
    ) -> None:
        self.constraints = tuple(constraints)
        self._totals = [each for each in constraints if isinstance(each, Total)]
        self._index, weights = domain.index, weights or {}
        columns = sorted({domain.index(name) for each in constraints for name in each.names})
        self._columns = {i: Column.of(domain, i, weights.get(i)) for i in columns}
        self._summed = sorted({domain.index(name) for each in self._totals for name in each.names})
        self._spans = {i: _span(domain, i) for i in self._summed}
        self._weights = {i: weights[i] for i in self._summed if i in weights}
        self._orders = _all_orders([each for each in constraints if isinstance(each, Before)])
        self._solved: dict[frozenset[int], list[tuple[int, dict[int, float], int | None]]] = {}

    def free_of_given(self, given: frozenset[int]) -> set[int]:
        """Of each sum that is given as a whole the column that may have most values: it follows from the others."""
        sums = ({self._index(name) for name in each.names} for each in self._totals)
        return {
            max(sorted(own), key=lambda i: np.ptp(self._columns[i].values)) for own in sums if own <= given
        }

    def settle(self, draft: Draft, rng: np.random.Generator | None, *, leave: bool) -> Bools:
        """Make rows keep the constraints, as far as can be, whose numbers are drawn in their bins. [row]: does it?

        And is what was computed within the table's numbers? Where they are to `leave` their bins, numbers out of order go to
        the nearest value that is in order; without `rng` they do so in their bins, too.
        """
        inside = self._add_up(draft)
        if self._orders:
            self._move_all(draft, rng, leave=leave)
            inside = self._add_up(draft)
        for each in self.constraints:
            inside &= keeps(each, draft)
        return inside

    def _add_up(self, draft: Draft) -> Bools:
        """Compute what follows from other cells. [row]: is it within the table's numbers?"""
        inside = np.ones(len(draft.codes), dtype=bool)
        if not self._totals:
            return inside
        patterns, which = np.unique(draft.fixed[:, self._summed], axis=0, return_inverse=True)
        for k, pattern in enumerate(patterns):
            rows = np.flatnonzero(which.ravel() == k)
            free = frozenset(i for i, known in zip(self._summed, pattern, strict=True) if not known)
            for column, others, digits in self._solve(free):
                some = rows[_all_known(draft, rows, (column, *others))]
                found = np.zeros(len(some), dtype=self._columns[column].values.dtype)
                for i, factor in others.items():
                    found = found + compared_values(draft, i)[some] * (
                        int(factor) if factor % 1 == 0 else factor
                    )
                if found.dtype.kind == "f" and digits is not None:
                    found = np.round(found, digits)
                if self._columns[column].values.dtype.kind == "i":
                    found = np.rint(found).astype(np.int64)
                draft.put(column, some, found)
                low, high = self._spans[column]
                after = draft.codes[some, column]
                allowed = self._weights[column][after] > 0 if column in self._weights else True
                inside[some] &= (found >= low) & (found <= high) & allowed
        return inside

    def _solve(self, free: frozenset[int]) -> list[tuple[int, dict[int, float], int | None]]:
        """Columns that follow from others, each with the factors of these, and its decimals: one for each total."""
        if free in self._solved:
            return self._solved[free]
        solved: list[tuple[int, dict[int, float], int | None]] = []
        for each in self._totals:
            total, *parts = map(self._index, each.names)
            row = {total: 1.0, **dict.fromkeys(parts, -1.0)}
            for column, others, _ in solved:
                row = _substitute(row, column, others)
            open_ = [i for i in row if i in free]
            if not open_:
                continue
            column = total if total in open_ else max(open_, key=lambda i: np.ptp(self._spans[i]))
            digits = each.digits if column == total or each.digits is None else MOST_DIGITS
            own = {i: -factor / row[column] for i, factor in row.items() if i != column}
            solved = [(i, _substitute(others, column, own), d) for i, others, d in solved]
            solved.append((column, own, digits))
        self._solved[free] = solved
        return solved

    def _move_all(self, draft: Draft, rng: np.random.Generator | None, *, leave: bool) -> None:
        """Move numbers that are out of order: one of the two, at random which; then the other, where that did not do."""
        half = np.ones(len(draft.codes), dtype=bool) if rng is None else rng.random(len(draft.codes)) < 0.5
        for _ in self._orders if leave else (None,):  # a number that was moved may be out of another order
            moved = False
            for order in self._orders:
                low, high = map(self._index, order.names)
                for column, some in ((high, half), (low, ~half), (high, ~half), (low, half)):
                    rows = np.flatnonzero(~keeps(order, draft) & some & ~draft.fixed[:, column])
                    if len(rows):
                        self._move(draft, column, rows, rng, leave=leave)
                        moved = True
            if not moved:
                break

    def _move(
        self, draft: Draft, i: int, rows: IntArray, rng: np.random.Generator | None, *, leave: bool
    ) -> None:
        """Numbers of X_i go between all that is to be below and above: to any that their bin has there, or, if they may
        leave it, to the nearest value of the table, or halfway where it has none.
        """
        own, codes = self._columns[i], draft.codes[rows, i].astype(np.int64)
        first, last = np.zeros(len(rows), dtype=np.int64), np.full(len(rows), len(own.values))
        above, below = np.full(len(rows), -np.inf), np.full(len(rows), np.inf)
        for order in self._orders:
            low, high = map(self._index, order.names)
            if i not in (low, high):
                continue
            other = low if i == high else high
            bound = compared_values(draft, other)[rows]
            side: Literal["left", "right"] = "right" if order.strict == (i == high) else "left"
            cut = np.searchsorted(own.values, bound, side=side)
            known = _all_known(draft, rows, (other,))
            if i == high:
                first = np.where(known, np.maximum(first, cut), first)
                above = np.where(known, np.maximum(above, bound), above)
            else:
                last = np.where(known, np.minimum(last, cut), last)
                below = np.where(known, np.minimum(below, bound), below)
        begin = np.maximum(first, own.first[codes])
        end = np.minimum(last, own.first[codes] + own.sizes[codes])
        there = begin < end
        now = np.searchsorted(own.values, compared_values(draft, i)[rows])
        place = np.clip(now, np.where(there, begin, first), np.where(there, end, last) - 1)
        if rng is not None:
            place = np.where(there, begin + (rng.random(len(rows)) * (end - begin)).astype(np.int64), place)
        able = there | (leave & (first < last))
        draft.put(i, rows[able], own.plain(own.values[place[able]]))
        if leave:
            halfway = np.flatnonzero((first >= last) & (above <= below))
            ends = np.array([above, below])[:, halfway]
            alone = np.isinf(ends)  # and the value is beyond the other one
            ends = np.where(alone, ends[::-1], ends)
            step = own.scale if own.values.dtype.kind == "i" else ROUNDING * np.maximum(1.0, np.abs(ends[0]))
            beyond = alone[1].astype(np.int64) - alone[0]
            draft.put(i, rows[halfway], own.plain(ends.mean(axis=0) + step * beyond))


def _span(domain: Domain, i: int) -> tuple[float, float]:
    """The smallest and the largest number of a column."""
    bins = domain.variables[i].bins
    if bins is None:
        states = np.array(domain.variables[i].present_states, dtype=np.float64)
        return float(states[0]), float(states[-1])
    kept = bins.every()
    ends = (float(bins.edges[0]), float(bins.edges[-1]))
    low, high = (
        float(edge if np.isfinite(edge) else value) for edge, value in zip(ends, kept[[0, -1]], strict=True)
    )
    return low, high


def _all_known(draft: Draft, rows: IntArray, columns: Sequence[int]) -> Bools:
    known = np.ones(len(rows), dtype=bool)
    for i in columns:
        own = draft.known(i)
        known &= True if own is None else own[rows]
    return known


def _substitute(row: Mapping[int, float], column: int, others: Mapping[int, float]) -> dict[int, float]:
    """A sum of columns by their factors, one of them written as the sum of others."""
    factor = row.get(column, 0.0)
    found = {i: each for i, each in row.items() if i != column}
    for i, each in others.items() if factor else ():
        found[i] = found.get(i, 0.0) + factor * each
    return {i: each for i, each in found.items() if abs(each) > 1e-9}


def _all_orders(orders: list[Before]) -> list[Before]:
    """The orders, and all that follow from them; those of lower columns first."""
    strict = {(each.low, each.high): each.strict for each in orders}
    for middle in dict.fromkeys(each.high for each in orders):
        for low, between in [pair for pair in strict if pair[1] == middle]:
            for _, high in [pair for pair in strict if pair[0] == between and pair[1] != low]:
                strict[low, high] = (
                    strict.get((low, high), False) or strict[low, between] or strict[between, high]
                )
    below = {name: sum(high == name for _, high in strict) for pair in strict for name in pair}
    return [
        Before(*pair, strict[pair])
        for pair in sorted(strict, key=lambda pair: (below[pair[0]], below[pair[1]]))
    ]
