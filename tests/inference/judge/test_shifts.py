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

ASKED = ["class", "age", "survived"]


@pytest.fixture(scope="module")
def law() -> Network:
    people = depnet.titanic()
    return depnet.learn(people, smoothing=0.5, order="auto").with_counts(people)


def asked(law: Network, *, rows: bool) -> tuple[QueryResult, QueryResult]:
    data = depnet.titanic() if rows else None
    return depnet.query(law, ASKED, data=data), depnet.query(law, ASKED, {"sex": "female"}, data=data)


@pytest.mark.parametrize("rows", [False, True])
def test_a_shift_is_the_distance_of_what_is_answered(law: Network, rows: bool) -> None:
    prior, posterior = asked(law, rows=rows)
    shifts = shifts_between(prior, posterior)
    assert sorted(shift.name for shift in shifts) == sorted(ASKED)
    changes = [shift.change for shift in shifts]
    assert changes == sorted(changes, reverse=True)
    assert isinstance(prior.combined, dict)
    assert isinstance(posterior.combined, dict)
    assert isinstance(posterior.probabilities, dict)
    for shift in shifts:
        assert np.array_equal(shift.prior, prior.combined[shift.name])
        assert np.array_equal(shift.posterior, posterior.combined[shift.name])
        assert np.array_equal(shift.now.law, posterior.probabilities[shift.name])
        assert shift.change == total_variation(shift.prior, shift.posterior)
        assert (shift.now.observed is not None) == rows
        assert shift.now.rows == (470 if rows else 0)


def test_only_what_both_are_about_is_compared(law: Network) -> None:
    (shift,) = shifts_between(depnet.query(law, "age"), asked(law, rows=False)[1])
    assert shift.name == "age"


def test_an_exact_answer_has_no_error(law: Network) -> None:
    assert largest_error(depnet.query(law, "age")) == 0.0


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
    people = depnet.titanic()
    law = depnet.learn(people, smoothing=0.5, order="auto")
    found = pair(law, "sex", "survived", {"sex": "female"}, data=people)
    assert np.isnan(found.given_first[1]).all()
    assert found.information == 0.0
    assert math.isclose(found.joint.sum(), 1.0)


def test_counts_are_those_of_the_table_and_small_ones_are_hidden() -> None:
    people = depnet.titanic()
    law = depnet.learn(people, smoothing=0.5, order="auto")
    codes = [people.column(people.domain.index(name)) for name in ("class", "age")]
    expected = np.zeros((4, 2))
    np.add.at(
        expected, tuple(code.astype(int) for code in codes), 1.0 if people.weights is None else people.weights
    )
    shown = pair(law, "class", "age", data=people)
    assert shown.counts is not None
    assert shown.counts.round().tolist() == expected.tolist()
    hidden = pair(law, "class", "age", data=people, hide=True)
    assert hidden.counts is not None
    assert np.isnan(hidden.counts[expected < 5]).all()
    assert pair(law, "class", "age").counts is None


def test_one_variable_is_no_pair() -> None:
    with pytest.raises(InferenceError, match="two variables; got 'X0' twice"):
        pair(Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]])), "X0", "X0")
