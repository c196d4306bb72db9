"""The frame around every view: navigation, light and dark, narrow and wide, keyboard."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page, expect

import depnet
from depnet.explorer.frame import VIEWS
from tests.explorer.browser import explorer

STATES = [
    "/",
    "/network?class=1st&.variable=sex&.first=age&.second=survived",
    "/network?.mode=matrix",
    "/node?.variable=survived",
    "/ask?sex=female&class=1st",
    "/target?sex=female&.target=survived",
    "/compare?sex=female&.b=class%3D1st",
    "/rows?sex=female",
    "/theory?.t=5",
    "/fit",
]

CONTRAST = """() => {
    const parse = (text) => text.match(/[\\d.]+/g).map(Number);
    const light = (rgb) => {
        const [r, g, b] = rgb.slice(0, 3).map((c) => c <= 10 ? c / 3294 : ((c / 255 + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (element) => {
        for (let e = element; e; e = e.parentElement) {
            const colour = parse(getComputedStyle(e).backgroundColor);
            if (colour.length === 3 || colour[3] > 0) return colour;
        }
        return [255, 255, 255];
    };
    const low = [];
    for (const e of document.querySelectorAll(".depnet-header *, .depnet-main *")) {
        const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
        if (!own || !e.checkVisibility({ opacityProperty: true })) continue;
        if (e.closest("svg, [disabled], .disabled, .q-icon")) continue;
        const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) low.push(`${ratio.toFixed(2)} ${e.className} ${e.textContent.slice(0, 40)}`);
    }
    return low;
}"""


def test_a_view_opens_in_the_frame(page: Page, titanic: str) -> None:
    page.goto(titanic)
    expect(page.locator("header")).to_contain_text("titanic.json: 4 variables, 2,201 rows")
    for view in VIEWS:
        page.get_by_role("link", name=view.TITLE, exact=True).click()
        expect(page.get_by_role("link", name=view.TITLE, exact=True)).to_have_attribute(
            "aria-current", "page"
        )
        expect(page).to_have_title(f"{view.TITLE} · titanic.json · depnet")


def test_every_view_can_be_read_and_fits_its_page(page: Page, titanic: str) -> None:
    for path in STATES:
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(titanic.rstrip("/") + path)
        page.wait_for_selector(".depnet-card")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            expect(page.locator(f"body.body--{scheme}")).to_be_visible()
            with suppress(Error):  # colours may be on their way
                page.wait_for_function(f"() => ({CONTRAST})().length === 0", timeout=10_000)
            assert page.evaluate(CONTRAST) == [], (path, scheme)
        for width in (360, 1920):
            page.set_viewport_size({"width": width, "height": 740})
            page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)


def test_the_choice_of_dark_stays(page: Page, titanic: str) -> None:
    page.goto(titanic)
    turn = page.get_by_role("button", name="Light or dark")
    turn.focus()
    page.keyboard.press("Enter")
    expect(page.locator("body.body--dark")).to_be_visible()
    page.goto(f"{titanic}node")
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
    expect(page.locator("header")).to_contain_text("4 variables")
    expect(page.get_by_text("has changed on disk")).to_have_count(0)
    coins = depnet.Dataset.from_codes([[0], [1]] * 9, cardinalities=[2])
    depnet.save(depnet.learn(coins), file)
    page.goto(f"{url}ask")
    expect(page.get_by_text("model.json has changed on disk")).to_be_visible()
    expect(page.locator("header")).to_contain_text("4 variables")
