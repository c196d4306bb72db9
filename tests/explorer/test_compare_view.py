"""Compare, in a browser: A and B are edited, swapped and taken over, and say what `depnet.query` says."""

import numpy as np
from hypothesis import strategies as st
from playwright.sync_api import Locator, Page, expect

import depnet
from depnet.explorer.compare_view import card_of
from depnet.inference.judge.shifts import differences_between, shifts_between
from tests.explorer.browser import expect_query
from tests.explorer.cases import titanic_models


def shown(page: Page, side: str, variable: str, label: str) -> Locator:
    return page.locator(f'[data-variable="{variable}"] [data-side="{side}"] [data-label="{label}"]')


def answered(page: Page, side: str, known: dict[str, str]) -> None:
    """The page's law of `survived` is that of `depnet.query`, to the six digits on the page."""
    found = depnet.query(titanic_models()[1], "survived", known, data=depnet.titanic()).combined
    assert isinstance(found, np.ndarray)
    for state, value in zip(("No", "Yes"), found, strict=True):
        expect(shown(page, side, "survived", state)).to_have_attribute(
            "data-posterior", f"{round(float(value), 6):g}"
        )


def test_two_sets_of_evidence(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}compare?sex=female")
    answered(page, "a", {"sex": "female"})
    answered(page, "b", {})
    shown(page, "b", "sex", "male").click()
    answered(page, "b", {"sex": "male"})
    page.wait_for_function("() => location.search.includes('.b=sex%3Dmale')")
    first = shown(page, "b", "class", "1st")
    first.focus()
    page.keyboard.press("Enter")
    answered(page, "b", {"sex": "male", "class": "1st"})
    expect_query(page, {"sex": ["female"], ".b": ["sex=male&class=1st"]})
    page.reload()
    answered(page, "b", {"sex": "male", "class": "1st"})
    expect(page.locator('[data-copy="Command line, B"]')).to_contain_text(
        "--given sex=male --given class=1st"
    )
    expect(page.locator('[data-copy="Python, A"]')).to_contain_text("{'sex': 'female'}")
    page.get_by_role("button", name="Swap A and B").click()
    answered(page, "a", {"sex": "male", "class": "1st"})
    answered(page, "b", {"sex": "female"})
    page.get_by_role("button", name="Make B what A is now").click()
    answered(page, "b", {"sex": "male", "class": "1st"})
    expect(page.get_by_text("A and B are the same")).to_be_visible()
    page.get_by_role("button", name="Nothing known in B").click()
    answered(page, "b", {})
    page.wait_for_function("() => !location.search.includes('.b=sex')")  # Back leads from the address
    page.go_back()
    answered(page, "b", {"sex": "male", "class": "1st"})
    page.get_by_role("button", name="Take back class = 1st in B").click()
    answered(page, "b", {"sex": "male"})


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
