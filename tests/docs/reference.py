"""What the reference in docs/api has: its entries, and which methods of theirs it shows."""

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

API = Path(__file__).parents[2] / "docs" / "api"
SECTIONS = ("Args:", "Attributes:")


class Entry(NamedTuple):
    """A public name, and the methods and properties that are shown with it."""

    name: str
    members: tuple[str, ...]

    @property
    def value(self) -> Any:
        module, _, name = self.name.rpartition(".")
        return getattr(importlib.import_module(module), name)


def entries(page: str) -> list[Entry]:
    """The directives of a page."""
    found = re.findall(r"^\.\. auto(?:class|function):: ([\w.]+)\n(?: +:members: ?(.*)\n)?", page, flags=re.M)
    return [Entry(name, tuple(re.findall(r"\w+", members))) for name, members in found]


def all_entries() -> list[Entry]:
    return [entry for page in sorted(API.glob("*.md")) for entry in entries(page.read_text(encoding="utf-8"))]


def callables(entry: Entry) -> Iterator[tuple[str, Any]]:
    """What can be called of an entry: a function, or a class and those of its methods that are shown."""
    yield entry.name, entry.value
    for member in entry.members:
        method = getattr(entry.value, member)
        if callable(method):
            yield f"{entry.name}.{member}", method


def documented(docstring: str) -> set[str]:
    """The names that sections for parameters and attributes explain; `a, b: ...` explains two."""
    names: set[str] = set()
    inside = False
    for line in inspect.cleandoc(docstring).splitlines():
        if line and not line.startswith(" "):
            inside = line in SECTIONS
        found = re.fullmatch(r" {4}(\w+(?:, \w+)*): \S.*", line)
        if inside and found:
            names.update(found[1].split(", "))
    return names


def parameters(function: Any) -> set[str]:
    """Those of a function, a method or a class; none of a protocol, which nobody makes."""
    if getattr(function, "_is_protocol", False):
        return set()
    return {name for name in inspect.signature(function).parameters if name != "self"}


def lacking(name: str, function: Any) -> list[str]:
    """What a docstring does not say: a parameter, or what comes back."""
    text = inspect.getdoc(function) or ""
    wrong = [f"{name}: `{each}` is not explained" for each in sorted(parameters(function) - documented(text))]
    if not inspect.isclass(function):
        gives = inspect.signature(function).return_annotation not in (None, "None")
        if gives and not re.search(r"^(Returns|Yields):$", text, flags=re.M):
            wrong.append(f"{name}: what it returns is not said")
    return wrong
