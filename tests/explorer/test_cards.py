"""What a card shows: the histogram of a number, the likely states of others, and no bar that moves."""

import numpy as np
import pytest

from depnet import Variable
from depnet.data.binning.bins import Bins
from depnet.errors import EvidenceError
from depnet.explorer.cards import (
    MOST_STATES,
    OTHERS,
    STATES,
    NumberCard,
    StateCard,
    between,
    has_ranges,
    is_histogram,
    read_typed,
)
from depnet.explorer.histogram import Axis
from tests.explorer.cases import shift_of
from tests.narrowed import there


def test_few_states_have_a_bar_each() -> None:
    variable = Variable("class", ("1st", "2nd", "3rd", "Crew"))
    prior, later = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.4, 0.3, 0.2, 0.1])
    card = StateCard.of(variable, prior, opened=False)
    numbers = card.numbers(shift_of(variable, prior, later, observed=np.array([0.5, np.nan, np.nan, 0.1])))
    assert numbers["p"] == [0.4, 0.3, 0.2, 0.1]
    assert numbers["o"] == [0.5, None, None, 0.1]  # some are hidden
    assert all(low < p < high for p, (low, high) in zip(numbers["p"], numbers["sure"], strict=True))
    assert "sure" not in card.numbers(shift_of(variable, prior, np.eye(4)[0]), held=True)
    static = card.static(numbers)
    assert [state["l"] for state in static["states"]] == list(variable.states)
    assert not static["columns"]
    assert card.bar_weights(("1st", "3rd")) == [1.0, 0.0, 1.0, 0.0]


def test_many_states_are_the_likely_ones_and_the_rest_until_opened() -> None:
    variable = Variable("word", tuple(f"w{k}" for k in range(300)))
    prior = np.arange(300) / np.arange(300).sum()
    card = StateCard.of(variable, prior, opened=False)
    assert len(card.codes) == STATES - 1
    assert card.codes == tuple(range(293, 300))
    numbers = card.numbers(shift_of(variable, prior, np.eye(300)[0]))
    assert numbers["p"][-1] == 1.0  # of the others
    assert card.static(numbers)["states"][-1]["c"] == OTHERS
    assert card.static(numbers)["states"][-1]["l"] == "293 others"
    kept = StateCard.of(variable, prior, opened=False, kept={3})
    assert kept.codes == (3, *range(293, 300))
    assert kept.bar_weights(("w3",)) == [1.0, *[0.0] * 8]
    assert len(StateCard.of(variable, prior, opened=True).codes) == MOST_STATES - 1


def test_a_number_has_a_histogram_its_mean_and_its_spread() -> None:
    bins = Bins(tuple(range(17)), tuple((k,) for k in range(16)), "integer")
    variable = Variable("n", bins.labels, bins)
    flat, later = np.full(16, 1 / 16), np.array([0.25, 0, 0, 0, 0.5, 0, 0, 0, 0.25, *[0.0] * 7])
    law = there(shift_of(variable, flat, flat).now.number).law
    card = NumberCard(Axis.of(variable, law), law, holes=True)
    assert card.axis.points == tuple(range(16))
    shift = shift_of(variable, flat, later, missing=(0.6, 0.7), rows=75)
    numbers = card.numbers(shift)
    assert (numbers["mean"], numbers["sd"]) == ("4", "2.83")
    low, high = map(float, numbers["between"].split(" to "))
    assert low < 4 < high
    assert numbers["p"][4] == 0.5  # given that it is known
    assert numbers["p"][-1] == 0.66
    assert numbers["at"] == card.axis.place(4)
    assert numbers["known"] == "among the 34 % of rows that have it"
    static = card.static(numbers)
    assert (static["columns"], static["ordered"], static["missing"]) == (True, True, 16)
    assert static["states"][-1]["l"] == "missing"
    assert sum(card.bar_weights("3..8")) == 6
    assert card.bar_weights("is missing") == [*[0.0] * 16, 1.0]


def test_what_is_known_to_be_missing_has_no_state() -> None:
    variable = Variable("word", ("a", "b"))  # without a state for it
    law = np.array([0.5, 0.5])
    card = StateCard.of(variable, law, opened=False, holes=True)
    numbers = card.numbers(shift_of(variable, law, law, missing=(1.0, 1.0)))
    assert numbers["p"] == [0.0, 0.0, 1.0]
    assert card.bar_weights("is missing") == [0.0, 0.0, 1.0]
    assert card.bar_weights(("a",)) == [1.0, 0.0, 0.0]
    few = card.numbers(shift_of(variable, law, law, missing=(0.004, 0.004)))
    assert "known" not in few


def test_ranges_of_states_in_an_order_are_these_states() -> None:
    size = Variable("size", ("small", "medium", "large"), ordered=True)
    assert between(size, 0, 1) == ("small", "medium")
    assert between(size, 2, 0) is None
    assert (has_ranges(size), is_histogram(size)) == (True, False)
    assert not has_ranges(Variable("sex", ("f", "m")))
    assert not has_ranges(Variable("survived", (0, 1)))


def test_a_written_condition_is_checked() -> None:
    bins = Bins((0, 18, 65, 99), ((3, 9, 17), (30, 40), (70,)), "integer")
    age = Variable("age", bins.ranges, bins)
    assert read_typed(age, ">= 18") == ">= 18"
    assert read_typed(age, "20..40") == "20..40"
    assert read_typed(age, "30") == ("30",)  # itself, and not its bin
    assert read_typed(age, "[18, 65)") == ("[18, 65)",)
    assert read_typed(age, '"[18, 65)" | 70') == ("[18, 65)", "70")
    for wrong in ("old", "> x", ">200"):
        with pytest.raises(EvidenceError):
            read_typed(age, wrong)
