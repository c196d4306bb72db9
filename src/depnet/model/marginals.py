"""What a network keeps of its rows: 1- and 2-way counts of the training data, and scores of held-out rows.

Counts are of known cells: a row counts for X_i = x where X_i is known, and for a pair where both are. How many rows know
a column says what share of its cells are holes. They bound the support of evidence: no more rows can match X_C = x_C than
match any one or two of its parts, and Sec. 5 shows that rare evidence is inferred poorly. They are also what a model's 1-
and 2-way marginals are compared with.
"""

import itertools
import math
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet._native.learner import pair_counts
from depnet.arrays import CodeArray, FloatArray, IntArray, code_type, read_only
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.weights import from_units, in_units
from depnet.errors import DataError, ModelError, brief, how_many, whole_number
from depnet.model.evidence import Evidence, weights_of
from depnet.model.sources.limits import MAX_PAIR_CELLS
from depnet.model.table import MAX_COUNT

_kept: weakref.WeakKeyDictionary[Dataset, IntArray] = weakref.WeakKeyDictionary()
"""The 2-way counts of all pairs, as long as their table is: a fit asks for them to choose an order, and to keep them."""


class PairTables(Mapping[tuple[int, int], IntArray]):
    """The 2-way tables of pairs (i, j), first <= i < last and i < j, in one array, one after another."""

    def __init__(self, cardinalities: tuple[int, ...], cells: IntArray, first: int, last: int) -> None:
        self.cardinalities, self.cells, self.first, self.last = cardinalities, cells, first, last

    @classmethod
    def of(cls, dataset: Dataset, first: int = 0, last: int | None = None) -> "PairTables":
        """Count the pairs of a dataset whose first variable is `first` .. `last` - 1 (all, if not said)."""
        cards = dataset.domain.cardinalities
        last = len(cards) if last is None else last
        whole = first == 0 and last >= len(cards) - 1  # the last variable has no later one
        kept = _kept.get(dataset) if whole else None
        if kept is None:
            cells: IntArray = np.empty(pair_cells(cards, first, last), dtype=np.int64)
            pair_counts(dataset.codes, cards, in_units(dataset.weights), first=first, last=last, out=cells)
            kept = read_only(from_units(cells, dataset.weights))
            if whole and len(cells) <= MAX_PAIR_CELLS:
                _kept[dataset] = kept
        return cls(cards, kept, first, last)

    @cached_property
    def begin(self) -> IntArray:
        cards = np.array(self.cardinalities, dtype=np.int64)
        sizes = [cards[i] * cards[i + 1 :] for i in range(self.first, self.last)]
        ends = np.cumsum(np.concatenate([np.zeros(1, np.int64), *sizes]))
        return read_only(ends[:-1])

    def sums(self, cells: NDArray[Any]) -> FloatArray:
        """The sum over each table of numbers that stand as `cells` do."""
        return np.add.reduceat(cells, self.begin) if len(self) else np.zeros(0)

    def check(self, singles: tuple[IntArray, ...], total: float) -> None:
        """Raise a `DataError` unless the tables of all pairs can be of `total` rows with these 1-way counts.

        The rows of a table sum to the 1-way counts of X_i where X_j is known in all rows, and to no more elsewhere.
        """
        known = np.array([single.sum() for single in singles])
        begin = 0
        for i, height in enumerate(self.cardinalities[:-1]):
            rows = np.repeat(np.array(self.cardinalities[i + 1 :]), height)
            ends = np.cumsum(rows)
            block = self.cells[begin : begin + int(ends[-1])]
            sums = np.add.reduceat(block, ends - rows, dtype=np.float64).reshape(-1, height)
            whole, later, all_known = known[i + 1 :] == total, known[i + 1 :], sums.sum(axis=1)
            good = np.where(whole[:, None], sums == singles[i], sums <= singles[i]).all(axis=1)
            good &= (all_known <= later) & (all_known >= known[i] + later - total)
            if not good.all():
                j = i + 1 + int(np.argmin(good))
                raise DataError(f"the 2-way counts of variables {i} and {j} do not sum to the 1-way counts.")
            begin += int(ends[-1])

    @property
    def sizes(self) -> IntArray:
        """How many cells each table has."""
        return np.diff(np.append(self.begin, len(self.cells)))

    def _place(self, i: int, j: int) -> int:
        n = len(self.cardinalities)
        before = (i - self.first) * n - (i * (i + 1) - self.first * (self.first + 1)) // 2
        return before + j - i - 1

    def __getitem__(self, pair: tuple[int, int]) -> IntArray:
        i, j = pair
        if not self.first <= i < min(self.last, j) or j >= len(self.cardinalities):
            raise KeyError(pair)
        height, width = self.cardinalities[i], self.cardinalities[j]
        begin = int(self.begin[self._place(i, j)])
        return self.cells[begin : begin + height * width].reshape(height, width)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        n = len(self.cardinalities)
        return ((i, j) for i in range(self.first, self.last) for j in range(i + 1, n))

    def __len__(self) -> int:
        n = len(self.cardinalities)
        return sum(n - 1 - i for i in range(self.first, self.last))


