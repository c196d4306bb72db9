"""A real server process and a real Chromium, as a reader has them."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page

COMMAND = str(Path(sys.executable).parent / "depnet")
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SECONDS = float(os.environ.get("DEPNET_TEST_SECONDS", "120"))
"""A failure is told after these: long enough for a machine that is busy with other things."""

ARGUMENTS = (
    "--no-sandbox",  # a container's root has no other way
    "--headless=new",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--font-render-hinting=none",
)


def chromium() -> str:
    """Where Chromium is; without it the tests are skipped, and in CI they fail."""
    found = os.environ.get("DEPNET_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        reason = "no chromium: the explorer's browser tests need it (apt-get install chromium-headless-shell)"
        if os.environ.get("CI", "").lower() in ("1", "true"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@contextmanager
def explorer(
    arguments: Sequence[str | Path], *, host: str = "127.0.0.1", folder: Path | None = None
) -> Iterator[str]:
    """`depnet explore` on a free port, in a folder; its address, as it prints it."""
    with tempfile.NamedTemporaryFile() as file:
        log = Path(file.name)
        with serving([COMMAND], [*arguments, "--host", host], log, folder) as (url, _):
            yield url
        assert "Traceback" not in log.read_text(), log.read_text()


@contextmanager
def serving(
    command: Sequence[str], arguments: Sequence[str | Path], log: Path, folder: Path | None = None
) -> "Iterator[tuple[str, subprocess.Popen[bytes]]]":
    """`command explore ...` on a free port, which says what it has to say in a file; its address and its process."""
    words = [*command, "explore", *map(str, arguments), "--no-open", "--port", "0"]
    with log.open("wb") as out:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT, cwd=folder, env=environment)
    try:
        wait_for(lambda: process.poll() is not None or "(Ctrl+C stops)" in log.read_text())
        said = log.read_text()
        assert process.poll() is None, f"depnet explore did not start: {said}"
        yield said.split("exploring at ", 1)[1].split()[0], process
    finally:
        end(process)


def wait_for(condition: Callable[[], bool], seconds: float = SECONDS) -> None:
    """Until it holds; an error if it does not hold in time."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"not within {seconds} s"
        time.sleep(0.05)


def end(process: "subprocess.Popen[Any]") -> None:
    """As Ctrl+C does; and by force where that is not enough, which is an error."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(SECONDS)
    finally:
        process.kill()


def query_of(address: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(address).query)


def expect_query(page: Page, expected: dict[str, list[str]]) -> None:
    """The address comes to say this and nothing else."""
    page.wait_for_url(lambda address: query_of(address) == expected, wait_until="commit")


def expect_in_query(page: Page, name: str, value: str) -> None:
    """The address comes to say this of `name`."""
    page.wait_for_url(lambda address: query_of(address).get(name) == [value], wait_until="commit")


class Hand:
    """A reader's hand, which counts: a click is one action, and so are words that are typed and end with Enter."""

    def __init__(self) -> None:
        self.actions = 0

    def click(self, place: Locator) -> None:
        place.click()
        self.actions += 1

    def type(self, box: Locator, words: str) -> None:
        box.fill(words)
        if box.get_attribute("role") == "combobox":  # what Enter takes is on the page
            box.page.wait_for_function("() => document.querySelectorAll('[role=option]').length === 1")
        box.press("Enter")
        self.actions += 1

    def view(self, page: Page, name: str) -> None:
        self.click(page.get_by_role("navigation", name="Views").get_by_role("link", name=name, exact=True))


T = TypeVar("T")


def run_apart(work: Callable[[], Coroutine[Any, Any, T]], seconds: float = 300) -> T:
    """`asyncio.run(work())` in a thread; what it returns or raises."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result(seconds)
