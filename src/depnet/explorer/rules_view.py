"""Rules: how one column is predicted, as rules in words, and as a graph from its root; in its second tab the network.

The terms of the theory, the learning and the certificate are under Details.
"""

import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nicegui import events, ui

from depnet.data import Label
from depnet.errors import DepnetError
from depnet.explorer import known, parts
from depnet.explorer.histogram import state_label
from depnet.explorer.segments import ROWS, SegmentList, describe_law, known_by_rule
from depnet.explorer.session import Session
from depnet.explorer.share import Finding
from depnet.explorer.state import State
from depnet.learning.certificate import Certificate
from depnet.pictures.labels import join, line, short
from depnet.pictures.node.boosted import boosted
from depnet.pictures.node.decision import Decision, Leaf, decision, node_name, node_of
from depnet.pictures.node.rules import Reached, Rule, describe_rules, find_reached, rules_of
from depnet.pictures.node.svg import boosted_svg, decision_svg
from depnet.wording import plural

TITLE = "Rules"
PATH = "/rules"
NEEDS_MODEL = True

NETWORK = f"{PATH}/network"
"""The second tab."""

MOST_VERTICES = 2000
"""Vertices of a graph that is drawn; of a larger one the rules are listed."""

LISTED = 40
"""Rules that are listed at first, and with each "more"."""

TERMS = (
    ("entropy", "H(X)", "what is not known without reading anything"),
    ("source_entropy", "H(X | Y)", "what the rules leave open"),
    ("full_entropy", "H(X | rest)", "what all other columns leave open"),
    ("misfit", "misfit", "the table against the data's own frequencies"),
    ("kl", "KL(data ‖ E)", "distance to this node's manifold (Theorem 4)"),
    ("penalty", "R(k, N)", "the price of its parameters"),
    ("cost", "cost", "KL + R"),
)

GLOSSARY = (
    ("law", "the joint model: how likely each whole row is"),
    ("vertex", "a box of the graph: a test, or a group of rows"),
    ("leaf", "a group of rows, where the rules end"),
    ("nats", "a measure of uncertainty; 1 nat is 1.44 bits"),
    ("misfit", "how far the groups' shares are from those counted in the rows"),
    ("manifold", "all joint models in which the column is predicted by these rules"),
)
"""What the terms mean (docs/words.md)."""


async def build(session: Session) -> None:
    network = session.loaded.network

    def number_of(state: State) -> int:
        name = state.variable or state.target or session.loaded.guessed_target
        return 0 if name is None else node_of(network, name)

    def change(event: events.ValueChangeEventArguments[Any]) -> None:
        if event.value is not None and int(event.value) != number_of(session.state):
            name = network.domain.names[network.nodes[int(event.value)].variable]
            session.change(variable=name, own={})

    with parts.bar():
        tabs(session, PATH)
        options = {k: line(node_name(network, k)) for k in range(len(network))}
        chosen = parts.select(options, "Column", change, value=number_of(session.state), with_input=True)
    place = parts.stack()
    shown: list[_Graph | _Boosted] = []

    async def fill() -> None:
        number = number_of(session.state)
        place.clear()
        shown[:] = [(_Boosted if network.nodes[number].boosted else _Graph)(session, number)]
        with place:
            await shown[0].build()

    def follow(state: State) -> None:
        number = number_of(state)
        chosen.set_value(number)
        session.spawn(fill() if shown[0].number != number else shown[0].follow(state))

    await fill()
    session.on_change(follow)


def tabs(session: Session, path: str) -> None:
    """One column, or all of them as a network."""
    links = {}
    with ui.element("nav").classes("depnet-switch").props('aria-label="Rules of"'):
        for own, text in ((PATH, "One column"), (NETWORK, "Network")):
            links[own] = ui.link(text)
            links[own].props["aria-current"] = "page" if own == path else None

    def follow(_: State) -> None:
        for own, link in links.items():
            link.props["href"] = session.url(own)

    follow(session.state)
    session.on_change(follow)


class NodePicture(parts.Component, component="node_picture.js"):
    """A picture of the library; `choose(vertex)` is called when a vertex is clicked, or Enter pressed on it."""

    def __init__(self, choose: Callable[[int], object]) -> None:
        super().__init__(svg="", looks=[], chosen=-1)
        self.tell("choose", int, to=choose)


