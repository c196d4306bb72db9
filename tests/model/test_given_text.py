"""Evidence as people write it, against labels that are hard to write (what is no evidence: test_odd_values.py)."""

from typing import Any

import pytest

from depnet.data import Bins, Domain, Variable
from depnet.errors import EvidenceError
from depnet.model.evidence import Evidence
from depnet.model.given_text import names_of, read_event, read_given
from tests.refusals import refuses

AGES = Bins((0, 18, 25, 99), ((9,), (20,), (40,)), "integer")
DAYS = Bins((0, 366, 800), ((9,), (400,)), "date")
DOMAIN = Domain(
    (
        Variable("sex", ("female", "male")),
        Variable("class", ("1st", "2nd", "3rd")),
        Variable("city, state", ("Washington, DC", "a=b", "x|y", "O'Neil", 'the "old"', "c:d", "~")),
        Variable("age", AGES.ranges, AGES),
        Variable("day", DAYS.ranges, DAYS),
        Variable("count", (1, 2, 2.5)),
        Variable("flag", (True, False)),
        Variable("income", ("<=50K", ">50K")),
        Variable("a>b", (1, 2, 3)),
        Variable("x=y", ("p", "q")),
    )
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sex=female,class=1st", {"sex": "female", "class": "1st"}),
        (" sex = female , class = 1st ", {"sex": "female", "class": "1st"}),
        ("class == 1st", {"class": "1st"}),
        ("class=1st|2nd", {"class": frozenset({"1st", "2nd"})}),
        ('"city, state"="Washington, DC"', {"city, state": "Washington, DC"}),
        ("'city, state'=Washington, DC,sex=male", {"city, state": "Washington, DC", "sex": "male"}),
        ("city\\, state=a=b", {"city, state": "a=b"}),
        ('"city, state"=x|y', {"city, state": "x|y"}),
        ('"city, state"="x|y"|a\\=b', {"city, state": frozenset({"x|y", "a=b"})}),
        (
            '"city, state"=~|"Washington, DC",sex=male',
            {"city, state": frozenset({"~", "Washington, DC"}), "sex": "male"},
        ),
        ('"city, state"=O\'Neil,sex=male', {"city, state": "O'Neil", "sex": "male"}),
        ('"city, state"=the "old"', {"city, state": 'the "old"'}),
        ("age=[18, 25),sex=male", {"age": "[18, 25)", "sex": "male"}),
        ("age=[0, 18)|[18, 25)", {"age": frozenset({"[0, 18)", "[18, 25)"})}),
        ("age=23", {"age": "23"}),
        ("age=7|23", {"age": frozenset({"7", "23"})}),
        ("day=1971-03-01", {"day": "1971-03-01"}),
        ("count=2.0,flag=true", {"count": 2, "flag": True}),
        ("count=2.50", {"count": 2.5}),
        ("age>20,sex=male", {"age": ">20", "sex": "male"}),
        ("age>=20,count<2", {"age": ">=20", "count": "<2"}),
        ("age<=20", {"age": "<=20"}),
        ('age ≥ 20,count<"2"', {"age": ">=20", "count": "<2"}),
        ("income>50K,a>b=2", {"income": ">50K", "a>b": 2}),
        ("income=>50K,a>b>2", {"income": ">50K", "a>b": ">2"}),
        ("income<=50K,'a>b' <= 2", {"income": "<=50K", "a>b": "<=2"}),
        ("x=y=p,age is missing,count is known", {"x=y": "p", "age": None, "count": "is known"}),
        ("sex != male,class=1st", {"sex": "!=male", "class": "1st"}),
        ("age=10..20,sex=male", {"age": "10..20", "sex": "male"}),
        ("age=10..20|40..50", {"age": frozenset({"10..20", "40..50"})}),
        ("day>1971-03-01", {"day": ">1971-03-01"}),
        ("age=130", {"age": "130"}),
        ('"city, state"!="Washington, DC",sex=male', {"city, state": "!=Washington, DC", "sex": "male"}),
    ],
)
def test_evidence_is_read(text: str, expected: dict[str, object]) -> None:
    assert read_given([text], DOMAIN) == expected


