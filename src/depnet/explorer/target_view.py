"""Target: what would move one variable, and which facts would say most about it."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from depnet.errors import DepnetError
from depnet.explorer.cards import NEGLIGIBLE
from depnet.explorer.copyable import command_line
from depnet.explorer.known import held_by
from depnet.explorer.parts import (
    LongList,
    bar,
    button,
    card,
    chip,
    fact,
    key,
    note,
    select,
    stack,
    warning,
    without_law,
)
from depnet.explorer.segments import SegmentList
from depnet.explorer.session import Latest, Session, Stop
from depnet.explorer.share import Finding, bar_chart
from depnet.explorer.state import State
from depnet.explorer.target import SHARPER_SECONDS, Found, find, join, measures, rarity, said_value, seen_of
from depnet.explorer.target_lists import Telling, Tornado, TornadoBar, visible_error
from depnet.inference.judge.influence import Effect
from depnet.inference.judge.measure import SeenEffect
from depnet.wording import percent, some_of

TITLE = "Target"
PATH = "/target"
NEEDS_MODEL = True


SEGMENTS = 12
"""Segments at first, and with each "more"."""


class _Target:
    """What is asked about the target of one open page."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.loaded = session.loaded  # held, even if it leaves the shelf meanwhile
        self.law = self.loaded.asked
        self.domain = self.law.domain
        self.asked: tuple[Any, ...] | None = None
        self.found: Found | None = None
        self.texts: list[str] = []
        self.question = Latest(session)
        self.bars = LongList(self._show_bars)
        with card("The target"):
            without_law(self.loaded)
            self._choice()
            self.headline = ui.label("").classes("depnet-headline").props('role="status"')
            self.between = note("")
            self.facts = bar("depnet-facts")
            self.gone = bar()
            self.notes = stack("depnet-tight").props('aria-live="polite"')
            with bar():
                self.said = note("").classes("depnet-said")
                self.sharpen = button("Sharpen", lambda: self._begin(SHARPER_SECONDS), "outline dense")
                self.links = bar()
        with ui.element("div").classes("depnet-columns") as self.answers:
            with stack():
                with card("What would move it most"):
                    self._legend()
                    self.bars.search_box()
                    self.tornado = Tornado(self.choose, self.set_aside)
                    self.bars.more_button()
                self.segments = SegmentList(session, "Segments", SEGMENTS)
            self.telling = Telling(session)
        self._update(session.state)
        session.on_change(self._update)
        session.finding = self._finding

    def _choice(self) -> None:
        with bar():
            names = dict(enumerate(self.domain.names))
            self.variable = select(names, "Target", self._choose_variable, with_input=True)
            self.measure = select({}, "What of it", self._choose_measure)

    def _legend(self) -> None:
        with bar("depnet-keys"):
            key("less", "lower")
            key("more", "higher than now")
            key("range", "with the rarest values, too")
            if self.loaded.data is not None:
                key("observed", "the table's own rows")
        note(
            "Each bar goes from the lowest to the highest that one more fact would lead to. The rarest 2 % at each end "
            "are left out. Click a value to take it as given; the arrow lists all values."
        )

    def _finding(self) -> Finding | None:
        """Where the target would go with one more fact about each column."""
        if self.found is None:
            return None
        influence, known = self.found.influence, self.session.state.known
        rows = [
            (
                effect.variable.name,
                str(effect.variable.states[effect.low]),
                float(effect.values[effect.low]),
                str(effect.variable.states[effect.high]),
                float(effect.values[effect.high]),
                effect.bits,
            )
            for effect in influence.effects
        ]
        ends = {"lowest": [row[2] for row in rows], "highest": [row[4] for row in rows]}
        heads = ("column", "lowest at", "lowest", "highest at", "highest", "bits")
        command = command_line(self.loaded.path, [influence.target.name], known, self.loaded.table)
        chart = bar_chart([row[0] for row in rows], ends)
        return Finding(f"What would move {influence.measure.said}", heads, rows, command, chart)

    # what the reader does

    def choose(self, name: str, code: int) -> None:
        if name in self.domain.names:
            variable = self.domain.variables[self.domain.index(name)]
            if 0 <= code < variable.cardinality:
                held = held_by(variable, (str(variable.states[code]),))
                if held is not None:
                    self.session.change(known={**self.session.state.known, name: held})

    def set_aside(self, name: str) -> None:
        if name in self.domain.names:
            self._put_aside([*self.aside, name])

    def _put_aside(self, names: list[str]) -> None:
        self.session.set_own(aside=json.dumps(names) if names else None)

    @property
    def aside(self) -> list[str]:
        """Columns that the reader leaves out of rankings."""
        try:
            said = json.loads(self.session.own("aside", "[]"))
        except ValueError:
            return []
        return [name for name in said if name in self.domain.names] if isinstance(said, list) else []

    def _ranked(self, effects: Sequence[Effect]) -> list[Effect]:
        """Without columns that repeat others, and those that are set aside."""
        left = {*self.loaded.copies, *self.aside}
        return [effect for effect in effects if effect.variable.name not in left]

    def _choose_variable(self) -> None:
        i = self.variable.value
        name = None if i is None else self.domain.names[i]
        if name != self._target(self.session.state):
            own = {key: value for key, value in self.session.state.own.items() if key != "state"}
            self.session.change(target=name, own=own)

    def _choose_measure(self) -> None:
        place = self.measure.value
        if (
            place is not None
            and self.found is not None
            and self.texts[place] != self.found.influence.measure.text
        ):
            self.session.set_own(state=self.texts[place])

    # what follows from it

    def _target(self, state: State) -> str | None:
        """The target of the page, or the one that is guessed."""
        return state.target or self.loaded.guessed_target

    def _update(self, state: State) -> None:
        asked = (dict(state.known), state.target, state.own.get("state"))
        if asked != self.asked:
            self.asked = asked
            name = self._target(state)
            self.variable.value = None if name is None else self.domain.index(name)
            self._begin()
        elif self.found is not None:
            self._show(state)

    def _begin(self, seconds: float | None = None) -> None:
        self.question.drop()
        self.sharpen.set_visibility(False)
        state = replace(self.session.state, target=self._target(self.session.state))
        if state.target is None or not self.law.ordered:
            self._nothing("Choose the column to ask about." if self.law.ordered else "")
            return
        self.question.begin(lambda stop: self._ask(state, stop, seconds))

    def _nothing(self, text: str, problem: str = "") -> None:
        self.found = None
        self.headline.text = text
        self.said.text = self.between.text = ""
        self.facts.clear()
        self.links.clear()
        self.notes.clear()
        if problem:
            with self.notes:
                warning(problem[0].upper() + problem[1:])
        self.measure.set_visibility(False)
        self.answers.set_visibility(False)

    async def _ask(self, state: State, stop: Stop, seconds: float | None) -> None:
        assert state.target is not None
        self.said.text = "asking ..." if seconds is None else "sharpening ..."
        text = state.own.get("state")
        try:
            found = await self.session.work(find, self.loaded, state.target, state.known, text, stop, seconds)
        except DepnetError as error:
            self._nothing("", str(error))
            return
        if stop.pressed:
            return
        self.found = found
        self._show(state)

    def _show(self, state: State) -> None:
        assert self.found is not None
        influence = self.found.influence
        measure = influence.measure
        self.answers.set_visibility(True)
        self.measure.set_visibility(True)
        options = measures(influence.target, self.found.median)
        if measure.text not in options:
            options = {**options, measure.text: measure.said}
        self.texts = list(options)
        self.measure.set_options(dict(enumerate(options.values())), value=self.texts.index(measure.text))
        shown = partial(said_value, measure)
        low, high = map(shown, self.found.interval)
        asked = measure.said if measure.kind is not None else f"the probability of {measure.said}"
        asked = asked[0].upper() + asked[1:]
        by = "the model" if self.found.share == 1.0 else "model and table"
        self.headline.text = f"{asked} is {shown(self.found.value)} by {by}"
        self.between.text = f"90 % sure: {low} to {high} in the population the rows come from"
        error = self.found.share * influence.error
        changes = visible_error(measure, self.found.value, error)
        computed = f", {changes} of computing" if changes else ""
        how = (
            "computed in full" if influence.method == "exact" else f"from {influence.draws:,} draws{computed}"
        )
        self.said.text = how if influence.sharp else f"{how}; not yet sharp"
        self.sharpen.set_visibility(not influence.sharp)
        self._show_facts(state)
        self._show_links(state)
        self._show_bars()
        self.telling.show(self._ranked(influence.most_telling))
        if state.target is not None:
            self.session.spawn(self.segments.show(state.target, state.own.get("state")))

    def _show_facts(self, state: State) -> None:
        assert self.found is not None
        influence, seen = self.found.influence, self.found.seen
        self.facts.clear()
        self.notes.clear()
        with self.facts:
            if seen is not None:
                fact("by the model alone", said_value(influence.measure, influence.value))
                fact("the table's own", seen)
            if self.found.missing.joined > NEGLIGIBLE:
                fact("among the rows that have it", percent(1 - self.found.missing.joined))
            if state.known:
                fact("what is given comes in", rarity(self.found))
            if self.loaded.copies:
                told = [f"{name} repeats {other}" for name, other in self.loaded.copies.items()]
                fact("left out of rankings", some_of(told))
            fact("uncertainty", f"{influence.entropy:.3g} bits")
        self.gone.clear()
        with self.gone:
            for name in self.aside:
                chip(
                    f"without {name}", "group", partial(self._put_aside, [n for n in self.aside if n != name])
                )
        with self.notes:
            for text in self.found.warnings:
                warning(text[0].upper() + text[1:])

    def _show_links(self, state: State) -> None:
        self.links.clear()
        with self.links:
            ui.link("Explore with this", self.session.url("/", replace(state, own={}))).classes("depnet-jump")
            node = replace(state, variable=state.target, own={})
            ui.link(f"What {state.target} depends on", self.session.url("/rules", node)).classes(
                "depnet-jump"
            )

    def _show_bars(self) -> None:
        found = self.found
        if found is None:
            return
        effects = self.bars.part(self._ranked(found.influence.effects), lambda effect: effect.variable.name)
        self.session.spawn(self._draw(found, effects))

    async def _draw(self, found: Found, effects: Sequence[Effect]) -> None:
        """The bars, with what the table has of them, which is counted for these alone."""
        seen: Sequence[SeenEffect | None] = [None] * len(effects)
        if self.loaded.data is not None:
            seen = await self.session.work(seen_of, self.loaded.data, found, effects)
        if found is not self.found:
            return
        state = self.session.state
        if self.loaded.data is not None:
            effects = [
                effect if own is None else join(effect, own, found.worth)
                for effect, own in zip(effects, seen, strict=True)
            ]
        bars = [
            TornadoBar(
                effect,
                own,
                state.known.get(effect.variable.name, ()),
                self.session.url("/rules", replace(state, variable=effect.variable.name, own={})),
            )
            for effect, own in zip(effects, seen, strict=True)
        ]
        bars.sort(key=lambda bar: -bar.effect.width)
        self.tornado.show(found.influence, bars, found.value)


build = _Target
