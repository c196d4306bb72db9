"""Rows scored, listed and judged; and in a browser: surprising ones and why, and one that is asked with."""

import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

import depnet
from depnet import DependencyNetwork, Network
from depnet.explorer.loaded import Loaded
from depnet.explorer.rows import Cell, StoppedError, known_by, listed_rows, one_row, scores_of
from depnet.inference.judge.cells import cell_laws, row_list
from depnet.model.evidence import Evidence
from tests.explorer.browser import expect_query
from tests.explorer.cases import titanic_models


def test_rows_are_scored_once(people: Network) -> None:
    told: list[float] = []
    loaded = Loaded(people, data=depnet.titanic())
    with pytest.raises(StoppedError):
        scores_of(loaded, lambda: True, told.append)
    scores = scores_of(loaded, lambda: False, told.append)
    assert told[-1] == 1.0
    assert scores_of(loaded, lambda: True, told.append) is scores


def test_rows_are_listed_with_their_values_and_holes() -> None:
    frame = pd.DataFrame(
        {
            "size": [1.5, 2.0, None, 1.5, 8.25, 2.0] * 20,
            "day": pd.to_datetime(["2024-02-29", None, "2024-03-01", "2024-02-29", "2024-03-05", None] * 20),
            "word": ["a", "b", "b", "a", None, "b"] * 20,
        }
    )
    model = DependencyNetwork(missing="complete", random_state=0).fit(frame)
    assert model.data_ is not None
    loaded = Loaded(model.network_, model.law_, data=model.data_)
    scores = scores_of(loaded, lambda: False, lambda share: None)
    assert np.allclose(np.exp(scores.each), model.oddness(frame).row_tails)
    assert scores.kinds == 4  # equal rows have equal values and holes
    found = row_list(model.data_, scores, by="row", once=False)
    rows = listed_rows(loaded, scores, found, 0, range(3), count=6)
    assert [row.number for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [[cell.value for cell in row.cells] for row in rows[:3]] == [
        ["1.5", "2024-02-29", "a"],
        ["2", "", "b"],
        ["", "2024-03-01", "b"],
    ]
    assert [cell.hole for cell in rows[1].cells] == [False, True, False]
    assert rows[1].cells[1].said == "missing"
    down = row_list(model.data_, scores, by=0, down=True)
    assert down.rows.tolist()[0] % 6 == 4
    assert down.rows.tolist()[-1] % 6 == 2  # a hole comes last
    known = Evidence.parse(model.domain_, {"size": "1.5..2.5", "day": "is missing"})
    assert row_list(model.data_, scores, evidence=known).matching == 40
    assert row_list(model.data_, scores, text="8.2").matching == 20
    assert row_list(model.data_, scores, text="2024-03").matching == 40


def test_a_hole_that_the_model_has_a_state_for_is_judged_and_known() -> None:
    rng = np.random.default_rng(0)
    dead = rng.random(2000) < 0.3
    frame = pd.DataFrame(
        {
            "dead": np.where(dead, "yes", "no"),
            "years": np.where(dead, rng.normal(60, 5, 2000).round(1), np.nan),
            "town": rng.choice(["a", "b"], 2000),
        }
    )
    frame.loc[0] = ("yes", np.nan, "a")
    frame.loc[1] = ("no", np.nan, "b")
    model = DependencyNetwork(missing="state", random_state=0).fit(frame)
    loaded = Loaded(model.network_, model.law_, data=model.data_)
    scores = scores_of(loaded, lambda: False, lambda share: None)
    odd, usual = one_row(loaded, scores, 1), one_row(loaded, scores, 2)
    assert odd.cells[1].hole
    assert odd.cells[1].level >= 2
    assert usual.cells[1].probability > 0.95
    held = {"dead": ("yes",), "years": "is missing", "town": ("a",)}
    assert known_by(loaded.domain.variables, odd) == held


def test_a_row_is_judged_as_the_library_does_and_known_by_its_values(people: Network) -> None:
    network, data = titanic_models()[0], depnet.titanic()
    loaded = Loaded(network, law=people, data=data)
    scores = scores_of(loaded, lambda: False, lambda share: None)
    row, laws = one_row(loaded, scores, 5), cell_laws(network, data.rows_at(np.array([4])))
    assert row.score == pytest.approx(np.log(laws.row_tails[0]))
    assert [cell.probability for cell in row.cells] == laws.theta[0].tolist()
    assert [cell.tail for cell in row.cells] == laws.tails[0].tolist()
    assert [Cell("x", tail, 0.01).level for tail in (0.2, 0.02, 1e-4)] == [0, 2, 4]
    variables = people.domain.variables
    cells = zip(variables, data.codes[4].tolist(), strict=True)
    assert known_by(variables, row) == {v.name: (v.states[code],) for v, code in cells}


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
    laws = cell_laws(
        titanic_models()[0], depnet.Dataset.from_codes(table.codes[[number - 1]], domain=table.domain)
    )
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
