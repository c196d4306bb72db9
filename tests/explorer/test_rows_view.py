"""Rows scored, listed and judged; and in a browser: surprising ones and why, and one that is asked with."""

import io
import re
import subprocess
from collections.abc import Iterator
from urllib.parse import quote

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, Page, expect

import depnet
from depnet import DependencyNetwork, Network
from depnet.explorer.loaded import Loaded
from depnet.explorer.rows import (
    Cell,
    StoppedError,
    filled_table,
    find_rows,
    known_by,
    listed_rows,
    one_row,
    read_filters,
    scores_of,
)
from depnet.inference.judge.cells import cell_laws, row_list
from depnet.model.evidence import Evidence
from tests.explorer.browser import COMMAND, expect_in_query, expect_query, explorer
from tests.explorer.cases import titanic_models
from tests.narrowed import there


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
    rows = listed_rows(loaded, scores, found, 0, 6)
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


def test_filters_are_what_pandas_finds() -> None:
    rng = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame(
        {
            "size": rng.normal(5, 2, n).round(2),
            "rooms": rng.integers(1, 5, n),
            "day": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
            "word": rng.choice(["north", "south", "east"], n),
        }
    )
    frame.loc[::7, "size"] = np.nan
    frame.loc[::11, "word"] = None
    model = DependencyNetwork(missing="complete", random_state=0).fit(frame)
    loaded = Loaded(model.network_, model.law_, data=model.data_)
    scores = scores_of(loaded, lambda: False, lambda share: None)

    def found(**filters: dict[str, object]) -> set[int]:
        return set(find_rows(loaded, scores, {}, filters, once=False).rows.tolist())

    def expected(keep: "pd.Series[bool]") -> set[int]:
        return set(np.flatnonzero(keep))

    assert found(c0={"type": "greaterThan", "filter": 5.5}) == expected(frame["size"] > 5.5)
    assert found(c0={"type": "inRange", "filter": 3, "filterTo": 4}) == expected(frame["size"].between(3, 4))
    assert found(c0={"type": "blank"}) == expected(frame["size"].isna())
    assert found(c1={"type": "equals", "filter": 3}) == expected(frame.rooms == 3)
    assert found(c2={"type": "contains", "filter": ">2024-05-01"}) == expected(frame.day > "2024-05-01")
    assert found(c3={"type": "contains", "filter": "OUT"}) == expected(frame.word == "south")
    assert found(c3={"type": "contains", "filter": "x"}) == set()
    assert found(c9={"type": "blank"}, word={"type": "blank"}) == set(range(n))  # what there is not
    both = find_rows(
        loaded,
        scores,
        {"rooms": ">2"},
        {"c1": {"type": "lessThan", "filter": 4}},
        by=0,
        down=True,
        once=False,
    )
    assert (
        both.rows.tolist()
        == frame[frame.rooms == 3].sort_values("size", ascending=False, kind="stable").index.tolist()
    )
    assert read_filters("{") == {} == read_filters("[1]")


def test_holes_are_filled_as_the_library_fills_them() -> None:
    rng = np.random.default_rng(0)
    size = rng.choice(["small", "large"], 500)
    frame = pd.DataFrame(
        {"size": size, "price": np.where(size == "large", 900, 100) + rng.integers(0, 50, 500)}
    ).assign(town=rng.choice(["a", "b"], 500))
    frame.loc[3, "size"] = None
    frame["price"] = frame.price.astype(float)
    frame.loc[5, "price"] = np.nan
    model = DependencyNetwork(missing="complete", random_state=0).fit(frame)
    loaded = Loaded(model.network_, model.law_, data=model.data_)
    scores = scores_of(loaded, lambda: False, lambda share: None)
    (cell,) = [cell for cell in one_row(loaded, scores, 4).cells if cell.hole]
    assert cell.filled == ("large" if frame.price[3] > 500 else "small")
    told: list[float] = []
    filled = pd.read_csv(io.StringIO(filled_table(loaded, lambda: False, told.append)))
    known = frame.notna()
    assert (filled[known] == frame[known])[known].all(axis=None)
    assert filled.notna().all(axis=None)
    assert abs(filled.price[5] - frame.price[frame["size"] == frame["size"][5]].mean()) < 30
    assert told
    with pytest.raises(StoppedError):
        filled_table(loaded, lambda: True, told.append)


