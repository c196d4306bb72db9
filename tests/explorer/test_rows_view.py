"""Rows, in a browser: surprising ones and why, holes filled, rows drawn, files downloaded and read back."""

import csv
import re
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect

import depnet
from depnet import Dataset, Network
from depnet.inference.judge.cells import cell_laws
from tests.explorer.browser import expect_query
from tests.explorer.cases import titanic_models


def downloaded(page: Page, button: str) -> list[list[str]]:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    with Path(waiting.value.path()).open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


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


def test_a_row_is_edited_judged_asked_with_and_its_hole_filled(
    page: Page, titanic: str, people: Network
) -> None:
    table = depnet.titanic()
    scores = np.log(cell_laws(titanic_models()[0], table).row_tails)
    worst = int(np.argmin(scores))
    page.goto(f"{titanic}rows")
    page.get_by_role("button", name="Edit row").first.click()
    expect(page.get_by_text(f"Row {worst + 1:,} of the table.")).to_be_visible()
    expect(page.get_by_text(f"Score: {scores[worst]:.2f}. 0.0% of the table's rows")).to_be_visible()
    sex = table.domain.variables[1]
    expect(page.get_by_label("sex", exact=True)).to_have_value(str(sex.states[table.codes[worst, 1]]))
    edited = table.codes[[worst]].copy()
    edited[0, 1] = 1 - edited[0, 1]
    changed = Dataset.from_codes(edited, domain=table.domain)
    other = np.log(cell_laws(titanic_models()[0], changed).row_tails[0])
    page.get_by_label("sex", exact=True).click()
    page.get_by_role("option", name=str(sex.states[edited[0, 1]]), exact=True).click()
    expect(page.get_by_text(f"Score: {other:.2f}.")).to_be_visible()
    page.get_by_role("button", name=re.compile("Ask for .* with this row")).click()
    page.wait_for_url(re.compile(r"/ask\?.*\.target="))
    assert f"sex={sex.states[edited[0, 1]]}" in page.url or ".target=sex" in page.url
    page.goto(f"{titanic}rows")
    page.get_by_label("sex", exact=True).click()
    page.get_by_role("option", name="female").click()
    expect(page.get_by_text(re.compile(r"Score of what is given \(1 cell\): -\d\.\d\d\."))).to_be_visible()
    page.get_by_role("button", name="Fill the holes").click()
    line = page.get_by_role("row").filter(has=page.get_by_text("survived", exact=True)).last
    expected = np.asarray(depnet.query(people, "survived", {"sex": "female"}).probabilities)
    expect(line).to_contain_text("Yes")
    expect(line).to_contain_text(f"{expected.max():.3f}")
    expect_query(page, {"sex": ["female"]})


def test_rows_are_drawn_under_the_evidence_and_read_back(page: Page, titanic: str, people: Network) -> None:
    page.goto(f"{titanic}rows?survived=No&sex=female")
    page.get_by_label("Rows", exact=True).fill("250")
    page.get_by_role("button", name="Draw rows").click()
    expect(page.get_by_text("250 rows drawn")).to_be_visible()
    rows = downloaded(page, "All rows as CSV")
    assert rows[0] == list(people.domain.names)
    assert len(rows) == 251
    for row in rows[1:]:
        assert row[1] == "female"
        assert row[3] == "No"
        for label, variable in zip(row, people.domain.variables, strict=True):
            assert label in variable.states
    page.get_by_label("Rows", exact=True).fill("100000000")
    page.get_by_role("button", name="Draw rows").click()
    expect(page.locator(".depnet-warning")).to_contain_text("are drawn at once")
