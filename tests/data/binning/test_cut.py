"""Bins: what they promise of any column of numbers."""

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from depnet.data import Bins, Variable
from depnet.data.binning.bins import KINDS
from depnet.data.binning.cut import (
    Ranked,
    edge_between,
    given_bins,
    number_of_bins,
    quantile_bins,
    quantile_bounds,
    quantiles_between,
)
from depnet.data.binning.times import DAY, days_of, microseconds_of, text_of_day, text_of_moment
from depnet.errors import DataError
from tests.data.strategies import binnings, numbers_of
from tests.reference.binning import quantile_bounds as bounds_by_counts
from tests.reference.frames import bin_of
from tests.refusals import refuses


@st.composite
def columns(draw: st.DrawFn) -> tuple[Any, Any]:
    """A kind, and numbers of it with ties."""
    kind = draw(st.sampled_from(KINDS))
    pool = draw(st.lists(numbers_of(kind), min_size=1, max_size=40))
    values = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=120))
    return kind, np.array(values, dtype=np.float64 if kind == "float" else np.int64)


@given(column=columns(), number=st.integers(1, 20))
@example(column=("integer", np.full(9, 2**63 - 1)), number=4)
def test_quantile_bins_are_a_partition_of_the_values(column: tuple[Any, Any], number: int) -> None:
    kind, values = column
    bins = quantile_bins(values, kind, number)
    codes = bins.locate(values)
    assert codes.tolist() == [bin_of(value, bins.edges) for value in values.tolist()]
    assert len(bins) <= number
    assert set(codes.tolist()) == set(range(len(bins))), "no bin is empty"
    assert len(set(bins.labels)) == len(bins), "labels differ"
    assert bins.edges[0] <= values.min()
    assert bins.edges[-1] >= values.max()
    for k, kept in enumerate(bins.quantiles):
        here = sorted(values[codes == k].tolist())
        assert set(kept) <= set(here), "values to draw are values of the bin"
        assert len(kept) == (1 if here[0] == here[-1] else min(32, len(here)))
        assert (bins.labels[k] == bins.text(here[0])) == (
            here[0] == here[-1] or bins.ranges[k] == bins.text(here[0])
        )
        variable = Variable("x", bins.labels, bins)
        assert variable.code(bins.labels[k]) == k, "a label is read as its bin"
        assert [variable.code(bins.text(value)) for value in kept] == [k] * len(kept), "and a value"
    if len(set(values.tolist())) <= number:
        assert len(bins) == len(set(values.tolist())), "each different value has its own bin"


@given(column=columns(), number=st.integers(2, 20))
def test_a_heavy_value_is_alone_where_there_is_room(column: tuple[Any, Any], number: int) -> None:
    kind, values = column
    distinct, counts = np.unique(values, return_counts=True)
    heavy = distinct[counts * number >= len(values)]
    parts = 2 * len(heavy) + 1  # at most: itself, and what lies on either side
    if len(distinct) <= number or parts > number:
        return
    bins = quantile_bins(values, kind, number)
    for value in heavy:
        code = bins.locate(value)
        assert set(values[bins.locate(values) == code].tolist()) == {value}
        assert bins.labels[code] == bins.text(value), "and the label is the value"


def test_the_last_value_may_begin_a_bin() -> None:
    bins = quantile_bins(np.array([0.25, 0.25, 0.250000001]), "float", 2)
    assert bins.edges == (0.25, 0.250000001, 0.2500000011)
    assert bins.labels == ("0.25", "0.250000001")
    assert quantile_bins(np.array([1.6]), "float", 2).edges == (1.6, 2.0)
    assert quantile_bins(np.array([1.7e308]), "float", 2).edges == (1.7e308, math.inf)


def test_the_number_of_bins_grows_with_the_cube_root() -> None:
    assert [number_of_bins(n) for n in (1, 8, 9, 27, 28, 1000, 1001, 4096, 10**9)] == [
        2, 2, 3, 3, 4, 10, 11, 16, 16
    ]  # fmt: skip
    assert number_of_bins(10**9, max_bins=40) == 40
    assert number_of_bins(10**9, max_bins=1) == 1


@given(
    pair=st.tuples(st.sampled_from(KINDS)).flatmap(
        lambda k: st.tuples(st.just(k[0]), numbers_of(k[0]), numbers_of(k[0]))
    )
)
@example(pair=("float", 5e-324, 0.0))
@example(pair=("float", 1.7e308, -1.7e308))
@example(pair=("float", 0.1, math.nextafter(0.1, 1)))
@example(pair=("integer", -15, -12))
def test_an_edge_lies_between(pair: tuple[Any, Any, Any]) -> None:
    kind, *both = pair
    low, high = sorted(both)
    if low == high:
        return
    edge = edge_between(low, high, kind)
    assert low < edge <= high
    if kind != "float":
        assert isinstance(edge, int)


