"""One node: the library's picture of its decision graph, or of what it sums; its leaves, and what is proven about it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from nicegui import events, ui

from depnet.arrays import FloatArray
from depnet.data import Label
from depnet.errors import DepnetError
from depnet.explorer import known, parts
from depnet.explorer.session import Session
from depnet.explorer.state import State
from depnet.inference.answer.small_counts import hidden_cells
from depnet.learning.certificate import Certificate
from depnet.pictures import colours
from depnet.pictures.labels import line, listed, short
from depnet.pictures.node.decision import (
    Decision,
    Leaf,
    decision,
    named_states,
    node_name,
    node_of,
    shares,
    state_colours,
)
from depnet.pictures.node.effects import MOST_INPUTS, boosted, boosted_node
from depnet.pictures.node.parts_of_graph import (
    Reached,
    counts_at,
    leaves_below,
    levels_within,
    part_below,
    reached,
)
from depnet.pictures.node.rules import Rule, rules_of, rules_said, ways_in
from depnet.pictures.node.svg import boosted_svg, decision_svg
from depnet.wording import counted

TITLE = "Node"
PATH = "/node"
NEEDS_MODEL = True

MOST_VERTICES = 120
"""Vertices of a graph that are drawn; a larger one is cut at the last level that fits."""

MOST_LEAVES = 40
"""Leaves that are listed before the reader asks for more: those with the most rows."""

TERMS = (
    ("entropy", "H(X)", "what is not known without reading anything"),
    ("source_entropy", "H(X | Y)", "what the decision graph leaves open"),
    ("full_entropy", "H(X | rest)", "what all other variables leave open"),
    ("misfit", "misfit", "the table against the data's own frequencies"),
    ("kl", "KL(data ‖ E)", "distance to this node's manifold (Theorem 4)"),
    ("penalty", "R(k, N)", "the price of its parameters"),
    ("cost", "cost", "KL + R"),
)


async def build(session: Session) -> None:
    network = session.loaded.network

    def wanted(state: State) -> int:
        name = state.variable or state.target
        return 0 if name is None else node_of(network, name)

    def changed(event: events.ValueChangeEventArguments[Any]) -> None:
        if event.value is not None and int(event.value) != wanted(session.state):
            name = network.domain.names[network.nodes[int(event.value)].variable]
            session.change(variable=name, own={})

    with parts.bar():
        options = {k: line(node_name(network, k)) for k in range(len(network))}
        chosen = parts.select(options, "Node", changed, value=wanted(session.state), with_input=True)
    place = parts.stack()
    shown: list[_Graph | _Boosted] = []

    async def fill() -> None:
        number = wanted(session.state)
        place.clear()
        shown[:] = [(_Boosted if network.nodes[number].boosted else _Graph)(session, number)]
        with place:
            await shown[0].build()

    def follow(state: State) -> None:
        number = wanted(state)
        chosen.set_value(number)
        session.spawn(fill() if shown[0].number != number else shown[0].follow(state))

    await fill()
    session.on_change(follow)


class NodePicture(parts.Component, component="node_picture.js"):
    """A picture of the library; `choose(vertex)` is called when a vertex is clicked, or Enter pressed on it."""

    def __init__(self, choose: Callable[[int], object]) -> None:
        super().__init__(svg="", looks=[], chosen=-1)
        self.tell("choose", int, to=choose)


class _Boosted:
    """A boosted node: what it reads and how much, what its inputs do, and its first graph."""

    def __init__(self, session: Session, number: int) -> None:
        self.session, self.number = session, number
        self.network, self.data = session.loaded.network, session.loaded.known_to(number)
        self.most = MOST_INPUTS

    async def build(self) -> None:
        reads = boosted_node(self.network, self.number).inputs
        with ui.element("div").classes("depnet-columns"):
            with parts.stack():
                with parts.card("What it reads, and what that does"):
                    parts.note(
                        "A boosted node: its distribution is a sum of scores of many small decision graphs, the stages."
                        + (f" Reads {len(reads):,} variables." if reads else "")
                    )
                    self.picture = NodePicture(lambda _: None)
                    self.more = parts.button("Show more inputs", self._more, "outline")
                with parts.card("First graph") as self.first:
                    parts.note("What the stages are added to; its distributions are those before any stage.")
                    self.graph = NodePicture(lambda _: None)
            proven_card(self.session, self.number)
        await self._show()

    async def _show(self) -> None:
        said = await self.session.work(boosted, self.network, self.number, self.data, most=self.most)
        self.picture.put(svg=boosted_svg(said))
        self.more.set_visibility(self.most < len(said.inputs))
        self.first.set_visibility(said.first is not None)
        if said.first is not None:
            self.graph.put(svg=decision_svg(said.first))

    async def _more(self) -> None:
        self.most += 2 * MOST_INPUTS
        await self._show()

    async def follow(self, _: State) -> None:
        """Evidence changes nothing of it."""


class _Graph:
    """A node of one decision graph; of the state, `vertex` is the chosen one, `start` where the drawing begins."""

    def __init__(self, session: Session, number: int) -> None:
        self.session, self.number, self.network = session, number, session.loaded.network
        self.domain, self.node = self.network.domain, self.network.nodes[number]
        self.data = session.loaded.known_to(number)
        self.graph: Decision | None = None
        self.most = MOST_LEAVES

    async def build(self) -> None:
        with parts.card("Decision graph"):
            self._facts()
            self.lit = ui.label().classes("depnet-note").props('role="status"')
            self.whole = parts.button(
                "Whole graph", lambda: self.session.set_own(start=None), "outline dense"
            )
            with ui.element("div").classes("depnet-node-graph"):
                self.place = parts.stack()
                self.panel = ui.element("div").classes("depnet-vertex")
                self.panel.props('role="region" aria-label="Chosen vertex"')
            self.merged = parts.note("Leaves framed in orange were merged: several ways lead to them.")
        with ui.element("div").classes("depnet-columns"):
            with parts.card("Leaves"):
                self.leaves = ui.element("div").classes("depnet-shares")
                self.some = parts.note("")
                self.more = parts.button("Show more leaves", self._more, "outline")
            proven_card(self.session, self.number)
        try:
            drawn = await self.session.work(decision, self.network, self.number)
        except DepnetError as error:
            for gone in (self.whole, self.panel, self.merged, self.some, self.more):
                gone.set_visibility(False)
            with self.place:
                parts.warning(str(error))
            return
        with self.place:
            self.picture = NodePicture(self._choose)
        self.graph = without_few(drawn) if self.session.hides else drawn
        await self.follow(self.session.state)

    def _facts(self) -> None:
        inputs = [self.domain.names[j] for j in self.node.source.inputs]
        counts, learned = self.node.table.counts, self.network.counts
        with parts.bar():
            parts.fact("states", f"{self.node.table.states:,}")
            parts.fact("leaves", f"{self.node.source.size:,}")
            parts.fact("parameters", f"{self.node.source.size * (self.node.table.states - 1):,}")
            parts.fact("rows", "not kept" if counts is None else f"{int(counts.sum()):,}")
        if learned is not None and learned.holes.any():
            parts.note(
                "Counts in leaves are of the rows that the model was learned from, whose holes were completed."
            )
        parts.note(f"Reads {listed(inputs, 300)}." if inputs else "Reads nothing: it is known alone.")

    async def follow(self, state: State) -> None:
        """Show this state: what evidence leaves of the graph, the chosen vertex, the leaves."""
        graph = self.graph
        if graph is None:
            return
        allowed = self._allowed(state, graph)
        lit = reached(graph, allowed) if allowed else None
        start, vertex = (_named(state, name, graph) for name in ("start", "vertex"))
        drawn = await self.session.work(_drawn, graph, max(start, 0))
        if state is not self.session.state:
            return  # the reader has gone on meanwhile
        self.lit.set_text(_lit_said(graph, lit))
        looks = [[v, look] for v in range(len(graph.vertices)) if (look := _look(v, lit))]
        self.picture.put(svg=drawn, looks=looks, chosen=vertex)
        self.whole.set_visibility(start > 0)
        self.merged.set_visibility(any(isinstance(v, Leaf) and v.ways > 1 for v in graph.vertices))
        await self._list(graph, vertex, lit)
        await self._chosen(graph, vertex)

    def _allowed(self, state: State, graph: Decision) -> dict[str, list[Label]]:
        """The states that what is known leaves to the variables that the graph tests."""
        found = {}
        for name, held in state.known.items():
            variable = self.session.loaded.variable(name)
            weights = known.weights(variable, held)
            if name in graph.inputs and weights.any():  # not of a hole that the model has no state for
                found[name] = [s for s, w in zip(variable.states, weights.tolist(), strict=True) if w > 0]
        return found

    async def _list(self, graph: Decision, vertex: int, lit: Reached | None) -> None:
        """The leaves with their rules, those with the most rows first."""
        found = [(v, leaf) for v, leaf in enumerate(graph.vertices) if isinstance(leaf, Leaf)]
        found.sort(key=lambda pair: (-(pair[1].rows or 0), pair[1].number))
        kept = found[: self.most]

        def rules() -> list[str]:
            above = ways_in(graph)
            return [rules_said(self.domain, *rules_of(graph, self.domain, v, above)) for v, _ in kept]

        said = await self.session.work(rules)
        self.leaves.clear()
        with self.leaves:
            for (v, leaf), rule in zip(kept, said, strict=True):
                rows = "" if leaf.rows is None else counted(leaf.rows, "row")
                shown = share_bar(graph, leaf.probabilities, f"leaf {leaf.number}", rule, rows, tag="button")
                shown.classes(_look(v, lit)).on("click", partial(self._choose, v))
                shown.props(f'type="button" aria-pressed="{str(v == vertex).lower()}"')
        self.some.set_text(f"{len(kept):,} of {len(found):,} leaves, those with the most rows.")
        self.some.set_visibility(len(kept) < len(found))
        self.more.set_visibility(len(kept) < len(found))

    def _choose(self, vertex: int) -> None:
        self.session.set_own(vertex=str(vertex))

    async def _more(self) -> None:
        self.most += 3 * MOST_LEAVES
        await self.follow(self.session.state)

    async def _chosen(self, graph: Decision, v: int) -> None:
        """What is said of the chosen vertex: its rule, its rows, its distribution; and where one can go from it."""
        vertex = graph.vertices[v] if v >= 0 else None
        data = None if isinstance(vertex, Leaf) or self.session.hides else self.data

        def find() -> tuple[tuple[Rule, ...], bool, FloatArray | None]:
            rules, more = rules_of(graph, self.domain, v)
            return rules, more, None if data is None else counts_at(graph, v, data)

        rules, more, counts = ((), False, None) if vertex is None else await self.session.work(find)
        self.panel.clear()
        with self.panel:
            if vertex is None:
                parts.note("Choose a vertex, by a click or by Enter, to see its rule and its rows.")
                return
            if isinstance(vertex, Leaf):
                parts.heading(f"Leaf {vertex.number}")
            else:
                below = counted(len(leaves_below(graph, v)), "leaf", "leaves")
                parts.heading(f"A test of {short(vertex.variable, 60)}")
                parts.note(f"{below} below it.")
            rule = rules_said(self.domain, rules, more)
            rule = "they are any" if rule == "all rows" else rule
            ui.label(f"Rows come here if {rule}.").classes("depnet-vertex-rule")
            self._law(graph, vertex, counts)
            self._ways_on(v, rules if not more else (), isinstance(vertex, Leaf))

    def _law(self, graph: Decision, vertex: Any, counts: FloatArray | None) -> None:
        """The rows and the distribution of a leaf, as the model has them; of a test, as the table has them."""
        law: tuple[float, ...] = ()
        rows, name = None, ""
        if isinstance(vertex, Leaf):
            law, rows, name = vertex.probabilities, vertex.rows, "the model's distribution"
        elif counts is not None and counts.sum() > 0:
            law, rows = tuple((counts / counts.sum()).tolist()), int(counts.sum())
            name = "the table's distribution"
        elif not self.session.hides:
            parts.note(
                "How many rows come to a test needs the rows: depnet explore model.json --data table.csv"
            )
        if rows is not None:
            whole = 0 if self.data is None else self.data.total
            parts.note(counted(rows, "row") + (f", {rows / whole:.1%} of all" if whole else ""))
        if law:
            share_bar(graph, law, graph.name, name)
            parts.note(law_said(law, graph.states))

    def _ways_on(self, v: int, rules: tuple[Rule, ...], is_leaf: bool) -> None:
        """Make its rule known, see its rows, draw the graph from here."""
        if len(rules) == 1 and rules[0]:
            held = {}
            for name, states in rules[0].items():
                variable = self.session.loaded.variable(name)
                of = known.held_by(variable, tuple(str(s) for s in variable.states if s in states))
                if of:
                    held[name] = of
            together = {**self.session.state.known, **held}
            parts.button("Make its rule known", lambda: self.session.change(known=together), "outline dense")
            if self.data is not None and not self.session.hides:
                state = replace(self.session.state, known=held, own={"match": "1"})
                ui.link("See its rows", self.session.url("/rows", state))
        if not is_leaf and v > 0 and str(v) != self.session.own("start"):
            parts.button("Draw from here on", lambda: self.session.set_own(start=str(v)), "outline dense")


def _drawn(graph: Decision, start: int) -> str:
    part = part_below(graph, start, levels_within(graph, start, MOST_VERTICES))
    return decision_svg(part.graph, part.numbers)


def _look(vertex: int, lit: Reached | None) -> str:
    """`path` is lit, `out` is pale: what is known does not lead there."""
    return "" if lit is None else "path" if vertex in lit.path else "" if vertex in lit.vertices else "out"


def share_bar(
    graph: Decision, probabilities: Sequence[float], name: str, text: str, note: str = "", tag: str = "div"
) -> ui.element:
    """A distribution from end to end of a bar, in the graph's colours, with what it is of above it."""
    with ui.element(tag).classes("depnet-share") as made:
        ui.label(name).classes("depnet-share-name")
        ui.label(text).classes("depnet-share-text")
        ui.label(note).classes("depnet-note")
        with ui.element("div").classes("depnet-share-bar").props('role="img"') as shown:
            shown.props["aria-label"] = shown.props["title"] = law_said(probabilities, graph.states)
            for colour, share in shares(probabilities, state_colours(graph)):
                if share > 1e-6:
                    part = ui.label(f"{share:.2f}" if share >= 0.12 else "")
                    ink = colours.readable_on(colour)
                    part.style(f"width: {100 * share:.2f}%; background: {colour}; color: {ink}")
    return made


