"""Bins from ranks alone are the bins that counting every value gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet.data.binning.cut import quantile_bounds
from depnet.data.binning.ranked import RankedArray, RankedCounts
from tests.reference import binning as reference

FEW = st.lists(st.integers(0, 12), min_size=1, max_size=80)
HEAVY = st.lists(st.sampled_from([0, 0, 0, 0, 1, 2, 2, 2, *range(3, 40)]), min_size=1, max_size=200)


@given(st.one_of(FEW, HEAVY), st.integers(1, 20))
def test_bounds_by_ranks_equal_bounds_by_counts(values: list[int], number: int) -> None:
    ranked = RankedArray.of(np.array(values))
    assert quantile_bounds(ranked, number) == reference.quantile_bounds(np.array(values), number)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("number", [2, 7, 16])
def test_bounds_of_longer_columns(seed: int, number: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=3000).round(seed % 4)
    values[rng.random(3000) < 0.1 * (seed % 7)] = 0.0
    assert quantile_bounds(RankedArray.of(values), number) == reference.quantile_bounds(values, number)


@given(st.one_of(FEW, HEAVY))
def test_numbers_with_counts_are_the_numbers_repeated(values: list[int]) -> None:
    whole = RankedArray.of(np.array(values))
    half = len(values) // 2  # some numbers come twice, as those of two parts do
    found, counts = zip(
        *[(v, half_of.count(v)) for half_of in (values[:half], values[half:]) for v in set(half_of)],
        strict=True,
    )
    ranked = RankedCounts.of(np.array(found), np.array(counts))
    ranks = range(len(values))
    assert len(ranked) == len(whole)
    assert ranked.at(ranks).tolist() == whole.at(ranks).tolist()
    assert ranked.distinct(5).tolist() == whole.distinct(5).tolist()
    for value in range(-1, 42):
        assert (ranked.before(value), ranked.until(value)) == (whole.before(value), whole.until(value))
