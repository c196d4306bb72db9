"""Ranges on a variable's number line: shares of bins counted, and what is left where nothing can be counted."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Variable
from depnet.data import Bins
from depnet.data.binning.cut import quantile_bins
from depnet.model.spans import Span, extent, shares, within


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
