"""Rows: a grid of the table with its surprising cells and why, holes filled, and one row to explain and to ask with."""

import asyncio
import json
import math
import shlex
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import events, ui

from depnet.errors import DepnetError
from depnet.explorer import known
from depnet.explorer.copyable import command_line
from depnet.explorer.parts import bar, button, card, heading, note, progress, select, show_table
from depnet.explorer.rows import (
    LEVELS,
    SIGNS,
    ListedRow,
    Order,
    filled_table,
    find_rows,
    is_number,
    known_by,
    listed_rows,
    one_row,
    read_filters,
    scores_of,
)
from depnet.explorer.session import MOST_ADDRESS, Session
from depnet.explorer.share import Finding, bar_chart, waterfall_chart
from depnet.explorer.state import State
from depnet.explorer.why import Why
from depnet.inference.judge.cells import RowList, RowScores
from depnet.pictures.labels import short
from depnet.wording import plural

TITLE = "Rows"
PATH = "/rows"
NEEDS_MODEL = True

BLOCK = 50
"""Rows that the grid asks for at a time."""

MOST_ASKED = 500
"""Rows that a browser is given at a time, whatever it asks for."""

CELLS = 100
"""Cells of the chosen row that are listed, the oddest."""

ASKING = """(() => {
    const waiting = window.depnetRows = {};
    let asked = 0;
    return { getRows(p) {
        waiting[++asked] = p;
        getElement(%d).$emit("asked", p.sortModel[0], p.filterModel, asked, p.startRow, p.endRow);
    } };
})()"""
"""Where the grid has its rows from: it asks over the page's own websocket, and `_reply` answers."""

ORDERED = """p => ["uiColumnSorted", "columnFilter"].includes(p.source) && getElement(%d).$emit(
    "ordered", p.api.getColumnState().find(column => column.sort), p.api.getFilterModel()
)"""
"""Only what the reader does comes into the address, not what the grid is told by it, as by Back."""

COMPARISONS = ["equals", *SIGNS, "inRange", "blank", "notBlank"]
TEXTS = ["contains", "blank", "notBlank"]
"""Filters that columns offer, of numbers and of all others."""

BOXES = {
    "match": "Only rows that match what is given",
    "once": "Equal rows once",
    "fill": "Show holes filled",
}
"""By their parameters in the address."""

FIRST = (("row", "row", 84), ("why", "why", 400), ("score", "rows odder", 116), ("alike", "rows alike", 110))
"""The columns before the table's own: what a row has for them, their headings and widths."""

PLACE = "+p.column.getColId().slice(1)"


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


