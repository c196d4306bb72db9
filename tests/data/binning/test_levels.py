"""Levels: the nearest value that a bin keeps, equal values as one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from depnet.data.binning.cut import quantile_bins
from depnet.data.binning.levels import Levels


@given(st.lists(st.integers(-30, 30), min_size=2, max_size=60), st.integers(1, 6))
def test_a_number_has_the_nearest_level_of_its_bin(values: list[int], number: int) -> None:
    bins = quantile_bins(np.array(values), "integer", number)
    levels = Levels.of(bins)
    kept = [value for own in bins.quantiles for value in own]
    codes = bins.locate(values)
    found = levels.locate(np.array(values), codes)
    for value, k, level in zip(values, codes.tolist(), found.tolist(), strict=True):
        own = bins.quantiles[k]
        assert abs(kept[level] - value) == min(abs(each - value) for each in own)
        assert level == levels.first[k] + own.index(kept[level])  # the first of equal ones


@given(st.lists(st.integers(0, 5), min_size=1, max_size=80))
def test_a_value_that_is_kept_several_times_is_in_the_middle_of_its_levels(values: list[int]) -> None:
    bins = quantile_bins(np.array(values), "integer", 2)
    levels = Levels.of(bins)
    shared = levels.locate(np.array(values), bins.locate(values))
    found = levels.middle(shared)
    assert (levels.same[found] == shared).all()
    for first, middle in set(zip(shared.tolist(), found.tolist(), strict=True)):
        equal = np.flatnonzero(levels.same == first)
        assert middle - equal[0] in (equal[-1] - middle, equal[-1] - middle - 1)


def test_whole_numbers_past_float64_stay_in_their_bins() -> None:
    values = np.array([2**62 + k for k in range(8)])
    bins = quantile_bins(values, "integer", 4)
    codes = bins.locate(values)
    found = Levels.of(bins).locate(values, codes)
    assert bins.locate(Levels.of(bins).values[found]).tolist() == codes.tolist()
