"""1- and 2-way counts of the training data, kept with a network.

They bound the support of evidence: no more rows can match X_C = x_C than match any one or two of its
parts, and Sec. 5 shows that rare evidence is inferred poorly. They are also what a model's 1- and 2-way
marginals are compared with.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, IntArray, read_only
from depnet.data.dataset import Dataset
from depnet.errors import DataError
from depnet.model.evidence import Evidence

MAX_PAIR_CELLS = 1_000_000
"""Past so many cells the 2-way counts are left out: a model file should stay small."""


@dataclass(frozen=True, slots=True, eq=False)
class MarginalCounts:
    """`singles[i][x]` rows have X_i = x; `pairs[i, j][x, x']`, i < j, have X_i = x and X_j = x'.

    `pairs` is None where the tables would have had more than a million cells.
    """

    singles: tuple[IntArray, ...]
    pairs: Mapping[tuple[int, int], IntArray] | None

    def __post_init__(self) -> None:
        for counts in (*self.singles, *(self.pairs or {}).values()):
            if counts.dtype != np.int64 or (counts < 0).any() or int(counts.sum()) != self.total:
                raise DataError("1- and 2-way counts are non-negative integers with one total.")
        if self.pairs is not None:
            n = len(self.singles)
            if set(self.pairs) != set(itertools.combinations(range(n), 2)):
                raise DataError(f"2-way counts need a table for each of the {n * (n - 1) // 2} pairs.")
            for (i, j), table in self.pairs.items():
                if table.ndim != 2 or not (
                    np.array_equal(table.sum(axis=1), self.singles[i])
                    and np.array_equal(table.sum(axis=0), self.singles[j])
                ):
                    raise DataError(
                        f"the 2-way counts of variables {i} and {j} do not sum to the 1-way counts."
                    )

    @classmethod
    def of(cls, dataset: Dataset, max_pair_cells: int = MAX_PAIR_CELLS) -> "MarginalCounts":
        """Count a dataset.

        >>> from depnet.data import titanic
        >>> MarginalCounts.of(titanic()).pairs[1, 3].tolist()      # sex x survived
        [[126, 344], [1364, 367]]
        """
        cards = dataset.domain.cardinalities
        singles = tuple(_count(dataset.column(i), k, dataset.weights) for i, k in enumerate(cards))
        cells = (sum(cards) ** 2 - sum(k * k for k in cards)) // 2
        if cells > max_pair_cells:
            return cls(singles, None)
        n, width = len(cards), sum(cards)
        # Seconds per row, roughly: a matrix product over indicators, or one pass for each pair.
        by_product = width * width / 2e10 < n * n * 0.75e-9
        pairs = _pairs_by_product(dataset) if by_product else _pairs_by_passes(dataset)
        return cls(singles, pairs)

    @property
    def total(self) -> int:
        """N, the number of training samples."""
        return int(self.singles[0].sum())

    def support_bound(self, evidence: Evidence) -> int:
        """At most so many training rows match the evidence (all states of positive weight allowed)."""
        allowed: dict[int, FloatArray | IntArray] = {}
        for i, code in evidence.clamped.items():
            allowed[i] = np.array([code])
        for i, weights in evidence.tilts.items():
            allowed[i] = np.flatnonzero(weights)
        bounds = [self.total, *(int(self.singles[i][states].sum()) for i, states in allowed.items())]
        if self.pairs is not None:
            for i, j in itertools.combinations(sorted(allowed), 2):
                bounds.append(int(self.pairs[i, j][np.ix_(allowed[i], allowed[j])].sum()))
        return min(bounds)

    def __add__(self, other: "MarginalCounts") -> "MarginalCounts":
        """The counts of both tables' rows together."""
        singles = tuple(read_only(a + b) for a, b in zip(self.singles, other.singles, strict=True))
        if self.pairs is None or other.pairs is None:
            return MarginalCounts(singles, None)
        theirs = other.pairs
        return MarginalCounts(singles, {p: read_only(table + theirs[p]) for p, table in self.pairs.items()})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MarginalCounts):
            return NotImplemented
        if len(self.singles) != len(other.singles) or (self.pairs is None) != (other.pairs is None):
            return False
        if not all(map(np.array_equal, self.singles, other.singles)):
            return False
        return all(
            np.array_equal(table, (other.pairs or {})[pair]) for pair, table in (self.pairs or {}).items()
        )

    __hash__ = None  # type: ignore[assignment]  # holds arrays


def _count(codes: np.ndarray, cells: int, weights: IntArray | None) -> IntArray:
    if weights is None:
        return read_only(np.bincount(codes, minlength=cells).astype(np.int64))
    counts = np.zeros(cells, dtype=np.int64)
    np.add.at(counts, codes, weights)  # exact for weights past 2^53 / N, where a float bincount is not
    return read_only(counts)


def _pairs_by_passes(dataset: Dataset) -> dict[tuple[int, int], IntArray]:
    cards = dataset.domain.cardinalities
    pairs = {}
    for i in range(len(cards)):
        first = dataset.column(i).astype(np.int64)
        for j in range(i + 1, len(cards)):
            joint = first * cards[j] + dataset.column(j)
            pairs[i, j] = read_only(
                _count(joint, cards[i] * cards[j], dataset.weights).reshape(cards[i], cards[j])
            )
    return pairs


def _pairs_by_product(dataset: Dataset, chunk: int = 1 << 14) -> dict[tuple[int, int], IntArray]:
    """All pairs at once: indicator columns times their transpose, exact in float64 below 2^53."""
    cards = dataset.domain.cardinalities
    begin = np.concatenate([[0], np.cumsum(cards)])
    gram = np.zeros((begin[-1], begin[-1]))
    for start in range(0, dataset.rows, chunk):
        codes = dataset.codes[start : start + chunk]
        ones = np.zeros((len(codes), begin[-1]))
        for i in range(len(cards)):
            ones[np.arange(len(codes)), begin[i] + codes[:, i].astype(np.int64)] = 1.0
        weighted = ones if dataset.weights is None else ones * dataset.weights[start : start + chunk, None]
        gram += weighted.T @ ones
    return {
        (i, j): read_only(np.rint(gram[begin[i] : begin[i + 1], begin[j] : begin[j + 1]]).astype(np.int64))
        for i, j in itertools.combinations(range(len(cards)), 2)
    }