@given(
    low=st.one_of(
        st.floats(allow_nan=False, allow_infinity=False), st.integers(-99, 99).map(lambda n: n / 10)
    ),
    high=st.one_of(
        st.floats(allow_nan=False, allow_infinity=False), st.integers(-99, 99).map(lambda n: n / 10)
    ),
)
@example(low=1.6, high=math.nextafter(1.6, 2))
@example(low=2.0, high=3.0)
@example(low=0.2999999, high=0.3)
@example(low=1.55, high=1.6000000000000003)
def test_no_edge_has_more_digits_than_it_needs(low: float, high: float) -> None:
    low, high = min(low, high), max(low, high)
    if low == high:
        return
    edge = edge_between(low, high, "float")
    digits = len(Decimal(repr(edge)).normalize().as_tuple().digits)
    assert digits == fewest_digits(low, high)


@given(low=st.integers(-3000, 3000), width=st.integers(1, 500))
def test_nor_has_a_whole_one(low: int, width: int) -> None:
    def digits(number: int) -> int:
        return len(str(abs(number)).rstrip("0"))

    edge = edge_between(low, low + width, "integer")
    assert digits(int(edge)) == min(map(digits, range(low + 1, low + width + 1)))


def fewest_digits(low: float, high: float) -> int:
    """By trying: with so many digits, the numbers around both ends and the middle."""
    if low < 0 <= high:
        return 1
    for digits in range(1, 18):
        for near in (low, low / 2 + high / 2, high):
            written = Decimal(f"{near:.{digits - 1}e}")
            unit = Decimal((0, (1,), int(written.as_tuple().exponent)))
            if any(low < float(written + k * unit) <= high for k in (-1, 0, 1)):
                return digits
    raise AssertionError("17 digits tell all floats apart")


def test_edges_are_round() -> None:
    assert edge_between(24.37, 25.81, "float") == 25
    assert edge_between(-3.7, 12.0, "float") == 0
    assert edge_between(17, 19, "integer") == 19
    assert (
        text_of_day(int(edge_between(days_of("2023-11-02"), days_of("2024-03-02"), "date"))) == "2024-01-01"
    )
    noon = edge_between(microseconds_of("2024-03-01 11:10"), microseconds_of("2024-03-01 12:05"), "datetime")
    assert text_of_moment(int(noon)) == "2024-03-01 12:00"


def test_given_edges() -> None:
    bins = given_bins(np.array([-5.0, 3.0, 12.0, 99.0]), [0, 10, 20, 30], "float")
    assert bins.ranges == ("[0, 10)", "[10, 20)", "[20, 30]")
    assert bins.quantiles == ((-5.0, 3.0), (12.0,), (99.0,)), "what lies beyond belongs to the ends"
    open_ended = given_bins(np.array([1, 2]), [-math.inf, 18, 65, math.inf], "integer")
    assert open_ended.ranges == ("< 18", "[18, 65)", ">= 65")
    assert open_ended.quantiles == ((1, 2), (41,), (65,)), "an empty bin keeps its middle"
    assert given_bins(np.array([1.0]), [-math.inf, math.inf], "float").ranges == ("all",)
    assert given_bins(np.array([5]), [-math.inf, 3, math.inf], "integer").quantiles == ((2,), (5,))


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([1], "K bins have K"),
        ([], "K bins have K"),
        ([2, 1], "edges ascend; edge 1 is 1.0 after 2.0"),
        ([1, 1], "edges ascend"),
        ([1, math.nan], "edges of bins are numbers; got nan"),
        ([1, math.inf, 3], "edge 1 is inf"),
        ([math.inf, math.inf], "edge 0 is inf"),
        ([1, None], "edges of bins are numbers; got None"),
    ],
)
def test_what_are_not_edges(edges: Any, message: str) -> None:
    refuses(DataError, message, Bins, tuple(edges), ((1.0,),) * max(len(edges) - 1, 0), "float")


@given(bins=binnings(), data=st.data())
def test_bins_locate_as_the_slow_twin(bins: Bins, data: st.DataObject) -> None:
    numbers = data.draw(st.lists(numbers_of(bins.kind), min_size=1, max_size=20))
    numbers += [edge for edge in bins.edges if abs(edge) < 2**62]
    array = np.array(numbers, dtype=np.float64 if bins.kind == "float" else np.int64)
    assert bins.locate(array).tolist() == [bin_of(number, bins.edges) for number in numbers]
    if bins.kind in ("float", "integer"):
        assert [bins.code(number) for number in numbers] == bins.locate(array).tolist()


@given(bins=binnings(), seed=st.integers(0, 2**32 - 1))
def test_what_is_drawn_is_a_quantile_of_its_bin(bins: Bins, seed: int) -> None:
    codes = np.arange(len(bins)).repeat(5)
    drawn = bins.draw(codes, np.random.default_rng(seed)).tolist()
    for code, value in zip(codes.tolist(), drawn, strict=True):
        assert value in bins.quantiles[code]
    middle = bins.middle().tolist()
    assert all(value in kept for value, kept in zip(middle, bins.quantiles, strict=True))


