"""Two sets of evidence: B in the address, and the cards of A and B, without a browser."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet.data import Bins, Domain, Variable
from depnet.explorer.differences import card_of, groups_of, other_known, other_text
from depnet.explorer.known import Held
from depnet.inference.judge.shifts import differences_between, shifts_between
from tests.explorer.cases import shift_of

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(
    st.lists(NAMES, min_size=1, max_size=3, unique=True), st.lists(NAMES, min_size=3, max_size=3, unique=True)
)
def test_b_in_the_address_is_what_it_was(names: list[str], states: list[str]) -> None:
    domain = Domain(tuple(Variable(name, tuple(states)) for name in names))
    known: dict[str, Held] = {name: (states[k % 3],) for k, name in enumerate(names)}
    known[names[0]] = (states[0], states[2])
    found = other_known(domain, other_text(known))
    assert found.known == known
    assert found.problems == ()


def test_what_b_does_not_know_is_said() -> None:
    domain = Domain((Variable("sex", ("female", "male")),))
    found = other_known(domain, "sex=male&sez=female")
    assert found.known == {"sex": ("male",)}
    assert "Did you mean 'sex'?" in found.problems[0]
    assert other_known(domain, "").known == {}


def test_a_card_has_both_sides_and_the_largest_difference_comes_first() -> None:
    law = depnet.learn(depnet.titanic(), smoothing=0.5, order="auto")
    asked = ["age", "class", "survived"]
    prior = depnet.query(law, asked)
    women, men = (depnet.query(law, asked, {"sex": sex}) for sex in ("female", "male"))
    found = differences_between(shifts_between(prior, women), shifts_between(prior, men))
    changes = [each.change for each in found]
    assert changes == sorted(changes, reverse=True)
    assert found[0].first.name == "survived"
    card = card_of(found[0], (), (found[0].first.variable.states[1],))
    for place, state in enumerate(card["states"]):
        for side, answer in (("a", women), ("b", men)):
            assert isinstance(answer.probabilities, dict)
            assert state[side]["value"] == round(float(answer.probabilities["survived"][place]), 6)
    assert [state["b"]["held"] for state in card["states"]] == [False, True]
    assert not any(state["a"]["held"] for state in card["states"])


def test_states_of_a_number_are_taken_together_with_their_neighbours() -> None:
    edges = tuple(range(21))
    bins = Bins(edges, tuple((k,) for k in edges[:-1]), "integer")
    age = Variable("age", bins.labels, bins)
    groups = groups_of(shift_of(age, np.full(20, 0.05), np.full(20, 0.05)), np.zeros(20))
    assert sum(len(codes) for _, _, codes in groups) == 20
    assert all((np.diff(codes) == 1).all() for _, _, codes in groups)
    assert groups[0][1].startswith("0")
    assert groups[-1][1] == "18 to 19"
    names = Variable("name", tuple(f"n{k}" for k in range(12)))
    rare = groups_of(shift_of(names, np.full(12, 1 / 12), np.full(12, 1 / 12)), np.arange(12) / 66)
    assert [code for code, _, _ in rare] == [5, 6, 7, 8, 9, 10, 11, -1]
    assert rare[-1][1] == "5 others"