def cell(page: Page, place: int, column: str) -> Locator:
    return page.locator(f'.depnet-rows .ag-row[row-index="{place}"] [col-id="{column}"]')


def test_rows_are_listed_sorted_filtered_and_found(page: Page, titanic: str) -> None:
    table = depnet.titanic()
    scores = np.log(cell_laws(titanic_models()[0], table).row_tails)
    page.goto(f"{titanic}rows")
    expect(page.get_by_text("2,201 rows, 24 different ones.")).to_be_visible()
    expect(cell(page, 0, "row")).not_to_be_empty()
    number = int(cell(page, 0, "row").inner_text())
    assert scores[number - 1] == scores.min()  # from 1 on
    expect(cell(page, 0, "score")).to_have_text("none")
    # cells are shaded by what the dependency network says of them
    laws = cell_laws(titanic_models()[0], table.rows_at(np.array([number - 1])))
    for i, name in enumerate(table.domain.names):
        level = sum(laws.tails[0, i] < below for below in (1 / 10, 1 / 30, 1 / 100, 1 / 1000))
        shown = cell(page, 0, f"c{i}")
        assert re.findall(r"odd(\d)", shown.get_attribute("class") or "") == ([str(level)] if level else [])
        expect(shown).to_have_text(str(table.domain.variables[i].states[table.codes[number - 1, i]]))
        assert name in page.locator(".depnet-rows .ag-header").inner_text()
    oddest = int(laws.tails[0].argmin())
    expect(cell(page, 0, "why")).to_contain_text(f"{table.domain.names[oddest]} = ")
    page.locator('.ag-header-cell[col-id="row"] .ag-header-cell-label').click()
    expect_in_query(page, ".by", ".row")
    expect(cell(page, 0, "row")).to_have_text("1")
    expect(page.get_by_text("2,201 rows.")).to_be_visible()
    survived = page.locator('.ag-header-cell[col-id="c3"] .ag-header-cell-label')
    survived.click()
    expect(cell(page, 0, "c3")).to_have_text("No")
    survived.click()
    expect(cell(page, 0, "c3")).to_have_text("Yes")
    expect_in_query(page, ".down", "1")
    page.go_back()
    expect(cell(page, 0, "c3")).to_have_text("No")
    page.get_by_label("Find in any cell").fill("crew")
    expect(page.get_by_text("885 of 2,201 rows, 4 different ones")).to_be_visible()
    page.goto(f"{titanic}rows?sex=female&.match=1")
    expect(page.get_by_text("470 of 2,201 rows, 12 different ones")).to_be_visible()
    address = (
        titanic
        + "rows?.filter="
        + quote('{"c0": {"filterType": "text", "type": "contains", "filter": "1st"}}')
    )
    page.goto(address)  # as the grid itself would not write it
    expect(page.get_by_text("325 of 2,201 rows")).to_be_visible()
    expect(cell(page, 0, "c0")).to_have_text("1st")
    assert page.evaluate("location.href") == address


