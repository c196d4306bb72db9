"""The reference has every public name, once, and its docstrings say every parameter, what comes back, and an example."""

import doctest
import inspect
from collections import Counter
from typing import Any

import pytest

import depnet
from tests.docs.reference import all_entries, callables, documented, entries, lacking

PUBLIC = [entry for entry in all_entries() if entry.name.count(".") == 1]


def check_names(names: list[str]) -> None:
    assert Counter(names) == Counter(f"depnet.{name}" for name in depnet.__all__)


def test_every_public_name_has_one_entry() -> None:
    check_names([entry.name for entry in PUBLIC])


def test_mutant_a_name_without_an_entry() -> None:
    with pytest.raises(AssertionError):
        check_names([entry.name for entry in PUBLIC[1:]])


@pytest.mark.parametrize("name", depnet.__all__)
def test_every_public_name_has_an_example(name: str) -> None:
    """tests/test_doctests.py runs it."""
    assert doctest.DocTestParser().get_examples(getattr(depnet, name).__doc__), f"{name} has no example"


@pytest.mark.parametrize(
    ("name", "function"),
    [pair for entry in all_entries() for pair in callables(entry)],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_parameter_is_explained(name: str, function: Any) -> None:
    assert lacking(name, function) == []


def test_methods_are_among_them() -> None:
    shown = [name for entry in PUBLIC for name, _ in callables(entry)]
    assert "depnet.DependencyNetwork.query" in shown
    assert len(shown) > len(PUBLIC) + 40


def test_mutants_what_is_not_said_is_found() -> None:
    def good(a: int, b: int = 0) -> int:
        """Add.

        Args:
            a, b: what
                is added.

        Returns:
            The sum.
        """
        return a + b

    assert lacking("good", good) == []
    text = inspect.getdoc(good)
    assert text is not None
    good.__doc__ = text.replace("a, b:", "a:")
    assert lacking("good", good) == ["good: `b` is not explained"]
    good.__doc__ = text.replace("Returns:", "And")
    assert lacking("good", good) == ["good: what it returns is not said"]
    assert documented("It.\n\nReturns:\n    a: no parameter.") == set()


def test_entries_of_a_page() -> None:
    page = "# x\n\n.. autoclass:: depnet.Node\n   :members: a, b\n\n.. autofunction:: depnet.learn\n"
    assert entries(page) == [("depnet.Node", ("a", "b")), ("depnet.learn", ())]
