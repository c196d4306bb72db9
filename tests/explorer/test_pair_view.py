"""Two columns together: the table's part is what pandas and numpy count, the model's is near it, and labels are text."""

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

import depnet
from depnet import DependencyNetwork
from depnet.explorer.loaded import Loaded
from depnet.explorer.pair import chart_options, mean_line, picture_pair
from depnet.inference.judge.shifts import pair
from depnet.wording import percent
from tests.explorer.browser import Hand, expect_in_query, explorer, wait_for
from tests.explorer.cases import titanic_models
from tests.explorer.test_histogram import gems
from tests.narrowed import there


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    model = DependencyNetwork(random_state=0).fit(gems())
    law = there(model.law_)
    return Loaded(there(model.network_), law, data=depnet.data.encode(gems(), law.domain, values=True))


def test_two_numbers_are_counted_as_numpy_counts(loaded: Loaded) -> None:
    frame = gems()
    drawn = picture_pair(loaded, ("carat", "price"), {"cut": ("Ideal",)})
    some = frame[frame.cut == "Ideal"]
    axes = [there(drawn.first.axis), there(drawn.second.axis)]
    inside = [
        np.clip(some[name], axis.edges[0], np.nextafter(axis.edges[-1], -np.inf))
        for name, axis in zip(("carat", "price"), axes, strict=True)
    ]
    expected = np.histogram2d(inside[0], inside[1], bins=[axis.edges for axis in axes])[0] / len(some)
    assert np.allclose(there(drawn.table), expected)
    assert drawn.rows == len(some)
    assert drawn.kind == "heat"
    assert 0.5 * np.abs(drawn.model - expected).sum() < 0.3
    assert 0.5 * np.abs(drawn.model - expected.mean()).sum() > 0.6  # where a flat one is far off
    means = mean_line(there(drawn.table), drawn.second)
    group = some.groupby(np.searchsorted(axes[0].edges[1:-1], some.carat, side="right")).price.mean()
    for bar, mean in group.items():
        if (expected.sum(axis=1)[bar]) > 0.02:
            assert means[int(str(bar))] == pytest.approx(axes[1].place(mean), abs=2)


def test_each_kind_has_its_picture(loaded: Loaded) -> None:
    frame = gems()
    drawn = picture_pair(loaded, ("price", "cut"), {})
    assert drawn.kind == "densities"
    series = chart_options(drawn, "table")["series"]
    assert [each["name"] for each in series] == ["Fair", "Good", "Ideal"]
    for each in series:
        some = frame[frame.cut == each["name"]].price
        edges = there(drawn.first.axis).edges
        expected = np.histogram(np.clip(some, edges[0], edges[-1] - 1), edges)[0] / len(some)
        assert np.allclose(each["data"], expected, atol=1e-5)
    people = depnet.titanic()
    both = picture_pair(Loaded(*titanic_models(), data=people), ("class", "survived"), {})
    assert both.kind == "mosaic"
    counts = np.zeros(both.model.shape)
    np.add.at(counts, (people.column(0), people.column(people.domain.index("survived"))), 1)
    assert np.allclose(there(both.table), counts / people.rows)
    assert np.allclose(both.model, there(both.table), atol=0.02)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an explorer of diamonds, made up, whose carat and price are alike to the real ones'."""
    folder = tmp_path_factory.mktemp("gems")
    gems().to_csv(folder / "gems.csv", index=False)
    DependencyNetwork(random_state=0).fit(gems()).save(folder / "gems.json")
    with explorer([folder / "gems.json", "--data", folder / "gems.csv"]) as address:
        yield address


CHART = """() => {
    const { chart } = getElement(document.querySelector(".depnet-pair-chart").id.slice(1));
    chart.getZr().flush();
    const { series, xAxis, yAxis } = chart.getOption();
    const [heat, line, dots] = ["heatmap", "line", "scatter"].map((type) => series.find((one) => one.type === type));
    const seen = chart.renderToCanvas({ pixelRatio: 1, backgroundColor: "#ffffff" }).getContext("2d");
    const ink = (cell) => { // how far from white a cell is, beside its middle
        const at = chart.convertToPixel({ seriesIndex: 0 }, cell.slice(0, 2)).map((pixel) => Math.round(pixel) + 5);
        return 255 - seen.getImageData(...at, 1, 1).data[0];
    };
    return {
        cells: heat.data.map((cell) => [...cell.slice(0, 3), ink(cell)]), mean: line.data, dots: dots.data,
        labels: [xAxis[0].data, yAxis[0].data], ink: [1, 2].map((k) => ink([0, yAxis[0].data.length - k])),
    };
}"""
"""What is drawn: shares of cells and how dark they are, means, dots, labels, and how dark small and dear cells are."""


def bars(labels: list[str]) -> np.ndarray:
    """The bounds that bars say: "below 0.3", "0.3 to 0.4", ..., "2.2 and more"; of whole numbers the last one is within."""
    begins = [re.match(r"([\d,.]+) (?:to|and more)", label) for label in labels[1:]]
    return np.array([float(there(begin)[1].replace(",", "")) for begin in begins])


