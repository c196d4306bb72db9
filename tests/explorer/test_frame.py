"""The frame around every view."""

from playwright.sync_api import Page, expect


def test_a_view_opens_in_the_frame(page: Page, titanic: str) -> None:
    page.goto(titanic)
    expect(page.locator("header")).to_contain_text("titanic.json: 4 variables, 2,201 rows")
    expect(page.get_by_role("link", name="Network")).to_have_attribute("aria-current", "page")
    expect(page.locator(".depnet-main")).to_contain_text("Links")
