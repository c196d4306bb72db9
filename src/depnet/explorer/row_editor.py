"""A row with holes: some of its cells given, the others to be filled, or to draw rows by."""

from typing import Any

from nicegui import ui

from depnet.data import Label
from depnet.errors import DepnetError
from depnet.explorer.known import is_clamped
from depnet.explorer.parts import bar, button, card, note, show_table, stack, warning, without_law
from depnet.explorer.rows import Drawn, Filled, drawn, filled
from depnet.explorer.session import Session
from depnet.explorer.state import State

CELLS = 24
"""Cells of the row that can be edited at once; others are found by their names."""

SHOWN = 10
"""Drawn rows that are shown; all are in the file."""


class Editor:
    """One row, some of its cells given, the others holes: to be filled, or to draw rows by."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.network = session.loaded.asked
        self.known = _cells_of(session.state)
        self.stopping = session.stop()

    def build(self) -> None:
        """The panel."""
        with card("A row with holes"):
            without_law(self.session.loaded)
            note(
                "Give the cells that are known and leave the others empty. Then fill the holes, or draw rows like it."
            )
            self.origin = note("").props('role="status"')
            with bar():
                self.find = ui.input("Find a variable", on_change=self._cells).props(
                    "dense outlined clearable"
                )
                self.find.classes("depnet-grow")
                button("Empty all", lambda: self.take({}, ""))
            self.cells = ui.element("div").classes("depnet-cells")
            self.left = note("")
            with bar():
                button("Fill the holes", self._fill, "unelevated")
                self.count = ui.number("Rows", value=100, min=1, precision=0).props("dense outlined")
                button("Draw rows", self._draw, "unelevated")
                self.stop = button("Stop", lambda: self.stopping.press(), "outline dense")
                self.stop.set_enabled(False)
            self.said = note("").props('role="status"')
            self.result = stack()
        self._cells()
        self.session.on_change(self._follow)

    def take(self, known: dict[str, Label], origin: str) -> None:
        """Put these cells into the editor."""
        self.known = dict(known)
        self.origin.text = origin
        self._changed()
        self._cells()

    def _cells(self) -> None:
        wanted = (self.find.value or "").casefold()
        variables = self.network.domain.variables
        found = [i for i, v in enumerate(variables) if wanted in v.name.casefold()]
        found.sort(key=lambda i: variables[i].name not in self.known)
        self.cells.clear()
        with self.cells:
            for i in found[:CELLS]:
                variable = variables[i]
                code = variable.code(self.known[variable.name]) if variable.name in self.known else None
                select = ui.select(
                    {c: str(state) for c, state in enumerate(variable.states)},
                    label=variable.name,
                    value=code,
                    with_input=True,
                    clearable=True,
                    on_change=lambda event, i=i: self._given(i, event.value),
                )
                select.props("dense outlined")
        left = len(found) - CELLS
        self.left.text = f"{left:,} more variables: find them by their names." if left > 0 else ""

    def _given(self, i: int, code: int | None) -> None:
        variable = self.network.domain.variables[i]
        self.known.pop(variable.name, None)
        if code is not None:
            self.known[variable.name] = variable.states[code]
        self._changed()

    def _changed(self) -> None:
        kept = {name: held for name, held in self.session.state.known.items() if not is_clamped(held)}
        self.session.change(known=kept | {name: (state,) for name, state in self.known.items()})

    def _follow(self, state: State) -> None:
        known = _cells_of(state)
        if known != self.known:
            self.known = known
            self._cells()

    async def _fill(self) -> None:
        known = dict(self.known)
        found = await self._worked(lambda: filled(self.network, known), "filled")
        if found is None:
            return
        holes = [cell for cell in found if not cell.given]
        with self.result:
            note(
                f"Each hole's most probable state given the rest, with its probability ({len(holes):,} holes)."
            )
            with (
                ui.element("div").classes("depnet-scroll"),
                show_table(("variable", "filled with", "probability"), numbers=(2,)) as table,
            ):
                for cell in holes[:200]:
                    with table.row():
                        table.cell(cell.name)
                        table.cell(str(cell.state))
                        table.cell(_probability(cell))
            self._offer(
                "The whole row as CSV",
                "row.csv",
                Drawn(tuple(cell.name for cell in found), (tuple(cell.state for cell in found),)),
            )

    async def _draw(self) -> None:
        known, count = dict(self.known), int(self.count.value or 0)
        rows = await self._worked(lambda: drawn(self.network, count, known, self.stopping), "drawn")
        if rows is None:
            return
        shown = rows.rows[:SHOWN]
        wide = len(rows.names) > CELLS
        with self.result:
            more = f"; the first {len(shown)} are shown" if len(rows.rows) > len(shown) else ""
            columns = f", {CELLS} of {len(rows.names):,} columns" if wide else ""
            note(f"{len(rows.rows):,} rows drawn from the model{more}{columns}.")
            with ui.element("div").classes("depnet-scroll"), show_table(rows.names[:CELLS]) as table:
                for row in shown:
                    with table.row():
                        for value in row[:CELLS]:
                            table.cell("" if value is None else str(value))
            if rows.warning:
                warning(rows.warning)
            self._offer("All rows as CSV", "rows.csv", rows)
            note("Text that a spreadsheet would take for a formula has an apostrophe before it.")

    def _offer(self, title: str, name: str, rows: Drawn) -> None:
        async def download() -> None:
            ui.download.content(await self.session.work(rows.csv), name, "text/csv")

        button(title, download, "outline")

    async def _worked(self, work: Any, done: str) -> Any:
        """The result of `work`, or None and its error on the page."""
        self.stopping = self.session.stop()
        self.result.clear()
        self.said.text = "working ..."
        self.stop.set_enabled(True)
        try:
            found = await self.session.work(work)
        except DepnetError as error:
            self.said.text = ""
            with self.result:
                warning(str(error))
            return None
        finally:
            self.stop.set_enabled(False)
        self.said.text = done
        return found


def _cells_of(state: State) -> dict[str, Label]:
    """The cells that are known: a row has one state in each."""
    return {
        name: held[0] for name, held in state.known.items() if not isinstance(held, str) and len(held) == 1
    }


def _probability(cell: Filled) -> str:
    return f"{cell.probability:.3f}" + (f" ± {cell.error:.1g}" if cell.error > 0 else "")
