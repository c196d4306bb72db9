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
from tests.explorer.browser import Hand, explorer, wait_for
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


DRAWN = """() => {
    const place = document.querySelector(".depnet-pair-chart");
    const chart = place && getElement(place.id.slice(1))?.chart;
    const [x] = chart?.getOption().xAxis ?? [];
    if (x?.name !== "day") return null;
    const lines = chart.getOption().series.map((one) => [one.name, one.data]);
    const shown = chart.getModel().getComponent("xAxis").axis.getViewLabels().length;
    return { bars: x.data, shown, ...Object.fromEntries(lines) };
}"""
"""The picture of delay by day: what the bars of the days say, how many of them can be read, and the lines over them."""


def test_delay_by_month_is_a_line_in_two_actions(page: Page, url: str) -> None:
    """Pair, where the target stands already, and the date: its mean follows the months of pandas."""
    hand = Hand()
    page.goto(url)
    hand.view(page, "Pair")
    expect(page.get_by_role("combobox", name="Second column")).to_have_value("arr_delay")
    page.wait_for_selector(".depnet-pair-chart canvas")
    hand.type(page.get_by_role("combobox", name="First column"), "day")
    drawn = page.wait_for_function(DRAWN).json_value()
    assert hand.actions == 2
    begins = [re.findall(r"\d{4}-\d\d-\d\d", said)[0] for said in drawn["bars"]]
    months = pd.DatetimeIndex(begins[1:-1]).month
    by_model = pd.Series(drawn["mean"][1:-1]).groupby(months).mean()
    expected = FLIGHTS.groupby(pd.to_datetime(FLIGHTS.day).dt.month).arr_delay.mean()
    assert {6, 7} == set(expected.nlargest(2).index) == set(by_model.nlargest(2).index)
    apart = [means[[6, 7]].mean() - means.drop([6, 7]).mean() for means in (by_model, expected)]
    assert apart[0] == pytest.approx(apart[1], rel=0.5)  # bars of half a month lie across two months
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(f"() => ({DRAWN})().shown > 1")  # on a phone, too, more than one day is said
    page.set_viewport_size({"width": 1280, "height": 800})


def test_two_carriers_are_compared_in_three_actions(page: Page, url: str) -> None:
    """One carrier is given and kept, the other is given: both means stand at the target, as pandas has them."""
    hand = Hand()
    page.goto(url)
    carrier = page.locator('[data-variable="carrier"]')
    hand.click(carrier.locator('[data-label="AA"]'))
    expect(page.get_by_role("list", name="Evidence")).to_contain_text("carrier = AA")
    hand.click(page.get_by_role("button", name="Keep as scenario"))
    hand.click(carrier.locator('[data-label="B6"]'))
    number = page.locator('.large [data-variable="arr_delay"] .depnet-marginal-number').first
    mean = FLIGHTS.groupby("carrier").arr_delay.mean()
    expect(page.get_by_role("list", name="Evidence")).to_contain_text("carrier = B6")
    expect(page.locator(".depnet-keys").get_by_text("carrier = AA")).to_be_visible()
    assert hand.actions == 3
    assert mean.B6 > mean.AA + 4

    def both_means_stand() -> bool:  # those of the question before stand there until this one is answered
        found = re.findall(r"^mean ([\d.]+) → ([\d.]+)", number.inner_text())
        return bool(found) and [float(one) for one in found[0]] == pytest.approx([mean.AA, mean.B6], abs=1)

    wait_for(both_means_stand)


