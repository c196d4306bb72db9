"""1- and 2-way counts in a model file: lists of whole numbers, which must agree with each other."""

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import IntArray, read_only
from depnet.data.table.domain import Domain
from depnet.model.file.fields import fault, fields_of, items_of, located, whole_of, wholes_of
from depnet.model.marginals import MarginalCounts, PairTables
from depnet.model.table import MAX_COUNT


def counts_of(value: object, domain: Domain) -> MarginalCounts:
    """The counts that a document has, of the variables of a domain."""
    fields = fields_of(value, "counts", ("singles", "pairs"), optional=("total",))
    cards = domain.cardinalities
    given = items_of(fields["singles"], "counts.singles", len(cards))
    singles = tuple(
        _tally(single, k, f"counts.singles[{i}]")
        for i, (single, k) in enumerate(zip(given, cards, strict=True))
    )
    pairs = None if fields["pairs"] is None else _pairs(fields["pairs"], cards)
    with located("counts"):
        total = whole_of(fields["total"], "counts.total", 0, MAX_COUNT - 1) if "total" in fields else -1
        counts = MarginalCounts(singles, pairs, total)
        if pairs is not None:
            pairs.check(singles, counts.total)
    return counts


def _tally(value: object, states: int, at: str) -> IntArray:
    numbers = wholes_of(value, at, 0, MAX_COUNT, states)
    if sum(numbers) >= MAX_COUNT:
        raise fault(at, "the counts sum to 2^53 or more.")
    return read_only(np.array(numbers, dtype=np.int64))


def _pairs(value: object, cards: tuple[int, ...]) -> PairTables:
    """All tables in one array: one array for each of millions of small tables would take a hundred times their text."""
    at = "counts.pairs"
    given = items_of(value, at, len(cards) * (len(cards) - 1) // 2)
    cells = 0
    for p, (i, j) in enumerate(itertools.combinations(range(len(cards)), 2)):
        wholes_of(given[p], f"{at}[{p}]", 0, MAX_COUNT, cards[i] * cards[j])
        cells += cards[i] * cards[j]
    numbers: NDArray[Any] = np.fromiter(itertools.chain.from_iterable(given), dtype=np.int64, count=cells)
    return PairTables(cards, read_only(numbers), 0, len(cards))
