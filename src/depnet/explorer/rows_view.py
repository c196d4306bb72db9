"""Rows: the most surprising ones and why, a row with holes filled, new rows drawn."""

import threading
from typing import Any

from nicegui import ui

from depnet.data import Label
from depnet.errors import DepnetError
from depnet.explorer.evidence_link import opened, pairs
from depnet.explorer.parts import card, note, warning
from depnet.explorer.rows import SCORES, Drawn, Filled, Scores, drawn, filled, odd_rows, scores_csv
from depnet.explorer.session import Session
from depnet.explorer.tables import show_table
from depnet.inference.odd_cells import OddCell

TITLE = "Rows"
PATH = "/rows"
NEEDS_MODEL = True

A_PAGE = 10
CELLS = 24
"""Cells of the row that can be edited at once; others are found by their names."""

MAX_DOWNLOAD = 5_000_000
"""Cells of the scored table that is offered as CSV."""

STYLE = '<link rel="stylesheet" href="/depnet/ask.css">'


def build(session: Session) -> None:
    """The view; the cells that the address gives are in the editor."""
    ui.add_head_html(STYLE)
    editor = _Editor(session)
    with ui.element("div").classes("depnet-stack" if session.loaded.data is None else "depnet-columns even"):
        if session.loaded.data is not None:
            _Surprising(session, editor)
        editor.build()