def customers(rows: int = 2500) -> pd.DataFrame:
    """Who left: many of those who call a lot of minutes, fewer of the few with an international plan; row 1 has stayed."""
    rng = np.random.default_rng(2)
    plan = rng.choice(["no", "yes"], rows, p=[0.9, 0.1])
    minutes = rng.normal(180, 55, rows).clip(5).round(1)
    minutes[0], plan[0] = 120.0, "no"
    leaves = np.where(minutes > 240, 0.6, np.where(plan == "yes", 0.4, 0.06))
    churn = np.where(rng.random(rows) < leaves, "yes", "no")
    churn[0] = "no"
    return pd.DataFrame(
        {"plan": plan, "minutes": minutes, "town": rng.choice(["a", "b"], rows), "churn": churn}
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("shop")
    customers().to_csv(folder / "shop.csv", index=False)
    DependencyNetwork(random_state=0).fit(customers()).save(folder / "shop.json")
    with explorer([folder / "shop.json", "--data", folder / "shop.csv"]) as address:
        yield address


def where(frame: pd.DataFrame, rule: str) -> pd.Series:
    """The rows of a rule as the page says it, for pandas."""
    words = {" is below ": " < ", " is at least ": " >= ", ", and ": " and "}
    for said, meant in words.items():
        rule = rule.replace(said, meant)
    return frame.eval(re.sub(r" is (\w+)", r" == '\1'", rule)).astype(bool)


def test_the_segment_that_churns_most_and_the_large_ones(page: Page, shop: str) -> None:
    """One action to the segments, the large ones first; one more sorts them by who leaves."""
    hand, frame = Hand(), customers()
    page.goto(shop)
    hand.view(page, "Target")
    expect(page.locator(".depnet-headline")).to_contain_text("churn = yes")
    rows = page.locator(".depnet-segments tbody tr")
    expect(rows.first).to_be_visible()
    found = [[cell.inner_text() for cell in row.locator("td").all()] for row in rows.all()]
    assert sum(float(share.removesuffix(" %")) for _, share, *_ in found) == pytest.approx(100, abs=2)
    plain = [(where(frame, rule), told) for rule, _, _, told, _ in found if "; or " not in rule]
    assert len(plain) >= 2
    for some, told in plain:
        share, count = re.findall(r"^(\S+) % of ([\d,]+)$", told)[0]
        assert int(count.replace(",", "")) == some.sum()
        assert float(share) == pytest.approx(100 * (frame[some].churn == "yes").mean(), abs=0.6)
    away = (frame.churn == "yes").mean()
    weights = [some.mean() * abs((frame[some].churn == "yes").mean() - away) for some, _ in plain]
    assert weights[0] > 0.9 * max(weights)  # large and far from the mean, before small and farther
    hand.click(page.get_by_role("button", name="likely there"))
    most = rows.first.locator("td").first
    expect(most).to_contain_text("minutes is at least")
    assert hand.actions == 2
    rates = [(frame[some].churn == "yes").mean() for some, _ in plain]
    assert (frame[where(frame, most.inner_text())].churn == "yes").mean() == max(rates)


def test_why_row_1_does_not_churn_is_a_waterfall(page: Page, shop: str) -> None:
    """Rows, their order, the row: from the share of pandas among all to that among rows alike, step by step."""
    hand, frame = Hand(), customers()
    page.goto(shop)
    hand.view(page, "Rows")
    hand.click(page.locator('.ag-header-cell[col-id="row"] .ag-header-cell-label'))
    first = page.locator('.depnet-rows .ag-row[row-index="0"] [col-id="row"]')
    expect(first).to_have_text("1")
    hand.click(first)
    expect(page.get_by_role("heading", name="Row 1 of the table")).to_be_visible()
    start = page.get_by_text(re.compile(r"adds to churn = no, from "))
    expect(start).to_be_visible()
    assert hand.actions == 3
    begun = float(re.findall(r"from ([\d.]+) %", start.inner_text())[0])
    ended = float(re.findall(r"([\d.]+) %", page.get_by_text("Given all of it: ").inner_text())[0])
    alike = frame[(frame.minutes < 240) & (frame.plan == "no")]
    assert begun == pytest.approx(100 * (frame.churn == "no").mean(), abs=1)
    assert ended == pytest.approx(100 * (alike.churn == "no").mean(), abs=3)
    lines = page.locator(".depnet-table", has_text="from what is usual to here").locator("tbody tr")
    told = [[cell.inner_text() for cell in line.locator("td").all()[:2]] for line in lines.all()]
    assert told[0][0].startswith("minutes = 120")
    steps = [float(adds.replace("−", "-").removesuffix(" %")) for _, adds in told]
    assert begun + sum(steps) == pytest.approx(ended, abs=0.3)
    assert page.locator(".depnet-step").count() == len(steps) == 3


def test_an_error_is_said_where_it_changes_a_digit() -> None:
    share = Measure.of(depnet.Variable("x", ("a", "b")))
    assert visible_error(share, 0.5, 0.0001) == ""
    assert visible_error(share, 0.5, 0.004) == "± 0.004"
    assert visible_error(share, 0.5, float("nan")) == ""