def test_draws_are_uniform_over_the_quantiles() -> None:
    """100,000 draws from 4 values: by Hoeffding each share is within 0.012 but with probability 4 * 2 * 5e-13."""
    bins = Bins((0, 10, 20), ((1, 2, 3, 4), (11,)), "integer")
    drawn = bins.draw(np.zeros(100_000, dtype=np.int64), np.random.default_rng(0))
    shares = np.bincount(drawn, minlength=5)[1:] / 100_000
    assert np.abs(shares - 0.25).max() < 0.012
    skewed = np.where(np.random.default_rng(1).random(100_000) < 0.05, 1, drawn)
    with pytest.raises(AssertionError):
        assert np.abs(np.bincount(skewed, minlength=5)[1:] / 100_000 - 0.25).max() < 0.012


def test_quantiles_are_spread_evenly() -> None:
    first, none, second = quantiles_between(Ranked.of(np.arange(100)), [0, 64, 64, 100])
    assert (first, none) == (tuple(range(1, 64, 2)), ())
    assert (len(second), second[0]) == (32, 64)
    assert quantiles_between(Ranked.of(np.array([1, 2, 2, 3, 3])), [0, 3, 3, 5]) == [(1, 2, 2), (), (3,)]


def test_numbers_dates_and_text_have_bins() -> None:
    days = Bins(
        (days_of("2024-01-01"), days_of("2024-02-01"), days_of("2024-03-01")), ((19723,), (19760,)), "date"
    )
    assert days.ranges == ("[2024-01-01, 2024-02-01)", "[2024-02-01, 2024-03-01)")
    for value in (dt.date(2024, 2, 3), dt.datetime(2024, 2, 3, 5), "2024-02-03", np.datetime64("2024-02-03")):
        assert days.code(value) == 1
    moments = Bins((0, DAY, 2 * DAY), ((0,), (DAY,)), "datetime")
    zoned = dt.datetime(1970, 1, 2, 0, 30, tzinfo=dt.timezone(dt.timedelta(hours=1)))
    assert moments.code(zoned) == 0, "23:30 in UTC"
    assert moments.code("1970-01-02 00:30") == 1
    assert Bins((0, 1, 2), ((0,), (1,)), "float").code("1.5") == 1
    assert Bins((0, 1, 2), ((0,), (1,)), "integer").code(10**400) == 1
    cases: list[tuple[Bins, object, str]] = [
        (days, 3, "expected a date; got 3"),
        (days, "soon", "expected a date; got 'soon'"),
        (moments, True, "expected a date and time; got True"),
        (Bins((0, 1), ((0,),), "float"), "many", "expected a number; got 'many'"),
        (Bins((0, 1), ((0,),), "float"), math.nan, "expected a number; got nan"),
        (days, np.datetime64("NaT"), "expected a date; got"),
    ]
    for bins, wrong, wanted in cases:
        refuses(DataError, wanted, bins.code, wrong)


FEW = st.lists(st.integers(0, 12), min_size=1, max_size=80)
HEAVY = st.lists(st.sampled_from([0, 0, 0, 0, 1, 2, 2, 2, *range(3, 40)]), min_size=1, max_size=200)
LONG = st.builds(
    lambda seed, digits, heavy: np.random.default_rng(seed).normal(size=3000).round(digits) * (np.arange(3000) % 7 >= heavy),
    st.integers(0, 99), st.integers(0, 3), st.integers(0, 6),
)  # fmt: skip


@settings(max_examples=5 * settings().max_examples)
@given(st.one_of(FEW, HEAVY, LONG), st.integers(1, 20))
@example([0, 1, 2, 3, 3, 3, 3, 4, 5, 6, 7, 8], 3)  # a third of the rows, exactly, have the value 3
def test_bounds_by_ranks_equal_bounds_by_counts(values: Any, number: int) -> None:
    assert quantile_bounds(Ranked.of(values), number) == bounds_by_counts(np.array(values), number)


@given(st.one_of(FEW, HEAVY))
def test_numbers_with_counts_are_the_numbers_repeated(values: list[int]) -> None:
    half = len(values) // 2  # some numbers come twice, as those of two parts do
    found, counts = zip(
        *[(v, half_of.count(v)) for half_of in (values[:half], values[half:]) for v in set(half_of)],
        strict=True,
    )
    ranked, ordered = Ranked.of(np.array(found), np.array(counts)), sorted(values)
    assert len(ranked) == len(values)
    assert ranked.at(range(len(values))).tolist() == ordered
    assert ranked.values.tolist() == sorted(set(values))
    for value in range(-1, 42):
        assert ranked.before(value) == sum(v < value for v in values)
