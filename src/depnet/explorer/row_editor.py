"""A row that is edited: judged as it changes, its holes filled, asked with, and rows drawn that are like it."""

import asyncio
from dataclasses import replace
from typing import Any

import numpy as np
from nicegui import ui

from depnet.data import Label, Variable
from depnet.data.table.cells import cell_values, value_text
from depnet.errors import DataError, DepnetError
from depnet.explorer.known import Held, is_clamped, number_text
from depnet.explorer.parts import LongList, bar, button, card, note, show_table, stack, warning, without_law
from depnet.explorer.rows import Drawn, Filled, Judged, drawn, filled, judged
from depnet.explorer.session import MOST_ADDRESS, Session
from depnet.explorer.state import State
from depnet.model.conditions import MISSING
from depnet.pictures.labels import short
from depnet.wording import counted

CELLS = 24
"""Columns of drawn rows that are shown."""

SHOWN = 10
"""Drawn rows that are shown; all are in the file."""

PAUSE = 0.12
"""Seconds without another edit after which the row is judged."""


class Editor:
    """One row, some of its cells given, the others not known; where missing is a state of the model, None is given, too.

    It is the row of the table that the address names (`row`, from 1 on), which the reader may edit; without one it is what
    is known, as far as one state is left to a variable, and an edit makes a state known.
    """

    def __init__(self, session: Session) -> None:
        self.session, self.loaded = session, session.loaded
        self.network = session.loaded.asked
        self.number = self._wanted(session.state)
        self.cells_of = self._cells_of(session.state)
        self.stopping = session.stop()
        self.edits = 0
        self.listed = LongList(self._cells, CELLS)
        self.asked: str | None = None
        """The cell of a full row that is asked for."""

    def build(self) -> None:
        with card("A row"):
            without_law(self.loaded)
            self.origin = note("").props('role="status"')
            with bar():
                self.listed.search_box()
                button("Empty all", self._empty)
                self.leave = button("Leave this row", lambda: self.session.set_own(row=None))
            self.score = ui.label().classes("depnet-score").props('role="status"')
            self.cells = ui.element("div").classes("depnet-cells")
            self.listed.more_button()
            with bar():
                self.ask = button("Ask with this row", self._ask, "unelevated")
                button("Fill the holes", self._fill, "unelevated")
                self.count = ui.number("Rows", value=100, min=1, precision=0).props("dense outlined")
                button("Draw rows", self._draw, "unelevated")
                self.stop = button("Stop", lambda: self.stopping.press(), "outline dense")
                self.stop.set_enabled(False)
            self.said = note("").props('role="status"')
            self.result = stack()
        self._show()
        self.session.on_change(self._follow)

    def _ask(self) -> None:
        """The cells of the row become known, of a full row all but one, which is asked for."""
        held = {name: _held(value) for name, value in self.cells_of.items() if name != self.asked}
        target = self.asked or self.session.state.target
        state = replace(self.session.state, known=held, target=target, own={})
        if target is not None and len(self.session.url("/ask", state)) > MOST_ADDRESS:
            domain = self.loaded.domain  # what its node does not read says little more
            read = {domain.names[j] for j in self.loaded.network.nodes[domain.index(target)].inputs}
            state = replace(state, known={name: one for name, one in held.items() if name in read})
        ui.navigate.to(self.session.url("/ask", state))

    def _wanted(self, state: State) -> int | None:
        """The number of the row that the address names, from 1 on, where rows are shown."""
        number, data = state.number("row"), self.loaded.data
        hidden = self.session.hides or data is None or number is None or not 1 <= number <= data.rows
        return None if hidden else number

    def _cells_of(self, state: State) -> dict[str, Label | None]:
        """The cells of the row that is chosen; else those that are known: a row has one value in each.

        A hole is None where the model has a state for it, and else not there: nothing is known of it.
        """
        data = self.loaded.data
        found: dict[str, Label | None] = {}
        for i, variable in enumerate(self.network.domain.variables):
            value: Label | None = None
            if self.number is not None and data is not None:
                (value,) = cell_values(data, i, np.array([self.number - 1]))
                value = value if value is None or variable.bins is None else value_text(variable, value)
            elif variable.name not in state.known or not is_clamped(state.known[variable.name]):
                continue
            elif state.known[variable.name] != MISSING:
                value = state.known[variable.name][0]
            if value is not None or variable.missing is not None:
                found[variable.name] = value
        return found

    def _follow(self, state: State) -> None:
        wanted = self._wanted(state)
        if wanted == self.number and wanted is not None:
            return  # edits of a row are its own
        chosen = wanted is not None and wanted != self.number
        self.number = wanted
        cells = self._cells_of(state)
        if chosen or cells != self.cells_of:
            self.cells_of = cells
            self._show()
        if chosen:
            ui.run_javascript(
                f'getHtmlElement({self.cells.id})?.scrollIntoView({{block: "nearest", behavior: "smooth"}})'
            )

    def _empty(self) -> None:
        self.cells_of = {}
        self._changed()
        self._show()

    def _show(self) -> None:
        is_row = self.number is not None
        self.leave.set_visibility(is_row)
        self.origin.set_text(
            f"Row {self.number:,} of the table. Edits are tried here alone; the table stays as it is."
            if is_row
            else "What is known, as a row. Give cells and leave the others empty; then fill the holes, or draw rows like it."
        )
        self._cells()
        self.session.spawn(self._judge())

    def _cells(self) -> None:
        variables = self.network.domain.variables
        given_first = sorted(range(len(variables)), key=lambda i: variables[i].name not in self.cells_of)
        self.cells.clear()
        self.judged: dict[str, ui.label] = {}
        with self.cells:
            for i in self.listed.part(given_first, lambda i: variables[i].name):
                with ui.element("div").classes("depnet-cell"):
                    self._cell(i, variables[i])
                    self.judged[variables[i].name] = ui.label().classes("depnet-cell-said")
        if self.edits:
            self.session.spawn(self._judge())

    def _cell(self, i: int, variable: Variable) -> None:
        given = variable.name in self.cells_of
        value = self.cells_of.get(variable.name)
        hole = (given and value is None) or (not given and self.number is not None)
        if variable.bins is not None:
            text = "" if value is None else str(value)
            typed: ui.input | ui.select = ui.input(
                variable.name, value=text, on_change=lambda event: self._typed(i, event.value or "")
            )
            typed.props(f'dense outlined clearable debounce="{int(1000 * PAUSE)}"')
            typed.props["placeholder"] = _placeholder(variable, given)
        else:
            options = {c: str(state) for c, state in enumerate(variable.present_states)}
            if variable.missing is not None:
                options[len(options)] = "missing"
            code = None if not given else len(options) - 1 if value is None else variable.code(value)
            typed = ui.select(
                options,
                label=variable.name,
                value=code,
                with_input=True,
                clearable=True,
                on_change=lambda event: self._chosen(i, event.value),
            )
            typed.props("dense outlined")
        if hole:
            typed.classes("hole").props["hint"] = (
                "a hole of the table" if self.number is not None else "missing"
            )

    def _chosen(self, i: int, code: int | None) -> None:
        """A state was chosen, or the choice after them: missing; None: it is not known."""
        variable = self.network.domain.variables[i]
        states = variable.present_states
        self.cells_of.pop(variable.name, None)
        if code is not None and code <= len(states):
            self.cells_of[variable.name] = states[code] if code < len(states) else None
        self._given()

    def _typed(self, i: int, text: str) -> None:
        variable, text = self.network.domain.variables[i], text.strip()
        if text == "missing" and variable.missing is not None:
            self.cells_of[variable.name] = None
        elif text:
            try:
                self.cells_of[variable.name] = (
                    text if text in variable.states else number_text(variable, text)
                )
            except DataError as error:
                self.judged[variable.name].set_text(str(error))
                return
        else:
            self.cells_of.pop(variable.name, None)
        self._given()

    def _given(self) -> None:
        self._changed()
        self.session.spawn(self._judge())

    def _changed(self) -> None:
        """An edit of what is known is known everywhere; a row of the table is edited here alone."""
        if self.number is None:
            kept = {name: held for name, held in self.session.state.known.items() if not is_clamped(held)}
            self.session.change(known=kept | {name: _held(value) for name, value in self.cells_of.items()})

    async def _judge(self) -> None:
        self.edits += 1
        edit = self.edits
        await asyncio.sleep(PAUSE)
        if edit != self.edits:
            return
        try:
            found = await self.session.work(judged, self.loaded, dict(self.cells_of))
        except DepnetError as error:
            self.score.set_text(str(error))
            return
        if edit == self.edits:
            self._show_judged(found)

    def _show_judged(self, found: Judged) -> None:
        for name, label in self.judged.items():
            cell = found.cells.get(name)
            label.set_text("" if cell is None else cell.said)
            label.classes(replace=f"depnet-cell-said odd{0 if cell is None else cell.level}")
        self.score.set_text(self._score_said(found))
        target = self.session.state.target
        oddest = min(found.cells, key=lambda name: found.cells[name].tail, default=None)
        self.asked = None if not found.complete else target if target in self.cells_of else oddest
        self.ask.text = (
            f"Ask for {short(self.asked, 30)} with this row" if self.asked else "Ask with this row"
        )

    def _score_said(self, found: Judged) -> str:
        if not found.cells:
            return ""
        of = "" if found.complete else f" of what is given ({counted(len(self.cells_of), 'cell')})"
        said = f"Score{of}: {found.score:.2f}."
        scores = self.loaded.scores
        if scores and not self.session.hides:
            share = float((scores[0].each < found.score - 1e-9).mean())
            said += f" {share:.1%} of the table's rows are odder."
        return said

    async def _fill(self) -> None:
        known = dict(self.cells_of)
        found = await self._worked(lambda: filled(self.network, known), "filled")
        if found is None:
            return
        with self.result:
            note(
                f"Each hole's most probable state given the rest, with its probability ({len(found):,} holes); of a number "
                "its mean or median, and how probable its range is."
            )
            with (
                ui.element("div").classes("depnet-scroll"),
                show_table(("variable", "filled with", "probability"), numbers=(2,)) as table,
            ):
                for cell in found[:200]:
                    with table.row():
                        table.cell(cell.name)
                        table.cell("left empty" if cell.value is None else str(cell.value))
                        table.cell(_sure(cell))

    async def _draw(self) -> None:
        known, count = dict(self.cells_of), int(self.count.value or 0)
        rows: Drawn | None = await self._worked(
            lambda: drawn(self.network, count, known, self.stopping), "drawn"
        )
        if rows is None:
            return
        with self.result:
            more = f"; the first {SHOWN} are shown" if len(rows.rows) > SHOWN else ""
            columns = f", {CELLS} of {len(rows.names):,} columns" if len(rows.names) > CELLS else ""
            note(f"{len(rows.rows):,} rows drawn from the model{more}{columns}.")
            with ui.element("div").classes("depnet-scroll"), show_table(rows.names[:CELLS]) as table:
                for row in rows.rows[:SHOWN]:
                    with table.row():
                        for value in row[:CELLS]:
                            table.cell("" if value is None else str(value))
            if rows.warning:
                warning(rows.warning)
            button("All rows as CSV", lambda: self._download(rows), "outline")
            note("Text that a spreadsheet would take for a formula has an apostrophe before it.")

    async def _download(self, rows: Drawn) -> None:
        ui.download.content(await self.session.work(rows.csv), "rows.csv", "text/csv")

    async def _worked(self, work: Any, done: str) -> Any:
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


def _held(value: Label | None) -> Held:
    return MISSING if value is None else (value,)


def _placeholder(variable: Variable, given: bool) -> str:
    """What stands in an empty cell: that it is missing, which is a fact, or the values that it may have."""
    bins = variable.bins
    if given or bins is None:
        return "missing" if given else ""
    return f"{bins.text(bins.quantiles[0][0])} to {bins.text(bins.quantiles[-1][-1])}"


def _sure(cell: Filled) -> str:
    """How probable a filled value is, and how often the cell is known at all."""
    if cell.value is None:
        return f"almost never known here: {cell.known:.3f}"
    error = f" ± {cell.error:.1g}" if cell.error > 0 else ""
    where = f" for {cell.state}" if cell.state else ""
    seldom = f"; known with probability {cell.known:.2f}" if cell.known < 0.99 else ""
    return f"{cell.probability:.3f}{error}{where}{seldom}"
