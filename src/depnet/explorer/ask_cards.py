"""The cards of the Ask view: which are shown, in which order, and what stands on them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nicegui import ui

from depnet.explorer.ask import Answer
from depnet.explorer.cards import Card, in_order, pins, pins_text
from depnet.explorer.component import Component
from depnet.explorer.known import Known, is_clamped, said
from depnet.explorer.loaded import Loaded
from depnet.explorer.long_list import LongList
from depnet.explorer.parts import bar, button, note
from depnet.explorer.session import Session
from depnet.explorer.state import State
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.small_counts import without_small_counts
from depnet.inference.judge.shifts import Shift, shifts_between

MOST_PINNED = 12
"""In an address, which has no room for any number of names."""

BY_CHANGE = "change"


MEASURE = "total variation between prior and posterior: the largest change in the probability of any event"

EVENTS: Mapping[str, tuple[type, ...]] = {
    "clamp": (str, int),
    "toggle": (str, int),
    "range": (str, int, int),
    "condition": (str, str),
    "expand": (str,),
    "pin": (str,),
    "target": (str,),
}
"""What a reader does on a card: the variable's name, and what else is said."""


class Marginals(Component, component="marginals.js"):
    """Cards in an order; what a reader does is told to the function of its name (`EVENTS`)."""

    def __init__(self, **told: Callable[..., None]) -> None:
        super().__init__(
            cards=[], pinned=[], target=None, chosen=None, several=False, parts=False, measure=MEASURE
        )
        for name, kinds in EVENTS.items():
            self.tell(name, *kinds, to=told[name])

    def show(self, **props: Any) -> bool:
        """Other cards, or another way to show them; whether anything is other than before: else nothing is sent."""
        changed = {name: value for name, value in props.items() if self._props[name] != value}
        if changed:
            self.put(**changed)
        return bool(changed)

    def known(
        self, held: Mapping[str, dict[str, Any]], links: Mapping[str, str], *, evidence: bool, asking: bool
    ) -> None:
        """What is known, on the cards that are shown, at once; answers come after it. `links` lead to other views."""
        said = {"held": list(held.items()), "links": links, "evidence": evidence, "asking": asking}
        self.run_method("know", said)

    def answer(
        self, numbers: Mapping[str, dict[str, Any]], method: str, *, serial: int, evidence: bool
    ) -> None:
        """The numbers of the cards that are shown; what has none of them is not known. `serial` counts answers."""
        said = {"numbers": list(numbers.items()), "method": method, "serial": serial, "evidence": evidence}
        self.run_method("answered", said)

    def problem(self, name: str, text: str) -> None:
        """What was wrong with a condition that was written on a card; an empty text: nothing."""
        self.run_method("wrong", [name, text])

    @property
    def names(self) -> Sequence[str]:
        """Of the cards that are shown."""
        return [card["name"] for card in self._props["cards"]]


