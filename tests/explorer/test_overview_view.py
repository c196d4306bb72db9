"""The overview: what a reader who knows nothing of the model sees first, and where it leads."""

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import depnet
from depnet import Variable
from depnet.data.binning.bins import Bins
from depnet.explorer.histogram import BARS
from depnet.explorer.loaded import Loaded
from depnet.explorer.overview_view import heights_of
from depnet.explorer.questions import first_questions, telling, what_ifs
from depnet.inference.answer.profile import column_of, of_counts
from depnet.model.marginals import MarginalCounts
from tests.explorer.cases import titanic_models
from tests.narrowed import there


def panel(page: Page, title: str) -> Locator:
    return page.locator("section", has=page.get_by_role("heading", name=title, exact=True))


def test_the_overview_shows_the_table_and_leads_on(page: Page, titanic: str) -> None:
    page.goto(titanic)
    columns = panel(page, "Columns")
    expect(columns).to_contain_text("male 79 %, female 21 %")
    expect(columns.get_by_role("img", name="Shares of class")).to_be_visible()
    expect(panel(page, "Strongest links").locator("tbody tr").first).to_be_visible()
    expect(panel(page, "Oddest rows").locator(".depnet-odd-row")).to_have_count(5)
    expect(page.get_by_text("Furthest from the table")).to_be_visible()
    questions = page.locator(".depnet-question")
    expect(questions).to_have_count(3)
    questions.first.click()
    expect(page.get_by_role("link", name="Ask", exact=True)).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("list", name="Evidence")).not_to_contain_text("nothing yet")


def test_a_wide_model_without_rows_has_an_overview_too(page: Page, hostile: str) -> None:
    page.goto(hostile)
    columns = panel(page, "Columns")
    expect(columns.locator("tbody tr")).to_have_count(24)
    page.get_by_role("button", name=re.compile("Show more")).click()
    expect(columns.locator("tbody tr")).to_have_count(48)
    expect(page.get_by_text("Oddest rows")).to_have_count(0)


def test_what_is_not_there_is_said(page: Page, titanic: str) -> None:
    for path, said in (("nowhere", "There is no such page"), ("m/gone/ask", "This model is gone")):
        found = page.request.get(titanic + path)
        assert found.status == 404
        assert said in found.text()
    page.set_content(found.text())
    expect(page.get_by_role("heading", name="This model is gone")).to_be_visible()
    expect(page.get_by_role("link", name="The model that is open")).to_have_attribute("href", "/")


@pytest.mark.parametrize("rows", [True, False])
def test_questions_are_of_the_model_at_hand(rows: bool) -> None:
    people = depnet.titanic()
    loaded = Loaded(depnet.learn(people).with_counts(people), data=people if rows else None)
    found = first_questions(loaded)
    assert [question.path for question in found] == ["/ask", "/target", "/rows" if rows else "/node"]
    (name,) = found[0].state.known
    assert name in found[0].text
    apart = depnet.Dataset.from_codes([[0, 0], [0, 1], [1, 0], [1, 1]] * 9, [2, 2])
    independent = Loaded(depnet.learn(apart), data=apart if rows else None)
    assert [question.path for question in first_questions(independent)] == ["/rows"] * rows


def test_of_a_number_the_top_quarter_is_asked_for_and_of_others_what_is_rare() -> None:
    bins = Bins(tuple(range(9)), tuple((k,) for k in range(8)), "integer")
    assert (
        telling(Variable("n", bins.labels, bins), of_counts(Variable("n", bins.labels, bins), np.ones(8), 8))
        == ">=6"
    )
    word = Variable("word", ("a", "b", "c"))
    assert telling(word, None) == ("c",)
    assert telling(word, of_counts(word, np.array([90.0, 6.0, 4.0]), 100)) == ("b",)


def test_links_that_are_asked_about_share_no_variable() -> None:
    two = what_ifs(Loaded(titanic_models()[0]), 2)
    assert len(two) == 2
    named = [name for question in two for name in (*question.state.known, question.state.variable)]
    assert len(set(named)) == 4


def test_small_pictures_of_numbers_are_histograms() -> None:
    drawn = np.random.default_rng(0).normal(50, 9, 5000).tolist()
    table = depnet.Dataset.from_frame([{"x": v, "n": int(v) % 4, "c": "ab"[int(v) % 2]} for v in drawn])
    for rows in (table, None):  # from the table, and from what a file keeps of it
        columns = [column_of(table.domain, rows, MarginalCounts.of(table), i) for i in range(3)]
        x = there(columns[0])
        heights = heights_of(table.domain.variables[0], x)
        assert 12 < len(heights) <= BARS
        assert abs(heights.sum() - 1) < 1e-9
        middle = len(heights) // 2
        assert heights[middle] > 3 * heights[[1, -2]].max()  # where the bins themselves are all alike
        assert there(x.numbers).mean == pytest.approx(np.mean(drawn), abs=1e-9 if rows is not None else 0.2)
        for column, place in zip(columns[1:], (1, 2), strict=True):
            assert column is not None
            shares = np.bincount(table.column(place)) / table.rows
            heights = heights_of(table.domain.variables[place], column)
            assert sorted(heights[heights > 0]) == pytest.approx(sorted(shares))


def test_holes_of_a_column_are_counted_apart() -> None:
    rows = [{"x": None if k % 4 == 0 else k % 5, "y": k % 2} for k in range(200)]
    domain, _ = depnet.data.describe(rows, missing="keep")
    table = depnet.data.encode(rows, domain, values=True)
    column = there(column_of(domain, table, None, 0))
    assert (column.missing, column.counts.sum()) == (0.25, 150)
    switched, _ = depnet.data.describe(rows, missing="state")
    of_state = there(column_of(switched, depnet.data.encode(rows, switched, values=True), None, 0))
    assert (of_state.missing, of_state.counts.tolist()) == (0.25, column.counts.tolist())
