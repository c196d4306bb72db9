"""Pair: how two columns hang together, as a picture; by the model, by the table, or their difference."""

from typing import Any

from nicegui import ui

from depnet.errors import DepnetError
from depnet.explorer.copyable import command_line
from depnet.explorer.pair import Of, PairPicture, chart_options, picture_pair
from depnet.explorer.parts import bar, card, fact, note, select, stack, warning
from depnet.explorer.session import Latest, Session, Stop
from depnet.explorer.share import Finding, bar_chart
from depnet.explorer.state import State
from depnet.pictures import colours
from depnet.wording import percent

TITLE = "Pair"
PATH = "/pair"
NEEDS_MODEL = True

WAYS: dict[Of, str] = {"model": "model", "table": "the table's rows", "difference": "model less table"}


class _Pair:
    """The pair of one open page: `first` and `second` of the address, `show` says by what."""

    def __init__(self, session: Session) -> None:
        self.session, self.loaded = session, session.loaded
        self.names = self.loaded.domain.names
        self.asking = Latest(session)
        self.drawn: PairPicture | None = None
        with card("Two columns together"):
            with bar():
                options = dict(enumerate(self.names))
                self.boxes = [
                    select(options, label, self._choose, with_input=True)
                    for label in ("First column", "Second column")
                ]
                ways = WAYS if self.loaded.data is not None else {"model": WAYS["model"]}
                self.way = select(ways, "Show", self._choose)
            self.facts = bar("depnet-facts").props('role="status"')
            self.place = stack()
        self._update(session.state)
        session.on_change(self._update)
        session.finding = self._finding

    def pair(self, state: State) -> tuple[str, str] | None:
        """What the address says, else the target and what is most strongly linked with it."""
        first, second = (state.own.get(name, "") for name in ("first", "second"))
        if {first, second} <= set(self.names) and first != second:
            return first, second
        target = state.target or self.loaded.guessed_target
        ties = self.loaded.graph.ties
        i = None if target is None else self.names.index(target)
        of_target = [tie for tie in ties if i in tie.ends] or list(ties)
        if not of_target:
            return None
        ends = of_target[0].ends
        other, last = (ends[0], ends[1]) if ends[1] == i else (ends[1], ends[0])
        return self.names[other], self.names[last]

    def _choose(self) -> None:
        chosen = [None if box.value is None else self.names[box.value] for box in self.boxes]
        if None in chosen or chosen[0] == chosen[1]:
            return
        now = self.pair(self.session.state)
        if (tuple(chosen), self.way.value) != (now, self._way(self.session.state)):
            show = None if self.way.value == "model" else str(self.way.value)
            self.session.set_own(first=chosen[0], second=chosen[1], show=show)

    def _way(self, state: State) -> Of:
        said = state.own.get("show")
        found: Of = "table" if said == "table" else "difference" if said == "difference" else "model"
        return found if self.loaded.data is not None else "model"

    def _update(self, state: State) -> None:
        names, way = self.pair(state), self._way(state)
        self.way.value = way
        if names is None:
            self._say("No column predicts another: choose two.")
            return
        for box, name in zip(self.boxes, names, strict=True):
            box.value = self.names.index(name)
        self.asking.begin(lambda stop: self._find(names, way, state, stop))

    def _say(self, text: str) -> None:
        self.place.clear()
        with self.place:
            warning(text)

    async def _find(self, names: tuple[str, str], way: Of, state: State, stop: Stop) -> None:
        try:
            drawn = await self.session.work(picture_pair, self.loaded, names, state.known)
        except DepnetError as error:
            self._say(str(error))
            return
        if stop.pressed:
            return
        self.drawn = drawn
        self._show_facts(names, drawn)
        self.place.clear()
        with self.place:
            if drawn.kind == "mosaic":
                _mosaic(drawn, way)
            else:
                chart = ui.echart(chart_options(drawn, way)).classes("depnet-pair-chart").props("role=img")
                chart.props["aria-label"] = f"{names[0]} and {names[1]} together"

    def _finding(self) -> Finding | None:
        drawn = self.drawn
        if drawn is None:
            return None
        names = [side.variable.name for side in (drawn.first, drawn.second)]
        model, table = drawn.cells("model"), drawn.table
        rows = [
            (x, y, float(model[i, j]), None if table is None else float(table[i, j]))
            for i, x in enumerate(drawn.first.labels)
            for j, y in enumerate(drawn.second.labels)
        ]
        way = self._way(self.session.state)
        if drawn.kind == "mosaic":
            shares = drawn.cells(way)
            chart = bar_chart(
                drawn.first.labels,
                {label: shares[:, j].round(6).tolist() for j, label in enumerate(drawn.second.labels)},
            )
        else:
            chart = chart_options(drawn, way)
        command = command_line(self.loaded.path, names, self.session.state.known, self.loaded.table)
        command = command.replace("depnet query", "depnet query --joint", 1)
        heads = (*names, "share by the model", "share of the table's rows")
        return Finding(f"{names[0]} and {names[1]}", heads, rows, command, chart)

    def _show_facts(self, names: tuple[str, str], drawn: PairPicture) -> None:
        information, uncertainty = drawn.found.information, drawn.found.uncertainty
        self.facts.clear()
        with self.facts:
            for k, (name, other) in enumerate((names, names[::-1])):
                if uncertainty[1 - k] > 0:
                    fact(f"{name} alone tells of {other}", percent(information / uncertainty[1 - k]))
            beyond = {(a.source, a.target): a.strength for a in self.loaded.graph.arrows}
            i, j = map(self.names.index, names)
            found = [beyond[way] for way in ((i, j), (j, i)) if way in beyond]
            fact("beyond all other columns", f"{max(found):.3f} bits" if found else "nothing")
            if drawn.rows:
                fact("rows of the table", f"{drawn.rows:,}")
            if self.session.state.known:
                note("given what is given above")


def _mosaic(drawn: PairPicture, way: Of) -> None:
    """Columns as wide as the first one's states are frequent, divided by the second."""
    cells: Any = drawn.cells("model" if way == "difference" else way)
    labels = drawn.second.labels
    with bar("depnet-keys"):
        for k, label in enumerate(labels):
            with ui.element("span").classes("depnet-mark"):
                ui.element("span").classes("depnet-dot").style(
                    f"background: {colours.CYCLE[k % len(colours.CYCLE)]}"
                )
                note(label)
    with ui.element("div").classes("depnet-mosaic").props('role="group" aria-label="Mosaic"'):
        for x, name in enumerate(drawn.first.labels):
            total = float(cells[x].sum())
            if total < 1e-6:
                continue
            with ui.element("div").classes("depnet-mosaic-column").style(f"flex: {total:.5f} 1 0"):
                with ui.element("div").classes("depnet-mosaic-stack"):
                    for k, label in enumerate(labels):
                        share = float(cells[x, k]) / total
                        apart = 0.0
                        if drawn.table is not None and drawn.table[x].sum() > 0:
                            apart = share - float(drawn.table[x, k] / drawn.table[x].sum())
                        said = f"{drawn.first.variable.name} = {name}: {label} {percent(share)}"
                        less = f", model less table {100 * apart:+.1f} points" if way == "difference" else ""
                        part = ui.element("div").style(
                            f"flex: {max(share, 1e-4):.5f} 1 0; background: {colours.CYCLE[k % len(colours.CYCLE)]}"
                        )
                        part.props["title"] = said + less
                        part.props["role"], part.props["aria-label"] = "img", said + less
                note(f"{name} {percent(total)}")


build = _Pair
