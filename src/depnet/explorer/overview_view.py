"""Overview, the first view: the table's columns, the strongest links, the oddest rows, how good the model is."""

from typing import Any

import numpy as np
from nicegui import ui

from depnet.arrays import FloatArray
from depnet.errors import DepnetError
from depnet.explorer.parts import bar, button, card, fact, note, show_table, stack, without_law
from depnet.explorer.questions import first_questions
from depnet.explorer.rows import scores_of
from depnet.explorer.session import Session
from depnet.explorer.state import State
from depnet.inference.answer.numbers import NumberSummary, shown
from depnet.inference.answer.small_counts import hidden_cells
from depnet.inference.answer.spread import Spread
from depnet.inference.judge.odd_rows import OddRow, odd_rows
from depnet.pictures.labels import line
from depnet.wording import counted

TITLE = "Overview"
PATH = "/"
NEEDS_MODEL = True

COLUMNS = 24
"""Columns at first, and with each "more"."""

LINKS = 8
ROWS = 5
BARS = 16
"""Bars of a small picture; of more states, the first."""

WORDS = {"integer": "whole number", "float": "number", "date": "date", "datetime": "moment"}


def build(session: Session) -> None:
    """The view."""
    with ui.element("div").classes("depnet-columns"):
        with stack():
            _questions(session)
            _Columns(session)
        with stack():
            _model(session)
            _links(session)
            if session.loaded.data is not None and not session.hides:
                _odd(session)


def _questions(session: Session) -> None:
    rows = session.loaded.data is not None and not session.hides
    found = first_questions(session.loaded, rows=rows)
    with card("Questions to try"):
        without_law(session.loaded)
        if not found:
            note("No variable tells of another: there is nothing to ask but each column's own law.")
        with ui.element("div").classes("depnet-questions"):
            for question in found:
                ui.link(question.text, session.url(question.path, question.state)).classes("depnet-question")


class _Columns:
    """Each column: what kind it is, and how its values lie in the table."""

    def __init__(self, session: Session) -> None:
        self.session, self.shown = session, 0
        self.variables = session.loaded.network.domain.variables
        with card("Columns"):
            counts = session.loaded.counts
            note(
                "Shares of the rows that the model was learned from."
                if counts is not None
                else "The model file keeps no counts of the table: Ask shows the model's own shares."
            )
            with (
                ui.element("div").classes("depnet-scroll"),
                show_table(("column", "kind", "values", "shares")) as self.table,
            ):
                self.body = ui.context.slot.parent
            self.more = button("Show more", self._more)
        self._more()

    def _more(self) -> None:
        with self.body:
            for i in range(self.shown, min(self.shown + COLUMNS, len(self.variables))):
                self._row(i)
        self.shown = min(self.shown + COLUMNS, len(self.variables))
        left = len(self.variables) - self.shown
        self.more.set_visibility(left > 0)
        self.more.text = f"Show more ({left:,} left)"

    def _row(self, i: int) -> None:
        variable, session = self.variables[i], self.session
        kind = WORDS[variable.bins.kind] if variable.bins is not None else "category"
        shares = _shares(session, i)
        with self.table.row():
            with self.table.cell():
                ui.link(line(variable.name), session.url("/ask", State(variable=variable.name)))
            self.table.cell(f"{kind}, in order" if variable.ordered and variable.bins is None else kind)
            self.table.cell(_values(variable, shares))
            with self.table.cell():
                if shares is not None:
                    _picture(variable, shares)


def _shares(session: Session, i: int) -> FloatArray | None:
    """The share of each state in the table, nan where it is hidden; None where nothing is kept."""
    counts = session.loaded.counts
    if counts is None or not counts.total:
        return None
    each = counts.singles[i].astype(np.float64)
    shares = each / counts.total
    if session.hides:
        shares[hidden_cells(each)] = np.nan
    return shares


