"""Intervals for the population: they cover as often as they say, have their answers, and tell nothing that is hidden."""

import datetime as dt
import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special

import depnet
from depnet.inference.answer.intervals import LEVEL, SURE_SHARES, beta_quantiles, ends, mean_ends, student
from depnet.inference.answer.numbers import NumberSummary
from depnet.inference.answer.observed import matching
from depnet.inference.answer.shown import without_small_counts
from depnet.model.evidence import Evidence
from tests.narrowed import by_name, there

Floats = NDArray[np.float64]
CASES = 4_000
SIX_ERRORS = 6 * math.sqrt(LEVEL * (1 - LEVEL) / CASES)
"""A coverage that is as it should be is farther off in fewer than one of 10^8 cases."""


def check_covers(truth: Floats, low: Floats, high: Floats) -> None:
    covered = float(((low <= truth) & (truth <= high)).mean())
    slack = 0.015  # counts are whole, and Jeffreys' half rows are no one's prior
    assert LEVEL - slack - SIX_ERRORS <= covered <= LEVEL + slack + SIX_ERRORS, f"{covered:.3f} are covered"


@pytest.mark.parametrize("rows", [0, 5, 50, 500])
@pytest.mark.parametrize("sure", [10.0, 40.0])
def test_shares_are_covered_where_the_law_is_worth_what_it_says(rows: int, sure: float) -> None:
    rng = np.random.default_rng(0)
    law = rng.uniform(0.15, 0.85, CASES)
    truth = rng.beta(sure * law, sure * (1 - law))
    hits = rng.binomial(rows, truth)
    answer = (hits + sure * law) / (rows + sure)
    low, high = ends(answer, np.zeros(CASES), rows + sure).T
    check_covers(truth, low, high)
    if rows == 5:
        low, high = ends(answer, np.zeros(CASES), 4 * (rows + sure)).T
        with pytest.raises(AssertionError, match="are covered"):
            check_covers(truth, low, high)


@pytest.mark.parametrize("rows", [20, 200])
def test_means_are_covered_where_the_law_is_worth_what_it_says(rows: int) -> None:
    rng, sure = np.random.default_rng(1), 12.0
    truth = rng.normal(0.0, 1 / math.sqrt(sure), CASES)  # the law says 0, with a standard deviation of 1
    values = rng.normal(truth, 1.0, (rows, CASES))
    mean = values.sum(axis=0) / (rows + sure)
    squares = (values**2).sum(axis=0) / (rows + sure) + sure / (rows + sure)
    low, high = mean_ends(mean, np.sqrt(squares - mean**2), np.zeros(CASES), np.full(CASES, rows + sure))
    check_covers(truth, low, high)


def true_table(rng: np.random.Generator) -> Floats:
    """A law of five variables that hang together, as a table."""
    shape = (2, 3, 2, 3, 2)
    logits = np.zeros(shape)
    for i, j in itertools.combinations(range(5), 2):
        pair = rng.normal(0, 0.5, (shape[i], shape[j]))
        logits += np.moveaxis(pair.reshape(pair.shape + (1,) * 3), (0, 1), (i, j))
    table = np.exp(logits)
    return np.asarray(table / table.sum())


def test_answers_of_fitted_models_are_covered() -> None:
    """Of ten tables of 200 to 740 rows 83 to 92 % are with other seeds, 87 % ± 3.5 % in the mean: under 75 % is a
    false alarm in fewer than one of 1,000 runs with a seed of its own.
    """
    rng = np.random.default_rng(2)
    covered: list[bool] = []
    for at in range(10):
        law = true_table(rng)
        cells = rng.choice(law.size, 200 + 60 * at, p=law.ravel())
        codes = np.stack(np.unravel_index(cells, law.shape), axis=1)
        model = depnet.DependencyNetwork(random_state=0).fit(depnet.Dataset.from_codes(codes, law.shape))
        for _ in range(40):
            target, *known = rng.permutation(5)[: rng.integers(2, 5)].tolist()
            row = codes[rng.integers(len(codes))]
            asked = model.query(f"X{target}", {f"X{j}": int(row[j]) for j in known})
            some: list[slice | int] = [slice(None)] * 5
            for j in known:
                some[j] = int(row[j])
            given = law[tuple(some)]
            axis = sorted(set(range(5)) - set(known)).index(target)
            truth = given.sum(axis=tuple(a for a in range(given.ndim) if a != axis)) / given.sum()
            low, high = np.asarray(asked.interval).T
            covered.append(bool(low[0] <= truth[0] <= high[0]))
    assert 0.75 <= np.mean(covered) <= 0.98


@given(st.floats(0, 1), st.floats(0, 0.2), st.floats(0.5, 1e6), st.floats(1.1, 100))
def test_an_interval_has_its_answer_and_shrinks_with_rows(
    p: float, error: float, rows: float, times: float
) -> None:
    wide, narrow = (ends(np.array([p]), np.array([error]), n)[0] for n in (rows, times * rows))
    for low, high in (wide, narrow):
        assert 0 <= low <= p <= high <= 1
    assert np.ptp(narrow) <= np.ptp(wide) + 1e-3 * np.ptp(wide)
    sure = ends(np.array([p]), np.array([0.0]), rows)[0]
    assert wide[0] <= sure[0] <= sure[1] <= wide[1]


