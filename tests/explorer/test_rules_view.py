"""Rules in a browser: in words, sorted and checked against the table; as a graph; the certificate under Details."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Page, expect

import depnet
from depnet.explorer.rules_view import GLOSSARY, NETWORK, without_rows
from depnet.pictures.node.decision import Leaf, decision
from depnet.wording import percent

DATA = depnet.titanic()
LEARNED = depnet.learn(DATA, smoothing=0.5)


GRAPH = ".depnet-graph svg"


def drawn_groups(page: Page) -> dict[int, int]:
    """{group: rows} as the graph says them."""
    page.wait_for_selector(f"{GRAPH} .vertex")
    texts = page.locator(f"{GRAPH} .vertex text.soft").all_text_contents()
    found = [re.search(r"group (\d+), ([\d,]+) rows?", text) for text in texts]
    return {int(f[1]): int(f[2].replace(",", "")) for f in found if f}


def test_the_graph_and_the_certificate_are_the_librarys(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}rules?.variable=survived")
    leaves = [v for v in decision(LEARNED, "survived").vertices if isinstance(v, Leaf)]
    assert drawn_groups(page) == {leaf.number: leaf.rows for leaf in leaves}
    proven = depnet.certificate(LEARNED, DATA).nodes[LEARNED.domain.index("survived")]
    cost = page.get_by_text(f"{proven.cost:.6f}", exact=True)
    expect(cost).to_be_hidden()
    page.get_by_text("Details").click()
    for value in (proven.entropy, proven.source_entropy, proven.kl, proven.penalty, proven.cost):
        expect(page.get_by_text(f"{value:.6f}", exact=True)).to_be_visible()
    words = Path(__file__, "../../../docs/words.md").resolve().read_text()
    for term, meaning in GLOSSARY:
        expect(page.get_by_role("row", name=f"{term} {meaning}")).to_be_visible()
        assert re.search(rf"\b{term}\b", words)


def test_no_word_of_the_theory_outside_of_details(page: Page, titanic: str) -> None:
    for path in (
        "",
        "target?.target=survived&sex=female",
        "pair",
        "rules?.variable=survived&.vertex=3",
        "rules/network",
    ):
        page.goto(titanic + path)
        page.wait_for_selector(".depnet-card")
        page.wait_for_load_state("networkidle")
        said = page.locator(".depnet-view").inner_text()
        assert not re.findall(
            r"(?i)\b(nats|vertex|vertices|leaf|leaves|misfit|manifold|law|posterior)\b", said
        ), path


def test_rules_in_words_are_sorted_and_have_the_shares_of_the_table(page: Page, titanic: str) -> None:
    frame = pd.DataFrame(
        {v.name: np.array(v.states)[DATA.column(i)] for i, v in enumerate(DATA.domain.variables)}
    )
    page.goto(f"{titanic}rules?.variable=survived")
    rows = page.locator("section", has=page.get_by_role("heading", name="Rules for survived")).locator(
        "tbody tr"
    )
    expect(rows).to_have_count(6)
    rules = {row.locator("td").first.inner_text(): row.locator("td").all_inner_texts() for row in rows.all()}
    crew = (frame.sex == "male") & (frame.age == "adult") & (frame["class"] == "Crew")
    top = rows.first.locator("td").all_inner_texts()  # the largest group comes first
    yes = (frame[crew].survived == "Yes").mean()
    assert top[:2] == ["sex is male, and age is adult, and class is Crew", percent(crew.mean())]
    assert top[3] == f"No {percent(1 - yes)}, Yes {percent(yes)} of {crew.sum():,}"
    boys = (frame.sex == "male") & (frame.age == "child") & (frame["class"] != "3rd")
    saved = boys | ((frame.sex == "female") & (frame["class"] == "1st"))  # two ways to one group
    (told,) = [
        cells for rule, cells in rules.items() if "; or " in rule and "1st" in rule and "not 3rd" in rule
    ]
    yes = (frame[saved].survived == "Yes").mean()
    assert told[3] == f"Yes {percent(yes)}, No {percent(1 - yes)} of {saved.sum():,}"
    page.get_by_role("button", name="likely there").click()
    likely = page.get_by_role("columnheader", name="likely there")
    expect(likely).to_have_attribute("aria-sort", "descending")
    assert rows.first.locator("td").first.inner_text() == told[0]
    page.get_by_role("button", name="likely there").click()
    expect(likely).to_have_attribute("aria-sort", "ascending")
    expect(rows.first).to_contain_text("class is 2nd or 3rd")
    page.get_by_role("button", name="sex is female, and class is 3rd").click()
    expect(page.get_by_role("list", name="Evidence")).to_contain_text("class = 3rd")
    expect(page.get_by_text("What is given leads to group 2.")).to_be_visible()
    expect(rows.locator("visible=true").and_(page.locator("tr.out"))).to_have_count(5)


def test_the_network_is_the_second_tab(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}rules?sex=female&.variable=survived&.vertex=1")
    page.get_by_role("link", name="Network", exact=True).click()
    expect(page).to_have_url(re.compile(f"{NETWORK}\\?sex=female&.variable=survived$"))
    expect(page.get_by_role("link", name="Rules", exact=True)).to_have_attribute("aria-current", "page")
    page.get_by_role("link", name="One column").click()
    expect(page.get_by_role("heading", name="Rules for survived")).to_be_visible()


def test_a_vertex_is_chosen_by_keyboard_and_what_is_known_lights_its_path(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}rules?.variable=survived&sex=female")
    expect(page.get_by_text("What is given leaves 3 of 6 groups")).to_be_visible()
    assert page.locator(f"{GRAPH} .vertex.path").count() == 2
    assert page.locator(f"{GRAPH} .vertex.out").count() == 6
    page.locator(f"{GRAPH} .vertex[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(f"{GRAPH} .vertex:focus")).to_have_attribute(
        "aria-label", re.compile("^tests (class|age)")
    )
    page.keyboard.press("Enter")
    panel = page.get_by_role("region", name="Chosen box")
    expect(panel.get_by_text(re.compile("^Rows come here if sex is (fe)?male.$"))).to_be_visible()
    expect(page.locator(f"{GRAPH} .vertex.chosen:focus")).to_have_count(1)  # the keyboard goes on from there
    page.get_by_text("group 2, 196 rows").locator("..").locator(".box").click()
    expect(panel.get_by_text("Rows come here if sex is female, and class is 3rd.")).to_be_visible()
    expect(panel.get_by_text("No 54 %, Yes 46 %, 196 rows")).to_be_visible()
    panel.get_by_role("button", name="Take its rule as given").click()
    expect(page.get_by_text(re.compile(r"What is given leads to group \d\."))).to_be_visible()
    expect(page).to_have_url(re.compile("class=3rd"))
    page.go_back()
    expect(page.get_by_text("What is given leaves 3 of 6 groups")).to_be_visible()


def test_another_node_is_chosen_by_keyboard(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}rules?.variable=class")
    expect(page.get_by_text("Predicted from sex, age, survived.")).to_be_visible()
    chosen = page.get_by_label("Column").first
    chosen.focus()
    chosen.fill("surv")
    page.get_by_role("option", name="survived").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Predicted from class, sex, age.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\.variable=survived$"))
    page.go_back()
    expect(page.get_by_text("Predicted from sex, age, survived.")).to_be_visible()


def test_leaves_of_a_shared_page_do_not_say_how_many_rows_they_have() -> None:
    shown = without_rows(decision(LEARNED, "survived"))
    assert {v.rows for v in shown.vertices if isinstance(v, Leaf)} == {None}
