"""What a reader who knows nothing of the table reads first, and where it leads: each sentence is checked against pandas."""

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

import depnet
from depnet import Variable
from depnet.data.binning.bins import Bins
from depnet.explorer.guesses import guess_target
from depnet.explorer.loaded import Loaded
from depnet.explorer.questions import telling, what_ifs
from depnet.inference.answer.profile import column_of, of_counts
from tests.explorer.browser import explorer
from tests.explorer.cases import titanic_models
from tests.narrowed import there


def frame() -> pd.DataFrame:
    """Prices by size and kind, a column that repeats another, one with holes, and one cell that is out of place."""
    rng = np.random.default_rng(5)
    n = 3000
    size = rng.integers(20, 120, n)
    kind = rng.choice(["flat", "house"], n, p=[0.7, 0.3])
    price = 40 * size + 900 * (kind == "house") + rng.normal(0, 150, n).round()
    floors = rng.integers(1, 5, n).astype(float)
    floors[kind == "house"] = np.nan
    doors = rng.integers(1, 9, n)
    table = pd.DataFrame({"size": size, "kind": kind, "floors": floors, "doors": doors, "price": price})
    table.loc[17, "price"] = 90_000.0
    return table.assign(feet=(table["size"] * 10.76).round(1))


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an explorer of the homes, with their table."""
    folder = tmp_path_factory.mktemp("homes")
    frame().to_csv(folder / "homes.csv", index=False)
    depnet.DependencyNetwork(random_state=0).fit(frame()).save(folder / "homes.json")
    with explorer([folder / "homes.json", "--data", folder / "homes.csv"]) as url:
        yield url


def test_sentences_are_true(page: Page, homes: str) -> None:
    page.goto(homes)
    table, summary = frame(), page.locator(".depnet-summary")
    expect(summary).to_contain_text("size tells most about price")
    expect(summary).to_contain_text("Row 18 is the oddest: price = 90,000")
    expect(summary).to_contain_text(f"floors is missing in {100 * table.floors.isna().mean():.0f} % of rows")
    expect(summary).to_contain_text("knowing the other columns removes")
    expect(summary).to_contain_text("feet repeats size")
    expect(summary).not_to_contain_text("feet (")
    segment = page.get_by_text(re.compile(r"^Where .* the mean of price is ")).inner_text()
    size = segment[segment.index("size is ") :].split(", and ")[0]  # "size is at least 60 and below 100"
    low, high = (re.search(rf"{word} (\d+)", size) for word in ("at least", "below"))
    assert low or high, segment
    large = table[table["size"] >= (int(low[1]) if low else 0)]
    large = large[large["size"] < int(high[1])] if high else large
    if "house" in segment or "flat" in segment:
        large = large[large.kind == ("house" if "kind is house" in segment else "flat")]
    said = float(segment.rsplit("price is ", 1)[1].rstrip(". more").replace(",", ""))
    assert said == pytest.approx(large.price.mean(), rel=0.001)  # the table's own
    page.locator(".depnet-question").first.click()
    expect(page.get_by_role("list", name="Evidence")).not_to_contain_text("nothing yet")


def test_what_is_given_is_said_with_why(page: Page, homes: str) -> None:
    table = frame()
    page.goto(f"{homes}?kind=house&size=>100")
    some = table[(table.kind == "house") & (table["size"] > 100)].price
    headline = page.locator(".depnet-summary .depnet-headline")
    expect(headline).to_contain_text("times the usual")
    means = [
        float(each.replace(",", "")) for each in re.findall(r"[\d,]+(?:\.\d+)?", headline.inner_text())[1:]
    ]
    assert means == pytest.approx([some.mean(), table.price.mean()], rel=0.03)
    why = page.locator(".depnet-card", has=page.locator(".large")).locator("tbody tr")
    expect(why).to_have_count(2)
    steps = {row.inner_text().split("\t")[0].strip(): row.inner_text() for row in why.all()}
    assert set(steps) == {"kind = house", "size > 100"}
    added = [float(re.findall(r"[+−]([\d,]+)", text)[0].replace(",", "")) for text in steps.values()]
    assert sum(added) == pytest.approx(some.mean() - table.price.mean(), rel=0.05)
    assert added[0] > added[1]  # the largest step comes first: the size


def test_the_rest_is_what_does_not_match(page: Page, homes: str) -> None:
    """Outlines are of the rows that do not meet what is given, by pandas."""
    table = frame()
    page.goto(f"{homes}?kind=house&doors=>4&.vs=rest")
    rest = table[~((table.kind == "house") & (table.doors > 4))]
    number = page.locator('[data-variable="doors"] .depnet-marginal-number').first
    expect(number).to_contain_text("→")
    before = float(number.inner_text().removeprefix("mean ").split(" ")[0])
    assert before == pytest.approx(rest.doors.mean(), abs=0.02)
    bar = page.locator('[data-variable="kind"] [data-label="house"]')
    assert float(bar.get_attribute("data-prior") or 0) == pytest.approx(
        (rest.kind == "house").mean(), abs=0.01
    )
    page.get_by_role("combobox", name="Compared with").click()
    page.get_by_role("option", name="everything").click()
    expect(number).to_contain_text(f"mean {table.doors.mean():.2f}"[:9])


def test_conditions_are_typed_and_keys_do_what_they_say(page: Page, homes: str) -> None:
    page.goto(homes)
    evidence = page.get_by_role("list", name="Evidence")
    expect(page.locator(".depnet-summary")).to_contain_text("tells most")
    page.keyboard.press("/")
    field = page.get_by_role("textbox", name="Add a condition")
    expect(field).to_be_focused()
    field.fill("size > 90")
    field.press("Enter")
    expect(evidence).to_contain_text("size > 90")
    field.fill("sise > 90")
    field.press("Enter")
    expect(page.get_by_text("Did you mean 'size'?")).to_be_visible()
    field.fill("floors is missing")
    field.press("Enter")
    expect(evidence).to_contain_text("floors is missing")
    field.blur()
    page.keyboard.press("u")
    expect(evidence).not_to_contain_text("floors")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("undo")


def test_a_wide_model_without_rows_is_explored_too(page: Page, hostile: str) -> None:
    page.goto(hostile)
    expect(page.locator(".depnet-summary")).to_contain_text("How many cells are missing is not known here")
    expect(page.get_by_text("is the oddest")).to_have_count(0)
    expect(page.locator(".depnet-marginals.large [data-variable]")).to_have_count(1)


def test_targets_are_guessed() -> None:
    def guess(*variables: Variable, copies: tuple[str, ...] = ()) -> str | None:
        return guess_target(depnet.Domain(variables), copies)

    two, many = ("no", "yes"), tuple(map(str, range(40)))
    assert guess(Variable("churn", two), Variable("city", many), Variable("b", two)) == "churn"
    assert guess(Variable("a", two), Variable("city", many), Variable("b", two)) == "b"
    assert guess(Variable("x", (1, 2, 3)), Variable("price", (1, 2, 3)), Variable("y", (1, 2, 3))) == "price"
    assert guess(Variable("a", two), Variable("city", many)) == "a"
    assert guess(Variable("city", many), Variable("town", many)) is None
    assert (
        guess(Variable("dep_delay", (1, 2, 3)), Variable("arr_delay", (1, 2, 3)), copies=("arr_delay",))
        == "dep_delay"
    )


def test_what_is_not_there_is_said(page: Page, titanic: str) -> None:
    for path, said in (("nowhere", "There is no such page"), ("m/gone/", "This model is gone")):
        found = page.request.get(titanic + path)
        assert found.status == 404
        assert said in found.text()
    page.set_content(found.text())
    expect(page.get_by_role("heading", name="This model is gone")).to_be_visible()
    expect(page.get_by_role("link", name="The model that is open")).to_have_attribute("href", "/")


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


def test_holes_of_a_column_are_counted_apart() -> None:
    rows = [{"x": None if k % 4 == 0 else k % 5, "y": k % 2} for k in range(200)]
    domain, _ = depnet.data.describe(rows, missing="keep")
    table = depnet.data.encode(rows, domain, values=True)
    column = there(column_of(domain, table, None, 0))
    assert (column.missing, column.counts.sum()) == (0.25, 150)
    switched, _ = depnet.data.describe(rows, missing="state")
    of_state = there(column_of(switched, depnet.data.encode(rows, switched, values=True), None, 0))
    assert (of_state.missing, of_state.counts.tolist()) == (0.25, column.counts.tolist())
