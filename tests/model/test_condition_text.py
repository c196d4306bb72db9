"""Conditions as people write them."""

import pytest

from depnet import Domain, Variable
from depnet.data import Bins
from depnet.errors import EvidenceError
from depnet.model.condition_text import named_condition
from tests.refusals import refuses

AGES = Bins((0, 18, 25, 99), ((9, 10), (20, 21), (40, 98)), "integer")
DOMAIN = Domain(
    (
        Variable("class", ("1st", "2nd", "a|b")),
        Variable("income", ("<=50K", ">50K")),
        Variable("a>b", (1, 2, 3)),
        Variable("x=y", ("p", "q")),
        Variable("age", AGES.labels, AGES),
    )
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class=1st", ("class", "1st")),
        ("class == 1st", ("class", "1st")),
        ("class=1st|2nd", ("class", frozenset({"1st", "2nd"}))),
        ("class=a|b", ("class", "a|b")),
        ("class != 1st", ("class", "!=1st")),
        ("income>50K", ("income", ">50K")),
        ("income=>50K", ("income", ">50K")),
        ("income<=50K", ("income", "<=50K")),
        ("a>b=2", ("a>b", 2)),
        ("a>b>2", ("a>b", ">2")),
        ("'a>b' <= 2", ("a>b", "<=2")),
        ("x=y=p", ("x=y", "p")),
        ("age > 20", ("age", ">20")),
        ("age ≥ 20", ("age", ">=20")),
        ('age<"20"', ("age", "<20")),
        ("age=10..20", ("age", "10..20")),
        ("age=10..20|40..50", ("age", frozenset({"10..20", "40..50"}))),
        ("age=20", ("age", "20")),
        ("age is missing", ("age", None)),
        ("age is known", ("age", "is known")),
        ("age=200", ("age", "200")),
    ],
)
def test_text_is_read(text: str, expected: tuple[str, object]) -> None:
    assert named_condition(DOMAIN, text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class", "'class' is no condition. Write a variable, a sign"),
        ("clas>1", "there is no variable 'clas'. Did you mean 'class'"),
        ("age=>20", "has a sign after the equals sign. Write age>20"),
        ("class~1st:1", "is no condition"),
    ],
)
def test_what_is_no_condition(text: str, message: str) -> None:
    refuses(EvidenceError, message, named_condition, DOMAIN, text)
