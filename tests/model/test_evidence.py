"""Evidence by labels: states, sets of states, weights, and names that do not exist."""

import datetime as dt
from typing import Any

import numpy as np
import pytest

from depnet import ConditionalTable, ConstantSource, Domain, Network, TableNode, Variable
from depnet.data import Bins
from depnet.errors import EvidenceError
from depnet.model.evidence import Evidence
from tests.refusals import refuses

DOMAIN = Domain(
    (Variable("class", ("1st", "2nd", "3rd")), Variable("adult", (False, True)), Variable("only", ("one",)))
)


def parsed(**given: Any) -> Evidence:
    return Evidence.parse(DOMAIN, given)


def test_one_state_clamps() -> None:
    assert dict(parsed(**{"class": "2nd", "adult": True}).clamped) == {0: 1, 1: 1}
    assert dict(parsed(adult=1).clamped) == {1: 1}, "1 is True in Python"
    assert dict(parsed(adult=np.bool_(False)).clamped) == {1: 0}
    assert not Evidence.parse(DOMAIN, None).clamped
    assert not Evidence.parse(DOMAIN, {}).tilts


@pytest.mark.parametrize(
    "allowed", [{"1st", "3rd"}, frozenset(["1st", "3rd"]), ["1st", "3rd"], ("3rd", "1st")]
)
def test_a_set_of_states_tilts(allowed: Any) -> None:
    evidence = parsed(**{"class": allowed})
    assert not evidence.clamped
    assert evidence.tilts[0].tolist() == [1, 0, 1]


def test_a_set_of_one_clamps_and_a_set_of_all_says_nothing() -> None:
    assert dict(parsed(**{"class": {"3rd"}}).clamped) == {0: 2}
    everything = parsed(**{"class": {"1st", "2nd", "3rd"}, "only": {"one"}})
    assert (dict(everything.clamped), dict(everything.tilts)) == ({2: 0}, {})


def test_weights_tilt_relative_to_the_greatest() -> None:
    evidence = parsed(**{"class": {"1st": 1, "2nd": 4.0}})
    assert evidence.tilts[0].tolist() == [0.25, 1, 0]
    assert not evidence.tilts[0].flags.writeable
    assert dict(parsed(**{"class": {"1st": 0, "2nd": 3}}).clamped) == {0: 1}
    assert not parsed(**{"class": {"1st": 2, "2nd": 2, "3rd": 2}}).tilts
    assert dict(parsed(**{"class": {"1st": 1e308, "2nd": 1e-300}}).clamped) == {0: 0}, "a weight of 1e-608"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"clas": "1st"}, r"there is no variable 'clas'. Did you mean 'class'\?"),
        ({"zzz": "1st"}, "There are: 'class', 'adult', 'only'"),
        ({0: "1st"}, "there is no variable 0"),
        ({"class": "1s"}, r"variable 'class' has no state '1s'. Did you mean '1st'\?"),
        ({"class": 1}, "variable 'class' has no state 1"),
        ({"class": {"1st", "4th"}}, "has no state '4th'"),
        ({"class": [["1st"]]}, "has no state"),
        ({"class": {"4th": 1.0}}, "has no state '4th'"),
        ({"class": set()}, r"the evidence on 'class' allows no state at all: set\(\)"),
        ({"class": {}}, "allows no state at all"),
        ({"class": {"1st": 0.0, "2nd": 0}}, "allows no state at all"),
        (
            {"class": {"1st": -1}},
            "the weight of 'class' = '1st' is a number, finite and not negative; got -1",
        ),
        ({"class": {"1st": float("inf")}}, "got inf"),
        ({"class": {"1st": "much"}}, "got 'much'"),
        ({"class": {"1st": None}}, "got None"),
        ({"class": {"1st": 10**400}}, r"got about 10\^400"),
        (["class"], r"is a mapping of columns to values, or text such as 'sex=female'; got \['class'\]"),
        ("class", "'class' is not a condition. Write variable=state"),
        (3, "is a mapping of columns"),
    ],
)
def test_what_is_not_evidence(given: Any, message: str) -> None:
    refuses(EvidenceError, message, Evidence.parse, DOMAIN, given)


def test_evidence_stays_in_its_domain() -> None:
    evidence = parsed(**{"class": {"1st", "2nd"}, "adult": True})
    assert Evidence.parse(DOMAIN, evidence) is evidence
    with pytest.raises(EvidenceError, match="clamps variable 1 to code 1: it is of another domain"):
        Evidence.parse(Domain.from_cardinalities([3, 1]), evidence)
    with pytest.raises(EvidenceError, match="weighs states of variable 0: it is of another domain"):
        Evidence.parse(Domain.from_cardinalities([4, 2]), evidence)


def test_a_node_is_free_unless_its_variable_is_clamped() -> None:
    tables = [ConditionalTable.from_counts(np.ones((1, k), dtype=int)) for k in DOMAIN.cardinalities]
    network = Network(DOMAIN, tuple(TableNode(i, ConstantSource(), t) for i, t in enumerate(tables)))
    assert parsed(adult=True).free_nodes(network) == (0, 2)
    assert parsed(**{"adult": True, "class": "1st"}).free_nodes(network) == (2,)
    assert parsed(**{"class": {"1st", "2nd"}, "adult": True}).free_nodes(network) == (0, 2)


AGES = Bins((0, 18, 65, 99), ((3, 9, 17), (30, 40), (70,)), "integer")
DAYS = Bins((0, 31, 59), ((1, 2), (40,)), "date")
MOMENTS = Bins((0, 86_400_000_000, 2 * 86_400_000_000), ((0,), (86_400_000_000,)), "datetime")


def test_evidence_takes_numbers_and_dates_for_bins() -> None:
    domain = Domain(
        (
            Variable("age", AGES.ranges, AGES),
            Variable("day", DAYS.ranges, DAYS),
            Variable("moment", MOMENTS.ranges, MOMENTS),
        )
    )
    known = Evidence.parse(
        domain, {"age": 20, "day": dt.date(1970, 2, 3), "moment": dt.datetime(1970, 1, 2, 5, 30)}
    )
    assert known.clamped == {0: 1, 1: 1, 2: 1}
    assert Evidence.parse(domain, {"age": "[65, 99)"}).clamped == {0: 2}
    with pytest.raises(EvidenceError, match=r"two weights for 'age' = '\[0, 18\)': 12 is in it, too"):
        Evidence.parse(domain, {"age": {10: 0.5, 12: 0.5}})
    either = Evidence.parse(domain, {"age": {10, 20}})
    shares = either.allowed[0].weights()
    assert either.tilts[0].tolist() == (shares / shares.max()).tolist()
    assert not Evidence.parse(domain, {"age": "[65, 99)"}).levels
    assert Evidence.parse(domain, {"day": np.datetime64("1970-02-03")}).clamped == {1: 1}
    said = "variable 'age' has no state 'old', and as a value of its bins, expected a number"
    refuses(EvidenceError, said, Evidence.parse, domain, {"age": "old"})
