"""Rows, in a browser: surprising ones and why, and one that is asked with."""

import re

import numpy as np
from playwright.sync_api import Page, expect

import depnet
from depnet import Dataset
from depnet.inference.judge.cells import cell_laws
from tests.explorer.browser import expect_query
from tests.explorer.cases import titanic_models


def test_rows_are_listed_sorted_and_found(page: Page, titanic: str) -> None:
    table = depnet.titanic()
    scores = np.log(cell_laws(titanic_models()[0], table).row_tails)
    page.goto(f"{titanic}rows")
    lines = page.locator(".depnet-rows tbody tr")
    expect(lines).to_have_count(24)
    expect(page.get_by_text("2,201 rows, 24 different ones; mean")).to_be_visible()
    first = lines.first
    number = int(first.get_attribute("data-row") or "")
    assert scores[number - 1] == scores.min()  # from 1 on
    expect(first.locator("td").first).to_have_text(f"{scores.min():.2f}")
    # cells are shaded by what the dependency network says of them
    laws = cell_laws(titanic_models()[0], Dataset.from_codes(table.codes[[number - 1]], domain=table.domain))
    for i, name in enumerate(table.domain.names):
        cell = first.locator(f'td[data-column="{name}"]')
        level = sum(laws.tails[0, i] < below for below in (1 / 10, 1 / 30, 1 / 100, 1 / 1000))
        expect(cell).to_have_class(f"odd{level}")
        expect(cell).to_have_text(str(table.domain.variables[i].states[table.codes[number - 1, i]]))
    page.get_by_role("button", name="Sort by row", exact=True).click()
    expect(lines.first).to_have_attribute("data-row", "1")
    page.get_by_role("button", name="Next").click()
    expect(lines.first).to_have_attribute("data-row", "26")
    expect(page).to_have_url(re.compile(r"\.sort=row&\.page=2$"))
    page.get_by_role("button", name="Sort by survived").click()
    expect(page.get_by_text("page 1 of 1")).to_be_visible()
    expect(lines.first.locator('td[data-column="survived"]')).to_have_text("No")
    page.get_by_role("button", name="Sort by survived").click()
    expect(lines.first.locator('td[data-column="survived"]')).to_have_text("Yes")
    page.get_by_label("Find in any cell").fill("crew")
    expect(page.get_by_text("885 of 2,201 rows, 4 different ones")).to_be_visible()
    page.goto(f"{titanic}rows?sex=female&.match=1")
    expect(page.get_by_text("470 of 2,201 rows, 12 different ones")).to_be_visible()


def test_a_row_is_asked_with(page: Page, titanic: str) -> None:
    table = depnet.titanic()
    laws = cell_laws(titanic_models()[0], table)
    worst = int(np.argmin(laws.row_tails))
    oddest = table.domain.names[int(np.argmin(laws.tails[worst]))]
    page.goto(f"{titanic}rows")
    page.get_by_role("button", name="Open row").first.click()
    expect(page.get_by_role("heading", name=f"Row {worst + 1:,} of the table")).to_be_visible()
    expect(page.get_by_text(f"Score {np.log(laws.row_tails[worst]):.2f}: 0.0% of the rows")).to_be_visible()
    expect(page.locator(".depnet-table tbody tr").first.locator("td").first).to_have_text(oddest)
    page.get_by_role("link", name=f"Ask for {oddest} with this row").click()
    cells = zip(table.domain.variables, table.codes[worst].tolist(), strict=True)
    known = {v.name: [str(v.states[code])] for v, code in cells if v.name != oddest}
    expect_query(page, {**known, ".target": [oddest]})
