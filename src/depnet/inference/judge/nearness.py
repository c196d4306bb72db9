r"""How near drawn rows are to a table: distances between 1- and 2-way marginals, beside what chance alone gives.

Of each variable and of each pair, the total variation distance between the drawn rows' shares and the data's is

.. math:: \frac12 \sum_x |\hat p(X_i = x) - p^D(X_i = x)| \quad\text{and}\quad
          \frac12 \sum_{x, x'} |\hat p(X_i = x, X_j = x') - p^D(X_i = x, X_j = x')|.

Of a table with holes, shares are those of the rows that know the cells.

Drawn rows vary, so that even a perfect model lies at a distance, the floor: what n rows of the data itself, drawn with
replacement, would have on average. A cell of probability p is then met K times, K binomial, and by De Moivre's formula

.. math:: E|K - n p| = 2 m \tbinom{n}{m} p^m (1 - p)^{n - m + 1}, \qquad m = \lfloor n p \rfloor + 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet.arrays import FloatArray, IntArray, read_only
from depnet.data.table.dataset import Dataset, Holed
from depnet.errors import DataError
from depnet.model.marginals import MarginalCounts, PairTables
from depnet.model.network import check_same_domain

WAYS = {"1-way": "single columns", "2-way": "pairs of columns"}


@dataclass(frozen=True, slots=True, eq=False)
class Nearness:
    """Total variation distances between two tables' 1- and 2-way marginals. Printing it shows a line for each."""

    names: tuple[str, ...]
    singles: FloatArray
    """Of each variable."""
    pairs: FloatArray | None
    """Of each pair (0, 1), (0, 2), ..., (1, 2), ...; None where there are too many cells to count."""
    rows: int
    """How many rows were drawn."""
    floor_one_way: float
    """The mean over variables where there is nothing but chance."""
    floor_two_way: float

    @property
    def one_way(self) -> float:
        """The mean over variables."""
        return float(self.singles.mean())

    @property
    def two_way(self) -> float:
        """The mean over pairs; nan where they were not counted or there are none."""
        return float(self.pairs.mean()) if self.pairs is not None and self.pairs.size else float("nan")

    def by_ways(self) -> list[tuple[str, float, float, float]]:
        """("1-way", mean, worst, floor), and the same of pairs where they were counted."""
        found = [("1-way", self.one_way, float(self.singles.max()), self.floor_one_way)]
        if self.pairs is not None and self.pairs.size:
            found.append(("2-way", self.two_way, float(self.pairs.max()), self.floor_two_way))
        return found

    def furthest(self, count: int = 3) -> list[tuple[str, float]]:
        """The variables that lie furthest apart, with their distances."""
        return [
            (self.names[i], float(self.singles[i])) for i in np.argsort(-self.singles, kind="stable")[:count]
        ]

    @property
    def said(self) -> str:
        """How near they are, in one line for a person."""
        ways = self.by_ways()
        apart = " and ".join(f"{100 * mean:.2g} % for {WAYS[way]}" for way, mean, _, _ in ways)
        chance = " and ".join(f"{100 * floor:.2g} %" for _, _, _, floor in ways)
        return f"shares in rows drawn from it differ from the table's by {apart} (chance alone: {chance})"

    def __str__(self) -> str:
        lines = [f"marginals of {self.rows:,} drawn rows against the data (total variation)"]
        for ways, mean, worst, floor in self.by_ways():
            lines.append(f"{ways}: mean {mean:.4f}, worst {worst:.4f}; by chance alone: mean {floor:.4f}")
        far = ", ".join(f"{name} {distance:.4f}" for name, distance in self.furthest())
        return "\n".join([*lines, f"furthest: {far}"])


def nearness(drawn: Dataset, data: Holed | MarginalCounts) -> Nearness:
    """How near the marginals of `drawn` rows are to those of `data`, beside what chance alone gives."""
    if not isinstance(data, MarginalCounts):
        check_same_domain("nearness", drawn.domain, data)
        data = MarginalCounts.of(data)
    if data.total == 0 or drawn.total == 0:
        raise DataError("nearness: there are no rows to compare.")
    return between(MarginalCounts.of(drawn), data, drawn.domain.names, by_chance(data, drawn.total))


def between(
    first: MarginalCounts, second: MarginalCounts, names: Sequence[str], floor: tuple[float, float]
) -> Nearness:
    """The distances between two tables' marginals, of whatever numbers of rows, beside a floor that is known."""

    def apart(a: IntArray, b: IntArray) -> float:
        return float(np.abs(a / max(a.sum(), 1) - b / max(b.sum(), 1)).sum()) / 2

    singles = np.array([apart(a, b) for a, b in zip(first.singles, second.singles, strict=True)])
    pairs = None
    if first.pairs is not None and second.pairs is not None:
        gaps = np.abs(_pair_shares(first.pairs) - _pair_shares(second.pairs))
        pairs = read_only(first.pairs.sums(gaps) / 2)
    return Nearness(tuple(names), read_only(singles), pairs, first.total, *floor)


def _pair_shares(pairs: PairTables) -> FloatArray:
    """Of every cell, its share of the rows that know both."""
    known = np.maximum(pairs.sums(pairs.cells), 1)
    return np.asarray(pairs.cells / np.repeat(known, pairs.sizes))


def by_chance(counts: MarginalCounts, rows: int, beside: MarginalCounts | None = None) -> tuple[float, float]:
    """The mean 1- and 2-way distance between a law and `rows` of its rows, in expectation, where `counts` are the law's.

    With the counts of a table `beside` it, between `rows` of its rows and the table's, if these were of the law, too. As
    many rows of a known law vary from it like two tables vary from each other, whose variances add up: 1 / size =
    1 / rows + 1 / known, where the table knows so many cells. A table of few rows lies far from any law by chance.
    """
    shares = [table / max(table.sum(), 1) for table in counts.singles]
    sizes = [rows if beside is None else _as_uncertain(rows, own.sum()) for own in (beside or counts).singles]
    one_way = float(np.mean([_expected(p, n).sum() / 2 for p, n in zip(shares, sizes, strict=True)]))
    if not counts.pairs or (beside is not None and not beside.pairs):
        return one_way, float("nan")
    size: int | FloatArray = rows
    if beside is not None and beside.pairs:
        known = beside.pairs.sums(beside.pairs.cells)
        size = np.repeat(_as_uncertain(rows, known), beside.pairs.sizes)
    cells = _expected(_pair_shares(counts.pairs), size).sum()
    return one_way, float(cells) / 2 / len(counts.pairs)


def _as_uncertain(drawn: int, known: Any) -> Any:
    return np.maximum(1.0, np.round(drawn * known / (drawn + known)))


def _expected(p: FloatArray, rows: float | FloatArray) -> FloatArray:
    """E|K / n - p| of every cell, by De Moivre's formula."""
    m = np.minimum(np.floor(rows * p) + 1, rows)  # p = 1 never varies, and has a factor of 0 below
    from scipy import special  # slow to import

    log_choose = special.gammaln(rows + 1) - special.gammaln(m + 1) - special.gammaln(rows - m + 1)
    return np.asarray(
        2 * m / rows * np.exp(log_choose + special.xlogy(m, p) + special.xlog1py(rows - m + 1, -p))
    )
