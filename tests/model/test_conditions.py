"""Conditions: as values, as ranges on a variable's number line, and as people write them."""

import datetime as dt
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Variable
from depnet.data import Bins
from depnet.data.binning.cut import quantile_bins
from depnet.data.binning.times import DAY
from depnet.errors import EvidenceError
from depnet.model.conditions import beyond_data, describe, interpret
from depnet.model.spans import Span, extent, shares, within
from tests.narrowed import there
from tests.refusals import refuses

MASSES = Bins((2700, 4000, 5000, 6301), ((2700, 3000, 3500, 3900), (4000, 4500), (5000, 6300)), "integer")
DATES = Bins((0, 31, 59), ((0, 10, 20, 30), (31, 45)), "date")
TIMES = Bins((0, DAY, 2 * DAY), ((0, DAY // 2), (DAY, DAY + 5)), "datetime")
MASS = Variable("mass", MASSES.labels, MASSES)
DAY_OF = Variable("day", DATES.labels, DATES)
AT = Variable("at", TIMES.labels, TIMES)
LENGTHS = Bins((0.0, 1.0, 2.0), ((0.0, 0.5), (1.0, 1.5)), "float")
LENGTH = Variable("length", LENGTHS.labels, LENGTHS)
VISITS = Variable("visits", (1, 2, 5))
SIZE = Variable("size", ("small", "medium", "large", "(missing)"), missing="(missing)", ordered=True)
INCOME = Variable("income", ("<=50K", ">50K"))
SEX = Variable("sex", ("female", "male", "(missing)"), missing="(missing)")


@pytest.mark.parametrize(
    ("variable", "condition", "weights"),
    [
        (MASS, 4500, [0, 0.5, 0]),
        (MASS, 4200, [0, 1 / 1000, 0]),
        (MASS, "4200", [0, 1 / 1000, 0]),
        (MASS, "[4000, 5000)", [0, 1, 0]),
        (MASS, np.int64(4500), [0, 0.5, 0]),
        (MASS, {3000, 9999}, [0.25, 0, 1]),
        (MASS, np.array([3000, 4500]), [0.25, 0.5, 0]),
        (MASS, pd.Series([3000, 4500]), [0.25, 0.5, 0]),
        (MASS, pl.Series([3000, 4500]), [0.25, 0.5, 0]),
        (MASS, ">5000", [0, 0, 0.5]),
        (MASS, ">=5000", [0, 0, 1]),
        (MASS, " >= 5e3 ", [0, 0, 1]),
        (MASS, "≥5000", [0, 0, 1]),
        (MASS, "<3500", [0.5, 0, 0]),
        (MASS, "<=3500", [0.75, 0, 0]),
        (MASS, "4000..5000", [0, 1, 0.5]),
        (MASS, "..3500", [0.75, 0, 0]),
        (MASS, "5000..", [0, 0, 1]),
        (MASS, "!=4200", [1, 1, 1]),
        (MASS, "!=4000", [1, 0.5, 1]),
        (MASS, slice(4000, 5000), [0, 1, 0]),
        (MASS, slice(None, 3000), [0.25, 0, 0]),
        (MASS, slice(3500, None), [0.5, 1, 1]),
        (MASS, range(3000, 4500), [0.75, 0.5, 0]),
        (MASS, pd.Interval(4000, 5000), [0, 0.5, 0.5]),
        (MASS, pd.Interval(4000, 5000, closed="left"), [0, 1, 0]),
        (MASS, pd.Interval(4000, 5000, closed="both"), [0, 1, 0.5]),
        (MASS, pd.Interval(4000, 5000, closed="neither"), [0, 0.5, 0]),
        (MASS, ["<3500", ">5000"], [0.5, 0, 0.5]),
        (MASS, [slice(2700, 3001), slice(2900, 3501)], [0.75, 0, 0]),
        (MASS, ">7000", [0, 0, 0]),
        *((LENGTH, none, [0, 0]) for none in (">inf", ">=1e999", "<-inf", "<=-1e999", "inf", math.inf)),
        *((LENGTH, every, [1, 1]) for every in ("<inf", "<=1e999", ">-inf", "!=inf", "-inf..inf")),
        *((MASS, none, [0, 0, 0]) for none in (">=inf", "1e999", -math.inf)),
        (VISITS, ">=inf", [0, 0, 0]),
        (DAY_OF, dt.date(1970, 1, 11), [0.25, 0]),
        (DAY_OF, ">1970-01-11", [0.5, 1]),
        (DAY_OF, ">=1970-01-11", [0.75, 1]),
        (DAY_OF, slice(dt.date(1970, 1, 11), dt.date(1970, 2, 1)), [0.75, 0]),
        (DAY_OF, "1970-01-11..1970-02-01", [0.75, 0.5]),
        (DAY_OF, pd.Interval(pd.Timestamp(1970, 1, 11), pd.Timestamp(1970, 2, 1)), [0.5, 0.5]),
        (AT, "<=1970-01-01", [1, 0]),
        (AT, ">1970-01-01", [0, 1]),
        (AT, "<1970-01-01 12:00", [0.5, 0]),
        (AT, "<=1970-01-01 12:00", [1, 0]),
        (AT, slice(np.datetime64("1970-01-01T06"), None), [0.5, 1]),
        (VISITS, ">1", [0, 1, 1]),
        (VISITS, "2..4", [0, 1, 0]),
        (VISITS, slice(2, 5), [0, 1, 0]),
        (VISITS, "!=2", [1, 0, 1]),
        (SIZE, ">small", [0, 1, 1, 0]),
        (SIZE, "<=medium", [1, 1, 0, 0]),
        (SIZE, "medium..large", [0, 1, 1, 0]),
        (SIZE, slice("small", "large"), [1, 1, 0, 0]),
        (SIZE, ("small", "large"), [1, 0, 1, 0]),
        (INCOME, ">50K", [0, 1]),
        (INCOME, "<=50K", [1, 0]),
        (INCOME, "!=>50K", [1, 0]),
        (SEX, "!=male", [1, 0, 0]),
        (SEX, None, [0, 0, 1]),
        (SEX, "is missing", [0, 0, 1]),
        (SEX, "is known", [1, 1, 0]),
        (SEX, {"female", "male"}, [1, 1, 0]),
    ],
)
def test_weights(variable: Variable, condition: Any, weights: list[float]) -> None:
    assert interpret(variable, condition).weights().tolist() == weights


def test_complements_sum_to_one() -> None:
    for sign, other in ((">", "<="), (">=", "<")):
        for value in (3000, 3500, 4500, 6300):
            both = interpret(MASS, f"{sign}{value}").weights() + interpret(MASS, f"{other}{value}").weights()
            assert both.tolist() == [1, 1, 1]


def test_a_label_wins_over_a_comparison() -> None:
    odd = Variable("x", ("<3", "1..2", 1, 2))
    assert interpret(odd, "<3").weights().tolist() == [1, 0, 0, 0]
    assert interpret(odd, "1..2").weights().tolist() == [0, 1, 0, 0]


def test_what_is_beyond_the_data_is_said() -> None:
    said = beyond_data(MASS, 9999)
    assert said == "'mass' = 9999 is beyond the data (2700 to 6300): answered as its last bin, [5000, 6301)."
    assert "first bin, [2700, 4000)" in str(beyond_data(MASS, [3000, "100"]))
    assert "1970-01-01 to 1970-02-28" in str(beyond_data(DAY_OF, "1980-01-01"))
    for inside in (2700, 6300, "[4000, 5000)", ">9999", slice(9999, None)):
        assert beyond_data(MASS, inside) is None
    open_ended = Bins((-np.inf, 0, np.inf), ((-1,), (1,)))
    assert beyond_data(Variable("x", open_ended.labels, open_ended), 1e9) is None


def test_values_are_drawn_within_a_range() -> None:
    bins = there(interpret(MASS, "3200..4200").narrow().bins)
    assert bins.quantiles == ((3500, 3900), (4000,), (5000, 6300))
    point = there(interpret(MASS, 3000).narrow().bins)
    assert point.quantiles[0] == (3000,)
    assert interpret(SEX, "male").narrow() is SEX


def test_conditions_in_words() -> None:
    assert describe("x", ">=5") == "x >= 5"
    assert describe("x", "4..5") == "x in 4..5"
    assert describe("x", slice(None, 5)) == "x < 5"
    assert describe("x", pd.Interval(4, 5)) == "x in (4, 5]"
    assert describe("x", "1st") == "x = 1st"


@pytest.mark.parametrize(
    ("variable", "condition", "message"),
    [
        (MASS, (4000, 5000), r"may be a range or a set. Write slice\(4000, 5000\) .* or \{4000, 5000\}"),
        (DAY_OF, (dt.date(1970, 1, 1), dt.date(1970, 1, 2)), "may be a range or a set"),
        (MASS, "5000..4000", "is empty: its ends are the wrong way round"),
        (MASS, slice(5000, 5000), "is empty"),
        (MASS, slice(1, 5, 2), "has no step"),
        (MASS, ">heavy", "expected a number; got 'heavy'"),
        (MASS, ">", "expected a number; got ''"),
        (MASS, "heavy", "has no state 'heavy'"),
        (MASS, True, "expected a number; got True"),
        (DAY_OF, ">5", "expected a date; got '5'"),
        (SEX, ">female", "its values have no order, so that nothing is above or below 'female'"),
        (SEX, slice("a", "b"), "its values have no order"),
        (SIZE, ">largest", "has no state 'largest'. Did you mean 'large'"),
        (SEX, "!=mael", r"has no state 'mael'. Did you mean 'male'"),
        (INCOME, ">50k", r"Did you mean '>50K'"),
    ],
)
def test_what_is_no_condition(variable: Variable, condition: Any, message: str) -> None:
    refuses(EvidenceError, message, lambda: interpret(variable, condition).weights())


def binned(bins: Bins) -> Variable:
    return Variable("x", bins.labels, bins)


@given(
    st.lists(st.integers(-50, 50), min_size=2, max_size=60),
    st.integers(-60, 60),
    st.integers(-60, 60),
    st.sampled_from(["left", "right", "both", "neither"]),
)
def test_small_bins_know_every_value(values: list[int], low: int, high: int, closed: str) -> None:
    """Bins of at most 32 values keep them all: shares times rows are the rows inside, bin by bin."""
    bins = quantile_bins(np.array(values), "integer", 3)
    span = Span(low, high, closed)  # type: ignore[arg-type]  # one of the four
    codes = bins.locate(np.array(values))
    true = np.array(
        [
            np.mean([value in span for value in np.array(values)[codes == k].tolist()])
            for k in range(len(bins))
        ]
    )
    if (np.bincount(codes) <= 32).all() and true.any():
        assert shares(binned(bins), [span]).tolist() == pytest.approx(true.tolist())


@pytest.mark.parametrize("kind", ["float", "integer"])
def test_shares_of_large_bins_are_near(kind: str) -> None:
    """32 kept values know a share to 1/64, and rounding: each end of the range is off by at most half a part."""
    values = np.random.default_rng(1).normal(4000, 800, 20_000)
    if kind == "integer":
        values = np.round(values / 25).astype(np.int64) * 25  # type: ignore[assignment]
    bins = quantile_bins(values, kind, 16)  # type: ignore[arg-type]  # one of the two
    codes = bins.locate(values)
    for low in np.linspace(2500, 5500, 61):
        span = Span(low, math.inf)
        true = np.array([(values[codes == k] >= low).mean() for k in range(len(bins))])
        assert np.abs(shares(binned(bins), [span]) - true).max() < 1.5 / 32


def test_a_range_between_kept_values_counts_by_its_length() -> None:
    bins = Bins((0, 10, 20), ((1, 9), (11, 19)), "float")
    found = shares(binned(bins), [Span(4, 5)])
    assert found.tolist() == pytest.approx([0.1, 0.0])
    assert shares(binned(bins), [Span(9.5, 10.25)]).tolist() == pytest.approx([0.05, 0.025])
    assert within(bins, 0, [Span(4, 5)]) == (4,)
    whole = Bins((0, 10, 20), ((1, 9), (11, 19)), "integer")
    assert shares(binned(whole), [Span(4, 4)]).tolist() == [0.1, 0.0]
    assert shares(binned(whole), [Span(4.2, 4.8)]).tolist() == [0.0, 0.0], "no whole number is there"
    assert shares(binned(whole), [Span(4, 5, "neither")]).tolist() == [0.0, 0.0]


def test_open_outer_bins() -> None:
    bins = Bins((-math.inf, 10, math.inf), ((1, 9), (11, 19)), "integer")
    assert extent(bins) == (-math.inf, math.inf)
    assert shares(binned(bins), [Span(50, 60)]).tolist() == [0, 0.5], "the last bin goes on"
    assert within(bins, 1, [Span(50, 60)]) == (50,)
    assert within(bins, 0, [Span(-math.inf, -30)]) == (-30,)
