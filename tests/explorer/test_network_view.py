"""The network in a browser: opened, slid, clicked, searched, by mouse and by keyboard; as a matrix; saved."""

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from playwright.sync_api import Page, Position, expect

import depnet
from depnet.data import Variable
from depnet.explorer.network_view import MOST_STATES, joint_table
from depnet.inference.judge.shifts import Pair, pair, shifts_between
from depnet.learning.links import links
from depnet.pictures import communities, dependency_graph, links_csv, to_graphml
from tests.explorer.cases import titanic_models, wide
from tests.explorer.test_access import violations
from tests.narrowed import there

Figures = Callable[[str, object], None]

PICTURE = ".depnet-picture[data-drawn]"

PLACES = """() => {
    const network = getElement(document.querySelector(".depnet-network").id.slice(1));
    return network.names.map((_, variable) => network.pixel(variable));
}"""

NETWORK = 'getElement(document.querySelector(".depnet-network").id.slice(1))'

CELL = f"""() => {{
    const network = {NETWORK}, {{ order, cells }} = network.grid, [from, to, bits] = cells[0];
    const at = network.chart.convertToPixel({{ seriesIndex: 0 }}, [from, order.length - 1 - to]);
    return [at, network.names[order[from]], network.names[order[to]], bits];
}}"""
"""Where the first cell of the matrix is, what it is of, and its strength."""

SLIDE = """async (position) => {
    const slider = document.querySelector("input[type=range]"), picture = document.querySelector(".depnet-picture");
    const before = picture.dataset.drawn, begun = performance.now();
    slider.value = position;
    slider.dispatchEvent(new Event("input"));
    while (picture.dataset.drawn === before) await new Promise(requestAnimationFrame);
    return performance.now() - begun;
}"""


def opened(page: Page, url: str) -> Page:
    page.goto(url)
    page.wait_for_selector(PICTURE)
    return page


def drawn(page: Page) -> int:
    return int(page.locator(".depnet-picture").get_attribute("data-drawn") or -1)


def at(page: Page, name: str) -> Position:
    x, y = page.evaluate(f"{NETWORK}.pixel({NETWORK}.names.indexOf({json.dumps(name)}))")
    return {"x": x, "y": y}


def test_many_variables_open_on_their_strongest_part_and_stay_put_while_the_slider_moves(
    page: Page, hostile: str, record_property: Figures
) -> None:
    page.goto(f"{hostile}rules/network?.mode=graph", wait_until="commit")
    page.wait_for_selector(PICTURE)
    painted = page.evaluate("performance.now()")
    record_property("explorer: first paint of 200 variables, ms (to reach: 500)", round(painted))
    assert painted < 60_000  # machines are small and noisy: the figure is printed, a disaster fails
    assert drawn(page) == 150
    expect(page.get_by_role("status").first).to_contain_text("150 of 2,")
    expect(page.get_by_role("status").first).to_contain_text("of 200 columns")
    before = page.evaluate(PLACES)
    assert len({tuple(at) for at in before}) == 200
    times = []
    for position in (0, 300, 1000, 700, 900, 1000):
        times.append(page.evaluate(SLIDE, position))
        assert page.evaluate(PLACES) == before
    assert drawn(page) > 2000
    record_property(
        "explorer: slider reaction up to all links, ms (to reach: 200)", [round(t) for t in times]
    )
    assert max(times) < 20_000