class _Boosted:
    """A boosted node: what it reads and how much, and its first graph."""

    def __init__(self, session: Session, number: int) -> None:
        self.session, self.number = session, number

    async def build(self) -> None:
        said = await self.session.work(boosted, self.session.loaded.network, self.number)
        with parts.card("What predicts it"):
            parts.note("A sum of scores by many small sets of rules: it has no single list of them.")
            NodePicture(lambda _: None).put(svg=boosted_svg(said))
        if said.first is not None:
            with parts.card("The rules that it begins with"):
                parts.note("What the others are added to; shares are those before any of them.")
                NodePicture(lambda _: None).put(svg=decision_svg(said.first, "group"))
        with details(self.session, self.number):
            pass

    async def follow(self, _: State) -> None:
        """Evidence changes nothing of it."""


class _Graph:
    """A node of one decision graph; of the state, `vertex` is the chosen one."""

    def __init__(self, session: Session, number: int) -> None:
        self.session, self.number, self.network = session, number, session.loaded.network
        self.domain, self.node = self.network.domain, self.network.nodes[number]
        self.name = node_name(self.network, number)
        self.graph: Decision | None = None

    async def build(self) -> None:
        inputs = [self.domain.names[j] for j in self.node.source.inputs]
        self.rules = SegmentList(self.session, f"Rules for {short(self.name, 60)}", LISTED, ROWS, states=True)
        with self.rules.card:
            told = f"Predicted from {join(inputs, 300)}." if inputs else "No other column predicts it."
            parts.note(told).move(target_index=1)
            self.lit = parts.note("").props('role="status"')
            self.lit.move(target_index=2)
        with parts.card("The rules as a graph") as self.drawn:
            with ui.element("div").classes("depnet-node-graph"):
                self.place = parts.stack()
                self.panel = ui.element("div").classes("depnet-vertex")
                self.panel.props('role="region" aria-label="Chosen box"')
            self.merged = parts.note("Groups framed in orange were merged: several ways lead to them.")
        with details(self.session, self.number):
            self._facts()
        try:
            drawn = await self.session.work(decision, self.network, self.number)
        except DepnetError as error:
            for gone in (self.panel, self.merged):
                gone.set_visibility(False)
            with self.place:
                parts.warning(str(error))
            return
        variable = self.session.loaded.variable(self.name)
        drawn = replace(drawn, states=tuple(state_label(variable, k) for k in range(len(drawn.states))))
        self.graph = without_rows(drawn) if self.session.loaded.shared else drawn
        with self.place:
            self.picture = NodePicture(lambda vertex: self.session.set_own(vertex=str(vertex)))
            await self._draw(self.graph)
        await self.follow(self.session.state)
        self.session.finding = self._finding

    def _finding(self) -> Finding | None:
        found, graph = self.rules.found, self.graph
        if found is None or graph is None:
            return None
        rows = [(each.rule, each.share, each.value, each.own) for each in found.each]
        command = shlex.join(
            ["depnet", "show", self.session.loaded.path, "--node", self.domain.names[self.number]]
        )
        heads = ("rule", "share of the rows", found.measure.said, "the table's own")
        drawn = decision_svg(graph, "group") if len(graph.vertices) <= MOST_VERTICES else ""
        return Finding(f"Rules for {self.name}", heads, rows, command, svg=drawn)

    def _facts(self) -> None:
        counts, learned = self.node.table.counts, self.network.counts
        with parts.bar("depnet-facts"):
            parts.fact("states", f"{self.node.table.states:,}")
            parts.fact("leaves", f"{self.node.source.size:,}")
            parts.fact("parameters", f"{self.node.source.size * (self.node.table.states - 1):,}")
            parts.fact("rows", "not kept" if counts is None else f"{int(counts.sum()):,}")
        if learned is not None and learned.holes.any():
            parts.note(
                "Counts in leaves are of the rows that the model was learned from, missing values filled in."
            )

    async def _draw(self, graph: Decision) -> None:
        self.merged.set_visibility(any(isinstance(v, Leaf) and v.ways > 1 for v in graph.vertices))
        self.drawn.set_visibility(len(graph.vertices) > 1)
        if len(graph.vertices) > MOST_VERTICES:
            self.picture.set_visibility(False)
            parts.note(
                f"{len(graph.vertices):,} boxes are too many for a picture; the rules are listed above. "
                "`depnet show model.json --node` writes the first of them as text."
            )
            return
        self.picture.put(svg=await self.session.work(decision_svg, graph, "group"))

    async def follow(self, state: State) -> None:
        """Show this state: what evidence leaves of the graph, the chosen vertex, the rules."""
        graph = self.graph
        if graph is None:
            return
        allowed = self._allowed_states(state, graph)
        lit = find_reached(graph, allowed) if allowed else None
        number = state.number("vertex")
        vertex = number if number is not None and number < len(graph.vertices) else -1
        found = None
        if vertex >= 0:
            found = await self.session.work(rules_of, graph, self.domain, vertex)
        if state is not self.session.state:
            return  # the reader has gone on meanwhile
        self.lit.set_text(_describe_lit(graph, lit))
        self.lit.set_visibility(bool(self.lit.text))
        looks = {v: look for v in range(len(graph.vertices)) if (look := _look(v, lit))}
        self.picture.put(looks=list(looks.items()), chosen=vertex)
        self._show_chosen(graph, vertex, found)
        await self.rules.show(self.name, looks=looks)

    def _allowed_states(self, state: State, graph: Decision) -> dict[str, list[Label]]:
        """The states that what is known leaves to the variables that the graph tests."""
        found = {}
        for name, held in state.known.items():
            variable = self.session.loaded.variable(name)
            weights = known.weights(variable, held)
            if name in graph.inputs and weights.any():  # not of a hole that the model has no state for
                found[name] = [s for s, w in zip(variable.states, weights.tolist(), strict=True) if w > 0]
        return found

    def _show_chosen(self, graph: Decision, v: int, found: tuple[tuple[Rule, ...], bool] | None) -> None:
        """What is said of the chosen vertex: its rule, of a leaf its rows and its distribution; and what can be done."""
        self.panel.clear()
        with self.panel:
            if found is None:
                parts.note("Choose a box, by a click or by Enter, to see its rule.")
                return
            vertex, (rules, more) = graph.vertices[v], found
            if isinstance(vertex, Leaf):
                parts.heading(f"Group {vertex.number}")
            else:
                parts.heading(f"A test of {short(vertex.variable, 60)}")
            rule = describe_rules(self.domain, rules, more)
            rule = "they are any" if rule == "all rows" else rule
            ui.label(f"Rows come here if {rule}.").classes("depnet-vertex-rule")
            if isinstance(vertex, Leaf):
                parts.note(describe_law(vertex.probabilities, graph.states) + vertex.rows_said)
            if len(rules) == 1 and rules[0] and not more:
                self._rule_actions(rules[0])

    def _rule_actions(self, rule: Rule) -> None:
        """Make a rule known, or see its rows."""
        held = known_by_rule(self.session.loaded.variable, rule)
        together = {**self.session.state.known, **held}
        parts.button("Take its rule as given", lambda: self.session.change(known=together), "outline dense")
        if self.session.loaded.data is not None:
            state = replace(self.session.state, known=held, own={"match": "1"})
            ui.link("See its rows", self.session.url("/rows", state))