@given(st.floats(-6, 17), st.floats(-6, 17), st.sampled_from([0.05, 0.95]))
def test_quantiles_are_those_of_scipy(a: float, b: float, level: float) -> None:
    x, y = np.array([0.5 + math.exp(a)]), np.array([0.5 + math.exp(b)])
    width = special.betaincinv(x, y, 0.95) - special.betaincinv(x, y, 0.05)
    assert abs(beta_quantiles(x, y, [level])[0] - special.betaincinv(x, y, level)) <= 0.005 * width
    assert student(x) == pytest.approx(special.stdtrit(x, 0.95), rel=0.005)


PEOPLE = depnet.titanic()
LAW = depnet.learn(PEOPLE, smoothing=0.5, order="auto").with_counts(PEOPLE)


def test_shapes_are_those_of_the_answer() -> None:
    one = depnet.query(LAW, "survived", {"class": "1st"}, data=PEOPLE)
    assert np.asarray(one.interval).shape == (2, 2)
    several = depnet.query(LAW, ["survived", "sex"], {"class": "1st"}, data=PEOPLE)
    np.testing.assert_array_equal(by_name(several.interval)["survived"], one.interval)
    joint = depnet.query(LAW, ["survived", "class"], joint=True, data=PEOPLE)
    assert np.asarray(joint.interval).shape == (2, 4, 2)
    for low, high in (np.moveaxis(np.asarray(joint.interval), -1, 0),):
        assert (low <= joint.combined).all()
        assert (joint.combined <= high).all()
    low, high = np.asarray(one.interval).T
    frame = one.frame()
    np.testing.assert_allclose(frame[["low", "high"]], np.stack([low, high], axis=1))
    assert f"[{low[1]:.3f} to {high[1]:.3f}]" in str(one)
    assert f"{low[1]:.3f} to {high[1]:.3f}" in one._repr_html_()
    assert "90 % sure that the true value, in the population the rows come from" in str(one)


def test_without_rows_an_interval_rests_on_the_law_and_what_its_counts_know() -> None:
    everyone = depnet.query(LAW, "survived")
    first = depnet.query(LAW, "survived", {"class": "1st"})
    three = depnet.query(LAW, "survived", {"class": "1st", "sex": "male", "age": "adult"})
    soft = depnet.query(LAW, "survived", {"class": {"1st": 1.0, "2nd": 0.5}})
    assert [found.learned for found in (everyone, first, three, soft)] == [2201, 325, 0, 0]
    np.testing.assert_allclose(
        np.asarray(three.interval), ends(np.asarray(three.probabilities), np.zeros(2), SURE_SHARES)
    )
    with_rows = depnet.query(LAW, "survived", {"class": "1st"}, data=PEOPLE)
    assert (
        np.ptp(np.asarray(with_rows.interval), axis=-1).max()
        < np.ptp(np.asarray(first.interval), axis=-1).max()
    )


def test_an_interval_gives_no_hidden_count_away() -> None:
    """Tables that differ in hidden counts alone have one interval, that of the law."""
    given = {"class": "1st", "age": "child"}
    rows = PEOPLE.codes
    known = Evidence.parse(PEOPLE.domain, given)
    few = np.flatnonzero(matching(known, PEOPLE))
    assert len(few) == 6
    hidden = []
    for kept in (few[:4], few[:2], few[:0]):
        others = np.setdiff1d(np.arange(len(rows)), few)
        data = depnet.Dataset.from_codes(rows[np.concatenate([others, kept])], domain=PEOPLE.domain)
        hidden.append(without_small_counts(depnet.query(LAW, "sex", given, data=data)))
    alone = ends(np.asarray(hidden[0].probabilities), np.zeros(2), SURE_SHARES)
    for each in hidden:
        np.testing.assert_array_equal(np.asarray(each.interval), alone)
    part = without_small_counts(depnet.query(LAW, "survived", given, data=PEOPLE))  # 6 rows, but all survived
    np.testing.assert_allclose(
        np.asarray(part.interval), ends(np.asarray(part.probabilities), np.zeros(2), SURE_SHARES)
    )


def test_a_mean_has_an_interval_in_its_own_kind() -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 900, 400)]
    frame = pandas.DataFrame(
        {"day": days, "kind": rng.choice(["a", "b"], 400), "size": rng.normal(5, 2, 400)}
    )
    model = depnet.DependencyNetwork(random_state=0).fit(frame)
    found = model.query(["day", "size"], {"kind": "a"})
    interval = there(found.numbers["day"].interval)
    low, high = interval
    assert isinstance(low, dt.date)
    assert low <= found.numbers["day"].mean <= high
    interval = there(found.numbers["size"].interval)
    low, high = interval
    assert low < found.numbers["size"].mean < high
    assert high - low == pytest.approx(2 * 1.65 * 2 / math.sqrt(found.rows_of("size") + 12), rel=0.3)
    observed = there(found.summary("size", "observed"))
    assert observed.interval is None
    assert f"[{found.numbers['size'].said_interval}]" in str(found)


def test_the_interval_of_a_mean_ends_where_the_numbers_do() -> None:
    """Of a number that is 0 in most rows and large in a few, and few rows match: a mean is never below its least value."""
    rng = np.random.default_rng(0)
    sizes = np.where(rng.random(600) < 0.9, 0, rng.integers(10_000, 90_000, 600))
    model = depnet.DependencyNetwork(random_state=0).fit(pd.DataFrame({"size": sizes}))
    law = there(model.query("size").number_law(model.domain_.variables[0], "combined"))
    found = NumberSummary(model.domain_.variables[0], law, rows=3.0)
    low, high = there(found.interval)
    mean, deviation, rows = np.array([[found.mean], [found.standard_deviation], [3.0]])
    assert mean_ends(mean, deviation, np.zeros(1), rows)[0] < 0 == low < found.mean < high
