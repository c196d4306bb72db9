"""Rows, in a browser: surprising ones and why, holes filled, rows drawn, files downloaded and read back."""

import csv
from pathlib import Path

import numpy as np
import pytest
from depnet.inference.judge.odd_cells import odd_cells
from playwright.sync_api import Page, expect

import depnet
from depnet import Dataset, Network
from tests.explorer.cases import titanic_models


@pytest.fixture(scope="module")
def people() -> Network:
    """The law, which scores, fillings and draws are of."""
    return titanic_models()[1]


def downloaded(page: Page, button: str) -> list[list[str]]:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    with Path(waiting.value.path()).open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_the_most_surprising_rows_come_first_with_their_cells(
    page: Page, titanic: str, people: Network
) -> None:
    table = depnet.titanic()
    scores = depnet.score_samples(people, table)
    kinds = Dataset.from_codes(np.unique(table.codes, axis=0), domain=table.domain)
    of_kinds = depnet.score_samples(people, kinds)
    page.goto(f"{titanic}rows")
    first = page.locator(".depnet-table tbody tr").first
    expect(first).to_contain_text(f"{scores.min():.3f}")
    number = int(first.locator("td").first.inner_text().split()[0].replace(",", ""))
    assert scores[number] == scores.min()
    # the cells that make it odd are those of the dependency network
    ((odd, *_),) = odd_cells(
        titanic_models()[0], Dataset.from_codes(table.codes[[number]], domain=table.domain)
    )
    expect(first.locator(".depnet-odd-cell").first).to_have_text(f"{odd.variables[0]} = {odd.states[0]}")
    page.get_by_role("button", name="Less surprising").click()
    expect(page.get_by_text("11 to 20 of 24 different rows among 2,201")).to_be_visible()
    eleventh = page.locator(".depnet-table tbody tr").first
    expect(eleventh).to_contain_text(f"{np.sort(of_kinds)[10]:.3f}")
    rows = downloaded(page, "Download all as CSV")
    assert rows[0] == ["row", "score", "class", "sex", "age", "survived"]
    assert np.allclose([float(row[1]) for row in rows[1:]], np.sort(scores), rtol=0, atol=1e-6)


def test_a_row_is_edited_and_its_hole_filled(page: Page, titanic: str, people: Network) -> None:
    page.goto(f"{titanic}rows")
    page.get_by_role("button", name="Edit row").first.click()
    expect(page.get_by_text("of the table.")).to_be_visible()
    table = depnet.titanic()
    worst = table.codes[int(np.argmin(depnet.score_samples(people, table))), 1]
    expect(page.get_by_label("sex", exact=True)).to_have_value(table.domain.variables[1].states[worst])
    page.get_by_role("button", name="Empty all").click()
    page.get_by_label("sex", exact=True).click()
    page.get_by_role("option", name="female").click()
    page.get_by_role("button", name="Fill the holes").click()
    line = page.get_by_role("row").filter(has=page.get_by_text("survived", exact=True)).last
    expected = depnet.query(people, "survived", {"sex": "female"}).probabilities
    assert isinstance(expected, np.ndarray)
    expect(line).to_contain_text("Yes")
    expect(line).to_contain_text(f"{expected.max():.3f}")
    row = downloaded(page, "The whole row as CSV")
    assert row[0] == ["class", "sex", "age", "survived"]
    assert row[1][1] == "female"
    assert row[1][3] == "Yes"
    assert page.url.endswith("/rows?sex=female")


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
