"""Conditional tables: every row a distribution, the equation of smoothing, extremes."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import ConditionalTable
from depnet.errors import ModelError
from tests.refusals import refuses
from tests.strategies import seeds


def rows_sum_to_one(table: ConditionalTable) -> bool:
    return bool((np.abs(table.probabilities.sum(axis=1) - 1) <= 1e-12).all())


count_tables = st.integers(1, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 2**40), min_size=k, max_size=k), min_size=1, max_size=5)
)


@given(count_tables, st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.7, 1e-300, 1e100]))
def test_counts_and_smoothing_give_their_equation(counts: list[list[int]], smoothing: float) -> None:
    table = ConditionalTable.from_counts(counts, smoothing)
    s = Fraction(smoothing)
    for row, theta in zip(counts, table.probabilities.tolist(), strict=True):
        total = sum(row) + s * len(row)
        exact = [(n + s) / total if total else Fraction(1, len(row)) for n in row]
        np.testing.assert_allclose(theta, [float(p) for p in exact], rtol=1e-15, atol=0)
    assert rows_sum_to_one(table)
    assert table.counts is not None
    assert table.counts.tolist() == counts
    assert (table.size, table.states) == (len(counts), len(counts[0]))


def test_a_forgotten_pseudo_count_is_noticed() -> None:
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(
            ConditionalTable.from_counts([[3, 1]], 0.5).probabilities[0],
            [3.5 / 4.5, 1.5 / 4.5],
            rtol=1e-15,
            atol=0,
        )


def test_given_probabilities_may_be_extreme() -> None:
    rows = [[1.0, 0.0, 0.0], [1 - 1e-300, 1e-300, 0.0], [5e-324, 1.0, 0.0], [-0.0, 0.5, 0.5]]
    table = ConditionalTable.from_probabilities(rows)
    assert table.probabilities.tolist() == rows
    assert rows_sum_to_one(table)
    assert table.counts is None


@given(seeds)
def test_a_normalised_row_is_kept_bit_for_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.gamma(0.3, size=(4, int(rng.integers(1, 3000)))) + 1e-9
    once = ConditionalTable.from_probabilities(rows / rows.sum(axis=1, keepdims=True) * (1 + 1e-10))
    assert rows_sum_to_one(once)
    again = ConditionalTable.from_probabilities(once.probabilities)
    assert np.array_equal(again.probabilities, once.probabilities)


def test_nearly_normalised_rows_are_normalised() -> None:
    table = ConditionalTable.from_probabilities([[0.5, 0.5 + 5e-10]])
    assert rows_sum_to_one(table)
    with pytest.raises(ModelError, match="row 1 of the conditional table is not a distribution"):
        ConditionalTable.from_probabilities([[0.5, 0.5], [0.5, 0.5 + 2e-9]])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0.5, 0.6]], r"sums to 1\.1 and its least entry is 0\.5"),
        ([[1.5, -0.5]], "least entry is -0.5"),
        ([[np.nan, 1.0]], "row 0 of the conditional table is not a distribution"),
        ([0.5, 0.5], r"\[leaf, state\]; got the shape \(2,\)"),
        ([[]], "shape"),
        (np.ones((1, 1, 1)), r"shape \(1, 1, 1\)"),
        ([[0.5, 0.5], [1.0]], "array of numbers"),
        ([["a", "b"]], "array of numbers"),
    ],
)
def test_what_is_not_a_table_of_probabilities(rows: Any, message: str) -> None:
    refuses(ModelError, message, ConditionalTable.from_probabilities, rows)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, -2]], "count of leaf 0, state 1 is -2; counts are not negative"),
        ([[1.0, 2.1]], "integers .* of float64"),
        ([[True, False]], "of bool"),
        ([1, 2], r"shape \(2,\)"),
        ([[]], "shape"),
        ([[1, 2], [3]], "integers"),
        ([[2**53, 0]], r"counts of leaf 0 sum to about 10\^16; counts are exact only below 2\^53"),
        ([[1, 1], [2**52, 2**52]], "counts of leaf 1"),
        (np.array([[2**63, 0]], dtype=np.uint64), "exact only below"),  # which int64 would make negative
        ([[2**63 - 1, 2**63 - 1]], "exact only below"),
        ([[2**70, 0]], "of object"),
    ],
)
def test_what_are_not_counts(counts: Any, message: str) -> None:
    refuses(ModelError, message, ConditionalTable.from_counts, counts)


@pytest.mark.parametrize(
    "smoothing", [-0.1, 10**400, np.nan, np.inf, 1e101, 1e308, True, "0.5", None, 1j, np.complex128(1)]
)
def test_what_is_not_a_smoothing(smoothing: Any) -> None:
    refuses(ModelError, "smoothing is a number", ConditionalTable.from_counts, [[1, 2]], smoothing)


def test_a_table_is_checked_however_it_is_made() -> None:
    half = np.array([[0.5, 0.5]])
    refuses(ModelError, "float64 array", ConditionalTable, [[0.5, 0.5]])
    refuses(ModelError, "not a distribution", ConditionalTable, np.array([[0.5, 0.6]]))
    refuses(ModelError, "both counts and a smoothing, or neither", ConditionalTable, half, np.array([[1, 1]]))
    refuses(ModelError, "same shape", ConditionalTable, half, np.array([[1, 1], [1, 1]]), 0.0)
    table = ConditionalTable(half)
    half[0, 0] = 9  # the caller's own: the table has a copy
    assert table.probabilities.tolist() == [[0.5, 0.5]]
    assert not table.probabilities.flags.writeable


def test_tables_are_equal_by_all_they_hold() -> None:
    learned = ConditionalTable.from_counts([[1, 1]])
    assert learned == ConditionalTable.from_counts([[1, 1]])
    assert learned != ConditionalTable.from_counts([[2, 2]]), "the same probabilities from other counts"
    assert learned != ConditionalTable.from_counts([[1, 1]], 0.5)
    assert learned != ConditionalTable.from_probabilities([[0.5, 0.5]])
    given_tables = [ConditionalTable.from_probabilities(row) for row in ([[0.5, 0.5]], [[0.4, 0.6]])]
    assert given_tables[0] != given_tables[1]
    assert learned != "a table"
    with pytest.raises(ValueError, match="read-only"):
        learned.probabilities[0, 0] = 1