def law_said(probabilities: Sequence[float], states: Sequence[str]) -> str:
    """A distribution in words: its likely states."""
    named, rest = named_states(tuple(probabilities), 6)
    more = f", and {counted(rest, 'more state')}" if rest else ""
    return ", ".join(f"{short(states[s], 40)} {probabilities[s]:.3f}" for s in named) + more


def _lit_said(graph: Decision, lit: Reached | None) -> str:
    if lit is None:
        return "Nothing is known of what it tests: rows can come to every leaf." if graph.inputs else ""
    ends = [v for v in (graph.vertices[k] for k in sorted(lit.vertices)) if isinstance(v, Leaf)]
    if len(ends) == 1:
        return f"What is known leads to leaf {ends[0].number}."
    names = ", ".join(str(leaf.number) for leaf in ends[:12]) + (" …" if len(ends) > 12 else "")
    return f"What is known leads to one of {len(ends):,} leaves: {names}."


def _named(state: State, name: str, graph: Decision) -> int:
    """The vertex that a parameter of the address names; -1 where it is none."""
    number = state.number(name)
    return number if number is not None and number < len(graph.vertices) else -1


def without_few(drawn: Decision) -> Decision:
    """The graph without the rows of leaves that have few, nor of others from which they could be had."""
    leaves = [v for v in drawn.vertices if isinstance(v, Leaf)]
    if any(leaf.rows is None for leaf in leaves):
        return drawn
    hidden = hidden_cells(np.array([leaf.rows for leaf in leaves], dtype=np.float64))
    few = {leaf.number for leaf, hide in zip(leaves, hidden, strict=True) if hide}
    vertices = tuple(
        replace(v, rows=None) if isinstance(v, Leaf) and v.number in few else v for v in drawn.vertices
    )
    return replace(drawn, vertices=vertices)