def test_a_row_is_explained_and_explored_by_keyboard(page: Page, titanic: str) -> None:
    table = depnet.titanic()
    laws = cell_laws(titanic_models()[0], table)
    worst = int(np.argmin(laws.row_tails))
    oddest = table.domain.names[int(np.argmin(laws.tails[worst]))]
    page.goto(f"{titanic}rows")
    expect(cell(page, 0, "why")).to_contain_text(
        oddest
    )  # before, the grid has a place for the row and no row
    cell(page, 0, "why").click()
    expect_in_query(page, ".row", str(worst + 1))
    expect(page.get_by_role("heading", name=f"Row {worst + 1:,} of the table")).to_be_visible()
    expect(page.get_by_role("link", name=f"Explore {oddest} given this row")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".depnet-rows .chosen").first).to_have_attribute("row-index", "1")
    page.goto(f"{titanic}rows?.row={worst + 1}&.target=survived")
    lines = page.locator(".depnet-table", has_text="from what is usual to here").locator("tbody tr")
    expect(lines).to_have_count(3)
    row = {
        v.name: str(v.states[c])
        for v, c in zip(table.domain.variables, table.codes[worst].tolist(), strict=True)
    }
    expected = depnet.explain(
        titanic_models()[1], row, "survived", state=row["survived"], data=table, tolerance=0.01
    )
    told = [line.locator("td").nth(1).inner_text() for line in lines.all()]
    assert told == [
        f"{'+' if step.change > 0 else '−'}{100 * abs(step.change):.1f} %" for step in expected.steps
    ]
    expect(page.get_by_text(f"Given all of it: {100 * expected.end:.1f} %.")).to_be_visible()
    steps = lines.locator(".depnet-step").all()
    boxes = [there(step.bounding_box()) for step in steps]
    for k, step in enumerate(expected.steps[1:], start=1):  # each begins where the one before it ends
        before, here = boxes[k - 1], boxes[k]
        last = before["x"] + before["width"] * (expected.steps[k - 1].change > 0)
        first = here["x"] + here["width"] * (step.change < 0)
        assert abs(last - first) < 3
    page.get_by_role("link", name="Explore survived given this row").click()
    known = {name: [value] for name, value in row.items() if name != "survived"}
    expect_query(page, {**known, ".target": ["survived"]})


@pytest.fixture(scope="module")
def holes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, pd.DataFrame]]:
    """The address of an explorer of a table with holes and one wrong number, in row 17."""
    rng = np.random.default_rng(0)
    size = rng.choice(["small", "large"], 600)
    frame = pd.DataFrame(
        {"size": size, "price": np.where(size == "large", 900.0, 100.0) + rng.integers(0, 50, 600)}
    )
    frame["weight"] = (frame.price / 100 + rng.normal(0, 0.1, 600)).round(2)
    frame.loc[16, "weight"] = 58.9
    frame.loc[[3, 40], "size"] = None
    folder = tmp_path_factory.mktemp("holes")
    frame.to_csv(folder / "t.csv", index=False)
    subprocess.run([COMMAND, "fit", "t.csv", "-o", "t.json"], cwd=folder, check=True, capture_output=True)
    with explorer(["t.json", "--data", "t.csv"], folder=folder) as url:
        yield url, frame


def test_a_wrong_number_is_first_and_holes_are_filled(page: Page, holes: tuple[str, pd.DataFrame]) -> None:
    url, frame = holes
    page.goto(f"{url}rows")
    expect(cell(page, 0, "row")).to_have_text("17")
    expect(cell(page, 0, "why")).to_contain_text("weight = 58.9, expected about ")
    page.goto(f"{url}rows?.by=.row")
    hole = cell(page, 3, "c0")
    expect(hole).to_have_class(re.compile(r"\bhole\b"))
    expect(hole).to_have_text("")
    page.get_by_role("checkbox", name="Show holes filled").click()
    filled = "large" if frame.price[3] > 500 else "small"
    expect(hole).to_have_text(filled)
    expect(hole).to_have_class(re.compile(r"\bfilled\b"))
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Fill all, download").click()
    done = pd.read_csv(waiting.value.path())
    assert done["size"].notna().all()
    assert done["size"][3] == filled
    assert (done.price == frame.price).all()
    page.goto(f"{url}rows?.row=4")
    expect(page.get_by_text("1 hole filled by the model")).to_be_visible()