@pytest.mark.parametrize("variable", ["survived", "age"])
def test_a_chosen_variable_has_the_strengths_of_both_directions(
    page: Page, titanic: str, variable: str
) -> None:
    opened(page, f"{titanic}rules/network?.variable={variable}")
    data = depnet.titanic()
    graph = dependency_graph(depnet.learn(data, smoothing=0.5), data)
    v = graph.names.index(variable)
    expected = {
        "predicts it": [(graph.names[a.source], a.strength) for a in graph.arrows if a.target == v],
        "it predicts": [(graph.names[a.target], a.strength) for a in graph.arrows if a.source == v],
    }
    panel = page.locator(".depnet-stack .depnet-card").first
    expect(panel.get_by_role("heading", name=variable, exact=True)).to_be_visible()
    tables = panel.locator(".depnet-near")
    said = [how for how, links in expected.items() if links]
    assert tables.count() == len(said)
    for k, how in enumerate(said):
        expect(panel.get_by_text(f"{how} ({len(expected[how])})")).to_be_visible()
        rows = tables.nth(k).locator("tr")
        assert [row.locator("td").all_inner_texts() for row in rows.all()] == [
            [name, "", f"{strength:.4f}"] for name, strength in expected[how]
        ]
    page.get_by_label("Choose no column").click()
    expect(page.get_by_role("heading", name="Links", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("network$"))


def test_evidence_is_given_by_a_click_and_colours_what_it_moves(page: Page, titanic: str) -> None:
    opened(page, f"{titanic}rules/network")
    picture = page.locator(".depnet-picture canvas")
    picture.click(position=at(page, "sex"))
    menu = page.get_by_role("dialog", name="sex")
    menu.get_by_role("button", name="sex = female").click()
    expect(page).to_have_url(re.compile(r"\?sex=female&.variable=sex$"))
    expect(page.get_by_text("unmoved")).to_be_visible()
    network, law = titanic_models()
    data = depnet.titanic()
    names = [name for name in network.domain.names if name != "sex"]
    asked = (depnet.query(law, names, evidence, data=data) for evidence in (None, {"sex": "female"}))
    moved = {shift.name: shift.change for shift in shifts_between(*asked)}
    shown = dict(zip(network.domain.names, page.evaluate(f"{NETWORK}.changes"), strict=True))
    assert shown == pytest.approx({**moved, "sex": None}, abs=0.01)
    expect(page.get_by_text(f"moved {max(moved.values()):.2f}")).to_be_visible()

    picture.hover(position=at(page, "survived"))
    card = page.get_by_role("tooltip", name="survived")
    expect(card).to_contain_text(f"moved {moved['survived']:.3f}")
    for bars in (card.locator(".depnet-before"), card.locator(".depnet-fill")):
        expect(bars).to_have_count(2)
        sizes = [bar.bounding_box() for bar in bars.all()]
        assert max(size["width"] for size in sizes if size) > 20  # the longest fills its track
        assert all(size is not None and size["height"] > 4 for size in sizes)
    page.go_back()  # what is known
    expect(page.get_by_text("unmoved")).to_be_hidden()
    expect(page.get_by_role("heading", name="sex", exact=True)).to_be_visible()
    page.go_back()  # the chosen variable
    expect(page.get_by_role("heading", name="Links", exact=True)).to_be_visible()
    page.go_forward()
    page.go_forward()
    expect(page.get_by_text("unmoved")).to_be_visible()


def test_the_keyboard_goes_from_variable_to_variable_and_opens_them(page: Page, titanic: str) -> None:
    opened(page, f"{titanic}rules/network")
    board = page.get_by_role("listbox")
    board.focus()
    seen = set()
    for way in ("Left", "Right", "Up", "Down", "Left", "Left", "Up"):
        board.press(f"Arrow{way}")
        expect(page.get_by_role("tooltip")).to_be_visible()
        seen.add(board.get_by_role("option").inner_text())
    assert len(seen) >= 3
    name = board.get_by_role("option").inner_text()
    board.press("Enter")
    menu = page.get_by_role("dialog", name=name)
    expect(menu.get_by_role("link", name="Explore")).to_have_attribute("href", f"/?.variable={name}")
    expect(menu.get_by_role("link", name="Rules")).to_have_attribute("href", f"/rules?.variable={name}")
    expect(menu.locator("button:focus")).to_have_count(1)
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(board).to_be_focused()
    expect(page.get_by_role("tooltip").or_(menu)).to_have_count(1)  # where the keyboard is
    board.press("Enter")
    menu.get_by_role("button", name="Make it the target").click()
    expect(page).to_have_url(re.compile(rf"\?.target={name}&.variable={name}$"))
    zoomed = f"{NETWORK}.chart.getOption().series[0].zoom"
    page.get_by_role("button", name="Zoom in").click()
    assert page.evaluate(zoomed) > 1.3
    page.get_by_role("button", name="Fit").click()
    assert page.evaluate(zoomed) == 1


def test_a_variable_is_found_and_the_address_keeps_it(page: Page, hostile: str) -> None:
    opened(page, f"{hostile}rules/network")
    find = page.get_by_role("combobox", name="find a column")
    find.fill("ABLE 07")
    find.press("Enter")
    expect(page.get_by_role("heading", name="variable 070", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"network\?\.variable=variable\+070$"))  # and nothing else
    page.reload()
    expect(page.get_by_role("heading", name="variable 070", exact=True)).to_be_visible()
    find.fill("no such name")
    find.press("Enter")
    expect(page.get_by_text("No column has")).to_be_visible()
    page.get_by_role("group", name="Communities").get_by_role("button").first.click()
    expect(page).to_have_url(re.compile(r"network\?\.community=0$"))
    expect(page.get_by_role("status").first).to_contain_text("only those around")


LABELS = f"""() => {{
    const texts = {NETWORK}.chart.getZr().storage.getDisplayList(true).filter((e) => e.type === "tspan");
    return texts.map((e) => {{
        const box = e.getBoundingRect().clone();
        box.applyTransform(e.getComputedTransform());
        return [e.style.text, box.x, box.y, box.width, box.height];
    }});
}}"""
"""The lines of labels that are drawn: where, and how large."""


def covers(a: Sequence[float], b: Sequence[float]) -> bool:
    """Do two boxes (left, top, width, height) share more than a pixel?"""
    return all(a[k] + 1 < b[k] + b[k + 2] and b[k] + 1 < a[k] + a[k + 2] for k in (0, 1))


def apart(page: Page) -> list[list[Any]]:
    found: list[list[Any]] = page.evaluate(LABELS)
    assert [(a[0], b[0]) for a, b in itertools.combinations(found, 2) if covers(a[1:], b[1:])] == []
    return found


def test_many_columns_are_groups_that_open(page: Page, hostile: str) -> None:
    """Bubbles for communities; the labels of what is shown do not cover each other, nor does a card its own."""
    opened(page, f"{hostile}rules/network")
    graph = dependency_graph(wide()[0])
    groups = Counter(communities(graph))
    large = [group for group, size in groups.items() if size > 1]
    expect(page.get_by_role("status").first).to_contain_text(f"{len(large)} groups of columns")
    sizes = [text for text, *_ in apart(page) if re.fullmatch(r"\d+ columns", text)]
    assert len(sizes) > 0.7 * len(large)
    board = page.get_by_role("listbox")
    board.focus()
    board.press("Home")
    expect(board.get_by_role("option")).to_contain_text(f"{groups[0]} columns")
    board.press("Enter")
    expect(page).to_have_url(re.compile(r"\?.community=0$"))
    expect(page.get_by_role("status").first).to_contain_text(f"among {groups[0]} of 200 columns")
    board.press("ArrowRight")
    card = page.get_by_role("tooltip")
    expect(card).to_be_visible()
    (own,) = [
        box for name, *box in apart(page) if name == board.get_by_role("option").inner_text()[: len(name)]
    ]
    picture, over = there(page.locator(".depnet-chart-room").bounding_box()), there(card.bounding_box())
    assert not covers(
        [over["x"] - picture["x"], over["y"] - picture["y"], over["width"], over["height"]], own
    )
    page.get_by_role("button", name="show all").click()
    expect(page.get_by_role("status").first).to_contain_text("groups of columns")
    page.get_by_role("combobox", name="find a column").fill("variable 100")
    page.get_by_role("combobox", name="find a column").press("Enter")
    near = {end for tie in graph.ties if graph.names.index("variable 100") in tie.ends for end in tie.ends}
    expect(page.get_by_role("status").first).to_contain_text(f"among {min(len(near), 41)} of 200 columns")
    assert [name for name, *_ in apart(page) if name == "variable 100"] == ["variable 100"]
    page.go_back()
    expect(page.get_by_role("status").first).to_contain_text("groups of columns")


def test_fit_fills_the_picture_with_what_is_shown(page: Page, hostile: str) -> None:
    opened(page, f"{hostile}rules/network?.mode=graph&.shown=4")
    boxes = f"[...{NETWORK}.visible].map((v) => {NETWORK}.pixel(v))"
    wide_room = page.evaluate(f"{NETWORK}.$refs.chart.clientWidth")
    high_room = page.evaluate(f"{NETWORK}.$refs.chart.clientHeight")
    spans = np.ptp(np.array(page.evaluate(boxes)), axis=0) / (wide_room, high_room)
    assert spans.max() > 0.5
    page.evaluate(SLIDE, 1000)
    page.get_by_role("button", name="Fit").click()
    assert page.evaluate(f"{NETWORK}.chart.getOption().series[0].zoom") == 1


def test_a_cell_of_the_matrix_leads_to_its_pair(page: Page, titanic: str) -> None:
    opened(page, f"{titanic}rules/network")
    page.get_by_role("button", name="matrix").click()
    expect(page.get_by_text("A row is predicted")).to_be_visible()
    (x, y), source, target, bits = page.evaluate(CELL)
    page.locator(".depnet-picture").click(position={"x": x, "y": y})
    expect(page).to_have_url(re.compile(rf"\.mode=matrix&.first={source}&.second={target}$"))
    panel = page.get_by_label("Two columns together")
    expect(panel.get_by_role("row", name=f"{source} predicts {target}")).to_contain_text(f"{bits:.3f} bits")
    found = pair(titanic_models()[1], source, target, data=depnet.titanic())
    expect(panel).to_contain_text(f"{found.information:.3f}"[:5])
    numbers = panel.locator(".depnet-joint td small")
    expect(numbers).to_have_text([f"{count:,.0f}" for count in there(found.counts).ravel()])
    inside, whole = panel.locator(".depnet-joint").bounding_box(), panel.bounding_box()
    assert inside is not None
    assert whole is not None
    assert inside["x"] >= whole["x"]
    assert inside["x"] + inside["width"] <= whole["x"] + whole["width"]
    table = there(panel.locator(".depnet-table").bounding_box())
    assert table["width"] > 0.8 * whole["width"]  # the panel is one column
    panel.get_by_label("probabilities of").select_option("second")
    shares = [float(cell.inner_text().split()[0]) for cell in panel.locator(".depnet-joint tbody td").all()]
    assert shares == pytest.approx(found.given_first.ravel().round(3).tolist(), abs=1e-3)
    page.reload()
    expect(page.get_by_label("Two columns together")).to_contain_text("either alone")
    page.go_back()
    expect(page.get_by_label("Two columns together")).to_be_hidden()


def test_what_is_seen_and_all_links_are_saved(page: Page, hostile: str, tmp_path: Path) -> None:
    opened(page, f"{hostile}rules/network?.mode=graph&.shown=2500")

    def saved(kind: str) -> bytes:
        page.get_by_text("Save as").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=re.compile(kind)).click()
        download.value.save_as(tmp_path / kind)
        return (tmp_path / kind).read_bytes()

    graph, _ = wide()
    assert saved("CSV").decode() == links_csv(links(graph))
    assert saved("GraphML").decode() == to_graphml(dependency_graph(graph))
    assert saved("PNG").startswith(b"\x89PNG")
    pictures = [saved("SVG")]
    page.get_by_role("button", name="matrix").click()
    expect(page.get_by_text("A row is predicted")).to_be_visible()
    expect(page.get_by_role("status").first).to_contain_text("among 200 of 200 columns")
    assert saved("PNG").startswith(b"\x89PNG")
    pictures.append(saved("SVG"))
    for svg in pictures:
        elements = [element.tag.split("}")[-1] for element in ET.fromstring(svg).iter()]
        assert elements.count("text") > 50
        assert not {"script", "img", "b"} & set(elements)


def test_no_variable_chosen_by_an_address_that_names_none(page: Page, titanic: str) -> None:
    opened(
        page,
        f"{titanic}rules/network?.variable=nobody&.shown=-3&.mode=<b>&.community=99&.first=age&.second=age",
    )
    expect(page.get_by_role("heading", name="Links", exact=True)).to_be_visible()
    assert drawn(page) == 6


MANY = Variable("many", tuple(f"s{k:02d}" for k in range(40)))


def test_a_joint_table_keeps_the_most_probable_states() -> None:
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(0, 40, 500), rng.integers(0, 2, 500)], axis=1).astype(np.uint8)
    domain = depnet.Domain((MANY, Variable("few", ("a", "b"))))
    data = depnet.Dataset.from_codes(codes, domain=domain)
    found: Pair = pair(depnet.learn(data, order="auto"), "many", "few", data=data)
    shown = joint_table(found)
    assert len(shown["rows"]) == MOST_STATES
    assert shown["left"] == 40 - MOST_STATES
    assert len(shown["tables"]["joint"]) == MOST_STATES
    assert all(abs(sum(row) - 1.0) < 1e-4 for row in shown["tables"]["second"])
    assert shown["counts"] is not None
    assert shown["exact"]
