"""Target, in a browser: what would move it, by click and keyboard; the state in the address; hostile labels; no law."""

import re
import threading
from urllib.parse import quote

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

import depnet
from depnet.explorer.loaded import Loaded
from depnet.explorer.segments import find_segments
from depnet.explorer.session import Stop
from depnet.explorer.target import find, join, measures, rarity, seen_of
from depnet.explorer.target_lists import TornadoBar, bar_of, ends, place
from depnet.geometry.joint import entropy
from depnet.inference.judge.influence import influence
from tests.explorer.browser import Hand, expect_query
from tests.explorer.cases import HOSTILE, titanic_models, wide, wide_table
from tests.narrowed import there

TORNADO = ".depnet-tornado"


def yes(known: dict[str, str] | None) -> float:
    """P(survived = Yes), model and table joined."""
    found = np.asarray(depnet.query(titanic_models()[1], "survived", known, data=depnet.titanic()).combined)
    return float(found[1])


def test_a_target_is_chosen_and_moved(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}target")
    expect(page.locator(".depnet-headline")).to_contain_text("The probability of survived = Yes")  # a guess
    page.goto(f"{titanic}target?.target=age&.state=adult")
    page.get_by_label("Target", exact=True).click()
    page.get_by_role("option", name="survived").click()
    law = titanic_models()[1]
    found = influence(law, "survived", of="Yes")
    headline = page.locator(".depnet-headline")
    expect(headline).to_have_text(
        f"The probability of survived = Yes is {yes(None):.3f} by model and table"
    )  # as in Ask
    expect(page.get_by_text("0.323 in 2,201 rows")).to_be_visible()
    bars = page.locator(f"{TORNADO} [data-variable]")
    expect(bars).to_have_count(3)
    expect(bars.first).to_have_attribute("data-variable", found.effects[0].variable.name)
    shown = [bars.nth(k).get_attribute("data-variable") for k in range(3)]
    assert shown == [effect.variable.name for effect in found.effects]
    # All states of one, by the keyboard; then the state at an end.
    toggle = page.get_by_role("button", name="All states of class")
    toggle.focus()
    page.keyboard.press("Enter")
    expect(toggle).to_have_attribute("aria-expanded", "true")
    expect(page.locator(".depnet-tornado-state")).to_have_count(4)
    expect(page.locator(".depnet-tornado-state").first).to_contain_text("table: ")
    end = bars.first.locator(".depnet-tornado-high")
    end.focus()
    page.keyboard.press("Enter")
    after = yes({"sex": "female"})
    expect(headline).to_have_text(f"The probability of survived = Yes is {after:.3f} by model and table")
    expect(page.get_by_text("about 21 in 100 rows; 470 rows of the table match")).to_be_visible()
    expect(bars).to_have_count(2)
    expect_query(page, {"sex": ["female"], ".target": ["survived"]})
    # What is asked of it is in the address, and Back leads to what was asked before.
    page.get_by_role("combobox", name="What of it").click()
    page.get_by_role("option", name="No", exact=True).click()
    expect(headline).to_have_text(f"The probability of survived = No is {1 - after:.3f} by model and table")
    page.wait_for_function("() => location.search.includes('.state=No')")
    page.go_back()
    expect(headline).to_have_text(f"The probability of survived = Yes is {after:.3f} by model and table")
    expect(page.get_by_role("link", name="Explore with this")).to_have_attribute(
        "href", "/?sex=female&.target=survived"
    )


def test_segments_have_the_shares_of_the_table(page: Page, titanic: str) -> None:
    """Each rule in words, its rows and its share, as pandas has them; a click makes it known."""
    people = depnet.titanic()
    frame = pd.DataFrame(
        {v.name: np.array(v.states)[people.column(i)] for i, v in enumerate(people.domain.variables)}
    )
    found = there(find_segments(Loaded(titanic_models()[0], data=people), "survived", "Yes"))
    assert len(found.each) > 3
    for segment in found.each:
        if segment.known:
            some = (
                frame[[*segment.known]]
                .isin({name: [*held] for name, held in segment.known.items()})
                .all(axis=1)
            )
            assert segment.rows == some.sum()
            assert segment.own == pytest.approx((frame[some].survived == "Yes").mean())
    page.goto(f"{titanic}target?.target=survived&.state=Yes")
    rows = page.locator("section", has=page.get_by_role("heading", name="Segments")).locator("tbody tr")
    expect(rows.first).to_be_visible()
    page.get_by_role("button", name="likely there").click()
    top = max(found.each, key=lambda segment: segment.value)
    expect(rows.first).to_contain_text(top.rule)
    one = max((segment for segment in found.each if segment.known), key=lambda segment: segment.share)
    row = rows.filter(has_text=re.compile(f"^{re.escape(one.rule)}"))
    expect(row).to_contain_text(f"{found.text(there(one.own))} of {one.rows:,}")
    row.get_by_role("button").click()
    for name in there(one.known):
        expect(page.get_by_role("list", name="Evidence")).to_contain_text(name)


