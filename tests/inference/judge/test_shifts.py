"""Shifts: prior beside posterior, the largest change first.

Two variables together: the joint answer, its conditionals, and what either tells of the other.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import Network, QueryResult
from depnet.errors import InferenceError
from depnet.geometry import total_variation
from depnet.inference.judge.shifts import largest_error, pair, shifts_between
from tests.narrowed import by_name, there

ASKED = ["class", "age", "survived"]


PEOPLE = depnet.titanic()
LAW = depnet.learn(PEOPLE, smoothing=0.5, order="auto").with_counts(PEOPLE)


def asked(rows: bool) -> tuple[QueryResult, QueryResult]:
    data = PEOPLE if rows else None
    return depnet.query(LAW, ASKED, data=data), depnet.query(LAW, ASKED, {"sex": "female"}, data=data)


@pytest.mark.parametrize("rows", [False, True])
def test_a_shift_is_the_distance_of_what_is_answered(rows: bool) -> None:
    prior, posterior = asked(rows)
    shifts = shifts_between(prior, posterior)
    assert sorted(shift.name for shift in shifts) == sorted(ASKED)
    changes = [shift.change for shift in shifts]
    assert changes == sorted(changes, reverse=True)
    for shift in shifts:
        assert np.array_equal(shift.prior, by_name(prior.combined)[shift.name])
        assert np.array_equal(shift.posterior, by_name(posterior.combined)[shift.name])
        assert np.array_equal(shift.now.law, by_name(posterior.probabilities)[shift.name])
        assert shift.change == total_variation(shift.prior, shift.posterior)
        assert (shift.now.observed is not None) == rows
        assert shift.now.rows == (470 if rows else 0)


def test_only_what_both_are_about_is_compared_and_an_exact_answer_has_no_error() -> None:
    age = depnet.query(LAW, "age")
    (shift,) = shifts_between(age, asked(False)[1])
    assert shift.name == "age"
    assert largest_error(age) == 0.0


@given(st.lists(st.integers(0, 9), min_size=6, max_size=6).filter(lambda counts: sum(counts) > 0))
def test_mutual_information_is_the_sum_that_defines_it(counts: list[int]) -> None:
    joint = (np.array(counts, dtype=float).reshape(2, 3) + 0.01) / (sum(counts) + 0.06)
    found = pair(Network.from_joint(joint), "X0", "X1", method="exact")
    independent = np.outer(found.joint.sum(axis=1), found.joint.sum(axis=0))
    expected = float((found.joint * np.log2(found.joint / independent)).sum())
    assert found.joint == pytest.approx(joint, abs=1e-9)
    assert found.information == pytest.approx(expected, abs=1e-9)
    assert found.information <= min(found.uncertainty) + 1e-9
    turned = pair(Network.from_joint(joint), "X1", "X0", method="exact")
    assert turned.information == pytest.approx(found.information, abs=1e-9)
    assert np.allclose(turned.given_first, found.given_second.T, rtol=0, atol=1e-9)


def test_conditionals_are_shares_of_rows_and_columns() -> None:
    found = pair(Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]])), "X0", "X1")
    assert found.given_first.round(6).tolist() == [[0.8, 0.2], [0.4, 0.6]]
    assert found.given_second.round(6).tolist() == [[0.666667, 0.25], [0.333333, 0.75]]


def test_a_state_that_cannot_be_has_no_conditional() -> None:
    found = pair(LAW, "sex", "survived", {"sex": "female"}, data=PEOPLE)
    assert np.isnan(found.given_first[1]).all()
    assert found.information == 0.0
    assert math.isclose(found.joint.sum(), 1.0)


def test_counts_are_those_of_the_table() -> None:
    codes = [PEOPLE.column(PEOPLE.domain.index(name)) for name in ("class", "age")]
    expected = np.zeros((4, 2))
    np.add.at(
        expected, tuple(code.astype(int) for code in codes), 1.0 if PEOPLE.weights is None else PEOPLE.weights
    )
    shown = pair(LAW, "class", "age", data=PEOPLE)
    assert there(shown.counts).round().tolist() == expected.tolist()
    assert pair(LAW, "class", "age").counts is None


def test_one_variable_is_no_pair() -> None:
    with pytest.raises(InferenceError, match="two variables; got 'X0' twice"):
        pair(Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]])), "X0", "X0")