class _Surprising:
    """Rows of the table, the most surprising first, a page at a time."""

    def __init__(self, session: Session, editor: "_Editor") -> None:
        self.session, self.editor = session, editor
        self.loaded = session.loaded  # held, even if it leaves the shelf meanwhile
        self.scores: Scores | None = None
        self.first = 0
        self.stopped = threading.Event()
        self.share = 0.0
        with card("The most surprising rows"):
            note(
                "A row's score is its pseudo-log-likelihood, the sum over variables of log θ, in nats: the lower, the more "
                "surprising. Beside it the cells that make it so, with their probability given the rest of the row."
            )
            with ui.element("div").classes("depnet-bar") as self.working:
                self.bar = ui.linear_progress(0, show_value=False).classes("depnet-grow")
                self.bar.props('aria-label="Rows scored"')
                ui.button("Stop", on_click=self.stopped.set).props("outline dense no-caps")
            self.said = note("scoring ...").props('role="status"')
            self.table = ui.element("div").classes("depnet-scroll")
            with ui.element("div").classes("depnet-bar"):
                self.back = ui.button("More surprising", on_click=lambda: self._turn(-A_PAGE)).props(
                    "flat no-caps"
                )
                self.next = ui.button("Less surprising", on_click=lambda: self._turn(A_PAGE)).props(
                    "flat no-caps"
                )
                self.download = ui.button("Download all as CSV", on_click=self._download).props(
                    "flat no-caps"
                )
        for button in (self.back, self.next, self.download):
            button.set_enabled(False)
        session.spawn(self._score())

    async def _score(self) -> None:
        loaded, closed = self.loaded, self.session.closed
        assert loaded.data is not None
        timer = ui.timer(0.2, lambda: self.bar.set_value(self.share))
        try:
            self.scores = await self.session.work(
                SCORES.of,
                loaded.network,
                loaded.data,
                lambda: self.stopped.is_set() or closed.is_set(),
                self._progressed,
            )
        except DepnetError as error:
            self.said.text = str(error)
        timer.cancel()
        self.working.set_visibility(False)
        if self.scores is not None:
            await self._turn(0)

    def _progressed(self, share: float) -> None:
        self.share = share  # read by the page's own timer: this is another thread

    async def _turn(self, by: int) -> None:
        scores, loaded = self.scores, self.loaded
        if scores is None or loaded.data is None:
            return
        scored = len(scores.each)
        self.first = max(0, min(self.first + by, max(0, scores.kinds - 1) // A_PAGE * A_PAGE))
        rows = await self.session.work(odd_rows, loaded.network, loaded.data, scores, self.first, A_PAGE)
        last = min(self.first + A_PAGE, scores.kinds)
        only = "" if scored == scores.rows else f" (the first {scored:,} of {scores.rows:,} were scored)"
        mean = f"mean score {scores.each.mean():.3f} nats"
        self.said.text = f"{self.first + 1:,} to {last:,} of {scores.kinds:,} different rows among {scored:,}{only}; {mean}."
        self.back.set_enabled(self.first > 0)
        self.next.set_enabled(last < scores.kinds)
        self.download.set_enabled(scored * len(loaded.network.domain) <= MAX_DOWNLOAD)
        self.table.clear()
        with self.table, show_table(("row", "score", "surprising cells", ""), numbers=(0, 1)) as table:
            for row in rows:
                with table.row():
                    with table.cell():
                        ui.label(f"{row.number:,}")
                        if row.alike > 1:
                            note(f"and {row.alike - 1:,} like it")
                    table.cell(f"{row.score:.3f}")
                    with table.cell(), ui.element("div").classes("depnet-odds"):
                        for cell in row.cells:
                            _said_of(cell)
                    with table.cell():
                        take = ui.button("Edit", on_click=lambda number=row.number: self._edit(number))
                        take.props("flat dense no-caps").props["aria-label"] = f"Edit row {row.number}"

    def _edit(self, number: int) -> None:
        data = self.loaded.data
        assert data is not None
        states = {v.name: v.states[data.codes[number, i]] for i, v in enumerate(data.domain.variables)}
        self.editor.take(states, f"Row {number:,} of the table.")

    async def _download(self) -> None:
        loaded = self.loaded
        if self.scores is not None and loaded.data is not None:
            text = await self.session.work(scores_csv, loaded.network, loaded.data, self.scores)
            ui.download.content(text, "scores.csv", "text/csv")


def _said_of(cell: OddCell) -> None:
    names = " × ".join(cell.variables)
    states, expected = (" × ".join(map(str, labels)) for labels in (cell.states, cell.expected))
    with ui.element("div").classes("depnet-odd"):
        ui.label(f"{names} = {states}").classes("depnet-odd-cell")
        note(f"{cell.surprise:.2f} nats: probability {cell.probability:.3g}")
        if cell.expected != cell.states:
            note(f"expected {expected} ({cell.expected_probability:.2f})")


class _Editor:
    """One row, some of its cells given, the others holes: to be filled, or to draw rows by."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.network = session.loaded.network
        self.link = opened(self.network.domain, session.parameters)
        self.known: dict[str, Label] = {
            name: states[0] for name, states in self.link.chosen.items() if len(states) == 1
        }
        self.stopped = threading.Event()

    def build(self) -> None:
        """The panel."""
        with card("A row with holes"):
            for problem in self.link.problems:
                warning(f"In the address: {problem}")
            note(
                "Give the cells that are known and leave the others empty. Then fill the holes, or draw rows like it."
            )
            self.origin = note("").props('role="status"')
            with ui.element("div").classes("depnet-bar"):
                self.find = ui.input("Find a variable", on_change=self._cells).props(
                    "dense outlined clearable"
                )
                self.find.classes("depnet-grow")
                ui.button("Empty all", on_click=lambda: self.take({}, "")).props("flat no-caps")
            self.cells = ui.element("div").classes("depnet-cells")
            self.left = note("")
            with ui.element("div").classes("depnet-bar"):
                ui.button("Fill the holes", on_click=self._fill).props("unelevated no-caps")
                self.count = ui.number("Rows", value=100, min=1, precision=0).props("dense outlined")
                ui.button("Draw rows", on_click=self._draw).props("unelevated no-caps")
                self.stop = ui.button("Stop", on_click=lambda: self.stopped.set()).props(
                    "outline dense no-caps"
                )
                self.stop.set_enabled(False)
            self.said = note("").props('role="status"')
            self.result = ui.element("div").classes("depnet-stack")
        self._cells()

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
        known = pairs({name: (state,) for name, state in self.known.items()})
        self.session.show_url(
            PATH, known if len(known) <= 50 else []
        )  # an address is no place for a wide row

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
        rows = await self._worked(lambda: drawn(self.network, count, known, self._is_over), "drawn")
        if rows is None:
            return
        shown = rows.rows[:A_PAGE]
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

        ui.button(title, on_click=download).props("outline no-caps")

    def _is_over(self) -> bool:
        return self.stopped.is_set() or self.session.closed.is_set()

    async def _worked(self, work: Any, done: str) -> Any:
        """The result of `work`, or None and its error on the page."""
        self.stopped.clear()
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


def _probability(cell: Filled) -> str:
    return f"{cell.probability:.3f}" + (f" ± {cell.error:.1g}" if cell.error > 0 else "")
