"""Names that a package imports when they are first used, read from the list that type checkers read.

A package's `__init__.pyi` says where each of its names is: `from depnet.learning.learn import learn as learn`. Type
checkers and editors read it as it is; `exports` reads the same lines, one name each, so that a name is listed once.
"""

import importlib
import sys
from collections.abc import Callable


def exports(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, from its `__init__.pyi`.

    A line `from package import name as name` is a submodule: an attribute, but not among `__all__`.
    """
    module = sys.modules[package]
    with open(f"{module.__file__}i", encoding="utf-8") as stub:  # noqa: PTH123  # pathlib takes ten milliseconds to import
        lines = [line.split() for line in stub if line.startswith("from ")]
    home = {name: where for _, where, _, name, *_ in lines}

    def getattr_(name: str) -> object:
        if name not in home:  # with the module, Python suggests the nearest name
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=module)
        if home[name] == package:
            value: object = importlib.import_module(f"{package}.{name}")
        else:
            value = getattr(importlib.import_module(home[name]), name)
        setattr(module, name, value)
        return value

    def dir_() -> list[str]:
        return sorted({*home, *(name for name in vars(module) if name.startswith("__"))})

    return getattr_, dir_, sorted(name for name, where in home.items() if where != package)
