"""The running server keeps others out: wrong host, wrong origin, no token."""

import base64
import http.client
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

import depnet
from tests.explorer.browser import SECONDS, explorer
from tests.explorer.cases import titanic_models


def get(url: str, path: str = "/", method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(urlsplit(url).hostname or "", urlsplit(url).port, timeout=SECONDS)
    connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    response = connection.getresponse()
    response.read()
    connection.close()
    return response


def socket_status(url: str, **headers: str) -> int:
    """The status of a websocket's handshake with NiceGUI's socket."""
    at = urlsplit(url)
    sent = {
        "Host": at.netloc,
        "Origin": f"http://{at.netloc}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        **headers,
    }
    lines = [
        "GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1",
        *(f"{k}: {v}" for k, v in sent.items() if v),
    ]
    with socket.create_connection((at.hostname or "", at.port or 80), timeout=SECONDS) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(connection.recv(100).split()[1])


def test_only_its_own_pages_come_in(titanic: str) -> None:
    assert get(titanic).status == 200
    assert get(titanic, Host="rebound.example").status == 421
    assert get(titanic, Host=f"rebound.example:{urlsplit(titanic).port}").status == 421
    assert get(titanic, Origin="http://evil.example").status == 403
    assert get(titanic, method="POST").status == 403


def test_there_are_no_pages_of_the_framework(titanic: str) -> None:
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert get(titanic, path).status == 404


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An explorer on all addresses."""
    with explorer(_titanic_in(tmp_path_factory), host="0.0.0.0") as url:
        yield url.replace("0.0.0.0", "127.0.0.1")


def _titanic_in(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder: Path = tmp_path_factory.mktemp("elsewhere")
    network, law = titanic_models()
    depnet.save(network, folder / "model.json", law=law)
    depnet.write(depnet.titanic(), folder / "table.csv")
    return [str(folder / "model.json"), "--data", str(folder / "table.csv")]


def test_on_other_addresses_the_token_opens(context: BrowserContext, elsewhere: str) -> None:
    base = elsewhere.split("?")[0]
    assert re.search(r"\?token=[\w-]{32}$", elsewhere)
    assert get(base).status == 401
    assert get(base, "/depnet/style.css").status == 401
    assert socket_status(base) == 403
    page = context.new_page()
    page.goto(base)
    expect(page.get_by_text("needs its token")).to_be_visible()
    page.goto(elsewhere)
    expect(page.get_by_role("heading", name="Strongest links", exact=True)).to_be_visible()
    assert "token" not in page.url
    kept = next(cookie for cookie in context.cookies() if cookie["name"].startswith("depnet_"))
    assert kept["httpOnly"]
    assert kept["sameSite"] == "Strict"
    page.get_by_role("button", name="Light or dark").click()  # over the websocket
    expect(page.locator("body.body--dark")).to_be_visible()


FEW = "ask?sex=female&class=1st"
"""Of these 145 passengers, one is a child and four have died."""


def _open(page: Page, url: str) -> None:
    """The page behind an address with a token: it is another, to which the first one goes on by itself."""
    page.goto(url)
    page.wait_for_url(url.split("?")[0])


def test_on_other_addresses_counts_of_few_rows_are_hidden(context: BrowserContext, elsewhere: str) -> None:
    page = context.new_page()
    _open(page, elsewhere)
    page.goto(elsewhere.split("?")[0] + FEW)
    expect(page.get_by_text("counts under 5 are hidden")).to_be_visible()
    expect(page.locator("[data-posterior]")).to_have_count(10)
    expect(page.locator(".depnet-observed")).to_have_count(0)
    assert "table hidden of 145 rows" in (page.locator(".depnet-state").first.get_attribute("title") or "")
    page.goto(elsewhere.split("?")[0] + f"{FEW}&age=child")
    expect(page.get_by_text("too few rows match to be shown")).to_be_visible()
    expect(page.get_by_text("training row")).to_have_count(0)
    page.goto(elsewhere.split("?")[0] + "rows")
    expect(page.get_by_text("Rows of the table are not shown")).to_be_visible()
    expect(page.get_by_text("Rows of the table", exact=True)).to_have_count(0)


def test_on_other_addresses_they_are_shown_when_that_is_said(
    context: BrowserContext, tmp_path_factory: pytest.TempPathFactory
) -> None:
    arguments = [*_titanic_in(tmp_path_factory), "--show-small-counts"]
    with explorer(arguments, host="0.0.0.0") as url:
        opened, page = url.replace("0.0.0.0", "127.0.0.1"), context.new_page()
        _open(page, opened)
        page.goto(opened.split("?")[0] + FEW)
        expect(page.locator(".depnet-observed")).to_have_count(10)
        page.goto(opened.split("?")[0] + "rows")
        expect(page.get_by_text("Rows of the table", exact=True)).to_be_visible()
        page.close()
