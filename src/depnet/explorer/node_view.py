"""One node: its decision graph, the rules of its leaves, and what is proven about it."""

from dataclasses import replace
from typing import Any

import numpy as np
from nicegui import events, ui

from depnet.errors import DepnetError
from depnet.explorer import node_charts, parts
from depnet.explorer.boosted_view import BoostedView
from depnet.explorer.loaded import Loaded
from depnet.explorer.node_graph import NodeGraph
from depnet.explorer.session import Session
from depnet.explorer.state import State
from depnet.inference.answer.small_counts import hidden_cells
from depnet.pictures.labels import line, listed
from depnet.pictures.node.decision import Decision, Leaf, decision, node_name, node_of

TITLE = "Node"
PATH = "/node"
NEEDS_MODEL = True


async def build(session: Session) -> None:
    network = session.loaded.network
    names = network.domain.names

    def wanted(state: State) -> int:
        name = state.variable or state.target
        return 0 if name is None else node_of(network, name)

    with parts.bar():
        options = {k: line(node_name(network, k)) for k in range(len(network))}
        chosen = ui.select(options, value=wanted(session.state), label="node", with_input=True).classes(
            "depnet-grow"
        )
        chosen.props('dense outlined options-dense aria-label="Node"')
    place = parts.stack()
    shown: list[_Node | BoostedView] = []

    async def fill() -> None:
        number = wanted(session.state)
        place.clear()
        shown[:] = [BoostedView(session, number) if network.nodes[number].boosted else _Node(session, number)]
        with place:
            await shown[0].build()

    def changed(event: events.ValueChangeEventArguments[Any]) -> None:
        if event.value is not None and int(event.value) != wanted(session.state):
            session.change(variable=names[network.nodes[int(event.value)].variable], own={})

    def follow(state: State) -> None:
        number = wanted(state)
        chosen.set_value(number)
        if shown[0].number != number:
            session.spawn(fill())
        else:
            session.spawn(shown[0].follow(state))

    chosen.on_value_change(changed)
    await fill()
    session.on_change(follow)


class _Node:
    """A node of one decision graph."""

    def __init__(self, session: Session, number: int) -> None:
        self.session, self.number = session, number
        self.network, self.data = session.loaded.network, session.loaded.known_to(number)
        self.node = self.network.nodes[number]
        self.graph = NodeGraph(session, self.data)
        self.drawn = False

    async def build(self) -> None:
        with parts.card("Decision graph"):
            self._facts()
            self.graph.build()
        with ui.element("div").classes("depnet-columns"):
            with parts.card("Leaves"):
                self.graph.leaves = parts.stack()
            with parts.card("What is proven") as proven:
                parts.note("…")
        self.session.spawn(node_charts.show_proven(self.session, proven, self.number))
        try:
            drawn = await self.session.work(decision, self.network, self.number)
        except DepnetError as error:
            self.graph.fail(str(error))
            return
        self.graph.graph = without_few(drawn) if self.session.hides else drawn
        self.drawn = True
        await self.follow(self.session.state)

    def _facts(self) -> None:
        inputs = [self.network.domain.names[j] for j in self.node.source.inputs]
        with parts.bar():
            parts.fact("states", f"{self.node.table.states:,}")
            parts.fact("leaves", f"{self.node.source.size:,}")
            parts.fact("parameters", f"{self.node.source.size * (self.node.table.states - 1):,}")
            counts = self.node.table.counts
            parts.fact("rows", "not kept" if counts is None else f"{int(counts.sum()):,}")
        if holes_completed(self.session.loaded):
            parts.note(
                "Counts in leaves are of the rows that the model was learned from, whose holes were completed."
            )
        parts.note(f"Reads {listed(inputs, 300)}." if inputs else "Reads nothing: it is known alone.")

    async def follow(self, state: State) -> None:
        """Show this state: what evidence leaves of the graph, the chosen vertex."""
        if self.drawn:
            await self.graph.show(state)


def holes_completed(loaded: Loaded) -> bool:
    """Had the table holes that were filled before the model was learned?"""
    counts = loaded.network.counts
    return counts is not None and bool(counts.holes.any())


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