def _values(variable: Any, shares: FloatArray | None) -> str:
    """Mean and spread of a number, the most frequent states of others."""
    if variable.bins is not None and shares is not None and not np.isnan(shares).any():
        law = NumberSummary.of(variable, shares, Spread.of(np.zeros_like(shares), None))
        if law is not None and len(variable.states) > 2:
            return f"mean {shown(law.mean)}, sd {shown(law.standard_deviation)}, median {shown(law.median)}"
    states = [line(str(state)) for state in variable.states]
    if shares is None:
        return counted(len(states), "state") + ": " + ", ".join(states[:3])
    common = [k for k in np.argsort(-np.nan_to_num(shares), kind="stable")[:3].tolist() if shares[k] > 0]
    told = ", ".join(f"{states[k]} {100 * shares[k]:.0f} %" for k in common)
    return told + (f" and {len(states) - len(common):,} more" if len(states) > len(common) else "")


def _picture(variable: Any, shares: FloatArray) -> None:
    """A bar for each state; a number's in order, a category's as the table has them."""
    kept = np.nan_to_num(shares[:BARS])
    top = max(float(kept.max()), 1e-12)
    with ui.element("div").classes("depnet-spark").props("role=img") as picture:
        picture.props["aria-label"] = f"Shares of {variable.name}"
        for share in kept.tolist():
            ui.element("i").style(f"height: {100 * share / top:.1f}%")


def _model(session: Session) -> None:
    loaded = session.loaded
    with card("The model"):
        with bar():
            fact("rows", "not kept" if loaded.rows is None else f"{loaded.rows:,}")
            fact("columns", f"{len(loaded.network.domain):,}")
            fact("links", f"{len(loaded.graph.ties):,}")
        said = note("How near the model is to the table is being found ...").props('role="status"')
        figures = stack("depnet-tight")

    async def tell() -> None:
        found = await session.work(lambda: (loaded.figures, loaded.nearness))
        said.text = "" if any(found) else "The model file keeps nothing to compare the model with."
        said.set_visibility(bool(said.text))
        with figures:
            for text in found[0]:
                note(text)
            if found[1] is not None:
                far = ", ".join(f"{line(name)} {100 * apart:.1f} %" for name, apart in found[1].furthest())
                note(f"Furthest from the table: {far}.")

    session.spawn(tell())


def _links(session: Session) -> None:
    loaded = session.loaded
    names = loaded.network.domain.names
    arrows = [
        (bits, teller, told)
        for tie in loaded.graph.ties[: 2 * LINKS]
        for bits, teller, told in (
            (tie.forward, tie.first, tie.second),
            (tie.backward, tie.second, tie.first),
        )
        if bits is not None
    ]
    arrows.sort(key=lambda arrow: -arrow[0])
    with card("Strongest links"):
        if not arrows:
            note("No variable tells of another.")
            return
        note("What a column tells of another, beside all others, in bits a row.")
        with show_table(("tells", "of", "bits"), numbers=(2,)) as table:
            for bits, teller, told in arrows[:LINKS]:
                with table.row():
                    for end in (teller, told):
                        with table.cell():
                            ui.link(line(names[end]), session.url("/network", State(variable=names[end])))
                    table.cell(f"{bits:.3f}")


def _odd(session: Session) -> None:
    loaded = session.loaded
    data = loaded.data
    assert data is not None
    with card("Oddest rows"):
        said = note("Rows are being scored ...").props('role="status"')
        place = stack("depnet-tight")
        ui.link("All rows", session.url("/rows", State()))

    async def tell() -> None:
        try:
            scores = await session.work(scores_of, loaded, session.stop(), lambda share: None)
            rows = await session.work(odd_rows, loaded.network, data, scores, 0, ROWS)
        except DepnetError as error:
            said.text = str(error)
            return
        said.set_visibility(False)
        with place:
            for row in rows:
                _odd_row(row)

    session.spawn(tell())


def _odd_row(row: OddRow) -> None:
    cells = [
        f"{line(' × '.join(cell.variables))} = {line(' × '.join(map(str, cell.states)))}"
        for cell in row.cells
    ]
    like = f" and {row.alike - 1:,} like it" if row.alike > 1 else ""
    with ui.element("div").classes("depnet-odd"):
        ui.label(f"Row {row.number + 1:,}{like}").classes("depnet-odd-row")
        note(", ".join(cells[:3]) or "odd as a whole")
