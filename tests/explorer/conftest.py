"""One browser, and one server for each model, for all tests of the explorer (`tests/conftest.py` keeps them together)."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, expect, sync_playwright

import depnet
from depnet import Network
from tests.explorer.browser import ARGUMENTS, SECONDS, chromium, explorer
from tests.explorer.cases import titanic_files, titanic_models, wide
from tests.mixed import mixed_titanic

expect.set_options(timeout=1000 * SECONDS)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Debian's Chromium. Gone after these tests: Playwright leaves a running event loop behind."""
    path = chromium()
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def titanic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an explorer of the Titanic table, with its rows."""
    model, table = titanic_files(tmp_path_factory.mktemp("titanic"))
    with explorer([model, "--data", table]) as url:
        yield url


@pytest.fixture(scope="package")
def people() -> Network:
    """The law of the Titanic table, which answers, scores and draws are of."""
    return titanic_models()[1]


@pytest.fixture(scope="package")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an explorer of a network in which one node is boosted, without rows."""
    file = tmp_path_factory.mktemp("mixed") / "mixed.json"
    depnet.save(mixed_titanic(), file)
    with explorer([file]) as url:
        yield url


@pytest.fixture(scope="package")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an explorer of 200 variables, some with labels that would run, without rows."""
    file = tmp_path_factory.mktemp("wide") / "wide.json"
    network, law = wide()
    depnet.save(network, file, law=law)
    with explorer([file]) as url:
        yield url


@pytest.fixture(scope="package")
def shared(browser: Browser) -> Iterator[BrowserContext]:
    """One cache for all pages: NiceGUI's scripts are read and compiled once."""
    made = browser.new_context(viewport={"width": 1280, "height": 800})
    made.set_default_timeout(1000 * SECONDS)
    yield made
    made.close()


@pytest.fixture
def context(shared: BrowserContext) -> Iterator[BrowserContext]:
    """A new reader: no cookies of others, and no pages that outlive their server."""
    shared.clear_cookies()
    yield shared
    for page in shared.pages:
        page.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page on which nothing goes wrong unseen, and which loads nothing from elsewhere."""
    opened = context.new_page()
    wrong: list[str] = []

    def asked_for(dialog: Dialog) -> None:
        wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    opened.on("dialog", asked_for)
    opened.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    opened.on("console", lambda said: wrong.append(f"console: {said.text}") if said.type == "error" else None)
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    opened.on("websocket", lambda socket: asked.append(socket.url))
    yield opened
    own = urlsplit(opened.url).netloc
    allowed = ("data:", "blob:", f"http://{own}/", f"ws://{own}/")
    elsewhere = [url for url in asked if not url.startswith(allowed)]
    said = list(wrong)  # before it is closed: that breaks off what it asks for
    opened.close()
    assert not said
    assert not elsewhere
