"""Overview, the first view: the table's columns, the strongest links, the oddest rows, how good the model is."""

import math

import numpy as np
from nicegui import ui

from depnet.arrays import FloatArray
from depnet.data import Variable
from depnet.errors import DepnetError
from depnet.explorer.cards import NEGLIGIBLE
from depnet.explorer.histogram import BARS, Axis
from depnet.explorer.parts import LongList, bar, card, fact, note, show_table, stack, without_law
from depnet.explorer.questions import first_questions
from depnet.explorer.rows import ListedRow, listed_rows, scores_of
from depnet.explorer.session import Session
from depnet.explorer.state import State
from depnet.inference.answer.numbers import shown
from depnet.inference.answer.profile import Profile
from depnet.inference.judge.cells import row_list
from depnet.pictures.labels import line
from depnet.wording import percent, plural

TITLE = "Overview"
PATH = "/"
NEEDS_MODEL = True

LINKS = 8
ROWS = 5

WORDS = {"integer": "whole number", "float": "number", "date": "date", "datetime": "moment"}
SCALES = {"number": "number", "ordered": "category, in order", "category": "category"}


def build(session: Session) -> None:
    with ui.element("div").classes("depnet-columns"):
        with stack():
            _questions(session)
            _Columns(session)
        with stack():
            _model(session)
            _links(session)
            if session.loaded.data is not None:
                _odd(session)


def _questions(session: Session) -> None:
    found = first_questions(session.loaded)
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
        self.session = session
        self.variables = session.loaded.domain.variables
        self.listed = LongList(self._show)
        with card("Columns"):
            note(
                "Shares of the table's known cells."
                if session.loaded.data is not None
                else "Shares of the known cells of the rows that the model was learned from."
                if session.loaded.counts is not None
                else "There are no counts of the table here: Ask shows the model's own shares."
            )
            self.place = ui.element("div").classes("depnet-scroll")
            self.listed.more_button()
        self._show()

    def _show(self) -> None:
        self.place.clear()
        with self.place, show_table(("column", "kind", "values", "shares")) as self.table:
            for i in self.listed.part(range(len(self.variables))):
                self._row(i)

    def _row(self, i: int) -> None:
        variable, session = self.variables[i], self.session
        kind = WORDS[variable.bins.kind] if variable.bins is not None else SCALES[variable.scale]
        column = session.loaded.column(i)
        with self.table.row():
            with self.table.cell():
                ui.link(line(variable.name), session.url("/ask", State(variable=variable.name)))
            self.table.cell(kind)
            self.table.cell(_values(variable, column) + _missing(column))
            with self.table.cell():
                if column is not None:
                    _picture(variable, heights_of(variable, column))


def _values(variable: Variable, column: Profile | None) -> str:
    states = [line(str(state)) for state in variable.present_states]
    if column is None:
        return plural(len(states), "state") + ": " + ", ".join(states[:3])
    law = column.numbers
    if variable.bins is not None and law is not None and len(states) > 2:
        return f"mean {shown(law.mean)}, sd {shown(law.standard_deviation)}, median {shown(law.median)}"
    shares = column.shares
    common = [k for k in np.argsort(-shares, kind="stable")[:3].tolist() if shares[k] > 0]
    told = ", ".join(f"{states[k]} {100 * shares[k]:.0f} %" for k in common)
    return told + (f" and {len(states) - len(common):,} more" if len(states) > len(common) else "")


def _missing(column: Profile | None) -> str:
    return "" if column is None or column.missing <= NEGLIGIBLE else f"; {percent(column.missing)} missing"


def heights_of(variable: Variable, column: Profile) -> FloatArray:
    """A bar for each state of a category; for a number, those of its histogram."""
    if column.numbers is None:
        return column.shares[:BARS]
    law = column.numbers.law
    return Axis.of(variable, law).bars(law.values, law.weights)


def _picture(variable: Variable, heights: FloatArray) -> None:
    top = max(float(heights.max(initial=0.0)), 1e-12)
    with ui.element("div").classes("depnet-spark").props("role=img") as picture:
        picture.props["aria-label"] = f"Shares of {variable.name}"
        for share in heights.tolist():
            ui.element("i").style(f"height: {100 * share / top:.1f}%")


def _model(session: Session) -> None:
    loaded = session.loaded
    with card("The model"):
        with bar():
            fact("rows", "not kept" if loaded.rows is None else f"{loaded.rows:,}")
            fact("columns", f"{len(loaded.domain):,}")
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
    names = loaded.domain.names
    arrows = sorted(loaded.graph.arrows, key=lambda arrow: -arrow.strength)
    with card("Strongest links"):
        if not arrows:
            note("No variable tells of another.")
            return
        note("What a column tells of another, beside all others, in bits a row.")
        with show_table(("tells", "of", "bits"), numbers=(2,)) as table:
            for arrow in arrows[:LINKS]:
                with table.row():
                    for end in (arrow.source, arrow.target):
                        with table.cell():
                            ui.link(line(names[end]), session.url("/network", State(variable=names[end])))
                    table.cell(f"{arrow.strength:.3f}")


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
            found = await session.work(row_list, data, scores)
            rows = await session.work(listed_rows, loaded, scores, found, 0, range(len(data.domain)), ROWS)
        except DepnetError as error:
            said.text = str(error)
            return
        said.set_visibility(False)
        with place:
            for row in rows:
                _odd_row(session, row)

    session.spawn(tell())


def _odd_row(session: Session, row: ListedRow) -> None:
    named = zip(session.loaded.domain.names, row.cells, strict=True)
    judged = [(name, cell) for name, cell in named if not math.isnan(cell.probability)]
    oddest = sorted(judged, key=lambda pair: pair[1].tail)[:3]
    like = f" and {row.alike - 1:,} like it" if row.alike > 1 else ""
    with ui.element("div"):
        ui.link(
            f"Row {row.number:,}{like}", session.url("/rows", State(own={"row": str(row.number)}))
        ).classes("depnet-odd-row")
        note(
            ", ".join(
                f"{line(name)} is missing" if cell.hole else f"{line(name)} = {line(cell.value)}"
                for name, cell in oddest
            )
        )
