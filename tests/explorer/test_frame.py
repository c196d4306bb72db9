"""The frame around every view: navigation, light and dark, narrow and wide, keyboard."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import depnet
from depnet.explorer.frame import EVERY, TABS, VIEWS
from tests.explorer.browser import explorer


def test_a_view_opens_in_the_frame_and_what_is_known_goes_along(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}?sex=female&.target=survived&.variable=age")
    expect(page.locator("header")).to_contain_text("titanic.json: 4 columns, 2,201 rows")
    for view in (view for view in EVERY if view not in TABS):
        link = page.get_by_role("link", name=view.TITLE, exact=True)
        link.click()
        expect(link).to_have_attribute("aria-current", "page")
        expect(page).to_have_title(f"{view.TITLE} · titanic.json · depnet")
        expect(page).to_have_url(re.compile(r"sex=female&.*\.target=survived&\.variable=age"))
        if view.TITLE in ("Rules", "Rows", "Explore"):
            expect(page.get_by_role("list", name="Evidence")).to_contain_text("sex = female")
            expect(page.get_by_text("target: survived")).to_be_visible()


SWITCH = """async (name) => {
    const link = [...document.querySelectorAll(".depnet-tab")].find(one => one.textContent === name);
    const begun = performance.now();
    link.click();
    const drawn = () => link.ariaCurrent === "page" && document.querySelector(".depnet-view .depnet-card");
    while (!drawn()) await new Promise(requestAnimationFrame);
    return performance.now() - begun;
}"""


def test_all_views_are_one_page_and_keep_up_with_a_hasty_reader(
    page: Page, titanic: str, record_property: Callable[[str, object], None]
) -> None:
    """Nothing is loaded anew from view to view, Back leads through them, and no work of a view that was left is seen."""
    page.goto(f"{titanic}?sex=female")
    page.wait_for_selector(".depnet-marginal")
    page.evaluate("window.same = true")
    names = [view.TITLE for view in VIEWS]
    paths = {view.TITLE: view.PATH for view in VIEWS}
    times = [[page.evaluate(SWITCH, name) for name in names] for _ in range(2)]
    record_property("explorer: view switch, ms (to reach: 150)", [round(each) for each in times[-1]])
    for name in names * 2:  # without waiting for any of them
        page.get_by_role("link", name=name, exact=True).click()
    link = page.get_by_role("link", name=names[-1], exact=True)
    expect(link).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("heading", name="Rows of the table")).to_be_visible()
    for name in names:
        page.evaluate(SWITCH, name)
        assert page.evaluate("location.pathname + location.search") == f"{paths[name]}?sex=female"
    for name in reversed(names[:-1]):
        page.go_back()
        expect(page.get_by_role("link", name=name, exact=True)).to_have_attribute("aria-current", "page")
    expect(page.locator(".depnet-marginal").first).to_be_visible()
    assert page.evaluate("window.same")


SAYS = [
    ("titanic", "", ["of the uncertainty", "No cell is missing"]),
    ("titanic", "rules?.variable=surived", ["Did you mean 'survived'?", "The rules as a graph"]),
    ("titanic", "target?survived=Yes&.target=survived", ["'survived' is already known, so nothing can change it."]),
    ("titanic", "target?.target=survived&.state=blue", ["'blue' is neither a state of 'survived' nor a condition on it."]),
    ("hostile", "rules?.variable=variable+050", ["In all rows, variable 050 = yes", "group 0"]),
    ("mixed", "rules?.variable=survived", ["reads sex, class, age", "0.1443", "The rules that it begins with", "group 0"]),
    ("mixed", "rules?.variable=age", ["Predicted from class, sex, survived."]),
    ("mixed", "rules/network", ["gained while nodes were boosted"]),
]  # fmt: skip
"""What is said of a model with rows, of a wide one without, and of one with a boosted node."""


@pytest.mark.parametrize(("model", "path", "texts"), SAYS)
def test_a_view_says_what_there_is_and_what_there_is_not(
    page: Page, request: pytest.FixtureRequest, model: str, path: str, texts: list[str]
) -> None:
    page.goto(request.getfixturevalue(model) + path)
    for text in texts:
        expect(page.get_by_text(text).locator("visible=true").first).to_be_visible()


def test_the_choice_of_dark_stays(page: Page, titanic: str) -> None:
    page.goto(titanic)
    turn = page.get_by_role("button", name="Light or dark")
    turn.focus()
    page.keyboard.press("Enter")
    expect(page.locator("body.body--dark")).to_be_visible()
    page.goto(f"{titanic}rules")
    expect(page.locator("body.body--dark")).to_be_visible()
    page.get_by_role("button", name="Light or dark").click()
    expect(page.locator("body.body--light")).to_be_visible()


def test_the_first_stop_of_the_keyboard_leads_past_the_navigation(page: Page, titanic: str) -> None:
    page.goto(titanic)
    page.wait_for_selector(".depnet-card")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the view")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".depnet-main")).to_be_focused()


@pytest.fixture
def replaceable(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A model file, and the address of its explorer, which is there until the page is closed."""
    people, file = depnet.titanic(), tmp_path / "model.json"
    depnet.save(depnet.learn(people, smoothing=0.5).with_counts(people), file)
    with explorer([file]) as url:
        yield file, url


def test_a_model_file_that_is_replaced_is_said_and_the_old_one_stays(
    replaceable: tuple[Path, str], page: Page
) -> None:
    file, url = replaceable
    page.goto(url)
    expect(page.locator("header")).to_contain_text("4 columns")
    expect(page.get_by_text("has changed on disk")).to_have_count(0)
    coins = depnet.Dataset.from_codes([[0], [1]] * 9, cardinalities=[2])
    depnet.save(depnet.learn(coins), file)
    page.goto(f"{url}")
    expect(page.get_by_text("model.json has changed on disk")).to_be_visible()
    expect(page.locator("header")).to_contain_text("4 columns")