def pair_cells(cardinalities: tuple[int, ...], first: int = 0, last: int | None = None) -> int:
    """The cells of all 2-way tables whose first variable is `first` .. `last` - 1."""
    last = len(cardinalities) if last is None else last
    after, cells = sum(cardinalities[first:]), 0
    for k in cardinalities[first:last]:
        after -= k
        cells += k * after
    return cells


@dataclass(frozen=True, slots=True, eq=False)
class MarginalCounts:
    """`singles[i][x]` rows have X_i = x; `pairs[i, j][x, x']`, i < j, have X_i = x and X_j = x'.

    `pairs` is None where the tables would have had more than a million cells.
    """

    singles: tuple[IntArray, ...]
    pairs: PairTables | None
    total: Any = -1
    """N, the number of training samples; where it is not given, all cells are known."""

    def __post_init__(self) -> None:
        whole = self.total < 0
        if whole:
            object.__setattr__(self, "total", self.singles[0].sum().item())
        for counts in self.singles:
            if counts.dtype not in (np.int64, np.float64) or (counts < 0).any():
                raise DataError("1- and 2-way counts are non-negative.")
            if whole and counts.sum() != self.total:
                raise DataError("1- and 2-way counts are non-negative integers with one total.")
            if counts.sum() > self.total:
                raise DataError(f"1-way counts sum to no more than the {self.total:,} rows.")
        n = len(self.singles)
        if self.pairs is not None and len(self.pairs) != n * (n - 1) // 2:
            raise DataError(f"2-way counts need a table for each of the {n * (n - 1) // 2} pairs.")

    @classmethod
    def of(cls, dataset: Holed, max_pair_cells: int = MAX_PAIR_CELLS) -> "MarginalCounts":
        """Count the known cells of a table.

        >>> from depnet.data import titanic
        >>> MarginalCounts.of(titanic()).pairs[1, 3].tolist()      # sex x survived
        [[126, 344], [1364, 367]]
        """
        cards = dataset.domain.cardinalities
        hidden = None if dataset.complete else dataset.hidden
        singles = tuple(_count(dataset, hidden, i) for i in range(len(cards)))
        total = dataset.weights.sum().item() if dataset.weights is not None else dataset.rows
        if len(cards) == 1:
            return cls(singles, PairTables(cards, np.zeros(0, np.int64), 0, 1), total)
        if pair_cells(cards) > max_pair_cells:
            return cls(singles, None, total)
        if hidden is not None:
            return cls(singles, _known_pairs(dataset, hidden), total)
        return cls(singles, PairTables.of(dataset.dataset()), total)

    @property
    def holes(self) -> IntArray:
        """[variable]: in how many rows it is not known."""
        return np.asarray(self.total - np.array([counts.sum() for counts in self.singles]))

    @property
    def hole_rates(self) -> FloatArray:
        """[variable]: the probability of a hole, with half a hole and half a known cell added to the rows."""
        return np.asarray((self.holes + 0.5) / (self.total + 1))

    @property
    def missing_rates(self) -> tuple[float, ...]:
        return tuple((self.holes / max(self.total, 1)).tolist())

    def independent_scores(self, table: Holed) -> FloatArray:
        """Each row's score if no column told of another: nats of its known cells, with half a row more in every state."""
        found = np.zeros(table.rows)
        for i, counts in enumerate(self.singles):
            log = np.log((counts + 0.5) / (counts.sum() + 0.5 * len(counts)))
            found += np.where(table.hidden[:, i], 0.0, log[table.codes[:, i]])
        return found

    def support_bound(self, evidence: Evidence) -> int:
        """An upper bound of the training rows that know the evidence and match it (all states of positive weight)."""
        cards = [len(counts) for counts in self.singles]
        allowed = {i: np.flatnonzero(weights) for i, weights in weights_of(evidence, cards).items()}
        bounds = [int(self.total), *(int(self.singles[i][states].sum()) for i, states in allowed.items())]
        if self.pairs is not None:
            for i, j in itertools.combinations(sorted(allowed), 2):
                bounds.append(int(self.pairs[i, j][np.ix_(allowed[i], allowed[j])].sum()))
        return min(bounds)

    def __add__(self, other: "MarginalCounts") -> "MarginalCounts":
        """The counts of both tables' rows together."""
        if self.total + other.total >= MAX_COUNT:
            raise DataError(
                f"there would be {how_many(self.total + other.total)} rows; counts are exact only below 2^53."
            )
        singles = tuple(read_only(a + b) for a, b in zip(self.singles, other.singles, strict=True))
        if self.pairs is None or other.pairs is None:
            return MarginalCounts(singles, None, self.total + other.total)
        cells = read_only(self.pairs.cells + other.pairs.cells)
        pairs = PairTables(self.pairs.cardinalities, cells, 0, len(singles))
        return MarginalCounts(singles, pairs, self.total + other.total)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MarginalCounts):
            return NotImplemented
        if len(self.singles) != len(other.singles) or self.total != other.total:
            return False
        if self.pairs is None or other.pairs is None:
            same_pairs = self.pairs is other.pairs
        else:
            same_pairs = np.array_equal(self.pairs.cells, other.pairs.cells)
        return same_pairs and all(map(np.array_equal, self.singles, other.singles))

    __hash__ = None  # type: ignore[assignment]  # holds arrays


