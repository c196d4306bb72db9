"""The scikit-learn faces: a frame in, a fitted network, frames out. docs/estimators.md shows them.

scikit-learn is imported when one of them is first used: the command fits through `settings` without it.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from depnet.estimators.classifier import DependencyNetworkClassifier
    from depnet.estimators.imputer import DependencyNetworkImputer
    from depnet.estimators.network import DependencyNetwork

__all__ = ["DependencyNetwork", "DependencyNetworkClassifier", "DependencyNetworkImputer"]

_HOME = {
    "DependencyNetwork": "network",
    "DependencyNetworkClassifier": "classifier",
    "DependencyNetworkImputer": "imputer",
}

if not TYPE_CHECKING:  # a type checker would take any misspelt name for granted

    def __getattr__(name: str) -> object:
        """The estimator of that name, imported now and kept."""
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value