def test_repeated_options_are_joined_and_none_is_none() -> None:
    assert read_given(["sex=male", "class=3rd"], DOMAIN) == {"sex": "male", "class": "3rd"}
    assert read_given([], DOMAIN) is None
    assert names_of('a,"b, c", d') == ["a", "b, c", "d"]


EVENTS = Domain(
    (
        *DOMAIN.variables,
        Variable("R and D", ("yes", "no", "yes and no")),
        Variable("not (x)", (0, 1, 2)),
        Variable("start", AGES.ranges, AGES),
    )
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sex=female and class=1st", "sex=female and class=1st"),
        ("sex=female AND (class=1st Or age>20)", "sex=female and (class=1st or age>20)"),
        ("not (sex=female or class=1st)", "not sex=female and not class=1st"),
        ("not not sex = female", "sex = female"),
        ("not(sex=female and age is missing)", "not sex=female or not age is missing"),
        ("age>20 and age<=40", "(age>20 and age<=40)"),
        ("(age=[18, 25) or sex=male)", "age=[18, 25) or sex=male"),
        ("R and D = yes and no or sex=male", "R and D = yes and no or sex=male"),
        ("'R and D' = 'yes' and sex=male", "'R and D' = 'yes' and sex=male"),
        ("not (x) > 1", "not (x) > 1"),
        ("(not (x) > 1 and sex=male)", "not (x) > 1 and sex=male"),
        ("not not (x) > 1", "not not (x) > 1"),
        ("'city, state'=Washington, DC or sex=male", "'city, state'=Washington, DC or sex=male"),
        ("start > age", "start > age"),
        ("not start > age", "not start > age"),
        ("age is not missing or sex=male", "age is known or sex=male"),
    ],
)
def test_events_are_read_and_said_again(text: str, said: str) -> None:
    found = read_event(EVENTS, text)
    assert str(found) == said
    assert str(read_event(EVENTS, str(found))) == said, "what is said is read as the same"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sex=female and class=1st", {"sex": "female", "class": "1st"}),
        ("sex=female, age>20 or class=1st", {"sex": "female", "age>20 or class=1st": True}),
        ("age>=20 and age<40,sex=male", {"(age>=20 and age<40)": True, "sex": "male"}),
        ("not sex=male", {"not sex=male": True}),
        ("start>age", {"start>age": True}),
    ],
)
def test_evidence_with_events(text: str, expected: dict[str, Any]) -> None:
    assert read_given(text, EVENTS) == expected
    plain = Evidence.parse(EVENTS, text, events=True)
    again = Evidence.parse(EVENTS, expected, events=True)
    assert (plain.clamped, plain.tilts.keys(), str(plain.event)) == (
        again.clamped,
        again.tilts.keys(),
        str(again.event),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(sex=male", "a parenthesis is not closed"),
        ("sex=male and", "'' is not a condition"),
        ("sex=male or foo", "'foo' is not a condition"),
        ("sex=male or sexx=male", "there is no variable 'sexx'. Did you mean 'sex'"),
        ("start > sex", "'start' is a number, 'sex' is text"),
        ("sex=male and sex=female", "no value of the data meets"),
        ("(" * 60 + "sex=male" + ")" * 60, "more than 50 parentheses"),
        ("sex=male or " * 1000, "at most 10,000 characters"),
        ("sex=male) or class=1st", "has no state 'male\\)"),
        ("class", "'class' is not a condition. Write variable=state"),
        ("clas>1", "there is no variable 'clas'. Did you mean 'class'"),
        ("age=>20", "has a sign after the equals sign. Write age>20"),
    ],
)
def test_what_is_no_event(text: str, message: str) -> None:
    refuses(EvidenceError, message, lambda: Evidence.parse(EVENTS, text, events=True))
