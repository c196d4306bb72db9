"""Every view can be used by everyone, in light and dark, on wide and narrow pages: axe-core finds nothing, contrast
included, the page fits, what is drawn is seen inside its card, and what is to be clicked is large enough.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

STATES = [
    "/",
    "/rules/network?class=1st&.variable=sex&.first=age&.second=survived",
    "/rules/network?.mode=matrix",
    "/rules?.variable=survived&sex=female&.vertex=3",
    "/?sex=female&class=1st",
    "/target?sex=female&.target=survived",
    "/?sex=female&.vs=class%3D1st",
    "/pair?.first=class&.second=survived",
    "/rows?sex=female&.row=3",
    "/fit",
]

LOOKS = ((1440, "light"), (390, "dark"))
ALL_LOOKS = tuple((width, scheme) for width in (1440, 1024, 390) for scheme in ("light", "dark"))

SMALL = """() => [...document.querySelectorAll(
    "button, a[href], input, select, [role=button], [tabindex='0']"
)].filter((e) => {
    const seen = e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!seen || e.closest(".q-field, p, td, svg")) return false;
    const box = e.getBoundingClientRect();
    const inline = getComputedStyle(e).display === "inline";
    return box.width > 1 && !inline && (box.width < 24 || box.height < 24);
}).map((e) => `${e.tagName} ${e.className} ${e.textContent.slice(0, 30)} ${JSON.stringify(e.getBoundingClientRect())}`)"""
"""Targets of less than 24 pixels; links within a sentence or a table's cell are as large as its text."""

OUTSIDE = """() => [...document.querySelectorAll(".depnet-card :is(table, svg, canvas)")].filter(part => {
    if (!part.checkVisibility() || part.closest(".q-checkbox")) return false;
    const scrolls = part.closest(".depnet-scroll, .depnet-rows, .depnet-graph-scroll");
    const [inner, outer] = [scrolls ?? part, part.closest(".depnet-card")].map(one => one.getBoundingClientRect());
    return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.width < 1;
}).map(part => part.outerHTML.slice(0, 200))"""
"""What is not inside of its card, but for what scrolls there."""

EMPTY = """() => [...document.querySelectorAll("[data-posterior]")].filter(bar => {
    const fill = bar.querySelector(".depnet-fill")?.getBoundingClientRect();
    return +bar.dataset.posterior > 0.02 && !(fill && fill.width >= 1 && fill.height >= 1);
}).map(bar => bar.outerHTML.slice(0, 200))"""
"""Bars that stand for more than 2 % and cannot be seen."""

ALONE = {"resultTypes": ["violations"]}
"""Not what is well, element by element."""


def violations(page: Page) -> list[str]:
    """What axe-core finds: the rule, and the elements that break it."""
    found = Axe().run(page, options=ALONE).response["violations"]
    return [f"{rule['id']}: {node['html'][:200]}" for rule in found for node in rule["nodes"]]


@pytest.mark.parametrize("looks", [LOOKS, pytest.param(ALL_LOOKS, marks=pytest.mark.long)])
def test_every_view_can_be_used_by_everyone(
    page: Page, titanic: str, looks: tuple[tuple[int, str], ...]
) -> None:
    wrong: dict[tuple[object, ...], list[str]] = {}
    for path in STATES:
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(titanic.rstrip("/") + path)
        page.wait_for_selector(".depnet-card")
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        page.wait_for_load_state("networkidle")
        wrong[path, "too small"] = page.evaluate(SMALL)
        if ".first=age" in path:
            expect(page.locator(".depnet-joint td").first).to_be_visible()
            board = page.get_by_role("listbox")
            board.focus()
            board.press("Home")
            board.press("Enter")  # the card of a variable
        if path.startswith("/?") or ".first=age" in path:
            expect(page.locator("[data-posterior]").first).to_be_visible()
        for width in (1280, 390, 360, 1920):
            page.set_viewport_size({"width": width, "height": 740})
            page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)
            page.wait_for_function(f"() => !({OUTSIDE})().length && !({EMPTY})().length")
        page.keyboard.press("Escape")
        for width, scheme in looks:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            expect(page.locator(f"body.body--{scheme}")).to_be_visible()
            page.wait_for_function("() => document.getAnimations().every(a => a.playState !== 'running')")
            wrong[path, width, scheme] = violations(page)
        page.emulate_media(color_scheme="light")
    assert {look: found for look, found in wrong.items() if found} == {}
