"""Every view can be used by everyone, in light and dark, on wide and narrow pages: axe-core finds nothing, all text can be
read, the page fits, and what is to be clicked is large enough.
"""

from contextlib import suppress

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, Page, expect

STATES = [
    "/",
    "/network?class=1st&.variable=sex&.first=age&.second=survived",
    "/network?.mode=matrix",
    "/node?.variable=survived&sex=female&.vertex=3",
    "/ask?sex=female&class=1st",
    "/target?sex=female&.target=survived",
    "/ask?sex=female&.vs=class%3D1st",
    "/rows?sex=female&.row=3",
    "/fit",
]

LOOKS = ((1440, "light"), (390, "dark"))
ALL_LOOKS = tuple((width, scheme) for width in (1440, 1024, 390) for scheme in ("light", "dark"))

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


ALONE = {"resultTypes": ["violations"]}
"""Not what is well, element by element."""


def violations(page: Page) -> list[str]:
    """What axe-core finds: the rule, and the elements that break it."""
    found = Axe().run(page, options=ALONE).response["violations"]
    return [f"{rule['id']}: {node['html'][:200]}" for rule in found for node in rule["nodes"]]


def low_contrast(page: Page) -> list[str]:
    """Text that can hardly be read."""
    with suppress(Error):  # colours may be on their way
        page.wait_for_function(f"() => ({CONTRAST})().length === 0")
    return list(page.evaluate(CONTRAST))


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
        for width in (360, 1920):
            page.set_viewport_size({"width": width, "height": 740})
            page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)
        for width, scheme in looks:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            expect(page.locator(f"body.body--{scheme}")).to_be_visible()
            page.wait_for_function("() => document.getAnimations().every(a => a.playState !== 'running')")
            wrong[path, width, scheme] = [*violations(page), *low_contrast(page)]
        page.emulate_media(color_scheme="light")
    assert {look: found for look, found in wrong.items() if found} == {}
