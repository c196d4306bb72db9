"""Every view can be used by everyone: axe-core finds nothing, in light and dark, on wide and narrow pages."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.explorer.test_frame import STATES

LOOKS = ((1440, "light"), (1024, "dark"), (390, "light"))
ALL_LOOKS = tuple((width, scheme) for width in (1440, 1024, 390) for scheme in ("light", "dark"))


def violations(page: Page) -> list[str]:
    """What axe-core finds: the rule, and the elements that break it."""
    found = Axe().run(page).response["violations"]
    return [f"{rule['id']}: {node['html'][:200]}" for rule in found for node in rule["nodes"]]


@pytest.mark.parametrize("looks", [LOOKS, pytest.param(ALL_LOOKS, marks=pytest.mark.long)])
def test_axe_finds_nothing(page: Page, titanic: str, looks: tuple[tuple[int, str], ...]) -> None:
    wrong: dict[tuple[str, int, str], list[str]] = {}
    for path in STATES:
        page.goto(titanic.rstrip("/") + path)
        page.wait_for_selector(".depnet-card")
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        page.wait_for_load_state("networkidle")
        for width, scheme in looks:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            expect(page.locator(f"body.body--{scheme}")).to_be_visible()
            page.wait_for_function("() => document.getAnimations().every(a => a.playState !== 'running')")
            wrong[path, width, scheme] = violations(page)
    assert {look: found for look, found in wrong.items() if found} == {}


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


def test_targets_are_large_enough(page: Page, titanic: str) -> None:
    wrong: dict[str, list[str]] = {}
    for path in STATES:
        page.goto(titanic.rstrip("/") + path)
        page.wait_for_selector(".depnet-card")
        page.wait_for_load_state("networkidle")
        wrong[path] = page.evaluate(SMALL)
    assert {path: found for path, found in wrong.items() if found} == {}
