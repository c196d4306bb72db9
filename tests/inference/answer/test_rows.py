"""Numbers of many rows: each row's are those of its own answer."""

import datetime as dt
import math

import numpy as np
import pytest

from depnet import Variable, learn, query, query_rows, titanic
from depnet.data.binning.bins import Bins
from depnet.data.table.mixture import Mixture
from depnet.errors import InferenceError
from depnet.inference.answer.numbers import LEVELS, NumberSummary
from depnet.inference.answer.part import Spread
from depnet.inference.answer.rows import RowNumbers
from tests.inference.answer.test_numbers import LAW


def test_each_row_has_the_numbers_of_its_own_question() -> None:
    rows = query_rows(LAW, [[-1, 0, 0], [-1, 1, 0], [3, 1, 1]])
    found = rows.numbers("x")
    for at, known in enumerate(({"X1": 0, "X2": 0}, {"X1": 1, "X2": 0})):
        one = query(LAW, "x", known).numbers["x"]
        assert found.mean[at] == pytest.approx(one.mean)
        assert found.standard_deviation[at] == pytest.approx(one.standard_deviation)
        assert {level: found.quantiles[level][at] for level in LEVELS} == one.quantiles
    assert 30 <= found.median[2] < 40
    assert not found.mean_error.any()


def test_words_are_no_numbers() -> None:
    people = learn(titanic(), smoothing=0.5)
    with pytest.raises(InferenceError, match="'sex' is no number: it has the states female, male"):
        query_rows(people, [[-1, -1, -1, -1]]).numbers("sex")


def test_dates_and_what_is_missing() -> None:
    bins = Bins((0, 10, 20), ((0, 4), (10, 14)), "date")
    variable = Variable("day", (*bins.labels, "gone"), bins, "gone")
    mixture = Mixture.of(variable)
    assert mixture is not None
    p = np.array([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75], [0.0, 0.0, 1.0]])
    found = RowNumbers.of(mixture, p, np.full(p.shape, 0.01))
    assert found.mean[:2].tolist() == [dt.date(1970, 1, 8), dt.date(1970, 1, 13)]
    assert np.isnat(found.mean[2])
    assert np.isnat(found.median[2])
    assert found.present.tolist() == [1.0, 0.25, 0.0]
    one = NumberSummary.of(variable, p[0], Spread(np.full(3, 0.01)))
    assert one is not None
    assert found.mean_error[0] == np.timedelta64(math.floor(one.mean_error.total_seconds()), "s")