def _look(vertex: int, lit: Reached | None) -> str:
    """`path` is lit, `out` is pale: what is known does not lead there."""
    return "" if lit is None else "path" if vertex in lit.path else "" if vertex in lit.vertices else "out"


def _describe_lit(graph: Decision, lit: Reached | None) -> str:
    if lit is None:
        return ""
    ends = [v for v in (graph.vertices[k] for k in sorted(lit.vertices)) if isinstance(v, Leaf)]
    if len(ends) == 1:
        return f"What is given leads to group {ends[0].number}."
    return f"What is given leaves {len(ends):,} of {plural(graph.leaves, 'group')}."


def without_rows(drawn: Decision) -> Decision:
    """The graph without what its leaves say of rows."""
    vertices = tuple(replace(v, rows=None) if isinstance(v, Leaf) else v for v in drawn.vertices)
    return replace(drawn, vertices=vertices)


def details(session: Session, number: int) -> ui.element:
    """What those who know the theory ask for: how it was learned, what is proven of it, and what the terms mean."""
    with ui.element("details").classes("depnet-card depnet-details"):
        with ui.element("summary"):
            ui.label("Details")
        told = parts.stack()
        with ui.element("div").classes("depnet-columns"):
            proven_card(session, number)
            with parts.stack("depnet-tight"):
                parts.heading("What the terms mean")
                with parts.show_table(("term", "meaning")) as table:
                    for term, meaning in GLOSSARY:
                        with table.row():
                            table.cell(term)
                            table.cell(meaning)
    return told


def proven_card(session: Session, number: int) -> None:
    with parts.stack("depnet-tight") as place:
        parts.heading("What is proven")
        said = parts.note("…")
    loaded = session.loaded

    async def show() -> None:
        proven = await session.work(lambda: loaded.certificate)
        said.delete()
        with place:
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
