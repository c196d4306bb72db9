"""Rows: the most surprising ones and why, a row with holes filled, new rows drawn."""

from nicegui import ui

from depnet.errors import DepnetError
from depnet.explorer.parts import bar, button, card, note, progress, show_table
from depnet.explorer.row_editor import Editor
from depnet.explorer.rows import scores_csv, scores_of
from depnet.explorer.session import Session
from depnet.inference.judge.odd_cells import OddCell
from depnet.inference.judge.odd_rows import RowScores, odd_rows

TITLE = "Rows"
PATH = "/rows"
NEEDS_MODEL = True

A_PAGE = 10
MAX_DOWNLOAD = 5_000_000
"""Cells of the scored table that is offered as CSV."""


def build(session: Session) -> None:
    """The view; the cells that the address gives are in the editor."""
    editor = Editor(session)
    rows = session.loaded.data is not None and not session.hides
    if session.loaded.data is not None and session.hides:
        note(
            "Rows of the table are not shown on a page that others can reach; depnet explore --show-small-counts shows them."
        )
    with ui.element("div").classes("depnet-columns even" if rows else "depnet-stack"):
        if rows:
            _Surprising(session, editor)
        editor.build()


class _Surprising:
    """Rows of the table, the most surprising first, a page at a time."""

    def __init__(self, session: Session, editor: Editor) -> None:
        self.session, self.editor = session, editor
        self.loaded = session.loaded  # held, even if it leaves the shelf meanwhile
        self.scores: RowScores | None = None
        self.first = 0
        self.stop = session.stop()
        self.share = 0.0
        with card("The most surprising rows"):
            likelihood = "log-likelihood under the law" if self.loaded.law else "pseudo-log-likelihood"
            note(
                f"A row's score is its {likelihood}, the sum over variables of log θ, in nats: the lower, the more "
                "surprising. Beside it the cells that make it so, with their probability given the rest of the row, by the "
                "dependency network."
            )
            with bar() as self.working:
                self.bar = progress("Rows scored")
                button("Stop", self.stop.press, "outline dense")
            self.said = note("scoring ...").props('role="status"')
            self.table = ui.element("div").classes("depnet-scroll")
            with bar():
                self.back = button("More surprising", lambda: self._turn(-A_PAGE))
                self.next = button("Less surprising", lambda: self._turn(A_PAGE))
                self.download = button("Download all as CSV", self._download)
        for waiting in (self.back, self.next, self.download):
            waiting.set_enabled(False)
        session.spawn(self._score())

    async def _score(self) -> None:
        timer = ui.timer(0.2, lambda: self.bar.set_value(self.share))
        try:
            self.scores = await self.session.work(scores_of, self.loaded, self.stop, self._progressed)
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
                        take = button("Edit", lambda number=row.number: self._edit(number), "flat dense")
                        take.props["aria-label"] = f"Edit row {row.number}"

    def _edit(self, number: int) -> None:
        data = self.loaded.data
        assert data is not None
        states = {v.name: v.states[data.codes[number, i]] for i, v in enumerate(data.domain.variables)}
        self.editor.take(states, f"Row {number:,} of the table.")

    async def _download(self) -> None:
        loaded = self.loaded
        if self.scores is not None:
            text = await self.session.work(scores_csv, loaded, self.scores)
            ui.download.content(text, "scores.csv", "text/csv")


def _said_of(cell: OddCell) -> None:
    names = " × ".join(cell.variables)
    states, expected = (" × ".join(map(str, labels)) for labels in (cell.states, cell.expected))
    with ui.element("div").classes("depnet-odd"):
        ui.label(f"{names} = {states}").classes("depnet-odd-cell")
        note(f"{cell.surprise:.2f} nats: probability {cell.probability:.3g}")
        if cell.expected != cell.states:
            note(f"expected {expected} ({cell.expected_probability:.2f})")
