"""Durations as numbers and as text: what pandas reads and writes, and back."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet.data.binning.bins import Bins
from depnet.data.binning.cut import quantile_bins
from depnet.data.binning.times import (
    HOUR,
    MINUTE,
    SECOND,
    cell_of_duration,
    duration_of,
    text_of_duration,
)
from depnet.data.table.columns import is_kind
from depnet.errors import DataError
from tests.refusals import refuses

LENGTHS = st.integers(-(10**15), 10**15) | st.integers(-72, 72).map(lambda hours: hours * HOUR)


@given(LENGTHS)
def test_text_says_the_duration_as_pandas_reads_it(length: int) -> None:
    for text in (text_of_duration(length), cell_of_duration(length)):
        assert duration_of(text) == length
        assert pd.Timedelta(text) == pd.Timedelta(length, "us")
    written = str(pd.Timedelta(length, "us"))
    assert cell_of_duration(length) == written.removesuffix("000") if "." in written else written
    assert is_kind("duration", cell_of_duration(length))


READ = """
2 days; 1D 2h; 2h30m; 90 min; 1.5 hours; 1:30:00; -01:30:00; 2 days, 3:00:00; 1W; -5s; P1DT2H; -P1D; PT0.5S; 3ms; 7us;
-1 days +23:59:59; -1 days 02:00:00; 1 day 00:00:00.25
"""


@pytest.mark.parametrize("text", [text.strip() for text in READ.split(";")])
@pytest.mark.filterwarnings("ignore:.*deprecated")
def test_text_is_read_as_pandas_reads_it(text: str) -> None:
    assert duration_of(text) * 1000 == pd.Timedelta(text).value


def test_objects() -> None:
    for value in (
        pd.Timedelta("2h"),
        dt.timedelta(hours=2),
        np.timedelta64(2, "h"),
        np.timedelta64(7200, "s"),
    ):
        assert duration_of(value) == 2 * HOUR
    assert duration_of(pd.Timedelta(-1500, "ns")) == duration_of(np.timedelta64(-1500, "ns")) == -2


@pytest.mark.parametrize(
    "wrong",
    ["", "2", "soon", "1M", "3 parsecs", "01:30", "P", "PT", "+", "1h -2h", 7, None, np.timedelta64("NaT")],
)
def test_what_is_no_duration(wrong: object) -> None:
    waits = Bins((0, HOUR), ((MINUTE,),), "duration")
    refuses(DataError, "expected a duration, such as '2 days' or '01:30:00'; got", waits.number, wrong)


def test_bins_have_round_edges() -> None:
    minutes = np.random.default_rng(0).gamma(2, 60, 1000)
    bins = quantile_bins((minutes * MINUTE).astype(np.int64), "duration", 4)
    assert bins.edges[0] == 0
    assert all(edge % SECOND == 0 for edge in bins.edges)
    assert bins.edges[-1] % HOUR == 0
    assert bins.code("2h") == bins.code(dt.timedelta(minutes=120)) == bins.locate([120 * MINUTE])[0]
    assert bins.labels[0].startswith("[00:00:00, ")
