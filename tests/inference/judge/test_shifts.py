"""Shifts: prior beside posterior, the largest change first."""

import numpy as np
import pytest

import depnet
from depnet import Network, QueryResult
from depnet.geometry import total_variation
from depnet.inference.judge.shifts import largest_error, most_moved, shifts_between

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


def test_those_that_moved_most_are_taken_while_there_is_room(law: Network) -> None:
    first, second, third = shifts_between(*asked(law, rows=False))
    assert most_moved((third, second, first), 1) == {first.name}  # one at least
    sizes = [len(shift.posterior) for shift in (first, second, third)]
    assert most_moved((third, second, first), sizes[0] + sizes[1]) == {first.name, second.name}
    assert most_moved((third, second, first), sum(sizes)) == set(ASKED)


def test_an_exact_answer_has_no_error(law: Network) -> None:
    assert largest_error(depnet.query(law, "age")) == 0.0
