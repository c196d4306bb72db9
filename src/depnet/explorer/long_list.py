"""A long list on a page, a part at a time: what the reader looks for of it, and its next part with each "Show more"."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from nicegui import ui

from depnet.explorer.parts import button

T = TypeVar("T")

PART = 24
"""Entries at first, and with each "more"."""


class LongList:
    """`show()` shows the list anew; it asks `part` which of its entries these are."""

    def __init__(self, show: Callable[[], object]) -> None:
        self._show = show
        self.shown = PART

    def search_box(self) -> None:
        """Where the reader looks for a variable, above the list."""
        self.search = ui.input("Find a variable", on_change=self._first).props("dense clearable outlined")

    def more_button(self) -> None:
        self.more = button("Show more", self._more)

    def part(self, entries: Sequence[T], name: Callable[[T], str]) -> Sequence[T]:
        """The first of those entries whose names hold what is looked for; the button says how many are left."""
        wanted = (self.search.value or "").casefold()
        found = [entry for entry in entries if wanted in name(entry).casefold()]
        self.more.set_visibility(len(found) > self.shown)
        self.more.text = f"Show more ({len(found) - self.shown:,} left)"
        return found[: self.shown]

    def _first(self) -> None:
        self.shown = PART
        self._show()

    def _more(self) -> None:
        self.shown += PART
        self._show()
