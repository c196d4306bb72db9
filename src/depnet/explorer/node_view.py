"""One node: its decision graph, its leaves, how it was learned, and what is proven about it."""

from dataclasses import replace
from typing import Any

import numpy as np
from nicegui import events, ui

from depnet.errors import DepnetError
from depnet.explorer import node_charts, parts
from depnet.explorer.boosted_view import MOST_VERTICES, BoostedView
from depnet.explorer.session import Session
from depnet.explorer.state import State
from depnet.inference.answer.small_counts import hidden_cells
from depnet.model.sources.operations import Split
from depnet.pictures import Decision, Stage, decision_at, decision_mermaid, decision_text, growth
from depnet.pictures.labels import line, listed
from depnet.pictures.node.decision import Leaf, node_name, node_of
from depnet.wording import counted

TITLE = "Node"
PATH = "/node"
NEEDS_MODEL = True


async def build(session: Session) -> None:
    """The node that the address names (`variable`, with `step` or `input`), or the first."""
    loaded = session.loaded
    network = loaded.network
    names = network.domain.names
    number = 0 if session.state.variable is None else node_of(network, session.state.variable)
    with parts.bar():
        options = {k: line(node_name(network, k)) for k in range(len(network))}
        chosen = ui.select(options, value=number, label="node", with_input=True).classes("depnet-grow")
        chosen.props('dense outlined options-dense aria-label="Node"')
    shown = parts.stack()

    async def fill() -> None:
        shown.clear()
        with shown:
            if network.nodes[int(chosen.value)].boosted:
                await BoostedView(session, int(chosen.value)).build(session.own("input"))
            else:
                await _Node(session, int(chosen.value)).build(session.own("step"))

    async def changed(event: events.ValueChangeEventArguments[Any]) -> None:
        if event.value is not None:
            session.change(variable=names[network.nodes[int(event.value)].variables[0]], own={})
            await fill()

    def follow(state: State) -> None:
        if state.variable is not None:
            chosen.set_value(node_of(network, state.variable))

    chosen.on_value_change(changed)
    session.on_change(follow)
    await fill()


class _Node:
    """The parts of the view that change when a reader steps through the operations."""

    def __init__(self, session: Session, number: int) -> None:
        self.session, self.number = session, number
        self.network, self.data = session.loaded.network, session.loaded.data
        self.node = self.network.nodes[number]
        self.stages: tuple[Stage, ...] = ()
        self.step = 0

    async def build(self, step: str) -> None:
        self.stages = await self.session.work(growth, self.network, self.number, self.data)
        last = max(len(self.stages) - 1, 0)
        self.step = min(int(step), last) if step.isascii() and step.isdigit() and len(step) < 9 else last
        with ui.element("div").classes("depnet-columns"):
            with parts.stack():
                with parts.card("Decision graph"):
                    self._facts()
                    self.graph = parts.stack()
                with parts.card("Leaves"):
                    self.leaves = parts.stack()
            with parts.stack():
                if last:
                    with parts.card("How it was learned"):
                        self._steps(last)
                with parts.card("What is proven") as proven:
                    parts.note("…")
        self.session.spawn(node_charts.show_proven(self.session, proven, self.number))
        await self._show()

    def _facts(self) -> None:
        inputs = [self.network.domain.names[j] for j in self.node.source.inputs]
        with parts.bar():
            parts.fact("states", f"{self.node.table.states:,}")
            parts.fact("leaves", f"{self.node.source.size:,}")
            parts.fact("parameters", f"{self.node.source.size * (self.node.table.states - 1):,}")
            counts = self.node.table.counts
            parts.fact("rows", "not kept" if counts is None else f"{int(counts.sum()):,}")
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
        self.slider = ui.slider(min=0, max=last, step=1, value=self.step).props('aria-label="Operation"')
        self.slider.on("change", lambda: self._go(int(self.slider.value)))
        if self.data is None:
            parts.note(
                "The cost after each operation needs the rows: depnet explore model.json --data table.csv"
            )
        else:
            self.cost = parts.chart(
                self.session,
                lambda grey: node_charts.cost(self.stages, self.step, grey),
                label="The cost after each operation",
                height="15rem",
            )
            parts.note(
                "Nats a row, under the paper's penalty R(k, N); a model learned under another one was led by that."
            )

    async def _go(self, step: int) -> None:
        if step == self.step:
            return
        self.step = step
        self.session.set_own(push=False, step=str(step))
        await self._show()

    async def _show(self) -> None:
        """The graph and the leaves after `step` operations."""
        last = len(self.stages) - 1
        if last > 0:
            self.at.set_text(f"{self.step} of {last}")
            self.said.set_text(self._operation(self.stages[self.step]))
            self.slider.set_value(self.step)
            if self.data is not None:
                grey = parts.palette(self.session.dark)
                parts.show(self.cost, node_charts.cost(self.stages, self.step, grey))
        step = self.step
        try:
            drawn = await self.session.work(decision_at, self.network, self.number, step, self.data)
        except DepnetError as error:
            self.graph.clear()
            with self.graph:
                parts.warning(str(error))
            return
        if step != self.step:
            return  # the reader has gone on meanwhile
        if self.session.hides:
            drawn = without_few(drawn)
        self._draw(drawn)
        self._bars(drawn)

    def _draw(self, drawn: Decision) -> None:
        self.graph.clear()
        with self.graph:
            if len(drawn.vertices) > MOST_VERTICES:
                parts.warning(
                    f"With {len(drawn.vertices):,} vertices it is too large to be drawn well: here as text, its first "
                    "lines. depnet.pictures.node_svg(network, name) draws all of it."
                )
                ui.label(decision_text(drawn)).classes("depnet-text").props("tabindex=0")
                return
            node_charts.mermaid(self.session, decision_mermaid(drawn))
            if any(getattr(v, "ways", 0) > 1 for v in drawn.vertices):
                parts.note("Leaves framed in orange were merged: several ways lead to them.")

    def _bars(self, drawn: Decision) -> None:
        self.leaves.clear()
        with self.leaves:
            node_charts.leaves(self.session, drawn)

    def _operation(self, stage: Stage) -> str:
        leaves = counted(stage.leaves, "leaf", "leaves")
        if stage.operation is None:
            return f"Before the first operation: {leaves}."
        if isinstance(stage.operation, Split):
            name = line(self.network.domain.names[stage.operation.variable])
            return f"Leaf {stage.operation.leaf} is split by {name}: {leaves}."
        first, second = stage.operation
        return f"Leaf {second} joins leaf {first}: {leaves}."


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
