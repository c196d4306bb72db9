"""A table with holes and numbers, in a browser: values are shown as they came, holes as holes, and both can be given."""

import re
from collections.abc import Iterator

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from depnet import DependencyNetwork
from tests.explorer.browser import explorer
from tests.explorer.test_doors import table

SHIPS = table(1200)


@pytest.fixture(scope="module")
def ships(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an explorer of the ships, with their table."""
    folder = tmp_path_factory.mktemp("ships")
    SHIPS.to_csv(folder / "ships.csv", index=False)
    DependencyNetwork(penalty="mdl", random_state=0).fit(SHIPS).save(folder / "ships.json")
    with explorer([folder / "ships.json", "--data", folder / "ships.csv"]) as url:
        yield url


def test_missing_is_asked_and_given(page: Page, ships: str) -> None:
    page.goto(f"{ships}?line=grey")
    card = page.locator('[data-variable="delay"]')
    grey = SHIPS[SHIPS.line == "grey"].delay
    expect(card.locator("[data-known]")).to_have_text(
        re.compile(rf"among the {100 * grey.notna().mean():.0f} % of rows")
    )
    missing = card.locator(".depnet-bin.missing")
    expect(missing).to_have_attribute("data-observed", f"{grey.isna().mean():.6f}".rstrip("0"))
    number = card.locator(".depnet-marginal-number").first
    expect(number).to_have_text(re.compile(r"mean .* → [-\d.]+, sd"))
    mean = float(number.inner_text().split("→")[1].split(",")[0])
    sure = card.locator(".depnet-readout").inner_text().removeprefix("mean, 90 % sure: ")
    low, high = map(float, sure.split(" to "))
    assert low < mean < high
    assert abs(mean - grey.mean()) < grey.std()
    bar = card.locator(".depnet-bin:not(.missing)").first
    ends = [float(end) for end in (bar.get_attribute("data-sure") or "").split()]
    assert ends[0] <= float(bar.get_attribute("data-posterior") or -1) <= ends[1]
    missing.click()
    expect(page).to_have_url(re.compile(r"line=grey&delay=is\+missing"))
    expect(page.get_by_role("listitem").filter(has_text="delay is missing")).to_be_visible()
    expect(page.get_by_text(f"{grey.isna().sum():,} of 1,200 training rows match")).to_be_visible()
    page.goto(f"{ships}?delay=-1.5")
    count = int((SHIPS.delay == -1.5).sum())
    expect(
        page.get_by_text(f"{count:,} of 1,200 training rows match")
    ).to_be_visible()  # the number, not its bin


def test_rows_have_values_and_holes(page: Page, ships: str) -> None:
    page.set_viewport_size({"width": 2200, "height": 900})  # all columns are drawn
    page.goto(f"{ships}rows?.by=.row")
    expect(page.locator('.ag-row[row-index="7"] [col-id="row"]')).to_have_text("8")
    heads = page.locator(".depnet-rows .ag-header-cell")
    for name in ("delay", "masts", "left"):
        column = heads.filter(has_text=name).first.get_attribute("col-id")
        for r in range(8):
            cell = page.locator(f'.ag-row[row-index="{r}"] [col-id="{column}"]')
            value = SHIPS[name][r]
            if pd.isna(value):
                expect(cell).to_have_class(re.compile("hole"))
                expect(cell).to_have_attribute("title", re.compile("^missing"))
            else:
                text = f"{value:.10g}" if name == "delay" else str(value).removesuffix(" 00:00:00")
                expect(cell).to_have_text(text)
    gone = int(SHIPS.index[SHIPS.delay.isna() & SHIPS.masts.notna()][0])
    page.goto(f"{ships}rows?.row={gone + 1}")
    expect(page.get_by_role("heading", name=f"Row {gone + 1:,} of the table")).to_be_visible()
    masts = f"{SHIPS.masts[gone]:g}"
    link = page.get_by_role("link", name=re.compile("^Explore .*this row$"))
    expect(link).to_have_attribute("href", re.compile(rf"[?&]masts={masts}(&|$)"))  # the number, not its bin


def test_target_says_what_is_known_of_a_number(page: Page, ships: str) -> None:
    grey = SHIPS[SHIPS.line == "grey"].delay
    page.goto(f"{ships}target?line=grey&.target=delay")
    expect(page.get_by_text(f"in {grey.count():,} rows").first).to_be_visible()
    expect(page.get_by_text("among the rows that have it")).to_be_visible()
    expect(page.locator(".depnet-headline")).to_contain_text("by model and table")
    headline = page.locator(".depnet-headline").inner_text()
    sure = page.get_by_text(re.compile(r"^90 % sure: .* in the population the rows come from$")).inner_text()
    low, high = map(float, re.findall(r"-?\d+\.?\d*", sure.removeprefix("90 % sure")))
    mean = float(re.findall(r"is (-?\d+\.?\d*)", headline)[0])
    assert low < mean < high


def test_other_views_open(page: Page, ships: str) -> None:
    page.goto(ships)
    worst = SHIPS.isna().mean().idxmax()
    expect(
        page.get_by_text(f"{worst} is missing in {100 * SHIPS[worst].isna().mean():.0f} %")
    ).to_be_visible()
    expect(page.get_by_text(re.compile("^Row ")).first).to_be_visible()
    page.goto(f"{ships}rules?.variable=came")
    expect(page.get_by_text("The rules as a graph")).to_be_visible()
    page.get_by_text("Details").click()
    expect(page.get_by_text("is about complete rows")).to_be_visible()
    page.goto(f"{ships}?line=grey&.vs=line%3Dred")
    expect(page.get_by_text(re.compile("among the .* of rows that have it")).first).to_be_visible()
    page.goto(f"{ships}rules/network?line=grey")
    expect(page.get_by_role("heading", name="Network")).to_be_attached()
    board = page.get_by_role("listbox")
    board.focus()
    for key in ("Home", *("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp") * 4):
        board.press(key)
        if board.get_by_role("option").inner_text() in ("delay", "masts"):
            break
    board.press("Enter")
    menu = page.get_by_role("dialog")
    missing = menu.get_by_role("button", name=re.compile("is missing: "))
    missing.click()
    expect(page).to_have_url(re.compile(r"is\+missing"))
    expect(page.get_by_role("listitem").filter(has_text="is missing")).to_be_visible()
