"""Two sets of evidence: B in the address, and the cards of A and B, without a browser."""

from hypothesis import strategies as st

import depnet
from depnet.explorer.compare_view import card_of
from depnet.inference.judge.shifts import differences_between, shifts_between

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


def test_a_card_has_both_sides_and_the_largest_difference_comes_first() -> None:
    law = depnet.learn(depnet.titanic(), smoothing=0.5, order="auto")
    asked = ["age", "class", "survived"]
    prior = depnet.query(law, asked)
    women, men = (depnet.query(law, asked, {"sex": sex}) for sex in ("female", "male"))
    found = differences_between(shifts_between(prior, women), shifts_between(prior, men))
    changes = [each.change for each in found]
    assert changes == sorted(changes, reverse=True)
    assert found[0].first.name == "survived"
    card = card_of(found[0], {"a": None, "b": (found[0].first.variable.states[1],)}, holes=False)
    for side, answer in (("a", women), ("b", men)):
        assert isinstance(answer.probabilities, dict)
        assert card["numbers"][side]["p"] == answer.probabilities["survived"].round(6).tolist()
    assert card["held"]["b"]["bars"] == [0.0, 1.0]
    assert card["held"]["a"] is None
