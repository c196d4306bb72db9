"""Every class that a view uses has a rule, no rule is for nothing, and no two style sheets say what one class looks like."""

import re
from collections import defaultdict
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import depnet.explorer

ROOT = Path(depnet.explorer.__file__).parent
NAME = r"depnet-[a-z0-9-]+"
NO_CLASSES = {"depnet-went", "depnet-explorer"}
"""An event of the browser, and threads."""


def used() -> set[str]:
    """Classes in views and scripts; one that ends in a dash is the beginning of several."""
    files = [*ROOT.rglob("*.py"), *ROOT.rglob("*.js")]
    return {name for file in files for name in re.findall(NAME, file.read_text())} - NO_CLASSES


def sheets() -> dict[str, list[str]]:
    """The selectors of each style sheet."""
    found = {}
    for file in ROOT.rglob("*.css"):
        text = re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.DOTALL)
        found[file.name] = [
            each.strip() for rule in re.findall(r"([^{}]+)\{", text) for each in rule.split(",")
        ]
    return found


def test_every_class_has_a_rule_and_every_rule_a_class() -> None:
    rules = {name for each in sheets().values() for selector in each for name in re.findall(NAME, selector)}
    names = used()
    assert {name for name in names if name not in rules and not name.endswith("-")} == set()
    begins = tuple(name for name in names if name.endswith("-"))
    assert all(any(rule.startswith(begin) for rule in rules) for begin in begins)
    assert {rule for rule in rules if rule not in names and not rule.startswith(begins)} == set()


def test_a_class_looks_as_one_sheet_says() -> None:
    of_class = defaultdict(set)
    for file, selectors in sheets().items():
        for selector in selectors:
            if re.fullmatch(rf"\.{NAME}(:[a-z-]+|\[.*\])*", selector):
                of_class[re.findall(NAME, selector)[0]].add(file)
    assert len(of_class) > 50
    assert {name: files for name, files in of_class.items() if len(files) > 1} == {}


OUTSIDE = """() => [...document.querySelectorAll(".depnet-card :is(table, svg, canvas)")].filter(part => {
    const scrolls = part.closest(".depnet-scroll, .depnet-rows, .depnet-graph-scroll");
    const [inner, outer] = [scrolls ?? part, part.closest(".depnet-card")].map(one => one.getBoundingClientRect());
    return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.width < 1;
}).map(part => part.outerHTML.slice(0, 200))"""
"""What is not inside of its card, but for what scrolls there."""

EMPTY = """() => [...document.querySelectorAll("[data-posterior]")].filter(bar => {
    const fill = bar.querySelector(".depnet-fill")?.getBoundingClientRect();
    return +bar.dataset.posterior > 0.02 && !(fill && fill.width >= 1 && fill.height >= 1);
}).map(bar => bar.outerHTML.slice(0, 200))"""
"""Bars that stand for more than 2 % and cannot be seen."""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(
    "path",
    [
        "",
        "?sex=female",
        "rules/network?.first=class&.second=survived",
        "target?.target=survived",
        "pair?.first=class&.second=survived",
        "rules?.variable=survived",
        "rows",
    ],
)
def test_what_is_drawn_is_seen_inside_its_card(page: Page, titanic: str, path: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(titanic + path)
    expect(page.locator(".depnet-card").first).to_be_visible()
    if path.startswith("rules/network"):
        expect(page.locator(".depnet-joint td").first).to_be_visible()
        board = page.get_by_role("listbox")
        board.focus()
        board.press("Home")
        board.press("Enter")  # the card of a variable
    if path in ("", "?sex=female") or path.startswith("rules/network"):
        expect(page.locator("[data-posterior]").first).to_be_visible()
    if path == "rows":
        expect(page.locator(".depnet-rows .ag-row").first).to_be_visible()
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(EMPTY) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
