"""Which numbers are taken for identifiers, and which for measures."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet.data import describe
from depnet.errors import LeftOutWarning

N = 400


def is_left_out(name: str, numbers: Any) -> bool:
    frame = pd.DataFrame({name: numbers, "sex": np.resize(["f", "m"], len(numbers))})
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        names = describe(frame)[0].names
    assert [warning.category for warning in said] == [LeftOutWarning] * (name not in names)
    return name not in names


RNG = np.random.default_rng(0)
IDENTIFIERS: dict[str, Any] = {
    "passenger_id": np.arange(N) + 1,
    "FlockID": RNG.permutation(N) + 1,
    "auction.id": RNG.integers(10**11, 10**12, N),
    "id": np.append(RNG.choice(10**6, N - 10, replace=False), [5] * 10),
    "case": np.arange(N),
    "person": np.sort(RNG.choice(3 * N, N, replace=False)) + 5001,
    "pupil": RNG.choice(5 * N, N, replace=False),
    "household": pd.Series(np.where(RNG.random(N) < 0.1, np.nan, RNG.choice(2 * N, N, replace=False))),
}
MEASURES: dict[str, Any] = {
    "price": np.round(RNG.lognormal(8, 1, N), 2),
    "population": (RNG.lognormal(11, 2, N)).astype(int),
    "income": RNG.integers(20_000, 90_000, N),
    "year": np.arange(1600, 1600 + N),
    "since": np.arange(1600, 1600 + N),
    "time": np.arange(N) + 1,
    "dayOfYear": np.arange(N) + 7,
    "rank": RNG.permutation(N) + 1,
    "dose": np.arange(N) * 5,
    "weight": RNG.normal(size=N),
    "customer_id": RNG.integers(0, N // 2, N),
}


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_identifiers_are_left_out(name: str) -> None:
    assert is_left_out(name, IDENTIFIERS[name])


@pytest.mark.parametrize("name", MEASURES)
def test_measures_stay(name: str) -> None:
    assert not is_left_out(name, MEASURES[name])


@given(st.integers(20, 200), st.integers(1, 10**9), st.integers(0, 2**32 - 1), st.floats(0, 3))
def test_what_chance_draws_stays(rows: int, span: int, seed: int, skew: float) -> None:
    """Numbers drawn with replacement, evenly or not. (A false alarm has a probability below 10^-6.)"""
    drawn = np.random.default_rng(seed).random(rows) ** (1 + skew)
    assert not is_left_out("x", 5000 + (drawn * span).astype(np.int64))


@given(st.integers(60, 300), st.floats(1, 2), st.integers(0, 2**32 - 1))
def test_numbers_that_are_given_out_once_are_left_out(rows: int, spare: float, seed: int) -> None:
    given_out = np.random.default_rng(seed).choice(int(rows * spare) + 1, rows, replace=False) + 3000
    assert is_left_out("x", given_out)


def test_it_is_said_how_to_keep_it() -> None:
    frame = pd.DataFrame({"passenger_id": IDENTIFIERS["passenger_id"], "sex": np.resize(["f", "m"], N)})
    said = r"'passenger_id' \(looks like an identifier: 400 different numbers.*`kinds=\{'passenger_id': 'number'\}`"
    with pytest.warns(LeftOutWarning, match=said):
        describe(frame)
    assert describe(frame, kinds={"passenger_id": "number"})[0].names == ("passenger_id", "sex")
