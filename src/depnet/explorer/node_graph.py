"""The decision graph of a node with all that belongs to it: what evidence leaves of it, the chosen vertex, the leaves."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nicegui import ui

from depnet.arrays import FloatArray
from depnet.data import Dataset, Label
from depnet.explorer import known, parts
from depnet.explorer.decision_picture import DecisionPicture, picture
from depnet.explorer.session import Session
from depnet.explorer.share_bars import Bar, ShareBars
from depnet.explorer.state import State
from depnet.pictures import Decision
from depnet.pictures.labels import short
from depnet.pictures.node.decision import Leaf, state_colours
from depnet.pictures.node.parts_of_graph import (
    Reached,
    counts_at,
    depths,
    leaves_below,
    levels_within,
    part_below,
    reached,
)
from depnet.pictures.node.rules import Rule, rules_of, rules_said, ways_in
from depnet.wording import counted

OPENS_WITH = 120
"""Vertices of a graph that are drawn at first; a larger graph is cut at the last level that fits."""

MOST_VERTICES = 1500
"""Vertices that are drawn at all."""

MOST_LEAVES = 40
"""Leaves that are listed before the reader asks for more: those with the most rows."""


class NodeGraph:
    """Shows the state: `vertex` is the chosen one, `start` where the drawing begins, `levels` how deep it goes."""

    def __init__(self, session: Session, data: Dataset | None) -> None:
        """`data` are the rows of the table that know all that the node reads."""
        self.session = session
        self.domain, self.data = session.loaded.network.domain, data
        self.graph: Decision | None = None
        self.most = MOST_LEAVES
        self.leaves: ui.element
        self.picture: DecisionPicture | None = None
        self.bars: ShareBars | None = None

    def build(self) -> None:
        """The places of its parts, in the card that is open; `leaves` is another one's."""
        self.lit = ui.label().classes("depnet-note").props('role="status"')
        with parts.bar():
            self.levels: ui.select = (
                ui.select([], label="levels", on_change=lambda event: self._deeper(event.value))
                .props('dense outlined options-dense aria-label="Levels"')
                .classes("depnet-levels")
            )
            self.whole = parts.button(
                "Whole graph", lambda: self.session.set_own(start=None), "outline dense"
            )
        with ui.element("div").classes("depnet-node-graph"):
            self.place = parts.stack()
            self.panel = (
                ui.element("div").classes("depnet-vertex").props('role="region" aria-label="Chosen vertex"')
            )
        self.merged = parts.note("Leaves framed in orange were merged: several ways lead to them.")

    def fail(self, text: str) -> None:
        for gone in (self.levels, self.whole, self.panel, self.merged):
            gone.set_visibility(False)
        self.picture = None
        self.place.clear()
        with self.place:
            parts.warning(text)

    async def show(self, state: State) -> None:
        """The graph, the chosen vertex and the leaves."""
        graph = self.graph
        if graph is None:
            return
        allowed = self._allowed(state)
        lit = reached(graph, allowed) if allowed else None
        self.lit.set_text(self._lit_said(graph, lit))
        start, vertex = (_named(state, name, graph) for name in ("start", "vertex"))
        start = max(start, 0)
        levels = self._levels(graph, start, state.number("levels") or 0)
        drawn = await self.session.work(lambda: picture(part_below(graph, start, levels), vertex, lit))
        if graph is not self.graph or state is not self.session.state:
            return  # the reader has gone on meanwhile
        if self.picture is None:
            with self.place:
                self.picture = DecisionPicture(drawn, self._choose)
        else:
            self.picture.put(**drawn)
        self.whole.set_visibility(start != 0)
        self.merged.set_visibility(any(isinstance(v, Leaf) and v.ways > 1 for v in graph.vertices))
        await self._list(graph, vertex, lit)
        await self._chosen(graph, vertex)

    def _allowed(self, state: State) -> dict[str, list[Label]]:
        """The states that what is known leaves to the variables that the graph tests."""
        found = {}
        for name, held in state.known.items():
            variable = self.domain.variables[self.domain.index(name)]
            if self.graph is not None and name in self.graph.inputs:
                weights = known.weights(variable, held)
                if weights.any():  # not of a hole that the model has no state for
                    found[name] = [s for s, w in zip(variable.states, weights.tolist(), strict=True) if w > 0]
        return found

    def _lit_said(self, graph: Decision, lit: Reached | None) -> str:
        if lit is None:
            return "Nothing is known of what it tests: rows can come to every leaf." if graph.inputs else ""
        ends = [v for v in (graph.vertices[k] for k in sorted(lit.vertices)) if isinstance(v, Leaf)]
        if len(ends) == 1:
            return f"What is known leads to leaf {ends[0].number}."
        names = ", ".join(str(leaf.number) for leaf in ends[:12]) + (" …" if len(ends) > 12 else "")
        return f"What is known leads to one of {len(ends):,} leaves: {names}."

    def _levels(self, graph: Decision, start: int, wanted: int) -> int:
        """How many levels are drawn; the choice shows it."""
        deepest = max(depths(graph, start).values())
        most = levels_within(graph, start, MOST_VERTICES)
        levels = min(wanted or levels_within(graph, start, OPENS_WITH), most)
        options = {k: "all" if k == deepest else str(k) for k in range(1, most + 1)}
        self.levels.set_visibility(deepest > 1)
        self.levels.set_options(options or {0: "all"}, value=levels if options else 0)
        return levels

    def _deeper(self, levels: Any) -> None:
        if isinstance(levels, int) and levels > 0 and self.graph is not None:
            state = self.session.state
            start = max(_named(state, "start", self.graph), 0)
            if levels != (state.number("levels") or levels_within(self.graph, start, OPENS_WITH)):
                self.session.set_own(push=False, levels=str(levels))

    async def _list(self, graph: Decision, vertex: int, lit: Reached | None) -> None:
        """The leaves with their rules, those with the most rows first."""
        found = [(v, leaf) for v, leaf in enumerate(graph.vertices) if isinstance(leaf, Leaf)]
        found.sort(key=lambda pair: (-(pair[1].rows or 0), pair[1].number))
        kept = found[: self.most]
        rules = await self.session.work(self._rules, graph, [v for v, _ in kept])
        bars = [
            Bar(
                v,
                f"leaf {leaf.number}",
                leaf.probabilities,
                rule,
                "" if leaf.rows is None else counted(leaf.rows, "row"),
                "" if lit is None else "out" if v not in lit.vertices else "path" if v in lit.path else "",
            )
            for (v, leaf), rule in zip(kept, rules, strict=True)
        ]
        if self.bars is None:
            self.leaves.clear()
            with self.leaves:
                self.bars = ShareBars(bars, graph.states, state_colours(graph), self._choose, chosen=vertex)
                self.some = parts.note("")
                self.more = parts.button("Show more leaves", self._more, "outline")
        else:
            self.bars.show(bars, graph.states, state_colours(graph), vertex)
        self.some.set_text(f"{len(kept):,} of {len(found):,} leaves, those with the most rows.")
        self.some.set_visibility(len(kept) < len(found))
        self.more.set_visibility(len(kept) < len(found))

    def _rules(self, graph: Decision, vertices: Sequence[int]) -> list[str]:
        above = ways_in(graph)
        return [rules_said(self.domain, *rules_of(graph, self.domain, v, above)) for v in vertices]

    def _choose(self, vertex: int) -> None:
        self.session.set_own(vertex=str(vertex))

    async def _more(self) -> None:
        self.most += 3 * MOST_LEAVES
        await self.show(self.session.state)

    async def _chosen(self, graph: Decision, v: int) -> None:
        """What is said of the chosen vertex: its rule, its rows, its distribution; and where one can go from it."""
        vertex = graph.vertices[v] if v >= 0 else None
        is_leaf = isinstance(vertex, Leaf)
        data = self.data if not is_leaf and not self.session.hides else None
        rules, more, counts = (
            ((), False, None) if v < 0 else await self.session.work(self._vertex, graph, v, data)
        )
        self.panel.clear()
        with self.panel:
            if vertex is None:
                parts.note("Choose a vertex, by a click or by Enter, to see its rule and its rows.")
                return
            if isinstance(vertex, Leaf):
                parts.heading(f"Leaf {vertex.number}")
            else:
                below = counted(len(leaves_below(graph, v)), "leaf", "leaves")
                parts.heading(f"A test of {short(getattr(vertex, 'variable', ''), 60)}")
                parts.note(f"{below} below it.")
            rule = rules_said(self.domain, rules, more)
            rule = "they are any" if rule == "all rows" else rule
            ui.label(f"Rows come here if {rule}.").classes("depnet-vertex-rule")
            self._law(graph, vertex, counts)
            self._ways_on(v, rules if not more else (), is_leaf)

    def _vertex(self, graph: Decision, v: int, data: Any) -> tuple[tuple[Rule, ...], bool, FloatArray | None]:
        rules, more = rules_of(graph, self.domain, v)
        return rules, more, None if data is None else counts_at(graph, v, data)

    def _law(self, graph: Decision, vertex: Any, counts: FloatArray | None) -> None:
        """The rows and the distribution of a leaf, as the model has them; of a test, as the table has them."""
        if isinstance(vertex, Leaf):
            law, rows, name = vertex.probabilities, vertex.rows, "the model's distribution"
        elif counts is not None and counts.sum() > 0:
            law, rows, name = (
                tuple((counts / counts.sum()).tolist()),
                int(counts.sum()),
                "the table's distribution",
            )
        else:
            law, rows, name = (), None, ""
        if rows is not None:
            share = (
                "" if self.data is None or not self.data.total else f", {rows / self.data.total:.1%} of all"
            )
            parts.note(f"{counted(rows, 'row')}{share}")
        elif not isinstance(vertex, Leaf) and not self.session.hides:
            parts.note(
                "How many rows come to a test needs the rows: depnet explore model.json --data table.csv"
            )
        if law:
            ShareBars([Bar(0, graph.name, law, name)], graph.states, state_colours(graph))

    def _ways_on(self, v: int, rules: tuple[Rule, ...], is_leaf: bool) -> None:
        """Make its rule known, see its rows, draw the graph from here."""
        if len(rules) == 1 and rules[0]:
            held = {}
            for name, states in rules[0].items():
                variable = self.domain.variables[self.domain.index(name)]
                of = known.held_by(variable, tuple(str(s) for s in variable.states if s in states))
                if of:
                    held[name] = of
            together = {**self.session.state.known, **held}
            parts.button("Make its rule known", lambda: self.session.change(known=together), "outline dense")
            if self.data is not None and not self.session.hides:
                state = replace(self.session.state, known=held, own={"match": "1"})
                ui.link("See its rows", self.session.url("/rows", state))
        if not is_leaf and v > 0 and str(v) != self.session.own("start"):
            parts.button(
                "Draw from here on", lambda: self.session.set_own(start=str(v), levels=None), "outline dense"
            )


def _named(state: State, name: str, graph: Decision) -> int:
    """The vertex that a parameter of the address names; -1 where it is none."""
    number = state.number(name)
    return number if number is not None and number < len(graph.vertices) else -1
