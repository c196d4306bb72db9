"""Fit, in a browser: a table is dropped, a model learned and downloaded; bad tables change nothing."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, FileChooser, FilePayload, Page, expect

import depnet
from depnet import Dataset
from tests.explorer.browser import wait_for


def file(name: str, content: bytes) -> FilePayload:
    return {"name": name, "mimeType": "text/csv", "buffer": content}


def drop(page: Page, name: str, content: bytes) -> None:
    page.locator("input[type=file]").set_input_files(files=[file(name, content)])


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("table") / "people.csv"
    depnet.write(depnet.titanic(), path)
    return path.read_bytes()


def test_a_dropped_table_becomes_this_readers_model(
    page: Page, context: BrowserContext, titanic: str, table: bytes, tmp_path: Path
) -> None:
    page.goto(f"{titanic}fit")
    drop(page, "people.csv", table)
    expect(page.get_by_text("people.csv: 2,201 rows, 4 columns.")).to_be_visible()
    page.get_by_label("Columns").click()
    page.get_by_role("option", name="age (2 states)").click()
    page.keyboard.press("Escape")
    expect(page.get_by_text("3 of 4 chosen").last).to_be_visible()
    page.get_by_label("Penalty").click()
    page.get_by_role("option", name="MDL: the paper's").click()
    page.get_by_role("button", name="Learn").click()
    page.wait_for_url("**/m/**")
    expect(page.locator("header")).to_contain_text("people: 3 variables, 2,201 rows")
    expect(page.get_by_role("link", name="Overview")).to_have_attribute("aria-current", "page")
    page.get_by_role("link", name="Fit").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download the model file").click()
    path = tmp_path / "model.json"
    waiting.value.save_as(path)
    network = depnet.load(path)
    assert network.domain.names == ("class", "sex", "survived")
    codes = depnet.titanic().codes[:, [0, 1, 3]]
    expected = depnet.learn(Dataset.from_codes(codes, domain=network.domain), smoothing=0.5)
    assert network.nodes == expected.nodes
    other = context.new_page()
    other.goto(titanic)
    expect(other.locator("header")).to_contain_text("titanic.json: 4 variables")


def test_a_table_is_chosen_by_keyboard(page: Page, titanic: str, table: bytes) -> None:
    page.goto(f"{titanic}fit")
    page.wait_for_function("() => window.socket?.connected")  # a page may be drawn anew when it is connected
    choosers: list[FileChooser] = []
    page.on("filechooser", lambda chooser: choosers.append(chooser))

    def asked() -> bool:
        """A key counts for the browser for a few seconds only: where it was handled later, it is pressed again."""
        page.get_by_role("button", name="Choose a table").focus()
        page.keyboard.press("Enter")
        page.wait_for_timeout(1000)
        return bool(choosers)

    wait_for(asked)
    choosers[0].set_files(files=[file("people.csv", table)])
    expect(page.get_by_text("people.csv: 2,201 rows, 4 columns.")).to_be_visible()


def test_after_a_bad_table_comes_a_good_one(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}fit")
    drop(page, "bad.csv", "name,b\ncaf\xe9,1\nx,2\n".encode("latin-1"))
    expect(page.locator(".depnet-warning")).to_contain_text("is not utf-8 text")
    page.get_by_label("Text encoding").click()
    page.get_by_role("option", name="Latin-1").click()
    drop(page, "good.csv", "name,b\ncaf\xe9,1\nx,2\n".encode("latin-1"))
    expect(page.get_by_text("good.csv: 2 rows, 2 columns.")).to_be_visible()
    expect(page.locator(".depnet-warning")).to_have_count(0)


def test_learning_is_stopped(page: Page, titanic: str) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (3000, 1)) + rng.integers(0, 2, (3000, 150))
    lines = [",".join(f"v{i}" for i in range(150)), *(",".join(map(str, row)) for row in codes.tolist())]
    page.goto(f"{titanic}fit")
    drop(page, "wide.csv", "\n".join(lines).encode())
    expect(page.get_by_text("wide.csv: 3,000 rows, 150 columns.")).to_be_visible()
    page.get_by_role("button", name="Learn").click()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".depnet-warning")).to_contain_text("stopped; the model is as it was before")
    assert page.url == f"{titanic}fit"