def _known_pairs(table: Holed, hidden: NDArray[np.bool_]) -> PairTables:
    """The 2-way counts of a table in which a hole is one more state, without that state."""
    cards = table.domain.cardinalities
    more = tuple(k + bool(hidden[:, i].any()) for i, k in enumerate(cards))
    codes: CodeArray = np.where(hidden, np.array(cards), table.codes).astype(code_type(more), order="F")
    wide: IntArray = np.empty(pair_cells(more), dtype=np.int64)
    pair_counts(codes, more, in_units(table.weights), first=0, last=len(cards), out=wide)
    every = PairTables(more, from_units(wide, table.weights), 0, len(cards))
    cells = [every[i, j][: cards[i], : cards[j]].ravel() for i, j in every]
    return PairTables(cards, read_only(np.concatenate(cells)), 0, len(cards))


def _count(table: Holed, hidden: NDArray[np.bool_] | None, i: int) -> IntArray:
    """How many rows know each state of variable i."""
    known = slice(None) if hidden is None else ~hidden[:, i]
    codes, states = table.codes[known, i], table.domain.cardinalities[i]
    if table.weights is None:
        return read_only(np.bincount(codes, minlength=states).astype(np.int64))
    counts: NDArray[Any] = np.zeros(states, dtype=table.weights.dtype)
    np.add.at(
        counts, codes, table.weights[known]
    )  # exact for weights past 2^53 / N, where a float bincount is not
    return read_only(counts)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Scores of held-out rows, in nats per row, by the candidate that was chosen.

    `score` is the mean over rows of the sum over nodes of log theta_i(x_i | y_i): of an ordered network the
    log-likelihood. `independent` is the same of the network with one leaf a node. `worth` is, of an ordered network, how
    many rows of a table its law is worth where an answer joins both (`QueryResult.combined`), `sure_shares` and
    `sure_means` are how many rows more than those of the table the interval of a share, or mean, rests on
    (`QueryResult.interval`).
    """

    rows: int
    score: float
    independent: float
    worth: float | None = None
    sure_shares: float | None = None
    sure_means: float | None = None

    def __post_init__(self) -> None:
        rows = whole_number("the number of held-out rows", self.rows, at_least=1, error=ModelError)
        object.__setattr__(self, "rows", rows)
        for name in ("score", "independent"):
            value = getattr(self, name)
            if not isinstance(value, float) or not math.isfinite(value):
                raise ModelError(f"the {name} of held-out rows is a finite number; got {brief(value)}.")
        for name in ("worth", "sure_shares", "sure_means"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, float) and math.isfinite(value) and value > 0):
                raise ModelError(f"{name} of held-out rows is a number of rows above 0; got {brief(value)}.")

    @property
    def gained(self) -> float:
        """Bits per row that the network explains of what independent columns leave."""
        return (self.score - self.independent) / math.log(2)

    @property
    def predicted(self) -> float:
        """The share of what independent columns leave open that the network predicts."""
        return 1 - self.score / self.independent if self.independent else 0.0
