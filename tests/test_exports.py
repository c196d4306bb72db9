"""`import depnet` is quick, and its names are all there: for users, for `dir`, for type checkers."""

import importlib
import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import depnet

HEAVY = [
    "scipy", "joblib", "sklearn", "pandas", "matplotlib", "narwhals", "polars", "pyarrow", "duckdb", "nicegui", "fastapi",
]  # fmt: skip
NOT_LOADED = {
    "import depnet": [*HEAVY, "numpy", "click"],
    "import depnet; depnet.titanic(); depnet.Network; depnet.load": [*HEAVY, "click"],
    "import depnet; depnet.geometry; depnet.query": ["scipy"],
    "import depnet; depnet.learn(depnet.Dataset.from_codes([[0, 1]], [2, 2]))": ["joblib"],
    "import depnet, depnet.cli": ["nicegui", "fastapi"],
    "from depnet.pictures import node_text": ["scipy", "matplotlib"],
    "from depnet.cli.main import run; assert 0 == run(['--help'])": [*HEAVY, "numpy"],
    "from depnet.cli.main import run; assert 0 == run(['paper', '--help'])": [
        "matplotlib",
        "depnet.paper.learned",
    ],
}


@pytest.mark.parametrize("statement", NOT_LOADED)
def test_what_is_not_needed_is_not_loaded(statement: str) -> None:
    program = (
        f"import sys; {statement}; print('loaded:', [m for m in {NOT_LOADED[statement]} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "loaded: []" in done.stdout


@pytest.mark.parametrize("name", depnet.__all__)
def test_every_name_is_there(name: str) -> None:
    assert name in dir(depnet)
    value = getattr(depnet, name)
    assert isinstance(value, ModuleType) or value.__name__ == name
    assert value.__doc__, f"{name} has no docstring"


def test_every_submodule_is_an_attribute() -> None:
    packages = {
        m.name for m in pkgutil.iter_modules(depnet.__path__) if m.ispkg and not m.name.startswith("_")
    }
    for name in packages - {"cli"} | {
        "errors"
    }:  # no user asks for the command, or for single modules but this one
        assert name in dir(depnet), f"add {name} to __init__.pyi"
        assert getattr(depnet, name) is importlib.import_module(f"depnet.{name}")


def test_star_imports_all_names() -> None:
    names: dict[str, object] = {}
    exec("from depnet import *", names)
    assert set(depnet.__all__) <= set(names)


def test_a_misspelt_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match=r"module 'depnet' has no attribute 'statoinary'"):
        depnet.statoinary  # type: ignore[attr-defined]  # noqa: B018  # which mypy sees, too
