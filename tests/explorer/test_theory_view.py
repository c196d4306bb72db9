"""Geometry, in a browser: the numbers beside the picture are those of `depnet.geometry` and `depnet.exact`."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import depnet
from depnet import RandomScan, SequentialScan, law_path, stationary
from depnet.arrays import FloatArray
from depnet.explorer.two_tables import pair_network
from depnet.geometry import fc_limit, full_conditional_divergence, kl
from depnet.model import Network, Scan
from depnet.pictures.tetrahedron import GENUINE, PSEUDO, START, two_nodes
from tests.explorer.browser import expect_in_query

SCANS: dict[str, Scan] = {"random": RandomScan(), "sequential": SequentialScan()}


def expect_step(page: Page, network: Network, scan: Scan, t: int, start: FloatArray = START) -> None:
    *_, p = law_path(network, scan, start, t)
    pi = stationary(network, scan)
    expect(page.get_by_text(f"t = {t} of 30")).to_be_visible()
    numbers = {
        "KL(pᵗ‖π)": f"{kl(p, pi):.6f} nats",
        "FC(pᵗ‖π)": f"{full_conditional_divergence(p, pi):.6f} nats",
        "FC-limit of pᵗ": f"{fc_limit(p, network):.6f} nats",
        "pᵗ": " ".join(f"{value:.4f}" for value in p.ravel()),
        "π": " ".join(f"{value:.4f}" for value in pi.ravel()),
    }
    for name, value in numbers.items():
        fact = page.locator(".depnet-fact").filter(has=page.get_by_text(name, exact=True))
        expect(fact.locator(".depnet-number")).to_have_text(value)


@pytest.mark.parametrize("scan", SCANS)
def test_steps_by_button_and_by_key(page: Page, titanic: str, scan: str) -> None:
    network = two_nodes(*PSEUDO)
    page.goto(f"{titanic}theory?.scan={scan}")
    expect_step(page, network, SCANS[scan], 0)
    page.get_by_role("button", name="Step").click()
    expect_step(page, network, SCANS[scan], 1)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect_step(page, network, SCANS[scan], 4)
    page.keyboard.press("ArrowLeft")
    expect_step(page, network, SCANS[scan], 3)
    page.wait_for_url(re.compile(r"[?&]\.t=3(&|$)"))
    expect_in_query(page, ".scan", scan)
    drawn = page.evaluate(
        """() => document.querySelector(".js-plotly-plot").data.find(trace => trace.name === "pᵗ").x.length"""
    )
    assert drawn == 4
    page.keyboard.press("Home")
    expect_step(page, network, SCANS[scan], 0)


def test_play_goes_on_by_itself_until_paused(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}theory")
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_text(re.compile(r"t = ([2-9]|\d\d) of 30"))).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Reset").click()
    expect(page.get_by_text("t = 0 of 30")).to_be_visible()


def test_tables_are_edited_by_hand(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}theory?.tables=0.9,0.3,0.6,0.5&.t=2")
    expect_step(page, two_nodes((0.9, 0.3), (0.6, 0.5)), RandomScan(), 2)
    page.get_by_label("P(X0 = 0 | X1 = 1)").fill("0.1")
    expect_step(page, two_nodes((0.9, 0.1), (0.6, 0.5)), RandomScan(), 0)
    page.get_by_role("button", name="Consistent tables").click()
    rounded = tuple(tuple(round(p, 6) for p in table) for table in GENUINE)
    expect_step(page, two_nodes(*rounded), RandomScan(), 0)
    page.goto(f"{titanic}theory?.tables=1,0,1,0")
    expect(page.locator(".depnet-warning")).to_contain_text("recurrent classes")


def test_two_variables_of_the_model(page: Page, titanic: str) -> None:
    people = depnet.titanic()
    network = depnet.learn(people, smoothing=0.5)
    page.goto(f"{titanic}theory?.scan=sequential&.x0=sex&.x1=survived&.at.class=3rd&.t=1&.start=uniform")
    held = {"class": "3rd", "age": "adult"}
    two = pair_network(network, ("sex", "survived"), held)
    expect_step(page, two, SequentialScan(), 1, np.full((2, 2), 0.25))
    expect_in_query(page, ".x1", "survived")
    expect_in_query(page, ".at.class", "3rd")


def test_on_a_narrow_page_the_tetrahedron_is_whole(page: Page, titanic: str) -> None:
    """Its picture is as wide as 0.8 of the height of its place, as measured at 1,280 pixels."""
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{titanic}theory")
    plot = page.locator(".depnet-simplex")
    expect(plot).to_be_visible()
    box = plot.bounding_box()
    assert box is not None
    assert box["width"] > 0.9 * box["height"]
