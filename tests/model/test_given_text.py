"""Evidence as people write it, against labels that are hard to write (what is no evidence: test_odd_values.py)."""

import pytest

from depnet.data import Bins, Domain, Variable
from depnet.model.given_text import names_of, read_given

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
    )
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sex=female,class=1st", {"sex": "female", "class": "1st"}),
        (" sex = female , class = 1st ", {"sex": "female", "class": "1st"}),
        ("class=1st|2nd", {"class": frozenset({"1st", "2nd"})}),
        ("class~1st:3|2nd:0.5", {"class": {"1st": 3.0, "2nd": 0.5}}),
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
        ('"city, state"~c:d:2|~:1', {"city, state": {"c:d": 2.0, "~": 1.0}}),
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
        ("sex!=male,class=1st", {"sex": "!=male", "class": "1st"}),
        ("age=10..20,sex=male", {"age": "10..20", "sex": "male"}),
        ("age=10..20|40", {"age": frozenset({"10..20", "40"})}),
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
