"""A boosted node: what it reads and how much, what every input does to a state, and its first graph."""

from typing import Any

from nicegui import events, ui

from depnet.explorer import parts
from depnet.explorer.node_pictures import (
    MOST_STATES,
    Bar,
    DecisionPicture,
    EffectBars,
    ShareBars,
    picture,
    proven_card,
)
from depnet.explorer.session import Session
from depnet.explorer.state import State
from depnet.pictures import colours
from depnet.pictures.labels import line, listed, short
from depnet.pictures.node.decision import (
    Decision,
    coloured_in_order,
    most_likely,
    states_in_order,
)
from depnet.pictures.node.effects import (
    Effect,
    Reference,
    boosted_node,
    first_graph,
    inputs_of,
    reference,
)

AT_ONCE = 6
"""Inputs whose effects are worked out before the reader asks for more."""

MOST_GAINS = 30
"""Inputs whose gain is listed."""


class BoostedView:
    """The parts of the view; another input, or another state, changes the effects alone."""

    def __init__(self, session: Session, number: int) -> None:
        self.session, self.number = session, number
        self.network, self.data = session.loaded.network, session.loaded.known_to(number)
        self.node = boosted_node(self.network, number)
        self.variable = self.network.domain.variables[self.node.variable]
        self.states = tuple(map(str, self.variable.states))
        self.inputs = inputs_of(self.network, number)
        self.effects: dict[int, Effect] = {}
        self.shown = AT_ONCE

    async def build(self) -> None:
        """The input and the state that the address names (`input`, `state`), or those that say most."""
        first = first_graph(self.network, self.number)
        with ui.element("div").classes("depnet-columns"):
            with parts.stack():
                with parts.card("What it reads"):
                    self._facts()
                    if self.inputs:
                        self._gains()
                if self.inputs:
                    with parts.card("What each input does"):
                        label = f"probability that {short(self.variable.name, 40)} is"
                        states = {k: line(state) for k, state in enumerate(self.states)}
                        self.of_state = parts.select(states, label, self._state_chosen)
                        self.each = ui.element("div").classes("depnet-marginals")
                        self.more = parts.button("Show more inputs", self._more, "outline")
                        self.measured = parts.note("")
                    with parts.card("One input, all states"):
                        names = {
                            one.variable: f"{line(one.name)} ({one.bits:.4f} bits a row)"
                            for one in self.inputs
                        }
                        self.of_input = parts.select(names, "Input", self._input_chosen, with_input=True)
                        self.one = parts.stack()
            with parts.stack():
                if first is not None:
                    with parts.card("First graph"):
                        self._first(first)
                proven_card(self.session, self.number)
        if self.inputs:
            self.rows: Reference = await self.session.work(reference, self.network, self.data)
            self.mean = tuple((await self.session.work(self.rows.mean, self.node)).tolist())
            await self.follow(self.session.state)

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

    def _gains(self) -> None:
        top = max(self.inputs[0].bits, 1e-12)
        with parts.show_table(("input", "gained", "bits a row"), numbers=(2,)) as table:
            for one in self.inputs[:MOST_GAINS]:
                with table.row():
                    table.cell(line(one.name))
                    table.bar(one.bits / top)
                    table.cell(f"{one.bits:.4f}")
        rest = self.inputs[MOST_GAINS:]
        others = (
            f" {len(rest):,} others gained {sum(one.bits for one in rest):.4f} bits together." if rest else ""
        )
        parts.note(f"What each input gained while the node was learned.{others}")

    def _state_chosen(self, event: events.ValueChangeEventArguments[Any]) -> None:
        if event.value is not None and int(event.value) != self._state(self.session.state):
            self.session.set_own(push=False, state=self.states[int(event.value)])

    def _input_chosen(self, event: events.ValueChangeEventArguments[Any]) -> None:
        if event.value is not None and int(event.value) != self._input(self.session.state):
            self.session.set_own(push=False, input=self.network.domain.names[int(event.value)])

    def _state(self, state: State) -> int:
        """The state whose probability is shown: of two the second, which is the yes of most tables; else the likeliest."""
        wanted = state.own.get("state")
        if wanted in self.states:
            return self.states.index(wanted)
        return 1 if len(self.states) == 2 else most_likely(self.mean, 1)[0]

    def _input(self, state: State) -> int:
        names, wanted = self.network.domain.names, state.own.get("input")
        if wanted in names and names.index(wanted) in self.node.inputs:
            return names.index(wanted)
        return self.inputs[0].variable

    async def _more(self) -> None:
        self.shown += 2 * AT_ONCE
        await self.follow(self.session.state)

    async def follow(self, state: State) -> None:
        if not self.inputs:
            return
        of, chosen = self._state(state), self._input(state)
        kept = self.inputs[: self.shown]
        for j in (*(one.variable for one in kept), chosen):
            if j not in self.effects:
                self.effects[j] = await self.session.work(self.rows.effect, self.network, self.node, j)
        if state is not self.session.state:
            return  # the reader has gone on meanwhile
        self.of_state.set_value(of)
        self.of_input.set_value(chosen)
        self.each.clear()
        with self.each:
            for one in kept:
                EffectBars(one, self.effects[one.variable], of, self.mean[of])
        self.more.set_visibility(len(kept) < len(self.inputs))
        self.measured.set_text(
            f"Each bar goes from the mean probability, {self.mean[of]:.3f}, to the mean over {self.rows.said}, with the "
            "input set to that state in every row and all else as it is."
        )
        self._one(self.effects[chosen])

    def _one(self, effect: Effect) -> None:
        pairs = list(zip(effect.states, effect.means, strict=True))[:MOST_STATES]
        in_order = states_in_order(self.variable)
        named = most_likely(self.mean, len(colours.CYCLE))
        shades = coloured_in_order(in_order) if in_order else {s: colours.of(k) for k, s in enumerate(named)}
        bars = [Bar(0, "as it is", self.mean)]
        name = short(effect.name, 30)
        bars += [
            Bar(k, f"{name} = {short(state, 40)}", mean) for k, (state, mean) in enumerate(pairs, start=1)
        ]
        self.one.clear()
        with self.one:
            ShareBars().show(bars, self.states, shades)
            if len(pairs) < len(effect.states):
                parts.note(f"The first {len(pairs)} of {len(effect.states):,} states.")
            parts.note(
                f"The mean distribution with {line(effect.name)} set to that state in every row, and all else as it is."
            )

    @staticmethod
    def _first(drawn: Decision) -> None:
        parts.note("What the stages are added to; its distributions are those before any stage.")
        DecisionPicture(lambda v: None).put(**picture(drawn, 0, -1, None))
