"""The parts that views are made of: cards, bars, notes, tables whose cells are text, scripted elements, lists, chips."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from depnet.explorer.loaded import Loaded
from depnet.model.model import NO_LAW

T = TypeVar("T")


@contextmanager
def card(title: str = "", classes: str = "") -> Iterator[ui.element]:
    with ui.element("section").classes(f"depnet-card {classes}") as section:
        if title:
            heading(title)
        yield section


def bar(classes: str = "") -> ui.element:
    """Things beside each other, on several lines where the page is narrow."""
    return ui.element("div").classes(f"depnet-bar {classes}")


def stack(classes: str = "") -> ui.element:
    return ui.element("div").classes(f"depnet-stack {classes}")


def button(text: str, on_click: Callable[..., Any] | None = None, look: str = "flat") -> ui.button:
    """A button with its text as it is written."""
    return ui.button(text, on_click=on_click).props(f"{look} no-caps")


def select(options: Any, label: str, on_change: Callable[..., Any] | None = None, **more: Any) -> ui.select:
    """A choice in the look of all views; `label` is also what a screen reader says."""
    made = ui.select(options, label=label, on_change=on_change, **more).classes("depnet-grow")
    made.props("dense outlined options-dense").props["aria-label"] = label
    return made


def heading(text: str) -> ui.label:
    return ui.label(text).classes("depnet-heading").props('role="heading" aria-level="2"')


def note(text: str) -> ui.label:
    return ui.label(text).classes("depnet-note")


def warning(text: str) -> ui.label:
    return ui.label(text).classes("depnet-warning").props('role="status"')


def without_law(loaded: Loaded) -> None:
    if loaded.law is None:
        warning(NO_LAW[0].upper() + NO_LAW[1:])


def progress(label: str) -> ui.linear_progress:
    """How far some work is, from 0 to 1; `label` is what a screen reader says."""
    shown = ui.linear_progress(0, show_value=False).classes("depnet-grow")
    return shown.props(f'aria-label="{label}"')


def fact(name: str, value: str) -> ui.label:
    """A number with its name above it; the label of the number, to be set anew."""
    with ui.element("div").classes("depnet-fact"):
        ui.label(name).classes("depnet-note")
        return ui.label(value).classes("depnet-number")


def copyable(title: str) -> ui.label:
    """A text with a button that copies it, under this title; the label, to be set anew."""
    with bar():
        note(title)
        copy = button("Copy", lambda: ui.clipboard.write(shown.text), "flat dense")
        copy.props(f'aria-label="Copy: {title}"')
    shown = ui.label("").classes("depnet-code")
    shown.props["data-copy"] = title
    return shown


def key(what: str, text: str) -> ui.label:
    """A mark of a picture, by the class `depnet-key-` of what it is, and what it means."""
    with ui.element("span").classes("depnet-mark"):
        ui.element("span").classes(f"depnet-key-{what}")
        return note(text)


class PageTable:
    """A table that is being filled, cell by cell."""

    def __init__(self, numbers: Collection[int]) -> None:
        self._numbers, self._place = numbers, 0

    @contextmanager
    def row(self, classes: str = "") -> Iterator[None]:
        self._place = 0
        with ui.element("tr").classes(classes):
            yield

    def cell(self, text: str | None = None) -> Element:
        made = ui.element("td")
        if self._place in self._numbers:
            made.classes("number")
        self._place += 1
        if text is not None:
            with made:
                ui.label(text)
        return made

    def bar(self, share: float) -> None:
        """A cell with a bar of this share of its width."""
        with self.cell(), ui.element("span").classes("depnet-bits"):
            ui.element("span").style(f"width: {100 * share:.1f}%")


@dataclass(frozen=True, slots=True)
class Sorting:
    """How a table is sorted: by the column at `place`, from the largest `down`; a click on one of `columns` calls `sort`."""

    place: int
    down: bool
    sort: Callable[[int], object]
    columns: Collection[int]


@contextmanager
def show_table(
    header: Sequence[str], *, numbers: Collection[int] = (), sorting: Sorting | None = None
) -> Iterator[PageTable]:
    """A table with these headings; `numbers` are the places of columns that are set flush right."""
    with ui.element("table").classes("depnet-table"):
        with ui.element("thead"), ui.element("tr"):
            for place, name in enumerate(header):
                head = ui.element("th").props('scope="col"').classes("number" if place in numbers else "")
                with head:
                    if sorting is None or place not in sorting.columns:
                        ui.label(name)
                        continue
                    by_it = place == sorting.place
                    if by_it:
                        head.props["aria-sort"] = "descending" if sorting.down else "ascending"
                    turn = ui.element("button").classes("depnet-plain").props('type="button"')
                    turn.on("click", partial(sorting.sort, place))
                    with turn:
                        ui.label(f"{name} {'▾' if sorting.down else '▴'}" if by_it else name)
        with ui.element("tbody"):
            yield PageTable(numbers)


class Component(Element):
    """One of these elements, with its first properties."""

    def __init__(self, **properties: Any) -> None:
        super().__init__()
        self._props.update(properties)

    def put(self, **properties: Any) -> None:
        self._props.update(properties)
        self.update()

    def tell(self, event: str, *kinds: type | tuple[type, ...], to: Callable[..., object]) -> None:
        """Call `to` with what an event says, if that is of these kinds: anything may come from a browser."""

        def heard(told: GenericEventArguments) -> None:
            said = told.args if isinstance(told.args, list) else [told.args]
            if len(said) == len(kinds) and all(map(isinstance, said, kinds)):
                to(*said)

        self.on(event, heard)


PART = 24
"""Entries at first, and with each "more"."""


class LongList:
    """A long list on a page, `step` entries at first and with each "Show more"; it asks `part` which entries these are.

    `show()` shows the list anew.
    """

    def __init__(self, show: Callable[[], object], step: int = PART) -> None:
        self._show, self._step, self.shown = show, step, step
        self.search: ui.input | None = None

    def search_box(self) -> None:
        self.search = ui.input("Find a column", on_change=self._first).props("dense clearable outlined")

    def more_button(self) -> None:
        self.more = button("Show more", self._more)
        self.more.set_visibility(False)

    def part(self, entries: Sequence[T], name: Callable[[T], str] = str) -> Sequence[T]:
        """The first of those entries whose names hold what is looked for; the button says how many are left."""
        wanted = ((self.search and self.search.value) or "").casefold()
        found = [entry for entry in entries if wanted in name(entry).casefold()] if wanted else entries
        self.more.set_visibility(len(found) > self.shown)
        self.more.text = f"Show more ({len(found) - self.shown:,} left)"
        return found[: self.shown]

    def _first(self) -> None:
        self.shown = self._step
        self._show()

    def _more(self) -> None:
        self.shown += self._step
        self._show()


def chip(text: str, role: str, take_back: Callable[[], object]) -> None:
    with ui.element("span").classes("depnet-chip").props(f'role="{role}"'):
        ui.label(text)
        take = ui.button(icon="close", on_click=take_back).props("flat round dense size=xs")
        take.props["aria-label"] = f"Take back {text}"
