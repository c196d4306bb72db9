"""Small counts hidden: no count under 5 is shown, and none can be had by subtraction."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import depnet
from depnet.inference.answer.part import Remark, RemarkKind
from depnet.inference.answer.shown import LEAST, hidden_cells, without_small_counts
from tests.narrowed import by_name

PEOPLE = depnet.titanic()
LAW = depnet.learn(PEOPLE, smoothing=0.5, order="auto").with_counts(PEOPLE)
COUNTS = st.lists(st.integers(0, 40), min_size=2, max_size=8)


def check_nothing_is_given_away(counts: NDArray[np.float64], hidden: NDArray[np.bool_]) -> None:
    """Shown counts are 5 or more; hidden ones are none, or at least two with 5 rows, or all."""
    assert (counts[~hidden] >= LEAST).all(), "a small count is shown"
    if hidden.any() and not hidden.all():
        assert hidden.sum() >= 2, "the one that is hidden is the rest of all"
        assert counts[hidden].sum() >= LEAST, "the sum of those hidden is a small count"


@given(COUNTS)
def test_nothing_is_given_away(counts: list[int]) -> None:
    each = np.array(counts, dtype=np.float64)
    hidden = hidden_cells(each)
    check_nothing_is_given_away(each, hidden)
    if (each >= LEAST).all():
        assert not hidden.any(), "nothing is hidden without a reason"


def test_mutant_only_small_cells_hidden() -> None:
    each = np.array([141.0, 30.0, 4.0])
    with pytest.raises(AssertionError, match="the rest of all"):
        check_nothing_is_given_away(each, each < LEAST)


def test_a_result_keeps_the_law_s_answer() -> None:
    found = depnet.query(LAW, ["survived", "class"], {"age": "child"}, data=PEOPLE)
    hidden = without_small_counts(found)
    assert isinstance(hidden.observed, dict)
    assert isinstance(hidden.combined, dict)
    assert (hidden.observed["survived"] == by_name(found.observed)["survived"]).all(), "52 and 57 of 109"
    assert (hidden.combined["survived"] == by_name(found.combined)["survived"]).all()
    assert np.isnan(hidden.observed["class"]).tolist() == [True, False, False, True], (
        "6, 24, 79 and no children"
    )
    assert (hidden.combined["class"] == by_name(hidden.probabilities)["class"]).all()


def test_warnings_are_hidden_by_their_kind_whatever_they_say() -> None:
    kinds: list[RemarkKind] = ["note", "rare", "difference", "stopped"]
    said = tuple(Remark(f"some words, {kind}", kind) for kind in kinds)
    few = depnet.query(LAW, "survived", {"sex": "female", "class": "1st", "age": "child"}, data=PEOPLE)
    assert [remark.kind for remark in few.warnings] == ["rare"]
    shown = without_small_counts(replace(few, warnings=said)).warnings
    assert [(remark.kind, remark in said) for remark in shown] == [
        ("note", True), ("stopped", True), ("rare", False),
    ]  # fmt: skip
    many = depnet.query(LAW, "survived", data=PEOPLE)
    assert without_small_counts(replace(many, warnings=said)).warnings == said
    again = pickle.loads(pickle.dumps(said))
    assert [(remark, remark.kind) for remark in again] == [(remark, remark.kind) for remark in said]


def test_few_matching_rows_are_hidden_altogether() -> None:
    known = {"sex": "female", "class": "1st", "age": "child"}
    assert depnet.query(LAW, "survived", known, data=PEOPLE).matching == 1
    hidden = without_small_counts(depnet.query(LAW, "survived", known, data=PEOPLE))
    assert (hidden.observed, hidden.matching, hidden.support) == (None, None, None)
    assert not any("1 training row" in text for text in hidden.warnings)
    assert hidden.combined is hidden.probabilities
