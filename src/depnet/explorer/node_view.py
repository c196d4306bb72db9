"""One node: its decision graph, the rules of its leaves, how it was learned, and what is proven about it."""

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
from depnet.model.sources.operations import Split
from depnet.pictures import Decision, Stage, decision_at, growth
from depnet.pictures.labels import line, listed
from depnet.pictures.node.decision import Leaf, node_name, node_of
from depnet.wording import counted

TITLE = "Node"
PATH = "/node"
NEEDS_MODEL = True


async def build(session: Session) -> None:
    """The node of the chosen variable, else of the target, else the first."""
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
    """A node of one decision graph; its parts change when a reader steps through the operations."""

    def __init__(self, session: Session, number: int) -> None:
        self.session, self.number = session, number
        self.network, self.data = session.loaded.network, session.loaded.known_to(number)
        self.node = self.network.nodes[number]
        self.stages: tuple[Stage, ...] = ()
        self.graph = NodeGraph(session, self.data)
        self.step = -1

    async def build(self) -> None:
        """All of it, in the state that the session has."""
        with parts.card("Decision graph"):
            self._facts()
            self.graph.build()
        with ui.element("div").classes("depnet-columns"):
            with parts.card("Leaves"):
                self.graph.leaves = parts.stack()
            with parts.stack():
                learned = parts.stack()
                with parts.card("What is proven") as proven:
                    parts.note("…")
        self.session.spawn(node_charts.show_proven(self.session, proven, self.number))
        self.stages = await self.session.work(growth, self.network, self.number, self.data)
        if len(self.stages) > 1:
            with learned, parts.card("How it was learned"):
                self._steps(len(self.stages) - 1)
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

    def _steps(self, last: int) -> None:
        with ui.element("div").classes("depnet-steps"):
            for icon, label, move in (
                ("first_page", "First", lambda: 0),
                ("chevron_left", "Back", lambda: max(self.step - 1, 0)),
                ("chevron_right", "On", lambda: min(self.step + 1, last)),
                ("last_page", "Last", lambda: last),
            ):
                button = ui.button(icon=icon, on_click=lambda move=move: self._go(move()))
                button.props(f'flat dense round aria-label="{label}"')
            self.at = ui.label().classes("depnet-number")
        self.said = ui.label().props('role="status"')
        self.slider = ui.slider(min=0, max=last, step=1, value=last).props('aria-label="Operation"')
        self.slider.on("change", lambda: self._go(int(self.slider.value)))
        if self.data is None:
            parts.note(
                "The cost after each operation needs the rows: depnet explore model.json --data table.csv"
            )
        else:
            self.cost = parts.chart(
                self.session,
                lambda grey: node_charts.cost(self.stages, max(self.step, 0), grey),
                label="The cost after each operation",
                height="15rem",
            )
            parts.note(
                "Nats a row, under the paper's penalty R(k, N); a model learned under another one was led by that."
                + known_rows_said(self.session.loaded, self.data.total)
            )

    def _go(self, step: int) -> None:
        last = len(self.stages) - 1
        self.session.set_own(push=False, step=None if step == last else str(step), vertex=None, start=None)

    async def follow(self, state: State) -> None:
        """Show this state: the graph after `step` operations, what evidence leaves of it, the chosen vertex."""
        last = max(len(self.stages) - 1, 0)
        wanted = state.number("step")
        step = last if wanted is None else min(wanted, last)
        if step != self.step:
            self.step = step
            if last:
                self._stepped(last)
            try:
                drawn = await self.session.work(decision_at, self.network, self.number, step, self.data)
            except DepnetError as error:
                self.graph.fail(str(error))
                return
            if step != self.step:
                return  # the reader has gone on meanwhile
            self.graph.graph = without_few(drawn) if self.session.hides else drawn
        await self.graph.show(self.session.state)

    def _stepped(self, last: int) -> None:
        self.at.set_text(f"{self.step} of {last}")
        self.said.set_text(self._operation(self.stages[self.step]))
        self.slider.set_value(self.step)
        if self.data is not None:
            grey = parts.palette(self.session.dark)
            parts.show(self.cost, node_charts.cost(self.stages, self.step, grey))

    def _operation(self, stage: Stage) -> str:
        leaves = counted(stage.leaves, "leaf", "leaves")
        if stage.operation is None:
            return f"Before the first operation: {leaves}."
        if isinstance(stage.operation, Split):
            name = line(self.network.domain.names[stage.operation.variable])
            return f"Leaf {stage.operation.leaf} is split by {name}: {leaves}."
        first, second = stage.operation
        return f"Leaf {second} joins leaf {first}: {leaves}."


def holes_completed(loaded: Loaded) -> bool:
    """Had the table holes that were filled before the model was learned?"""
    counts = loaded.network.counts
    return counts is not None and bool(counts.holes.any())


def known_rows_said(loaded: Loaded, rows: int) -> str:
    """Of how many rows of the table something is said, where some do not know all that it needs."""
    if loaded.data is None or rows == loaded.data.total:
        return ""
    return f" From the {counted(rows, 'row')} of the table that know all that the node reads."


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
