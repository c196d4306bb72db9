"""Every class that a view uses has a rule, no rule is for nothing, and no two style sheets say what one class looks like."""

import re
from collections import defaultdict
from pathlib import Path

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