class AskCards:
    """Cards keep their places: their order changes when a reader sorts, pins or looks for some, and by nothing else."""

    def __init__(self, session: Session, loaded: Loaded, **told: Callable[..., None]) -> None:
        self.session, self.loaded = session, loaded
        self.variables = {variable.name: variable for variable in loaded.asked.domain.variables}
        self.holed = {name for i, name in enumerate(self.variables) if loaded.has_holes(i)}
        self.known: Known = {}
        self.pinned: list[str] = []
        self.chosen: str | None = None
        self.front: str | None = None
        self.by_change = False
        self.order: tuple[str, ...] = tuple(self.variables)
        self.unsorted = False
        """Is the order by change still to come, with the next answer?"""
        self.listed = LongList(self._show)
        self.opened: set[str] = set()
        self.kept: dict[str, set[int]] = {}
        """Codes whose bars stay, once they were known."""
        self.base: dict[str, Shift] = {}
        """Without evidence; empty until that was answered."""
        self._prior: QueryResult | None = None
        self._told: tuple[dict[str, Any], dict[str, str], bool] | None = None
        """What was last said to be known."""
        self._statics: dict[tuple[str, tuple[int, ...], bool], dict[str, Any]] = {}
        self.answer: Answer | None = None
        self.answered, self.evidence = 0, False
        """How many answers were shown, and whether the last one was given any evidence."""
        self.asking = False
        self._controls()
        self.marginals = Marginals(**told, expand=self._expand, pin=self._pin)
        self.listed.more_button()
        self._take_prior()

    def _controls(self) -> None:
        with bar():
            self.listed.search_box()
            with ui.element("div").classes("depnet-switch").props('role="group" aria-label="Order"'):
                self.sorted = {
                    False: button("Model's order", lambda: self._sort(by_change=False), "flat dense"),
                    True: button("Sort by change", lambda: self._sort(by_change=True), "flat dense"),
                }
            several = ui.switch(
                "Allow several states", on_change=lambda e: self.marginals.show(several=e.value)
            )
            several.props("dense").props["title"] = (
                "A click then adds a state, or takes it away; so does Ctrl with a click"
            )
            if self.loaded.data is not None:
                apart = ui.switch(
                    "Model and table apart", on_change=lambda e: self.marginals.show(parts=e.value)
                )
                apart.props("dense")
        with bar("depnet-keys"):
            self._key(
                "posterior", "probability, and where it lies, 90 % sure, in the population the rows come from"
            )
            self._key("prior", "before anything was known")
            if self.loaded.data is not None:
                self._key("observed", "the table's own frequency")
            note(
                "Click a bar to say that it is so, again to take it back; draw over a number's bars for a range."
                + (
                    " Bars are among the rows that have a value; missing is the share of those that have none."
                    if self.holed
                    else ""
                )
            )

    @staticmethod
    def _key(what: str, text: str) -> None:
        with ui.element("span").classes("depnet-mark"):
            ui.element("span").classes(f"depnet-key-{what}")
            note(text)

    # what the reader does

    def _sort(self, *, by_change: bool) -> None:
        if by_change == self.by_change:
            self._order()
            self._show()
        else:
            self.session.set_own(sort=BY_CHANGE if by_change else None)

    def _pin(self, name: str) -> None:
        if name not in self.variables:
            return
        pinned = [pin for pin in self.pinned if pin != name]
        if len(pinned) == len(self.pinned):
            pinned = [name, *pinned][:MOST_PINNED]
        self.session.set_own(pin=pins_text(pinned) if pinned else None)

    def _expand(self, name: str) -> None:
        if name in self.variables:
            self.opened ^= {name}
            self._show()

    def look_at(self, name: str) -> None:
        """Bring a card into view, and the reader to it."""
        self.listed.search.value = ""
        self._look(name)
        self._show()
        self.marginals.run_method("look", name, True)

    def _look(self, name: str) -> None:
        """A card that is far down comes after the pinned ones, until another one is looked for."""
        if name not in in_order(self.order, self._first)[: self.listed.shown]:
            self.front = name

    # what follows from it

    def follow(self, state: State) -> None:
        """Another state of the page: what is known stands on the cards at once."""
        self.asking |= state.known != self.known
        self.known = state.known
        for name, held in self.known.items():
            if not isinstance(held, str):
                self.kept.setdefault(name, set()).update(map(self.variables[name].code, held))
        self.pinned = [name for name in pins(self.session.own("pin")) if name in self.variables][:MOST_PINNED]
        by_change = self.session.own("sort") == BY_CHANGE
        if by_change != self.by_change:
            self.by_change = by_change
            self._order()
        for way, pressed in self.sorted.items():
            pressed.props["aria-pressed"] = "true" if way == self.by_change else "false"
        other = state.variable is not None and state.variable != self.chosen
        self.chosen = state.variable
        if other and self.chosen is not None:
            self._look(self.chosen)
        self._show()
        if other:
            self.marginals.run_method("look", self.chosen, False)

    def show(self, answer: Answer | None) -> None:
        """An answer, or None: there is none."""
        self.answer = answer
        self.answered += 1
        self.asking = False
        self.evidence = bool(self.known)
        self._take_prior()
        if self.unsorted:
            self._order()
        self._show(answered=True)

    def _take_prior(self) -> None:
        """The best answer without evidence, which is kept with the model: a page that is opened has it from the start."""
        kept = self.loaded.priors.get(tuple(self.variables))
        if kept is not None and kept is not self._prior:
            self._prior = kept
            kept = without_small_counts(kept) if self.session.hides else kept
            self.base = {shift.name: shift for shift in shifts_between(kept, kept)}
            self._statics.clear()

    def _order(self) -> None:
        self.unsorted = self.by_change and self.answer is None
        if not self.by_change:
            self.order = tuple(self.variables)
        elif self.answer is not None:
            self.order = tuple(shift.name for shift in self.answer.shifts)

    def _show(self, *, answered: bool = False) -> None:
        """Cards, numbers where there are new ones or other cards, and what is known."""
        if self._show_cards() or answered:
            self._tell_numbers()
        self._tell_known()

    @property
    def _first(self) -> list[str]:
        """Names of cards that are before all others."""
        return self.pinned if self.front is None or self.front in self.pinned else [*self.pinned, self.front]

    def _card(self, name: str) -> Card:
        opened, kept, holes = name in self.opened, self.kept.get(name, ()), name in self.holed
        return Card.of(self.variables[name], self.base[name].prior, opened=opened, kept=kept, holes=holes)

    def _static(self, name: str) -> dict[str, Any]:
        """What stays on the page of a card, made once."""
        made = self._card(name)
        key = name, made.codes, made.opened
        if key not in self._statics:
            self._statics[key] = made.static(made.numbers(self.base[name]))
        return self._statics[key]

    def _show_cards(self) -> bool:
        """Are they others than before?"""
        ready = self.base and not self.unsorted
        names = in_order(self.order, self._first) if ready else []
        cards = [self._static(name) for name in self.listed.part(names, str)]
        state = self.session.state
        return self.marginals.show(
            cards=cards, pinned=self.pinned, target=state.target, chosen=state.variable
        )

    def _tell_known(self) -> None:
        held = {}
        for name in self.marginals.names:
            if name in self.known:
                of = self.known[name]
                text = of if isinstance(of, str) else " | ".join(map(str, of))
                held[name] = {"bars": self._card(name).held(of), "said": said(name, of), "text": text}
        bare = replace(self.session.state, variable=None, own={})
        links = {"Network": self.session.url("/network", bare), "Node": self.session.url("/node", bare)}
        told = held, links, self.asking
        if told != self._told and self._told != (held, links, True):  # an answer ends the asking by itself
            self.marginals.known(held, links, evidence=bool(self.known), asking=self.asking)
        self._told = told

    def _tell_numbers(self) -> None:
        numbers: dict[str, Any] = {}
        method = ""
        if self.answer is not None:
            method = self.answer.result.method
            of = {shift.name: shift for shift in self.answer.shifts}
            held = {name for name, known in self.known.items() if is_clamped(known)}
            numbers = {
                name: self._card(name).numbers(of[name], held=name in held) for name in self.marginals.names
            }
        self.marginals.answer(numbers, method, serial=self.answered, evidence=self.evidence)
