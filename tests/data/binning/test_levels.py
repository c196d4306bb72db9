"""Levels: the nearest value that a bin keeps, equal values as one; numbers from the probabilities of bins, against sums over
all values one by one."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Variable
from depnet.data.binning.bins import Bins
from depnet.data.binning.cut import quantile_bins
from depnet.data.binning.levels import Levels
from tests.narrowed import there
from tests.reference import numbers as slow

LEVELS = [0.05, 0.25, 0.5, 0.75, 0.95]


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


@st.composite
def binned(draw: st.DrawFn) -> Bins:
    """One to five bins of one to six whole values each, some equal."""
    edges = draw(st.lists(st.integers(-50, 50), min_size=2, max_size=6, unique=True).map(sorted))
    kept = []
    for low, high in itertools.pairwise(edges):
        kept.append(sorted(draw(st.lists(st.integers(low, high - 1), min_size=1, max_size=6))))
    return Bins(tuple(edges), tuple(map(tuple, kept)), draw(st.sampled_from(["float", "integer"])))


@st.composite
def laws(draw: st.DrawFn) -> tuple[Bins, list[int]]:
    bins = draw(binned())
    counts = draw(st.lists(st.integers(0, 20), min_size=len(bins), max_size=len(bins)).filter(any))
    return bins, counts


@given(laws())
def test_all_values_one_by_one(law: tuple[Bins, list[int]]) -> None:
    bins, counts = law
    literal, numbers = slow.law_of(bins.quantiles, counts), Levels.of(bins)
    p = np.array(counts) / sum(counts)
    levels = [Fraction(level).limit_denominator(100) for level in LEVELS]
    assert numbers.quantiles(p[None], LEVELS)[0].tolist() == [slow.quantile(literal, a) for a in levels]
    assert p @ numbers.means() == pytest.approx(float(slow.mean(literal)), abs=1e-9)


def test_a_hole_is_filled_by_the_mean_of_floats_and_the_median_of_whole_numbers() -> None:
    whole = Bins((0, 10, 20), ((1, 2, 3), (10, 12, 14)), "integer")
    law = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    assert Levels.of(whole).expect(law).tolist() == [2, 12, 3]
    floats = Bins((0, 10, 20), ((1, 2, 3), (10, 12, 14)), "float")
    assert Levels.of(floats).expect(law).tolist() == [2.0, 12.0, 7.0]
    missing = np.column_stack([law / 2, np.full(3, 0.5)])  # a last state, which is left out
    assert Levels.of(floats).expect(missing).tolist() == [2.0, 12.0, 7.0]


def test_large_whole_numbers_are_not_rounded() -> None:
    top = 2**63 - 1
    bins = Bins((0, top - 1, top), ((0,), (top - 1,)), "integer")
    assert Levels.of(bins).expect(np.array([[0.1, 0.9]])).tolist() == [top - 1]


def test_states_that_are_numbers() -> None:
    found = there(Variable("x", (1, 2.5, "(missing)"), missing="(missing)").levels())
    assert (found.values.tolist(), found.kind, len(found)) == ([1.0, 2.5], "float", 2)