def proven_card(session: Session, number: int) -> None:
    with parts.card("What is proven") as card:
        said = parts.note("…")
    loaded = session.loaded

    async def show() -> None:
        proven = await session.work(lambda: loaded.certificate)
        said.delete()
        with card:
            if proven is not None:
                certificate(proven, number)
                if loaded.data is not None and not loaded.data.complete:
                    parts.note(
                        "It speaks of the completed rows, from which the model was learned, and not of the holes."
                    )
                return
            what = "The certificate (how far the model can be from the data, Theorem 3)"
            parts.note(
                f"{what} needs the rows: depnet explore model.json --data table.csv"
                if loaded.data is None
                else f"{what} is about complete rows. The table has holes; the rows with them filled, from which the "
                "model was learned, are not kept."
            )

    session.spawn(show())


def certificate(proven: Certificate, number: int) -> None:
    node = proven.nodes[number]
    with parts.show_table(("term", "nats a row"), numbers=(1,)) as table:
        for field, name, meaning in TERMS:
            with table.row():
                with table.cell(name):
                    parts.note(meaning)
                table.cell(f"{getattr(node, field):.6f}")
    if node.boosted:
        parts.note("Of a boosted node H(X | Y) is the cross-entropy, the mean of -log θ, and there is no R.")
    parts.note(f"From {proven.rows:,} rows. All nodes together: {proven.said.replace('||', '‖')}")
