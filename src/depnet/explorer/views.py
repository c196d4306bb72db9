"""The views that there are, in the order of the navigation."""

import importlib
from collections.abc import Awaitable
from functools import cache
from typing import Protocol, cast

from depnet.explorer.session import Session

MODULES = ("network_view", "node_view", "ask_view", "rows_view", "geometry_view", "fit_view")


class View(Protocol):
    """What a module `..._view` has."""

    TITLE: str
    PATH: str
    NEEDS_MODEL: bool

    def build(self, session: Session) -> Awaitable[None] | None:
        """Show the view inside the frame's main part; may be a coroutine."""


@cache
def views() -> tuple[View, ...]:
    """All views."""
    return tuple(cast("View", importlib.import_module(f"{__package__}.{module}")) for module in MODULES)
