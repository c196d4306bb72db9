"""Rows dealt out: every row in one part, equal rows fairly, and the order of rows without effect."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from depnet import Dataset
from depnet.learning.deal import dealt
from tests.strategies import datasets, seeds


def rows_of(table: Dataset) -> Counter[tuple[int, ...]]:
    weights = np.ones(table.rows, dtype=int) if table.weights is None else table.weights
    found: Counter[tuple[int, ...]] = Counter()
    for row, weight in zip(table.codes.tolist(), weights.tolist(), strict=True):
        found[tuple(row)] += weight
    return +found


@given(datasets(max_rows=200))
def test_each_row_is_in_one_part_and_equal_rows_are_shared_out(table: Dataset) -> None:
    first, second = dealt(table, (4, 1))
    everything, parts = rows_of(table), (rows_of(first), rows_of(second))
    assert parts[0] + parts[1] == everything
    for row, count in everything.items():
        assert abs(parts[1][row] - count / 5) < 1  # each five places in a row have one of it
    assert abs(second.total - table.total / 5) < 1


@given(datasets(max_rows=100), seeds)
def test_the_order_of_rows_does_not_matter_nor_how_they_are_weighted(table: Dataset, seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = [rows_of(part) for part in dealt(table, (2, 1), of=4)]
    expanded = table.codes if table.weights is None else np.repeat(table.codes, table.weights, axis=0)
    shuffled = Dataset.from_codes(expanded[rng.permutation(len(expanded))], domain=table.domain)
    assert [rows_of(part) for part in dealt(shuffled, (2, 1), of=4)] == parts
    twice = Dataset.from_codes(
        np.concatenate([expanded, expanded]),
        domain=table.domain,
        weights=np.repeat([1, 2], len(expanded)),
    )
    thrice = Dataset.from_codes(np.concatenate([expanded] * 3), domain=table.domain)
    for a, b in zip(dealt(twice, (2, 1), of=4), dealt(thrice, (2, 1), of=4), strict=True):
        assert rows_of(a) == rows_of(b)


@pytest.mark.parametrize("states", [3, 300])
def test_parts_have_the_same_law(states: int) -> None:
    """Shares of a state differ by chance, by 6 standard errors once in 10^9; parts cut from rows sorted by a column fail."""
    rng = np.random.default_rng(0)
    codes = np.column_stack(
        [rng.integers(0, 2, 20_000), rng.integers(0, states, 20_000), *rng.integers(0, 2, (9, 20_000))]
    )
    held = dealt(Dataset.from_codes(codes, [2, states] + [2] * 9), (4, 1))[1]
    assert held.rows == 4_000
    for j in (0, *range(2, 11)):
        assert abs(held.codes[:, j].mean() - codes[:, j].mean()) < 6 * 0.5 / 4_000**0.5
