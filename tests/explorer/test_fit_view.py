"""Fit, in a browser: a table is dropped, a model learned and downloaded; bad tables change nothing."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import BrowserContext, FileChooser, FilePayload, Page, expect

import depnet
from depnet import Dataset, Network
from depnet.errors import DepnetError
from depnet.explorer.fit import learn_model, model_file, read_table, sheet_of, some_columns
from depnet.explorer.rows import StoppedError
from depnet.fitting.fit import FitOptions, fit_law
from depnet.model.file import load_model
from tests.explorer.browser import expect_in_query, wait_for
from tests.explorer.cases import titanic_files
from tests.explorer.test_access import violations


def file(name: str, content: bytes) -> FilePayload:
    return {"name": name, "mimeType": "text/csv", "buffer": content}


def drop(page: Page, name: str, content: bytes) -> None:
    page.locator("input[type=file]").set_input_files(files=[file(name, content)])


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return titanic_files(tmp_path_factory.mktemp("table"))[1].read_bytes()


def test_a_dropped_table_becomes_this_readers_model(
    page: Page, context: BrowserContext, titanic: str, table: bytes, tmp_path: Path
) -> None:
    page.goto(f"{titanic}fit")
    drop(page, "people.csv", table)
    expect(page.get_by_text("people.csv: 2,201 rows, 4 columns.")).to_be_visible()
    page.get_by_role("checkbox", name="Learn age").click()
    expect(page.get_by_text("3 of 4 chosen")).to_be_visible()
    page.get_by_role("combobox", name="Penalty").click()
    page.get_by_role("option", name="MDL: the paper's").click()
    page.get_by_role("button", name="Learn").click()
    page.wait_for_url("**/m/**")
    expect(page.locator("header")).to_contain_text("people: 3 columns, 2,201 rows")
    expect(page.get_by_role("link", name="Explore")).to_have_attribute("aria-current", "page")
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
    expect(other.locator("header")).to_contain_text("titanic.json: 4 columns")


@pytest.fixture(scope="module")
def sales() -> pd.DataFrame:
    """Money, dates and a code that is no number, as people write them."""
    rng = np.random.default_rng(0)
    region = rng.choice([1, 2, 3], 800)
    price = 500.0 * region + rng.integers(0, 40000, 800) / 100
    day = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 700, 800), unit="D")
    return pd.DataFrame(
        {"price": price.round(2), "day": day, "region": region, "note": [f"n{k}" for k in range(800)]}
    )


def written(frame: pd.DataFrame) -> bytes:
    text = frame.assign(price=frame.price.map("${:,.2f}".format), day=frame.day.dt.strftime("%m/%d/%Y"))
    text.loc[::10, "price"] = ""
    return str(text.to_csv(index=False)).encode()


def test_money_and_dates_are_learned_as_numbers_and_dates(
    page: Page, titanic: str, sales: pd.DataFrame, tmp_path: Path
) -> None:
    page.goto(f"{titanic}fit")
    drop(page, "sales.csv", written(sales))
    expect(page.get_by_text("sales.csv: 800 rows, 4 columns, 80 values missing.")).to_be_visible()
    lines = page.locator(".depnet-card .depnet-table tbody tr")
    expect(lines).to_have_count(4)
    kinds = [line.get_by_role("combobox") for line in lines.all()]
    for kind, said in zip(kinds, ("number", "date", "number", "category"), strict=True):
        expect(kind).to_have_value(said)
    expect(lines.nth(0)).to_contain_text("10 %")
    expect(lines.nth(3).get_by_role("checkbox")).not_to_be_checked()  # an identifier
    expect(page.get_by_text("3 of 4 chosen")).to_be_visible()
    assert violations(page) == []
    kinds[2].click()
    page.get_by_role("option", name="category", exact=True).click()
    expect(lines.nth(2).locator(".depnet-shape i")).to_have_count(3)  # read again
    expect(lines.nth(2).get_by_role("combobox")).to_have_value("category")
    lines.nth(3).get_by_role("combobox").click()
    page.get_by_role("option", name="date", exact=True).click()
    expect(page.locator(".depnet-warning")).to_contain_text(
        "is not a date, as was asked for by the menu of its column"
    )
    expect(lines.nth(3).get_by_role("combobox")).to_have_value("category")
    page.get_by_role("combobox", name="Target").click()
    page.get_by_role("option", name="price").click()
    page.get_by_role("button", name="Learn", exact=True).click()
    page.wait_for_url("**/m/**")
    expect(page.locator("header")).to_contain_text("sales: 3 columns, 800 rows")
    expect_in_query(page, ".target", "price")
    page.get_by_role("link", name="Fit").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download the model file").click()
    path = tmp_path / "model.json"
    waiting.value.save_as(path)
    domain = depnet.load(path, law=True).domain
    assert [v.bins.kind if v.bins else v.scale for v in domain.variables] == ["float", "date", "category"]
    kept = sales.price.drop(index=sales.index[::10])
    answer = depnet.query(depnet.load(path, law=True), "price", {"region": "2"}).numbers["price"].mean
    assert answer == pytest.approx(kept[sales.region == 2].mean(), rel=0.05)


def test_the_sheet_says_of_a_column_what_numpy_counts(sales: pd.DataFrame) -> None:
    table = read_table("sales.csv", written(sales), "utf-8")
    price, day, region, names = (sheet_of(table, i) for i in range(4))
    kept = sales.price.drop(index=sales.index[::10])
    assert price.missing == pytest.approx(0.1)
    assert price.bars == pytest.approx(np.histogram(kept, bins=24)[0] / len(kept), abs=1e-4)
    assert price.values.split(", ")[0] == f"{kept.iloc[0]:g}"
    assert (day.kind, region.kind, names.kind) == ("date", "number", "category")
    assert not price.limit
    again = read_table("sales.csv", table.content, "utf-8", {"region": "category"})
    shares = sales.region.value_counts(normalize=True).sort_index()
    assert sheet_of(again, 2).bars == pytest.approx(shares.tolist(), abs=1e-4)
    many = pd.DataFrame({"word": [f"w{k}" for k in range(1500)] * 2, "x": range(3000)})
    long = read_table("many.csv", many.to_csv(index=False).encode(), "utf-8", {"word": "category"})
    assert "more than 1,000 different texts" in sheet_of(long, 0).limit
    late = pd.DataFrame({"at": [f"{8 + k % 9}:{k % 60:02d}" for k in range(300)], "x": [*"abc"] * 100})
    late.loc[7, "at"] = "late"
    read_late = read_table("late.csv", late.to_csv(index=False).encode(), "utf-8")
    assert sheet_of(read_late, 0).limit == (
        "read as text, because 1 of its 300 values is not a time or duration: 'late'"
    )


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
    page.get_by_role("combobox", name="Text encoding").click()
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


def test_a_dropped_table_is_learned_as_the_command_learns_it(tmp_path: Path) -> None:
    people = pd.read_csv(titanic_files(tmp_path)[1]).assign(id=lambda rows: [f"n{at}" for at in rows.index])
    table = read_table("people.csv", people.to_csv(index=False).encode(), "utf-8")
    assert table.unlikely == ("id",)
    told: list[tuple[int, int]] = []
    loaded = learn_model(
        table, ["sex", "class", "survived"], "mdl", lambda *now: told.append(now), lambda: False
    )
    assert told[0] == (0, 6)  # the nodes of both
    assert told[-1] == (6, 6)
    assert loaded.network.domain.names == ("class", "sex", "survived")
    assert loaded.name == "people"
    law = fit_law(some_columns(table.rows, ["class", "sex", "survived"]).dataset(), FitOptions(penalty="mdl"))
    assert isinstance(loaded.law, Network)
    assert loaded.law.nodes == law.nodes
    (tmp_path / "model.json").write_bytes(model_file(loaded))
    both = load_model(tmp_path / "model.json")
    assert (both.network, both.law) == (loaded.network, loaded.law)
    with pytest.raises(StoppedError):
        learn_model(table, ["sex", "class"], "mdl", lambda *now: None, lambda: True)


@pytest.mark.parametrize(
    ("content", "encoding", "says"),
    [
        (b"a,b\n1,2\n1,2,3\n", "utf-8", "line 3 has 3 fields; expected 2"),
        ("a,b\ncaf\xe9,1\n".encode("latin-1"), "utf-8", "under Text encoding above"),
        (b"a\n1\n2\n", "utf-8", "one column"),
        (b"\x1f\x8b\x08", "utf-8", "compressed"),
    ],
)
def test_a_bad_table_has_one_clear_line(content: bytes, encoding: str, says: str) -> None:
    with pytest.raises(DepnetError) as error:
        read_table("people.csv", content, encoding)
    text = str(error.value)
    assert says in text
    assert "\n" not in text
    assert "=" not in text  # no argument of the library's, which the page does not have


def test_more_digits_than_python_reads_are_one_line_or_read() -> None:
    said = ""
    try:
        read_table("t.jsonl", b'{"a": 1, "b": 2, "c": ' + b"9" * 5000 + b"}\n", "utf-8")
    except DepnetError as error:
        said = str(error)
    assert len(said) < 1000
    assert "\n" not in said


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx", "jsonl"])
def test_any_file_is_read_and_the_same_columns_are_left_out(tmp_path: Path, ending: str) -> None:
    rows = [{"id": f"p{k:04}", "sex": "fm"[k % 2], "age": 20 + k % 50} for k in range(200)]
    frame = pd.DataFrame(rows)
    path = tmp_path / f"people.{ending}"
    if ending == "xlsx":
        frame.to_excel(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        depnet.write(frame, path)
    found = read_table(path.name, path.read_bytes(), "utf-8")
    assert found.rows.rows == 200
    assert found.unlikely == ("id",)
