"""One state across all views: it is in the address, goes from view to view, and Back and Forward undo and redo it."""

import re

from hypothesis import given as given_by
from hypothesis import strategies as st
from playwright.sync_api import Page, expect

from depnet.data import Dataset, Domain, Variable
from depnet.explorer.known import given, opened, pairs, said, weights
from depnet.explorer.state import State, read

NAMES = ("sex", ".sex", "..", ".target", "age")
DOMAIN = Domain(tuple(Variable(name, ("a", "b", ">c")) for name in NAMES))


@given_by(
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from([("a",), ("a", "b"), (">c",)])),
    st.none() | st.sampled_from(NAMES),
    st.none() | st.sampled_from(NAMES),
    st.dictionaries(st.sampled_from(["page", "sort", "at.sex"]), st.text(max_size=3)),
)
def test_an_address_is_read_back_whatever_variables_are_called(
    known: dict[str, tuple[str, ...]], target: str | None, variable: str | None, own: dict[str, str]
) -> None:
    state = State(known, target, variable, own)
    found = read(DOMAIN, state.parameters())
    assert found.state == state
    assert found.problems == ()


def test_conditions_are_read_checked_and_said() -> None:
    (price,) = Dataset.from_frame([{"price": float(k)} for k in range(1000)]).domain.variables
    domain = Domain((price,))
    found = opened(domain, [("price", ">250")])
    assert found.known == {"price": ">250"}
    assert opened(domain, pairs(found.known)) == found
    assert given(found.known) == {"price": ">250"}
    assert said("price", ">250") == "price > 250"
    assert 0 < weights(price, ">250").mean() < 1
    assert opened(domain, [("price", ">=-5")]).known == {}  # all are allowed
    (problem,) = opened(domain, [("price", ">5000")]).problems
    assert "no value of the data meets price > 5000" in problem
    assert opened(domain, [("price", ">x")]).problems


def test_an_unknown_target_is_said_and_the_rest_opens() -> None:
    found = read(DOMAIN, [(".target", "sez"), ("sex", "a")])
    assert found.state == State({"sex": ("a",)})
    assert "sez" in found.problems[0]


def test_what_is_known_goes_from_view_to_view(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}ask?sex=female&.target=survived&.variable=age")
    for view in ("Network", "Node", "Rows", "Ask"):
        page.get_by_role("link", name=view, exact=True).click()
        expect(page.get_by_role("link", name=view, exact=True)).to_have_attribute("aria-current", "page")
        expect(page.get_by_role("list", name="Evidence")).to_contain_text("sex = female")
        expect(page.get_by_text("target: survived")).to_be_visible()
        expect(page).to_have_url(re.compile(r"sex=female&.*\.target=survived&\.variable=age"))


def test_back_and_forward_undo_and_redo(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}ask")
    evidence = page.get_by_role("list", name="Evidence")
    expect(evidence).to_contain_text("nothing yet")
    for name, label in (("sex", "female"), ("class", "1st")):
        page.locator(f'[data-variable="{name}"] [data-label="{label}"]').click()
        expect(evidence).to_contain_text(f"{name} = {label}")
    page.get_by_role("button", name="Take back sex = female").click()
    expect(evidence).not_to_contain_text("sex")
    expect(page).to_have_url(re.compile(r"ask\?class=1st$"))  # Back leads from the address
    page.go_back()
    expect(evidence).to_contain_text("sex = female")
    page.go_back()
    expect(evidence).not_to_contain_text("class")
    expect(page).to_have_url(re.compile(r"ask\?sex=female$"))
    page.go_back()
    expect(evidence).to_contain_text("nothing yet")
    page.go_forward()
    expect(evidence).to_contain_text("sex = female")
    page.get_by_role("link", name="Rows", exact=True).click()
    expect(page).to_have_url(re.compile(r"rows\?sex=female$"))
    page.go_back()
    expect(page.get_by_role("link", name="Ask", exact=True)).to_have_attribute("aria-current", "page")
    expect(evidence).to_contain_text("sex = female")
