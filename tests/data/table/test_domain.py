"""Domains: variables by name and number, the size of the joint domain."""

from typing import Any

import pytest

from depnet import Domain, Variable
from depnet.errors import DataError, EvidenceError
from tests.refusals import refuses


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
        ([2, -1], "at least 1; got -1"),
        ([2.0], r"whole number of at least 1; got 2\.0"),
        ([True], "got True"),
        (["2"], "got '2'"),
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
