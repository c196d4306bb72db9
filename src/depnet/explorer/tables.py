"""Tables of the page: plain HTML tables, whose cells are text."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from nicegui import ui
from nicegui.element import Element


class Table:
    """A table that is being filled, cell by cell."""

    def __init__(self, numbers: Collection[int]) -> None:
        self._numbers, self._place = numbers, 0

    @contextmanager
    def row(self) -> Iterator[None]:
        """The next row."""
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
