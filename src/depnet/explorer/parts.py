"""Small parts that all views share: cards, bars, notes, tables whose cells are text, charts that follow light and dark."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from nicegui import ui
from nicegui.element import Element

from depnet.explorer.loaded import Loaded
from depnet.explorer.session import Session
from depnet.model.model import NO_LAW


@dataclass(frozen=True, slots=True)
class Palette:
    """Greys of a light or a dark page; what carries meaning has Okabe and Ito's colours (`pictures.colours`)."""

    text: str
    muted: str
    line: str
    surface: str


LIGHT = Palette(text="#1d232b", muted="#5a6470", line="#d8dde3", surface="#ffffff")
DARK = Palette(text="#e8ebef", muted="#a6afb9", line="#3a424c", surface="#1b2027")


def palette(dark: bool) -> Palette:
    return DARK if dark else LIGHT


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


def heading(text: str) -> ui.label:
    return ui.label(text).classes("depnet-heading").props('role="heading" aria-level="2"')


def note(text: str) -> ui.label:
    """A quiet remark."""
    return ui.label(text).classes("depnet-note")


def warning(text: str) -> ui.label:
    """A remark that should be seen."""
    return ui.label(text).classes("depnet-warning").props('role="status"')


def without_law(loaded: Loaded) -> None:
    """Where a model has no law, a line that says so."""
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


class Table:
    """A table that is being filled, cell by cell."""

    def __init__(self, numbers: Collection[int]) -> None:
        self._numbers, self._place = numbers, 0

    @contextmanager
    def row(self) -> Iterator[None]:
        self._place = 0
        with ui.element("tr"):
            yield

    def cell(self, text: str | None = None) -> Element:
        """The next cell: with this text, or to be filled."""
        made = ui.element("td")
        if self._place in self._numbers:
            made.classes("number")
        self._place += 1
        if text is not None:
            with made:
                ui.label(text)
        return made


@contextmanager
def show_table(header: Sequence[str], *, numbers: Collection[int] = ()) -> Iterator[Table]:
    """A table with these headings; `numbers` are the places of columns that are set flush right."""
    with ui.element("table").classes("depnet-table"):
        with ui.element("thead"), ui.element("tr"):
            for place, name in enumerate(header):
                head = ui.element("th").props('scope="col"').classes("number" if place in numbers else "")
                with head:
                    ui.label(name)
        with ui.element("tbody"):
            yield Table(numbers)


def chart(
    session: Session, options: Callable[[Palette], dict[str, Any]], *, label: str, height: str = "20rem"
) -> ui.echart:
    """An ECharts chart of `options(palette)`, made again when the page turns light or dark.

    Tooltips are rich text, which shows markup as it is written. `label` is what a screen reader says. To show new
    options: `show(chart, options(palette(session.dark)))`.
    """
    drawn = ui.echart(_safe(options(palette(session.dark)))).classes("depnet-chart")
    drawn.style(f"height: {height}").props("role=img")
    drawn.props["aria-label"] = label

    def turn(dark: bool) -> None:
        if not drawn.is_deleted:
            show(drawn, options(palette(dark)))

    session.on_theme(turn)
    return drawn


def show(drawn: ui.echart, options: dict[str, Any]) -> None:
    drawn.options.clear()
    drawn.options.update(_safe(options))
    drawn.update()


def _safe(options: dict[str, Any]) -> dict[str, Any]:
    tooltip = options.get("tooltip")
    if isinstance(tooltip, dict):
        options = {**options, "tooltip": {**tooltip, "renderMode": "richText"}}
    return {"backgroundColor": "transparent", "animation": False, **options}
