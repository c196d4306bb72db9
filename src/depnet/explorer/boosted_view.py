"""A boosted node: what it reads and how much, the effects of the input that a reader chooses, and its first graph."""

from typing import Any

from nicegui import events, ui

from depnet.explorer import node_charts, parts
from depnet.explorer.session import Session
from depnet.pictures import decision_mermaid, decision_text
from depnet.pictures.labels import line, listed
from depnet.pictures.node.decision import Decision
from depnet.pictures.node.effects import (
    Reference,
    boosted_node,
    first_graph,
    inputs_of,
    reference,
)

MOST_VERTICES = 120
"""Of a larger graph a drawing says nothing any more: it is written as text."""


class BoostedView:
    """The parts of the view; another input changes the effects alone."""

    def __init__(self, session: Session, number: int) -> None:
        self.session, self.number = session, number
        self.network, self.data = session.loaded.network, session.loaded.data
        self.node = boosted_node(self.network, number)
        self.inputs = inputs_of(self.network, number)
        self.chosen = self.inputs[0].variable if self.inputs else None

    async def build(self, wanted: str) -> None:
        """The input that the address names (`input`), or the one that gained most."""
        names = self.network.domain.names
        if wanted in names and names.index(wanted) in self.node.inputs:
            self.chosen = names.index(wanted)
        first = first_graph(self.network, self.number)
        with ui.element("div").classes("depnet-columns"):
            with parts.stack():
                with parts.card("What it reads"):
                    self._facts()
                    if self.inputs:
                        node_charts.gains(self.session, self.inputs)
                if self.inputs:
                    with parts.card("What an input does"):
                        with parts.bar():
                            self._choice()
                        self.effects = parts.stack()
            with parts.stack():
                if first is not None:
                    with parts.card("First graph"):
                        self._first(first)
                with parts.card("What is proven") as proven:
                    parts.note("…")
        self.session.spawn(node_charts.show_proven(self.session, proven, self.number))
        if self.inputs:
            self.rows: Reference = await self.session.work(reference, self.network, self.data)
            await self._show()

    def _facts(self) -> None:
        with parts.bar():
            parts.fact("states", f"{self.node.states:,}")
            parts.fact("stages", f"{len(self.node.stages):,}")
            parts.fact("leaves of all stages", f"{len(self.node.stages.scores):,}")
        names = [one.name for one in self.inputs]
        parts.note(
            "A boosted node: its distribution is a sum of scores of many small decision graphs, the stages. "
            + (f"Reads {listed(names, 300)}." if names else "Reads nothing: it is known alone.")
        )

    def _choice(self) -> None:
        options = {one.variable: f"{line(one.name)} ({one.bits:.4f} bits a row)" for one in self.inputs}
        chosen = ui.select(options, value=self.chosen, label="input", with_input=True).classes("depnet-grow")
        chosen.props('dense outlined options-dense aria-label="Input"')
        chosen.on_value_change(self._changed)

    async def _changed(self, event: events.ValueChangeEventArguments[Any]) -> None:
        if event.value is None or event.value == self.chosen:
            return
        self.chosen = int(event.value)
        names = self.network.domain.names
        self.session.set_own(push=False, input=names[self.chosen])
        await self._show()

    async def _show(self) -> None:
        """The effects of the chosen input."""
        chosen = self.chosen
        assert chosen is not None  # there are inputs
        effect, mean = await self.session.work(
            lambda: (self.rows.effect(self.network, self.node, chosen), self.rows.mean(self.node))
        )
        if chosen != self.chosen:
            return  # the reader has gone on meanwhile
        states = tuple(map(str, self.network.domain.variables[self.node.variable].states))
        self.effects.clear()
        with self.effects:
            node_charts.effects(self.session, effect, states, tuple(mean.tolist()))
            parts.note(
                f"Each bar is the mean of the node's distribution over {self.rows.said}, with {line(effect.name)} set to "
                "that state in every row and all else as it is."
            )

    def _first(self, drawn: Decision) -> None:
        parts.note("What the stages are added to; its distributions are those before any stage.")
        if len(drawn.vertices) > MOST_VERTICES:
            ui.label(decision_text(drawn)).classes("depnet-text").props("tabindex=0")
        else:
            node_charts.mermaid(self.session, decision_mermaid(drawn))
