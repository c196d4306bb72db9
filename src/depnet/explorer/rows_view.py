"""Rows: those of the table with their surprising cells, and one of them to ask with."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nicegui import ui

from depnet.errors import DepnetError
from depnet.explorer import known
from depnet.explorer.parts import Component, bar, button, card, heading, note, progress, show_table
from depnet.explorer.rows import (
    A_PAGE,
    LEVELS,
    ListedRow,
    Order,
    known_by,
    listed_rows,
    one_row,
    scores_of,
)
from depnet.explorer.session import MOST_ADDRESS, Session
from depnet.explorer.state import State
from depnet.inference.judge.cells import RowList, RowScores, row_list
from depnet.model.evidence import Evidence
from depnet.pictures.labels import short
from depnet.wording import plural

TITLE = "Rows"
PATH = "/rows"
NEEDS_MODEL = True

COLUMNS = 40
"""How many columns are shown at a time; a wider table is paged."""

CELLS = 100
"""Cells of the chosen row that are listed, the oddest."""


def build(session: Session) -> None:
    if session.loaded.data is not None:
        _Rows(session)
        return
    with card("Rows of the table"):
        note(
            "They are not shown on a page that others can reach, unless with --show-table."
            if session.loaded.shared
            else "They are here when the explorer has the table: depnet explore model.json --data table.csv"
        )


class RowTable(Component, component="row_table.js"):
    """Rows; "sort" says a heading ("row", "score" or a variable's number), "choose" the number of a row."""


class _Rows:
    """Rows of the table, a page at a time.

    Of the address: `sort`, `by` and `down` are the order, `once`, `match` and `find` say which, `page` and `column` where,
    `row` is the number of the chosen one, from 1 on.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.loaded = session.loaded  # held, even if it leaves the shelf meanwhile
        self.scores: RowScores | None = None
        self.found: tuple[object, RowList] | None = None
        self.stop = session.stop()
        self.share = 0.0
        with card("Rows of the table"):
            self._explain()
            with bar():
                self.find = ui.input("Find in any cell", value=session.own("find"), on_change=self._finding)
                self.find.classes("depnet-grow").props("dense outlined clearable debounce=300")
                self.match = ui.checkbox("Only rows that match what is known", on_change=self._matching)
                self.once = ui.checkbox("Equal rows once", on_change=self._once)
            with bar() as self.working:
                self.bar = progress("Rows scored")
                button("Stop", self.stop.press, "outline dense")
            self.said = note("scoring ...").props('role="status"')
            self.table = RowTable(heads=[], rows=[], names=[], alike=False, chosen=0)
            self.table.tell("sort", (str, int), to=self._sort)
            self.table.tell("choose", int, to=lambda number: session.set_own(row=str(number)))
            self._turning()
        self.chosen = _ChosenRow(session)
        session.on_change(lambda state: session.spawn(self._show(state)))
        session.spawn(self._score())

    def _explain(self) -> None:
        note(
            "A cell is shaded by its tail mass: the probability, given the rest of its row, of a value that fits no better. "
            "A row's score is the log of their harmonic mean: the lower, the odder. Choose a row's number to ask with it, "
            "and a heading to sort by it."
            + (" Of a row with holes, all is about what it knows." if self._holed else "")
        )
        with ui.element("div").classes("depnet-odd-legend").props('aria-label="Shades of cells"'):
            for level, below in enumerate(LEVELS, start=1):
                ui.label(f"under 1 in {round(1 / below):,}").classes(f"odd{level}")
            if self._holed:
                ui.label("a hole").classes("hole")

    @property
    def _holed(self) -> bool:
        return any(map(self.loaded.has_holes, range(len(self.loaded.domain))))

    def _turning(self) -> None:
        with bar():
            self.first = button("First", lambda: self._turn(1))
            self.back = button("Back", lambda: self._turn(self.page - 1))
            self.at = ui.label().classes("depnet-said")
            self.next = button("Next", lambda: self._turn(self.page + 1))
            self.left = button("Columns before", lambda: self._columns(-COLUMNS))
            self.right = button("Columns after", lambda: self._columns(COLUMNS))
        for waiting in (self.first, self.back, self.next):
            waiting.set_enabled(False)
        wide = len(self.loaded.domain) > COLUMNS
        self.left.set_visibility(wide)
        self.right.set_visibility(wide)

    async def _score(self) -> None:
        def show_progress(share: float) -> None:
            self.share = share  # read by the page's own timer: this is another thread

        timer = ui.timer(0.2, lambda: self.bar.set_value(self.share))
        try:
            self.scores = await self.session.work(scores_of, self.loaded, self.stop, show_progress)
        except DepnetError as error:
            self.said.text = str(error)
        timer.cancel()
        self.working.set_visibility(False)
        await self._show(self.session.state)

    @property
    def page(self) -> int:
        return self.session.state.number("page") or 1

    def _turn(self, page: int) -> None:
        self.session.set_own(page=None if page <= 1 else str(page))

    def _columns(self, by: int) -> None:
        first = max(0, (self.session.state.number("column") or 1) - 1 + by)
        self.session.set_own(column=None if first == 0 else str(first + 1))

    def _sort(self, key: Order) -> None:
        names = self.loaded.domain.names
        by, down = _order(self.session.state, names)
        turned = "1" if key == by and not down else None
        name = names[key] if isinstance(key, int) and 0 <= key < len(names) else None
        sort = "row" if key == "row" else None
        self.session.set_own(sort=sort, by=name, down=turned, page=None)

    def _finding(self) -> None:
        text = self.find.value or ""
        if text != self.session.own("find"):
            self.session.set_own(push=False, find=text or None, page=None)

    def _matching(self) -> None:
        if self.match.value != (self.session.own("match") == "1"):
            self.session.set_own(match="1" if self.match.value else None, page=None)

    def _once(self) -> None:
        if self.once.value != _is_once(self.session.state):
            self.session.set_own(once="1" if self.once.value else "0", page=None)

    async def _show(self, state: State) -> None:
        scores, loaded = self.scores, self.loaded
        if scores is None or loaded.data is None:
            return
        names = loaded.domain.names
        self.find.set_value(state.own.get("find", ""))
        self.match.set_value(state.own.get("match") == "1")
        self.once.set_value(_is_once(state))
        found = await self._find(state, scores)
        pages = max(1, -(-len(found.rows) // A_PAGE))
        page = min(state.number("page") or 1, pages)
        start = min((state.number("column") or 1) - 1, max(len(names) - 1, 0))
        columns = range(start, min(start + COLUMNS, len(names)))
        rows = await self.session.work(listed_rows, loaded, scores, found, (page - 1) * A_PAGE, columns)
        if state is not self.session.state:
            return  # the reader has gone on meanwhile
        self._show_table(state, rows, columns)
        self._say(found, scores)
        wide = f", columns {start + 1:,} to {columns.stop:,} of {len(names):,}"
        self.at.set_text(f"page {page:,} of {pages:,}" + (wide if len(names) > COLUMNS else ""))
        self.first.set_enabled(page > 1)
        self.back.set_enabled(page > 1)
        self.next.set_enabled(page < pages)
        self.left.set_enabled(start > 0)
        self.right.set_enabled(columns.stop < len(names))
        await self.chosen.show(state, scores)

    def _show_table(self, state: State, rows: Sequence[ListedRow], columns: range) -> None:
        names, alike = self.loaded.domain.names, _is_once(state)
        by, down = _order(state, names)

        def head(key: Order | str, name: str, kind: str = "") -> dict[str, Any]:
            is_sorted = "" if key != by else "descending" if down else "ascending"
            return {"key": key, "name": name, "kind": kind, "sorted": is_sorted}

        heads = [head("row", "row"), head("score", "score", "number")]
        heads += [head("alike", "rows alike", "number")] if alike else []
        heads += [head(i, names[i]) for i in columns]
        shown = [
            {
                "number": row.number,
                "score": f"{row.score:.2f}",
                "alike": row.alike,
                "cells": [(cell.value, cell.level, cell.said, cell.hole) for cell in row.cells],
            }
            for row in rows
        ]
        chosen, some = state.number("row") or 0, [names[i] for i in columns]
        self.table.put(heads=heads, names=some, alike=alike, chosen=chosen, rows=shown)

    async def _find(self, state: State, scores: RowScores) -> RowList:
        domain, data = self.loaded.domain, self.loaded.data
        assert data is not None
        held = state.known if state.own.get("match") == "1" else {}
        by, down = _order(state, domain.names)
        key = (dict(held), by, down, _is_once(state), state.own.get("find", ""))
        if self.found is None or self.found[0] != key:
            wanted: Any = {"by": by, "down": down, "once": key[3], "text": key[4]}
            wanted["evidence"] = Evidence.parse(domain, known.given(held))
            self.found = key, await self.session.work(row_list, data, scores, **wanted)
        return self.found[1]

    def _say(self, found: RowList, scores: RowScores) -> None:
        scored = len(scores.each)
        only = "" if scored == scores.rows else f" (the first {scored:,} of {scores.rows:,} were scored)"
        kinds = "" if len(found.rows) == found.matching else f", {len(found.rows):,} different ones"
        some = f"{found.matching:,} of {scored:,} rows"
        of = plural(scored, "row") if found.matching == scored else some
        self.said.set_text(f"{of}{kinds}{only}; mean score of all {scores.each.mean():.3f}.")


class _ChosenRow:
    """One row: its cells, the oddest first, what was expected of them, and the way to Ask with them."""

    def __init__(self, session: Session) -> None:
        self.session, self.loaded = session, session.loaded
        self.number: int | None = None
        with card() as self.place:
            self.title = heading("")
            self.said = note("").props('role="status"')
            self.ask = ui.link("", "").classes("depnet-jump")
            self.cells = ui.element("div").classes("depnet-scroll")
        self.place.set_visibility(False)

    async def show(self, state: State, scores: RowScores) -> None:
        number = state.number("row")
        there = number is not None and 1 <= number <= len(scores.each)
        self.place.set_visibility(there)
        if number is None or not there:
            self.number = None
            return
        row = await self.session.work(one_row, self.loaded, scores, number)
        if state is not self.session.state:
            return  # the reader has gone on meanwhile
        odder = float((scores.each < row.score - 1e-9).mean())
        self.title.text = f"Row {number:,} of the table"
        self.said.text = f"Score {row.score:.2f}: {odder:.1%} of the rows are odder."
        named = zip(self.loaded.domain.names, row.cells, strict=True)
        cells = sorted(named, key=lambda each: math.inf if math.isnan(each[1].tail) else each[1].tail)
        self._link(state, row, cells[0][0])
        self.cells.clear()
        with self.cells, show_table(("column", "value", "given the rest of the row")) as table:
            for name, cell in cells[:CELLS]:
                with table.row(f"odd{cell.level}"):
                    table.cell(name)
                    table.cell(cell.value)
                    table.cell(cell.said)
        if number != self.number:
            self.number = number
            ui.run_javascript(f'getHtmlElement({self.place.id})?.scrollIntoView({{block: "nearest"}})')

    def _link(self, state: State, row: ListedRow, oddest: str) -> None:
        """To Ask with the cells as what is known; of a full row all but one, which is asked for."""
        domain = self.loaded.domain
        held = known_by(domain.variables, row)
        asked = state.target
        if len(held) == len(domain):
            asked = asked if asked in held else oddest
            del held[asked]
        wanted = replace(state, known=held, target=asked, own={})
        if asked is not None and len(self.session.url("/", wanted)) > MOST_ADDRESS:
            # what its node does not read says little more
            read = {domain.names[j] for j in self.loaded.network.nodes[domain.index(asked)].inputs}
            wanted = replace(wanted, known={name: one for name, one in held.items() if name in read})
        self.ask.text = "Ask with this row" if asked is None else f"Ask for {short(asked, 30)} with this row"
        self.ask.props["href"] = self.session.url("/", wanted)


def _order(state: State, names: tuple[str, ...]) -> tuple[Order, bool]:
    """What the rows are sorted by, and whether the last comes first: by score where the address says nothing."""
    name, down = state.own.get("by"), state.own.get("down") == "1"
    if name in names:
        return names.index(name), down
    return ("row" if state.own.get("sort") == "row" else "score"), down


def _is_once(state: State) -> bool:
    """Are equal rows listed once? Unless they are in the table's own order, or the address says it."""
    return state.own.get("once", "0" if state.own.get("sort") == "row" else "1") == "1"
