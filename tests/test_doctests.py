"""Every example in a docstring of depnet runs and prints what it says."""

import doctest
import importlib
import pkgutil

import pytest

import depnet

MODULES = sorted(
    m.name for m in pkgutil.walk_packages(depnet.__path__, "depnet.") if "._native." not in m.name
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    examples = [e for name in MODULES for t in finder.find(importlib.import_module(name)) for e in t.examples]
    assert len(examples) > 20
