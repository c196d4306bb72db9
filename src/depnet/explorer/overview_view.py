"""Overview, the first view: the table's columns, the strongest links, the oddest rows, how good the model is."""

import numpy as np
from nicegui import ui

from depnet.arrays import FloatArray
from depnet.data import Variable
from depnet.errors import DepnetError
from depnet.explorer.parts import bar, button, card, fact, note, show_table, stack, without_law
from depnet.explorer.questions import first_questions
from depnet.explorer.rows import ListedRow, listed_rows, scores_of
from depnet.explorer.session import Session
from depnet.explorer.state import State
from depnet.inference.answer.numbers import NumberSummary, shown
from depnet.inference.answer.small_counts import hidden_cells
from depnet.inference.answer.spread import Spread
from depnet.inference.judge.row_list import row_list
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
    """The share of each state among the rows that know the column, nan where it is hidden; None where nothing is kept."""
    counts = session.loaded.counts
    if counts is None or not counts.total:
        return None
    each = counts.singles[i].astype(np.float64)
    shares: FloatArray = np.asarray(each / max(float(each.sum()), 1.0))
    if session.hides:
        shares[hidden_cells(each)] = np.nan
    return shares


def _values(variable: Variable, shares: FloatArray | None) -> str:
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


def heights(variable: Variable, shares: FloatArray) -> FloatArray:
    """The bars of a small picture: of a category a bar for each state, of a number a histogram of equal widths.

    Bins hold about equally many rows, so that bars of them would all be alike. The histogram is of the values that bins
    keep, from the 1 % to the 99 % quantile: what lies beyond is in the first bar and the last.
    """
    shares = np.nan_to_num(shares)
    if variable.bins is None or len(variable.bins.quantiles) <= 2:
        return shares[:BARS]
    kept = variable.bins.quantiles
    values = np.concatenate([np.asarray(values, dtype=np.float64) for values in kept])
    sizes = np.array([len(values) for values in kept])
    weights = np.repeat(shares[: len(kept)] / sizes, sizes)  # values of bins are in order
    below = np.cumsum(weights) / max(float(weights.sum()), 1e-12)
    last = len(values) - 1
    low, high = (values[min(int(np.searchsorted(below, level)), last)] for level in (0.01, 0.99))
    if low == high:
        return shares[:BARS]
    return np.histogram(np.clip(values, low, high), BARS, (low, high), weights=weights)[0]


def _picture(variable: Variable, shares: FloatArray) -> None:
    kept = heights(variable, shares)
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
    """Its number, which opens it, and the cells that make it odd."""
    named = zip(session.loaded.network.domain.names, row.cells, strict=True)
    oddest = sorted(named, key=lambda pair: pair[1].probability)[:3]
    like = f" and {row.alike - 1:,} like it" if row.alike > 1 else ""
    with ui.element("div").classes("depnet-odd"):
        ui.link(
            f"Row {row.number:,}{like}", session.url("/rows", State(own={"row": str(row.number)}))
        ).classes("depnet-odd-row")
        note(", ".join(f"{line(name)} = {line(cell.state)}" for name, cell in oddest))
