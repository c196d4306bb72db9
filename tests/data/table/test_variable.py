"""Variables: labels, codes, and what is not one. Domains: variables by name and number, the size of the joint domain."""

import sys
import time
from typing import Any

import numpy as np
import pytest

from depnet import Domain, Variable
from depnet.errors import DataError, EvidenceError, brief, how_many
from tests.refusals import refuses


def test_numpy_labels_become_plain_ones() -> None:
    states: Any = (np.int64(3), np.float64(0.5), np.str_("a"), np.bool_(True))
    assert [type(state) for state in Variable("x", states).states] == [int, float, str, bool]
    assert Variable("x", (3, 0.5)).code(np.int32(3)) == 0  # a numpy number is equal


def test_as_many_states_as_a_code_can_tell() -> None:
    assert Variable("x", tuple(range(65_535))).cardinality == 65_535
    with pytest.raises(DataError, match=r"'x' has 65,536 states; expected 1 to 65,535\. Group rare states"):
        Variable("x", tuple(range(65_536)))


@pytest.mark.parametrize(
    ("name", "states", "message"),
    [
        ("", (0, 1), "name is a non-empty string; got ''"),
        (3, (0, 1), "name is a non-empty string; got 3"),
        ("\ud800", (0, 1), "not valid Unicode text"),
        ("x", (), "has 0 states"),
        ("x", "ab", "states are a tuple of labels, in order; got 'ab'"),
        ("x", b"ab", "states are a tuple of labels"),
        ("x", {"a", "b"}, "states are a tuple of labels, in order"),
        ("x", None, "states are a tuple of labels, in order; got None"),
        ("x", (0, None), "code 1: a state is a string, a finite number or a boolean; got None"),
        ("x", (float("nan"),), "finite number or a boolean; got nan"),
        ("x", (float("inf"),), "finite number or a boolean; got inf"),
        ("x", (np.datetime64("2020-01-01"),), "got datetime.date"),
        ("x", ("a", "\udcff"), "code 1: .* is not valid Unicode text"),
        ("x", ("a", "b", "a"), r"state 'a' \(code 2\) is equal to state 'a' \(code 0\)"),
        ("x", (1, True), r"state True \(code 1\) is equal to state 1 \(code 0\)"),
        ("x", (0.0, -0.0), "states must differ"),
    ],
)
def test_what_is_not_a_variable(name: Any, states: Any, message: str) -> None:
    refuses(DataError, message, Variable, name, states)


def test_a_generator_of_states_is_walked_once() -> None:
    assert Variable("x", (c for c in "abc")).states == ("a", "b", "c")  # type: ignore[arg-type]  # any iterable


@pytest.mark.parametrize(
    ("label", "offer"),
    [
        ("3nd", "Did you mean '3rd' or '2nd'"),
        ("zzz", "There are: '1st', '2nd', '3rd', 'Crew'."),
        (["1st"], r"Did you mean '1st'\?"),
        (None, "has no state None"),
    ],
)
def test_an_unknown_label_offers_the_nearest(label: Any, offer: str) -> None:
    refuses(EvidenceError, offer, Variable("class", ("1st", "2nd", "3rd", "Crew")).code, label)
    refuses(EvidenceError, r"has no state '1'. Did you mean 1\?", Variable("x", (0, 1)).code, "1")


def test_messages_are_short_and_quick_whatever_the_labels() -> None:
    states = tuple(f"{'long ' * 200}{i}" for i in range(20_000))
    variable = Variable("x", states)
    start = time.process_time()
    with pytest.raises(EvidenceError) as error:
        variable.code("long " * 200_000)
    assert len(str(error.value)) < 1000
    assert time.process_time() - start < 5
    with pytest.raises(DataError) as twice:
        Variable("n" * 10**6, (10**5000, 10**5000))
    assert len(str(twice.value)) < 1000
    assert "about 10^5000" in str(twice.value)


def test_a_message_comes_out_for_every_object() -> None:
    class Shy:
        def __repr__(self) -> str:
            raise RuntimeError

    assert brief(Shy()) == "a Shy"
    assert brief([10**5000]) == "a list" or sys.version_info >= (3, 12)
    assert len(brief(["x" * 10**6] * 10**4)) < 200
    assert how_many(-(10**20)) == "about -10^20"


def test_names_numbers_and_size() -> None:
    domain = Domain((Variable("a", (0, 1)), Variable("b", ("x", "y", "z"))))
    assert domain.names == ("a", "b")
    assert domain.cardinalities == (2, 3)
    assert (len(domain), domain.size, domain.index("b")) == (2, 6, 1)
    assert Domain.from_cardinalities([2] * 500).size == 2**500, "exact, however large"


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ((), "at least one variable"),
        (5, "made of Variables; got 5"),
        ("ab", "made of Variables; got 'ab'"),
        ((Variable("a", (0,)), "b"), "number 1 is 'b'"),
        (
            (Variable("a", (0,)), Variable("b", (0,)), Variable("a", (1,))),
            "variables 0 and 2 are both named 'a'",
        ),
    ],
)
def test_what_is_not_a_domain(variables: Any, message: str) -> None:
    refuses(DataError, message, Domain, variables)


@pytest.mark.parametrize(
    ("cardinalities", "message"),
    [
        ([2, 0], "column 1 is a whole number of at least 1; got 0"),
        ([2.0], r"whole number of at least 1; got 2\.0"),
        ("22", "one a variable; got '22'"),
        (2, "one a variable; got 2"),
        ([2, 65_536], "column 1 would have 65,536 states; at most 65,535"),
        ([10**15], "at most 65,535"),  # and no tuple of 10^15 states is ever made
        ([], "at least one variable"),
    ],
)
def test_what_is_not_a_list_of_cardinalities(cardinalities: Any, message: str) -> None:
    refuses(DataError, message, Domain.from_cardinalities, cardinalities)


@pytest.mark.parametrize("name", ["survved", "Survived", 3, ["survived"], None])
def test_an_unknown_name_offers_the_nearest(name: Any) -> None:
    domain = Domain((Variable("class", (0,)), Variable("survived", (0,))))
    refuses(EvidenceError, r"there is no variable .*survived", domain.index, name)
