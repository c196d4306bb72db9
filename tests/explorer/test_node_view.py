"""A node in a browser: its graph, its leaves."""

import re

from playwright.sync_api import Page, expect

import depnet
from depnet.explorer.node_view import without_rows
from depnet.pictures.node.decision import Leaf, decision

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
    expect(page.locator(f"{GRAPH} .vertex.chosen:focus")).to_have_count(1)  # the keyboard goes on from there
    leaf = page.locator("tr").filter(has_text="sex is female, and class is 3rd").first
    leaf.get_by_role("button").click()
    expect(panel.get_by_text("Rows come here if sex is female, and class is 3rd.")).to_be_visible()
    expect(panel.get_by_text("No 0.541, Yes 0.459, 196 rows")).to_be_visible()
    panel.get_by_role("button", name="Make its rule known").click()
    expect(page.get_by_text(re.compile(r"What is known leads to leaf \d\."))).to_be_visible()
    expect(page).to_have_url(re.compile("class=3rd"))
    page.go_back()
    expect(page.get_by_text("What is known leads to one of 3 leaves")).to_be_visible()


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


def test_leaves_of_a_shared_page_do_not_say_how_many_rows_they_have() -> None:
    shown = without_rows(decision(NETWORK, "survived"))
    assert {v.rows for v in shown.vertices if isinstance(v, Leaf)} == {None}