def test_what_tells_of_a_label_among_200_columns_is_what_the_table_says(page: Page, hostile: str) -> None:
    """The twelve columns that tell most of a label in the table are those of the model, but for noise; in two actions."""
    table, name = wide_table(200, 3000), "variable 100"
    i = table.domain.index(name)
    bits = {}
    for j, other in enumerate(table.domain.names):
        if j != i:
            joint = np.bincount(2 * table.column(j) + table.column(i), minlength=4).reshape(2, 2) / table.rows
            nats = sum(map(entropy, (joint.sum(0), joint.sum(1)))) - entropy(joint)
            bits[other] = nats / np.log(2)
    found = {effect.variable.name: effect.bits for effect in influence(wide()[1], name).effects}
    top = sorted(bits, key=lambda other: -bits[other])[:12]
    noise = 12 / (2 * table.rows * np.log(2))  # what chance alone has in one of a thousand columns
    told = [other for other in top if bits[other] > noise]
    assert len(told) >= 2
    assert all(found[other] == pytest.approx(bits[other], rel=0.3, abs=noise) for other in top)
    assert set(told) <= {*sorted(found, key=lambda other: -found[other])[:12]}
    hand = Hand()
    page.goto(hostile)
    hand.view(page, "Target")
    expect(page.locator(".depnet-headline")).to_contain_text("The probability of")
    hand.type(page.get_by_role("combobox", name="Target", exact=True), name)
    expect(page.locator(".depnet-headline")).to_contain_text(name)
    lines = page.locator("section", has=page.get_by_role("heading", name="What would tell most about it"))
    expect(lines.get_by_role("link").first).to_have_text(top[0])
    assert hand.actions == 2
    assert set(told) <= {*lines.get_by_role("link").all_inner_texts()[:12]}


def test_hostile_labels_are_text_and_the_widest_are_shown_first(page: Page, hostile: str) -> None:
    page.goto(f"{hostile}target?.target={quote(HOSTILE[1])}")
    bars = page.locator(f"{TORNADO} [data-variable]")
    expect(bars).to_have_count(24)
    expect(page.get_by_text("from ", exact=False).first).to_be_visible()
    page.get_by_role("button", name="Show more (175 left)").click()
    expect(bars).to_have_count(48)
    page.get_by_label("Find a column").fill("script")
    expect(bars.first).to_have_attribute("data-variable", HOSTILE[0])
    bars.first.locator(".depnet-tornado-low").click()
    expect(page.locator('[aria-label="Evidence"]')).to_contain_text(HOSTILE[0])


def test_without_a_law_the_view_says_so(page: Page, mixed: str) -> None:
    page.goto(f"{mixed}target?.target=survived")
    expect(page.locator(".depnet-warning").first).to_be_visible()
    expect(page.locator(TORNADO)).not_to_be_visible()


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    network, law = titanic_models()
    return Loaded(network, law, data=depnet.titanic())


@pytest.fixture
def stop() -> Stop:
    return Stop(threading.Event())


def test_bars_are_what_the_library_finds(loaded: Loaded, stop: Stop) -> None:
    known = {"sex": ("female",)}
    found = find(loaded, "survived", known, "Yes", stop)
    survived = np.asarray(depnet.query(loaded.asked, "survived", {"sex": "female"}).probabilities)
    assert found.influence.value == pytest.approx(float(survived[1]))
    both = np.asarray(depnet.query(loaded.asked, "survived", {"sex": "female"}, data=loaded.data).combined)
    assert found.value == pytest.approx(float(both[1]))  # as in Ask
    assert rarity(found) == "about 21 in 100 rows; 470 rows of the table match"
    assert found.seen == "0.732 in 470 rows"
    effects = found.influence.effects
    assert loaded.data is not None
    seen = seen_of(loaded.data, found, effects)
    bars = [
        TornadoBar(join(effect, own, found.worth), own, (), "/rules")
        for effect, own in zip(effects, seen, strict=True)
    ]
    low, high = ends(found.influence, bars, found.value)
    shown = bar_of(found.influence.measure, bars[0], low, high)
    assert shown["name"] == "class"
    first = np.asarray(
        depnet.query(loaded.asked, "survived", {"sex": "female", "class": "1st"}, data=loaded.data).combined
    )
    (state,) = (state for state in shown["states"] if state["label"] == "1st")
    assert state["value"] == f"{float(first[1]):.3f}"
    assert state["table"] == "table: 0.972 in 145 rows"
    assert 0 <= shown["low"]["at"] < place(found.value, low, high) < shown["high"]["at"] <= 100


def test_what_can_be_asked_of_a_number(loaded: Loaded) -> None:
    variable = depnet.Variable("age", (1, 2, 3))
    assert list(measures(variable, "2")) == ["mean", ">2", "1", "2", "3"]
    assert list(measures(depnet.Variable("mean", ("mean", "x")), None)) == ["mean", "x"]