class _Rows:
    """Rows of the table, as the grid scrolls.

    Of the address: `by` and `down` are the order, `filter`, `once`, `match` and `find` say which, `pin` has pinned columns,
    `fill` shows what holes would be filled with, `row` is the number of the chosen one, from 1 on.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.loaded = session.loaded  # held, even if it leaves the shelf meanwhile
        self.scores: RowScores | None = None
        self.found: tuple[object, RowList] | None = None
        self.stop = session.stop()
        self.scored = asyncio.Event()
        self.share = 0.0
        self.boxes: dict[str, ui.checkbox] = {}
        names = self.loaded.domain.names
        with card("Rows of the table"):
            self._explain()
            with bar():
                self.find = ui.input("Find in any cell", value=session.own("find"), on_change=self._finding)
                self.find.classes("depnet-grow").props("dense outlined clearable debounce=300")
                self.pins = select(
                    dict(enumerate(names)), "Pinned columns", self._pin, multiple=True, with_input=True
                )
                for name, text in BOXES.items():
                    if name != "fill" or self._holed:
                        self.boxes[name] = ui.checkbox(text, on_change=partial(self._tick, name))
                if self._holed:
                    button("Fill all, download", self._download, "outline dense")
            with bar() as self.working:
                self.bar = progress("Rows scored")
                button("Stop", lambda: self.stop.press(), "outline dense")
            self.said = note("scoring ...").props('role="status"')
            self.grid = self._grid()
        self.chosen = _ChosenRow(session)
        self.top: list[ListedRow] = []
        session.finding = lambda: self.chosen.finding() or self._list_finding()
        self.shown = session.state
        self._follow(session.state)
        session.on_change(self._update)
        session.spawn(self._score())

    def _explain(self) -> None:
        note(
            "The oddest rows first. The darker a cell, the more rarely a value that fits as badly comes up in such rows; "
            "why names the worst. Choose a row (click, or Enter) to see what explains it and to ask with it."
        )
        with ui.element("div").classes("depnet-odd-legend").props('aria-label="Shades of cells"'):
            for level, below in enumerate(LEVELS, start=1):
                ui.label(f"under 1 in {round(1 / below):,}").classes(f"odd{level}")
            if self._holed:
                ui.label("a hole").classes("hole")

    @property
    def _holed(self) -> bool:
        return any(map(self.loaded.has_holes, range(len(self.loaded.domain))))

    def _grid(self) -> ui.aggrid:
        """The grid: all cells are text, which is never markup."""
        pinned, (by, down) = _pinned(self.session.state), self._order(self.session.state)
        columns: list[dict[str, Any]] = [
            {"colId": name, "headerName": head, "width": width, "sortable": name in ("row", "score")}
            | {":valueGetter": f"p => p.data?.{name}", "pinned": "left" if name == "row" else None}
            for name, head, width in FIRST
        ]
        columns[1][":tooltipValueGetter"] = columns[1][":valueGetter"]
        for i, variable in enumerate(self.loaded.domain.variables):
            number = is_number(variable)
            columns.append(
                {
                    "colId": f"c{i}",
                    "headerName": variable.name,
                    "pinned": "left" if variable.name in pinned else None,
                    "filter": "agNumberColumnFilter" if number else "agTextColumnFilter",
                    "filterParams": {
                        "maxNumConditions": 1,
                        "filterOptions": COMPARISONS if number else TEXTS,
                    },
                    "type": "rightAligned" if number else None,
                    ":valueGetter": f"p => p.data?.cells[{PLACE}][0]",
                    ":tooltipValueGetter": f"p => p.data?.cells[{PLACE}][2]",
                    "cellClassRules": {
                        f":{name}": f"p => p.data?.cells[{PLACE}]{test}"
                        for name, test in [
                            *((f"odd{level}", f"[1] === {level}") for level in range(1, len(LEVELS) + 1)),
                            ("hole", "[3] === 1"),
                            ("filled", "[3] === 2"),
                        ]
                    },
                }
            )
        sorted_by = [] if by is None else [{"colId": by, "sort": "desc" if down else "asc"}]
        grid = ui.aggrid(
            {
                "columnDefs": columns,
                "defaultColDef": {"minWidth": 70, "width": 120, "resizable": True},
                "initialState": {
                    "sort": {"sortModel": sorted_by},
                    "filter": {"filterModel": self._filters(self.session.state)},
                    "partialColumnState": True,
                },
                "rowModelType": "infinite",
                "cacheBlockSize": BLOCK,
                "maxBlocksInCache": 20,
                "enableBrowserTooltips": True,
                "suppressMultiSort": True,
                "suppressDragLeaveHidesColumns": True,
                "rowHeight": 30,
                "headerHeight": 34,
                "context": {"chosen": self.session.state.number("row")},
                "rowClassRules": {":chosen": "p => p.data && p.data.row === p.context.chosen"},
            },
            auto_size_columns=False,
        )
        element = f"getElement({grid.id})"
        grid.options[":datasource"] = ASKING % grid.id
        grid.options[":onSortChanged"] = grid.options[":onFilterChanged"] = ORDERED % grid.id
        grid.options[":onCellClicked"] = f"p => p.data && {element}.$emit('choose', p.data.row)"
        grid.options[":onCellKeyDown"] = (
            f"p => p.event.key === 'Enter' && p.data && {element}.$emit('choose', p.data.row)"
        )
        grid.classes("depnet-rows").on("asked", self._asked).on("choose", self._choose)
        grid.on("ordered", self._ordered)
        return grid

    # what the reader does

    def _asked(self, event: events.GenericEventArguments) -> None:
        """The grid wants rows, in the order and with the filters that its columns have now."""
        told = event.args if isinstance(event.args, list) else []
        if len(told) == 5 and all(isinstance(each, int) for each in told[2:]):
            number, first, last = told[2:]
            state = replace(self.session.state, own=self._own(*told[:2]))
            self.session.spawn(self._reply(state, number, first, min(last, first + MOST_ASKED)))

    def _ordered(self, event: events.GenericEventArguments) -> None:
        """The reader has sorted or filtered; the grid shows it already. A grid with filters says so as it opens, too."""
        if not isinstance(event.args, list) or len(event.args) != 2:
            return
        now = self.session.state
        new = replace(now, own=self._own(*event.args))
        if (self._order(new), self._filters(new)) != (self._order(now), self._filters(now)):
            self.shown = new
            self.session.change(own=new.own)

    def _own(self, sort: object, filters: object) -> dict[str, str]:
        """The view's parameters with a grid's order and filters."""
        by = sort if isinstance(sort, dict) else {}
        asked = json.dumps(filters, separators=(",", ":")) if isinstance(filters, dict) and filters else None
        down = "1" if by.get("sort") == "desc" else None
        wanted = {"by": self._column(by.get("colId")), "down": down, "filter": asked}
        return {
            name: value for name, value in {**self.session.state.own, **wanted}.items() if value is not None
        }

    def _column(self, key: object) -> str | None:
        """What the address calls a column of the grid."""
        names = self.loaded.domain.names
        if not isinstance(key, str) or key in ("row", "score"):
            return None if key != "row" and key != "score" else f".{key}"
        place = int(key[1:]) if key[1:].isdecimal() else len(names)
        return names[place] if place < len(names) else None

    def _choose(self, event: events.GenericEventArguments) -> None:
        if isinstance(event.args, int):
            self.session.set_own(row=str(event.args))

    def _finding(self) -> None:
        text = self.find.value or ""
        if text != self.session.own("find"):
            self.session.set_own(push=False, find=text or None)

    def _tick(self, name: str) -> None:
        ticked = bool(self.boxes[name].value)
        if ticked != _ticked(self.session.state, name):
            own: dict[str, Any] = {name: "1" if ticked else "0" if name == "once" else None}
            self.session.set_own(**own)

    def _pin(self) -> None:
        names = [self.loaded.domain.names[i] for i in self.pins.value or []]
        if names != _pinned(self.session.state):
            self.session.set_own(pin=json.dumps(names) if names else None)

    async def _download(self) -> None:
        text = await self._watched(filled_table)
        if isinstance(text, str):
            ui.download.content(text.encode(), f"{self.loaded.name.rsplit('.', 1)[0]}-filled.csv", "text/csv")

    # what follows from it

    async def _watched(self, work: Any) -> Any:
        """What `work(loaded, stop, progress)` returns, with a bar while it goes on; None where it was stopped."""

        def show_progress(share: float) -> None:
            self.share = share  # read by the page's own timer: this is another thread

        self.stop, self.share = self.session.stop(), 0.0
        self.working.set_visibility(True)
        timer = ui.timer(0.2, lambda: self.bar.set_value(self.share))
        try:
            return await self.session.work(work, self.loaded, self.stop, show_progress)
        except DepnetError as error:
            self.said.text = str(error)
            return None
        finally:
            timer.cancel()
            self.working.set_visibility(False)

    async def _score(self) -> None:
        self.scores = await self._watched(scores_of)
        self.scored.set()
        if self.scores is not None:
            await self.chosen.show(self.session.state, self.scores)

    def _follow(self, state: State) -> None:
        self.find.set_value(state.own.get("find", ""))
        for name, box in self.boxes.items():
            box.set_value(_ticked(state, name))
        names = self.loaded.domain.names
        self.pins.set_value([names.index(name) for name in _pinned(state) if name in names])

    def _update(self, state: State) -> None:
        before, self.shown = self.shown, state
        self._follow(state)
        if self._order(state) != self._order(before):
            by, down = self._order(state)
            sorted_by = [] if by is None else [{"colId": by, "sort": "desc" if down else "asc"}]
            shown = {"state": sorted_by, "defaultState": {"sort": None}}
            self.grid.run_grid_method("applyColumnState", shown)
        if self._filters(state) != self._filters(before):
            self.grid.run_grid_method("setFilterModel", self._filters(state))
        if _pinned(state) != _pinned(before):
            names = self.loaded.domain.names
            pins = [
                {"colId": f"c{i}", "pinned": "left" if name in _pinned(state) else None}
                for i, name in enumerate(names)
            ]
            self.grid.run_grid_method("applyColumnState", {"state": pins})
        if _others(state) != _others(before):
            self.grid.run_grid_method("purgeInfiniteCache")
        if state.number("row") != before.number("row"):
            self.grid.run_grid_method("setGridOption", "context", {"chosen": state.number("row")})
            self.grid.run_grid_method("redrawRows")
        if self.scores is not None:
            self.session.spawn(self.chosen.show(state, self.scores))

    def _order(self, state: State) -> tuple[str | None, bool]:
        """The grid's column that rows are sorted by, and whether the last comes first; None: by score."""
        name, names = state.own.get("by", ""), self.loaded.domain.names
        key = f"c{names.index(name)}" if name in names else name[1:] if name in (".row", ".score") else None
        return key, state.own.get("down") == "1"

    def _filters(self, state: State) -> dict[str, Any]:
        return read_filters(state.own.get("filter", ""))

    async def _reply(self, state: State, number: int, first: int, last: int) -> None:
        """Rows for the grid, once they are scored."""
        await self.scored.wait()
        scores = self.scores
        rows: list[dict[str, Any]] = []
        total: int | None = 0
        if scores is not None:
            try:
                found = await self._find(state, scores)
                fill = _ticked(state, "fill")
                listed = await self.session.work(
                    listed_rows, self.loaded, scores, found, first, last - first, fill=fill
                )
            except DepnetError as error:
                self.said.text = str(error)
            else:
                self.top = listed if first == 0 else self.top
                rows, total = [_shown(row) for row in listed], len(found.rows)
                self._say(found, scores)
        ui.run_javascript(
            f"window.depnetRows?.[{number}]?.successCallback({json.dumps(rows)}, {json.dumps(total)}); "
            f"delete window.depnetRows?.[{number}];"
        )

    def _list_finding(self) -> Finding | None:
        """The first rows of the grid."""
        if not self.top:
            return None
        names = self.loaded.domain.names
        rows = [
            (row.number, row.why, row.odder, row.alike, *(cell.filled or cell.value for cell in row.cells))
            for row in self.top
        ]
        odd = {"how odd, in powers of ten": [-row.score / math.log(10) for row in self.top]}
        chart = bar_chart([f"{row.number:,}: {row.why}" for row in self.top], odd)
        heads = [head for _, head, _ in FIRST]
        command = shlex.join(
            ["depnet", "odd", self.loaded.path, self.loaded.table or "table.csv", "-n", str(BLOCK)]
        )
        return Finding("Rows of the table and why they are odd", [*heads, *names], rows, command, chart)

    async def _find(self, state: State, scores: RowScores) -> RowList:
        held = state.known if _ticked(state, "match") else {}
        by, down = self._order(state)
        order: Order = "score" if by in (None, "score") else "row" if by == "row" else int(str(by)[1:])
        key = (dict(held), by, down, _ticked(state, "once"), state.own.get("find"), state.own.get("filter"))
        if self.found is None or self.found[0] != key:
            wanted: Any = {"by": order, "down": down, "once": key[3], "text": key[4] or ""}
            given, filters = known.given(held), self._filters(state)
            found = await self.session.work(find_rows, self.loaded, scores, given, filters, **wanted)
            self.found = key, found
        return self.found[1]

    def _say(self, found: RowList, scores: RowScores) -> None:
        scored = len(scores.each)
        only = "" if scored == scores.rows else f" (the first {scored:,} of {scores.rows:,} were scored)"
        kinds = "" if len(found.rows) == found.matching else f", {len(found.rows):,} different ones"
        some = f"{found.matching:,} of {scored:,} rows"
        of = plural(scored, "row") if found.matching == scored else some
        self.said.set_text(f"{of}{kinds}{only}.")


