"""The examples in the docstrings of the geometry layer run."""

import doctest
import importlib
import pkgutil

import pytest

from depnet import geometry

MODULES = [module.name for module in pkgutil.iter_modules(geometry.__path__, "depnet.geometry.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
