"""On other addresses than this machine's own a token is needed, and nothing of the table is shown."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.explorer.browser import explorer
from tests.explorer.cases import titanic_files
from tests.explorer.raw import asked, head, status


def get(url: str, path: str = "/", **headers: str) -> int:
    return status(asked(url, head(url, "GET", path, **headers)))


def test_there_are_no_pages_of_the_framework(titanic: str) -> None:
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert get(titanic.rstrip("/"), path) == 404


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An explorer on all addresses."""
    model, table = titanic_files(tmp_path_factory.mktemp("elsewhere"))
    with explorer([model, "--data", table], host="0.0.0.0") as url:
        yield url.replace("0.0.0.0", "127.0.0.1")


def test_on_other_addresses_the_token_opens(context: BrowserContext, elsewhere: str) -> None:
    base = elsewhere.split("?")[0]
    assert re.search(r"\?token=[\w-]{32}$", elsewhere)
    url = base.rstrip("/")
    assert get(url) == 401
    assert get(url, "/depnet/style.css") == 401
    page = context.new_page()
    page.goto(base)
    expect(page.get_by_text("needs its token")).to_be_visible()
    page.goto(elsewhere)
    expect(page.get_by_role("heading", name="Summary", exact=True)).to_be_visible()
    assert "token" not in page.url
    kept = next(cookie for cookie in context.cookies() if cookie["name"].startswith("depnet_"))
    assert kept["httpOnly"]
    assert kept["sameSite"] == "Strict"
    page.get_by_role("button", name="Light or dark").click()  # over the websocket
    expect(page.locator("body.body--dark")).to_be_visible()


ASKED = "?sex=female&class=1st"


def _open(page: Page, url: str) -> None:
    """The page behind an address with a token: it is another, to which the first one goes on by itself."""
    page.goto(url)
    page.wait_for_url(url.split("?")[0])


def test_on_other_addresses_nothing_of_the_table_is_shown(context: BrowserContext, elsewhere: str) -> None:
    page = context.new_page()
    _open(page, elsewhere)
    page.goto(elsewhere.split("?")[0] + f"{ASKED}&age=child")
    expect(page.locator("[data-posterior]")).to_have_count(10)
    expect(page.locator(".depnet-observed")).to_have_count(0)
    expect(page.get_by_text("training row")).to_have_count(0)
    page.goto(elsewhere.split("?")[0] + "rows")
    expect(page.get_by_text("They are not shown on a page that others can reach")).to_be_visible()
    expect(page.locator(".depnet-rows")).to_have_count(0)


def test_on_other_addresses_they_are_shown_when_that_is_said(context: BrowserContext, tmp_path: Path) -> None:
    model, table = titanic_files(tmp_path)
    with explorer([model, "--data", table, "--show-table"], host="0.0.0.0") as url:
        opened, page = url.replace("0.0.0.0", "127.0.0.1"), context.new_page()
        _open(page, opened)
        page.goto(opened.split("?")[0] + ASKED)
        expect(page.locator(".depnet-observed")).to_have_count(10)
        page.goto(opened.split("?")[0] + "rows")
        expect(page.locator(".depnet-rows")).to_be_visible()
        page.close()
