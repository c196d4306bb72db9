"""What an analyst comes for, on a table of flights, in few clicks, and checked against pandas."""

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

import depnet
from depnet import DependencyNetwork
from depnet.explorer.loaded import Loaded
from depnet.explorer.pair import chart_options, picture_pair
from depnet.explorer.target_lists import visible_error
from depnet.inference.judge.measure import Measure
from tests.explorer.browser import explorer
from tests.narrowed import there


def flights(rows: int = 4000) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    day = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 365, rows), unit="D")
    summer = np.where(day.month.isin([6, 7]), 14, 0)
    carrier = rng.choice(["AA", "B6", "UA"], rows, p=[0.5, 0.3, 0.2])
    left = (rng.gamma(1.2, 14, rows) - 8 + summer + 6 * (carrier == "B6")).round()
    arrived = (left + rng.normal(-4, 11, rows)).round()
    distance = rng.integers(2, 50, rows) * 53
    columns = {
        "day": day.date,
        "carrier": carrier,
        "dep_delay": left,
        "distance": distance,
        "arr_delay": arrived,
    }
    return pd.DataFrame(columns).astype({"dep_delay": int, "arr_delay": int})


FLIGHTS = flights()


@pytest.fixture(scope="module")
def model() -> DependencyNetwork:
    return DependencyNetwork(random_state=0).fit(FLIGHTS)


@pytest.fixture(scope="module")
def url(model: DependencyNetwork, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("flights")
    FLIGHTS.to_csv(folder / "flights.csv", index=False)
    model.save(folder / "flights.json")
    with explorer([folder / "flights.json", "--data", folder / "flights.csv"]) as address:
        yield address


def test_what_predicts_a_delay_and_what_if(page: Page, url: str) -> None:
    """One click: the guessed target is arr_delay. Sliding over dep_delay shows its mean, and makes nothing known."""
    page.goto(url)
    page.get_by_role("link", name="Target", exact=True).click()
    expect(page.locator(".depnet-headline")).to_contain_text("Mean of arr_delay is")
    bars = page.locator(".depnet-tornado [data-variable]")
    strongest = FLIGHTS[["dep_delay", "distance"]].corrwith(FLIGHTS.arr_delay).abs().idxmax()
    expect(bars.first).to_have_attribute("data-variable", strongest)
    labels = bars.first.locator(".depnet-tornado-label").all_inner_texts()
    assert not [label for label in labels if re.search(r"[\[(]", label)]  # "−8 to −3"
    page.get_by_role("button", name="All states of dep_delay").click()
    slider = page.get_by_label("What if: dep_delay")
    said = page.locator(".depnet-field", has=slider).locator("span")
    for place in (2, 8):
        slider.fill(str(place))
        low, high, mean = re.findall(
            r"What if dep_delay is (\S+) to (\S+)\? mean of arr_delay: (\S+)", said.inner_text()
        )[0]
        ends = [float(text.replace("−", "-")) for text in (low, high)]
        some = FLIGHTS[(FLIGHTS.dep_delay >= ends[0]) & (FLIGHTS.dep_delay < ends[1])].arr_delay
        assert float(mean.replace("−", "-")) == pytest.approx(
            some.mean(), abs=4 * some.std() / np.sqrt(len(some))
        )
    expect(page.get_by_role("list", name="Evidence")).to_contain_text("nothing yet")


def test_a_column_is_set_aside_and_comes_back(page: Page, url: str) -> None:
    page.goto(f"{url}target?.target=arr_delay")
    bars = page.locator(".depnet-tornado [data-variable]")
    expect(bars).to_have_count(4)
    page.get_by_role("button", name="All states of dep_delay").click()
    page.get_by_role("button", name="Set dep_delay aside").click()
    expect(bars).to_have_count(3)
    expect(page.get_by_role("link", name="dep_delay", exact=True)).to_have_count(0)  # nor in what tells most
    page.reload()
    expect(bars).to_have_count(3)
    page.get_by_role("button", name="Take back without dep_delay").click()
    expect(bars).to_have_count(4)


def test_what_is_typed_and_enter_chooses(page: Page, url: str) -> None:
    for path, label in (("target", "Target"), ("pair", "Second column"), ("rules", "Column"), ("", "Target")):
        page.goto(url + path)
        box = page.get_by_role("combobox", name=label, exact=True)
        box.fill("dist")
        expect(page.get_by_role("option")).to_have_count(1)
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("=distance"))


def test_bins_of_a_rule_are_said_by_their_ends(page: Page, url: str) -> None:
    page.goto(f"{url}rules?.variable=arr_delay")
    rows = page.locator(".depnet-segments tbody tr")
    rule = rows.first.locator(".depnet-rule")
    text = rule.inner_text()
    rule.click()
    chips = page.get_by_role("list", name="Evidence")
    expect(chips).to_contain_text(text.split(", and ")[0])


def test_delay_by_month_is_a_line(model: DependencyNetwork) -> None:
    law = there(model.law_)
    loaded = Loaded(there(model.network_), law, data=depnet.data.encode(FLIGHTS, law.domain, values=True))
    drawn = picture_pair(loaded, ("day", "arr_delay"), {})
    assert drawn.kind == "line"
    (line,) = [each for each in chart_options(drawn, "table")["series"] if each["name"] == "mean"]
    low, width = (each["data"] for each in chart_options(drawn, "table")["series"][:2])
    edges = there(drawn.first.axis).edges
    days = pd.to_datetime(FLIGHTS.day)
    origin = pd.Timestamp("1970-01-01")
    at = np.clip(np.searchsorted(edges, (days - origin).dt.days, side="right") - 1, 0, len(edges) - 2)
    expected = FLIGHTS.groupby(at).arr_delay.mean()
    seen = dict(enumerate(line["data"]))
    for bar, mean in expected.items():
        own = FLIGHTS.arr_delay[at == bar]
        if len(own) > 50:
            assert seen[int(str(bar))] == pytest.approx(mean, abs=2)
            quarters = own.quantile([0.25, 0.75]).tolist()
            assert [low[int(str(bar))], low[int(str(bar))] + width[int(str(bar))]] == pytest.approx(
                quarters, abs=3
            )
    assert min(low) < 0
    summer = days.dt.month.isin([6, 7])
    assert FLIGHTS.arr_delay[summer].mean() > FLIGHTS.arr_delay[~summer].mean() + 8
    (told,) = [each for each in chart_options(drawn, "model")["series"] if each["name"] == "mean"]
    by_model = told["data"]
    middle = np.array([edges[:-1], edges[1:]]).mean(axis=0)
    month = (origin + pd.to_timedelta(middle, unit="D")).month
    warm = np.isin(month, [6, 7])
    assert np.mean(np.array(by_model)[warm]) > np.mean(np.array(by_model)[~warm]) + 5


def test_an_error_is_said_where_it_changes_a_digit() -> None:
    share = Measure.of(depnet.Variable("x", ("a", "b")))
    assert visible_error(share, 0.5, 0.0001) == ""
    assert visible_error(share, 0.5, 0.004) == "± 0.004"
    assert visible_error(share, 0.5, float("nan")) == ""