class _ChosenRow:
    """One row: why its target is what it is, its cells, the oddest first, and the way to Explore with them."""

    def __init__(self, session: Session) -> None:
        self.session, self.loaded = session, session.loaded
        self.number: int | None = None
        with card() as self.place:
            self.title = heading("")
            self.said = note("").props('role="status"')
            self.ask = ui.link("", "").classes("depnet-jump")
            with bar():
                self.aim = select(
                    dict(enumerate(self.loaded.domain.names)), "Why is this column what it is?", self._aim
                )
            self.why = Why(session, self.loaded)
            self.cells = ui.element("div").classes("depnet-scroll")
        self.place.set_visibility(False)

    def _aim(self) -> None:
        if self.aim.value is not None:
            name = self.loaded.domain.names[self.aim.value]
            if name != (self.session.state.target or self.loaded.guessed_target):
                self.session.change(target=name)

    async def show(self, state: State, scores: RowScores) -> None:
        number = state.number("row")
        there = number is not None and 1 <= number <= len(scores.each)
        self.place.set_visibility(there)
        if number is None or not there:
            self.number = None
            return
        target = state.target or self.loaded.guessed_target
        self.aim.value = None if target is None else self.loaded.domain.index(target)
        row = await self.session.work(one_row, self.loaded, scores, number)
        if state is not self.session.state:
            return  # the reader has gone on meanwhile
        self.title.text = f"Row {number:,} of the table"
        filled = [cell.filled for cell in row.cells if cell.filled]
        holes = f" {plural(len(filled), 'hole')} filled by the model, marked below." if filled else ""
        self.said.text = f"Rows that are odder: {row.odder}. {row.why}.{holes}"
        named = sorted(
            zip(self.loaded.domain.names, row.cells, strict=True),
            key=lambda each: 2.0 if each[1].tail != each[1].tail else each[1].tail,
        )
        self._link(state, row, named[0][0])
        self.why.ask_row(target, known_by(self.loaded.domain.variables, row))
        self.cells.clear()
        with self.cells, show_table(("column", "value", "given the rest of the row")) as table:
            for name, cell in named[:CELLS]:
                with table.row(f"odd{cell.level}"):
                    table.cell(name)
                    value = table.cell(cell.filled or cell.value)
                    if cell.filled:
                        value.classes("filled")
                    table.cell(cell.said)
        if number != self.number:
            self.number = number
            ui.run_javascript(f'getHtmlElement({self.place.id})?.scrollIntoView({{block: "nearest"}})')

    def finding(self) -> Finding | None:
        """Why the chosen row's target is what it is."""
        found, (target, facts, state) = self.why.found, self.why.asked
        if found is None or target is None or self.number is None:
            return None
        command = command_line(self.loaded.path, [target], facts, self.loaded.table)
        stated = "" if state is None else f" --state {shlex.quote(str(state))}"
        command = command.replace("depnet query", f"depnet explain{stated}", 1)
        rows = [("nothing given", 0.0, found.start), *found.rows()]
        title = f"Row {self.number:,}: why {found.about}"
        return Finding(title, ("fact", "adds", "answer"), rows, command, waterfall_chart(found))

    def _link(self, state: State, row: ListedRow, oddest: str) -> None:
        """To Explore with the cells as what is given; of a full row all but one, which is asked for."""
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
        self.ask.text = "Explore this row" if asked is None else f"Explore {short(asked, 30)} given this row"
        self.ask.props["href"] = self.session.url("/", wanted)


def _shown(row: ListedRow) -> dict[str, Any]:
    """A row as the grid has it; of a cell its text, shade, what is said of it, and whether it is a hole, or filled."""
    cells = [
        (cell.filled or cell.value, cell.level, cell.said, 2 if cell.filled else int(cell.hole))
        for cell in row.cells
    ]
    return {"row": row.number, "why": row.why, "score": row.odder, "alike": row.alike, "cells": cells}


def _pinned(state: State) -> list[str]:
    found = state.own.get("pin", "")
    try:
        names = json.loads(found) if found else []
    except ValueError:
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _ticked(state: State, name: str) -> bool:
    """Is a box ticked? Equal rows are listed once unless they are in the table's own order, or the address says it."""
    usual = "0" if name != "once" or state.own.get("by") == ".row" else "1"
    return state.own.get(name, usual) == "1"


def _others(state: State) -> object:
    """What says which rows there are, beside the grid's own filters and order."""
    own = [state.own.get(name) for name in ("find", "match", "once", "fill")]
    return own, dict(state.known) if _ticked(state, "match") else None
