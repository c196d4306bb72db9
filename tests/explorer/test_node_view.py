"""A node in a browser: its graph, its leaves."""

import re
from dataclasses import replace

from playwright.sync_api import Page, expect

import depnet
from depnet.explorer.node_view import without_few
from depnet.pictures import boosted
from depnet.pictures.node.decision import Leaf, decision
from tests.mixed import mixed_titanic

DATA = depnet.titanic()
NETWORK = depnet.learn(DATA, smoothing=0.5)


GRAPH = ".depnet-graph svg"


def drawn_leaves(page: Page) -> dict[int, int]:
    """{leaf: rows} as the graph says them."""
    page.wait_for_selector(f"{GRAPH} .vertex")
    texts = page.locator(f"{GRAPH} .vertex text.soft").all_text_contents()
    found = [re.search(r"leaf (\d+), ([\d,]+) rows?", text) for text in texts]
    return {int(f[1]): int(f[2].replace(",", "")) for f in found if f}


def test_the_leaves_and_the_certificate_are_the_librarys(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}node?.variable=survived")
    leaves = [v for v in decision(NETWORK, "survived").vertices if isinstance(v, Leaf)]
    assert drawn_leaves(page) == {leaf.number: leaf.rows for leaf in leaves}
    proven = depnet.certificate(NETWORK, DATA).nodes[NETWORK.domain.index("survived")]
    for value in (proven.entropy, proven.source_entropy, proven.kl, proven.penalty, proven.cost):
        expect(page.get_by_text(f"{value:.6f}", exact=True)).to_be_visible()


def test_a_vertex_is_chosen_by_keyboard_and_what_is_known_lights_its_path(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}node?.variable=survived&sex=female")
    expect(page.get_by_text("What is known leads to one of 3 leaves")).to_be_visible()
    assert page.locator(f"{GRAPH} .vertex.path").count() == 2
    assert page.locator(f"{GRAPH} .vertex.out").count() == 6
    page.locator(f"{GRAPH} .vertex[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(f"{GRAPH} .vertex:focus")).to_have_attribute(
        "aria-label", re.compile("^tests (class|age)")
    )
    page.keyboard.press("Enter")
    panel = page.get_by_role("region", name="Chosen vertex")
    expect(panel.get_by_text(re.compile("^Rows come here if sex is (fe)?male.$"))).to_be_visible()
    expect(panel.get_by_text(re.compile("^(470|1,731) rows, "))).to_be_visible()
    expect(page.locator(f"{GRAPH} .vertex.chosen:focus")).to_have_count(1)  # the keyboard goes on from there
    leaf = page.locator(".depnet-share").filter(has_text="sex is female, and class is 3rd").first
    leaf.click()
    expect(panel.get_by_text("Rows come here if sex is female, and class is 3rd.")).to_be_visible()
    expect(panel.get_by_text("196 rows, 8.9% of all")).to_be_visible()
    panel.get_by_role("button", name="Make its rule known").click()
    expect(page.get_by_text(re.compile(r"What is known leads to leaf \d\."))).to_be_visible()
    expect(page).to_have_url(re.compile("class=3rd"))
    page.go_back()
    expect(page.get_by_text("What is known leads to one of 3 leaves")).to_be_visible()
    page.get_by_role("button", name="Larger").click()
    page.locator(f"{GRAPH} .vertex", has_text="class").last.click()
    panel.get_by_role("button", name="Draw from here on").click()
    expect(page.get_by_role("button", name="Whole graph")).to_be_visible()


def test_another_node_is_chosen_by_keyboard(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}node")
    expect(page.get_by_text("Reads sex, age, survived.")).to_be_visible()
    chosen = page.get_by_label("Node").first
    chosen.focus()
    chosen.fill("surv")
    page.get_by_role("option", name="survived").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Reads class, sex, age.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\.variable=survived$"))
    page.go_back()
    expect(page.get_by_text("Reads sex, age, survived.")).to_be_visible()


def test_without_rows_it_says_what_needs_them(page: Page, hostile: str) -> None:
    page.goto(f"{hostile}node?.variable=variable+050")
    expect(page.get_by_text("The certificate (how far")).to_be_visible()
    expect(page.locator(f"{GRAPH} .vertex text").get_by_text("leaf 0")).to_be_visible()


def test_a_variable_that_is_not_there_is_said(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}node?.variable=surived")
    expect(page.get_by_text("there is no variable 'surived'. Did you mean 'survived'?")).to_be_visible()
    expect(page.get_by_role("heading", name="Decision graph")).to_be_visible()


def test_leaves_of_few_rows_do_not_say_how_many_where_that_is_hidden() -> None:
    network = depnet.learn(depnet.titanic())
    drawn = decision(network, "survived")
    rows = {v.number: v.rows for v in drawn.vertices if isinstance(v, Leaf)}
    few = {number for number, n in rows.items() if n is not None and n < 20}
    assert not few  # so none is hidden
    assert without_few(drawn) == drawn
    vertices = tuple(
        replace(v, rows=3) if isinstance(v, Leaf) and v.number == 0 else v for v in drawn.vertices
    )
    shown = [v.rows for v in without_few(replace(drawn, vertices=vertices)).vertices if isinstance(v, Leaf)]
    assert shown.count(None) == 2  # it, and another one: their sum is known


def test_a_boosted_node_is_the_librarys_picture(page: Page, mixed: str) -> None:
    page.goto(f"{mixed}node?.variable=survived")
    expect(page.get_by_text("reads sex, class, age")).to_be_visible()
    expect(page.get_by_text("the frequencies that the model keeps")).to_be_visible()
    page.wait_for_selector(f"{GRAPH} .vertex")  # its first graph
    said = page.locator(GRAPH).first.locator("title").all_text_contents()
    for effect in boosted(mixed_titanic(), "survived").effects:
        for mean in effect.means:
            assert f"No: {mean[0]:.4f}\nYes: {mean[1]:.4f}" in said
    page.goto(f"{mixed}node?.variable=age")
    expect(page.get_by_text("Reads class, sex, survived.")).to_be_visible()


def test_the_network_of_a_boosted_node(page: Page, mixed: str) -> None:
    page.goto(f"{mixed}network")
    expect(page.get_by_text("gained while nodes were boosted")).to_be_visible()
