"""Two columns together: the table's part is what pandas and numpy count, the model's is near it, and labels are text."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import depnet
from depnet import DependencyNetwork
from depnet.explorer.loaded import Loaded
from depnet.explorer.pair import chart_options, mean_line, picture_pair
from depnet.inference.judge.shifts import pair
from depnet.wording import percent
from tests.explorer.browser import expect_in_query
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