def test_carat_and_price_as_a_picture(page: Page, url: str) -> None:
    """One click from any view: the cells, the means and the rows that are drawn are those of pandas."""
    page.goto(f"{url}pair?.first=carat&.second=price&.show=table")
    page.wait_for_selector(".depnet-pair-chart canvas")
    page.wait_for_function("() => document.querySelector('.depnet-pair-chart canvas').width > 0")
    drawn = page.evaluate(CHART)
    frame = gems()
    inner = [bars(labels) for labels in drawn["labels"]]
    at = [
        np.searchsorted(cuts, frame[name], side="right")
        for cuts, name in zip(inner, ("carat", "price"), strict=True)
    ]
    expected = pd.crosstab(at[0], at[1], normalize=True).stack()
    shown = {(x, y): share for x, y, share, _ in drawn["cells"]}
    assert all(
        shown[cell] == pytest.approx(share, abs=1e-6) for cell, share in expected[expected > 0.001].items()
    )
    assert sum(shown.values()) == pytest.approx(1, abs=0.01)
    ink = {(x, y): ink for x, y, _, ink in drawn["cells"]}
    largest = max(shown, key=lambda cell: shown[cell])
    assert ink[largest] > 200 > 20 > max(drawn["ink"])  # nothing is small and dear
    mean = frame.groupby(at[0]).price.mean()
    heights = {k: y for k, (_, y) in enumerate(drawn["mean"]) if y is not None}
    width = inner[1][1] - inner[1][0]
    lowest = inner[1][0] - width
    for bar, y in heights.items():
        if (at[0] == bar).sum() > 50:
            assert lowest + y / 100 * width * len(drawn["labels"][1]) == pytest.approx(mean[bar], abs=width)
    dots = np.array(drawn["dots"])
    assert len(dots) == min(400, len(frame))
    assert np.corrcoef(dots.T)[0, 1] == pytest.approx(frame[["carat", "price"]].corr().iloc[0, 1], abs=0.1)
    hand = Hand()
    page.goto(url)
    hand.view(page, "Pair")  # by the model, the same rows over it
    page.wait_for_selector('.depnet-pair-chart[aria-label="carat and price together"] canvas')
    assert hand.actions == 1
    by_model = page.evaluate(CHART)
    assert by_model["dots"] == drawn["dots"]
    model = {(x, y): share for x, y, share, _ in by_model["cells"]}
    apart = sum(abs(model.get(cell, 0) - shown.get(cell, 0)) for cell in {*model, *shown}) / 2
    assert apart < 0.3
    flat = sum(abs(1 / len(expected) - share) for share in shown.values()) / 2
    assert flat > 2 * apart  # a picture that says nothing would be told apart


def test_the_price_of_ideal_above_a_carat_has_the_shape_of_the_table(page: Page, url: str) -> None:
    """Two actions, a bar and a condition; the bars of price are those of the rows that match, and so is their mean."""
    hand, frame = Hand(), gems()
    page.goto(url)
    hand.click(page.locator('[data-variable="cut"] [data-label="Ideal"]'))
    hand.type(page.get_by_label("Add a condition"), "carat > 1")
    some = frame[(frame.cut == "Ideal") & (frame.carat > 1)].price
    expect(page.get_by_text(f"{len(some):,} of {len(frame):,} training rows match")).to_be_visible()
    assert hand.actions == 2
    card = page.locator('.large [data-variable="price"]')

    def mean_stands() -> bool:  # that of the question before stands there until this one is answered
        found = re.findall(r"→ ([\d,]+)", card.locator(".depnet-marginal-number").first.inner_text())
        return bool(found) and float(found[0].replace(",", "")) == pytest.approx(some.mean(), rel=0.03)

    wait_for(mean_stands)
    expect(page.locator(".depnet-sharpness")).to_have_text(re.compile("^(computed in full|±.*)$"))
    drawn = [
        (bar.get_attribute("data-label"), bar.get_attribute("data-posterior"))
        for bar in card.locator("[data-state]").all()
    ]
    shown = np.array([float(there(share)) for _, share in drawn])
    inner = bars([there(label) for label, _ in drawn])
    expected = np.bincount(np.searchsorted(inner, some, side="right"), minlength=len(shown)) / len(some)
    assert 0.5 * np.abs(shown - expected).sum() < 0.12
    assert 0.5 * np.abs(shown - 1 / len(shown)).sum() > 0.24  # where a flat slab is far off
    assert abs(int(shown.argmax()) - int(expected.argmax())) <= 1


def test_a_pair_is_chosen_and_linked(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}pair?.first=class&.second=survived")
    first = page.locator(".depnet-mosaic [role=img]").first
    expect(first).to_have_attribute("aria-label", "class = 1st: No 38 %")
    expect(page.get_by_text("class alone tells of survived")).to_be_visible()
    joint = pair(titanic_models()[1], "class", "sex", data=depnet.titanic()).joint
    share = joint[0, 0] / joint[0].sum()
    page.get_by_role("combobox", name="Second column").click()
    page.get_by_role("option", name="sex").click()
    expect_in_query(page, ".second", "sex")
    expect(first).to_have_attribute("aria-label", f"class = 1st: female {percent(share)}")
    page.goto(f"{titanic}rules/network?.first=class&.second=survived")
    page.get_by_role("link", name="Picture").click()
    expect(first).to_have_attribute("aria-label", "class = 1st: No 38 %")
    page.goto(f"{titanic}pair")  # the target, and what tells most of it
    expect(page.get_by_text("alone tells of survived")).to_be_visible()
