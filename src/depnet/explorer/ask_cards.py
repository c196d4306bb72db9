"""The cards of the Ask view: which are shown, in which order, and what stands on them."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from depnet.explorer.ask import Answer
from depnet.explorer.cards import Card, Cards, in_order
from depnet.explorer.known import Known, is_clamped, said
from depnet.explorer.loaded import Loaded
from depnet.explorer.parts import Component, LongList, bar, button, note
from depnet.explorer.session import Session
from depnet.explorer.state import State

BY_CHANGE = "change"
BEFORE = "before anything was known"

MEASURE = "total variation between outlines and bars: the largest change in the probability of any event"

EVENTS: Mapping[str, tuple[type, ...]] = {
    "clamp": (str, int),
    "toggle": (str, int),
    "range": (str, int, int),
    "condition": (str, str),
    "expand": (str,),
    "target": (str,),
}
"""What a reader does on a card: the variable's name, and what else is said."""


class Marginals(Component, component="marginals.js"):
    """Cards in an order; what a reader does is told to the function of its name (`EVENTS`).

    Its script has the methods `know` (what is known, on the cards that are shown; answers come after it), `answered` (their
    numbers), `wrong` (with a condition that was written on a card) and `look` (bring a card into view).
    """

    def __init__(self, names: Container[str], **told: Callable[..., None]) -> None:
        super().__init__(
            cards=[],
            target=None,
            chosen=None,
            several=False,
            versus=False,
            measure=MEASURE,
        )

        def tell(event: str, name: str, *said: Any) -> None:
            if name in names:
                told[event](name, *said)

        for event, kinds in EVENTS.items():
            self.tell(event, *kinds, to=partial(tell, event))

    def show(self, **props: Any) -> bool:
        changed = {name: value for name, value in props.items() if self._props[name] != value}
        if changed:
            self.put(**changed)
        return bool(changed)

    @property
    def names(self) -> Sequence[str]:
        return [card["name"] for card in self._props["cards"]]


class AskCards:
    """The target comes first, and cards keep their places: their order changes when a reader sorts or looks for some."""

    def __init__(self, session: Session, loaded: Loaded, **told: Callable[..., None]) -> None:
        self.session, self.loaded = session, loaded
        self.made = Cards(loaded, session.hides)
        self.variables = self.made.variables
        self.known: Known = {}
        self.versus: Known = {}
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
        self._told: tuple[list[Any], dict[str, str], bool] | None = None
        """What was last said to be known."""
        self._statics: dict[tuple[str, tuple[int, ...], bool], dict[str, Any]] = {}
        self.answer: Answer | None = None
        self.answered, self.evidence = 0, False
        """How many answers were shown, and whether the last one was given any evidence."""
        self.asking = False
        self._controls()
        self.marginals = Marginals(self.variables, **told, expand=self._expand)
        self.listed.more_button()
        self.made.compare_with()

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
        with bar("depnet-keys") as self.controls:
            self._key(
                "posterior", "probability, and where it lies, 90 % sure, in the population the rows come from"
            )
            self.outline = self._key("prior", BEFORE)
            if self.loaded.data is not None:
                self._key("observed", "the table's own frequency")
            note(
                "Click a bar to say that it is so, again to take it back; draw over a number's bars for a range."
                + (
                    " Bars are among the rows that have a value; missing is the share of those that have none."
                    if any(map(self.loaded.has_holes, range(len(self.variables))))
                    else ""
                )
            )

    @staticmethod
    def _key(what: str, text: str) -> ui.label:
        with ui.element("span").classes("depnet-mark"):
            ui.element("span").classes(f"depnet-key-{what}")
            return note(text)

    # what the reader does

    def _sort(self, *, by_change: bool) -> None:
        if by_change == self.by_change:
            self._order()
            self._show()
        else:
            self.session.set_own(sort=BY_CHANGE if by_change else None)

    def _expand(self, name: str) -> None:
        self.opened ^= {name}
        self._show()

    def look_at(self, name: str) -> None:
        if self.listed.search is not None:
            self.listed.search.value = ""
        self._look(name)
        self._show()
        self.marginals.run_method("look", name, True)

    def _look(self, name: str) -> None:
        """A card that is far down comes after the target, until another one is looked for."""
        if name not in in_order(self.order, self._first)[: self.listed.shown]:
            self.front = name

    # what follows from it

    def follow(self, state: State, versus: Known) -> None:
        """Another state of the page: what is known stands on the cards at once."""
        self.asking |= (state.known, versus) != (self.known, self.versus)
        self.known, self.versus = state.known, versus
        said_of = (said(name, held) for name, held in versus.items())
        self.outline.text = f"given {', '.join(said_of)}" if versus else BEFORE
        self.marginals.show(versus=bool(versus))
        for name, held in self.known.items():
            if not isinstance(held, str):
                self.kept.setdefault(name, set()).update(map(self.variables[name].code, held))
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
        self.answer = answer
        self.answered += 1
        self.asking = False
        self.evidence = bool(self.known or self.versus)
        if self.made.compare_with(None if answer is None else answer.before):
            self._statics.clear()
        if self.unsorted:
            self._order()
        self._show(answered=True)

    def _order(self) -> None:
        self.unsorted = self.by_change and self.answer is None
        if not self.by_change:
            self.order = tuple(self.variables)
        elif self.answer is not None:
            self.order = tuple(shift.name for shift in self.answer.shifts)

    def _show(self, *, answered: bool = False) -> None:
        if self._show_cards() or answered:
            self._tell_numbers()
        self._tell_known()

    @property
    def _first(self) -> list[str]:
        return [name for name in (self.session.state.target, self.front) if name is not None]

    def _card(self, name: str) -> Card:
        return self.made.card(name, opened=name in self.opened, kept=self.kept.get(name, ()))

    def _static(self, name: str) -> dict[str, Any]:
        """What stays on the page of a card, made once."""
        card = self._card(name)
        key = name, card.codes, card.opened
        if key not in self._statics:
            self._statics[key] = card.static(card.numbers(self.made.base[name]))
        return self._statics[key]

    def _show_cards(self) -> bool:
        ready = self.made.base and not self.unsorted
        names = in_order(self.order, self._first) if ready else []
        cards = [self._static(name) for name in self.listed.part(names, str)]
        state = self.session.state
        return self.marginals.show(cards=cards, target=state.target, chosen=state.variable)

    def _tell_known(self) -> None:
        held = [
            [name, self._card(name).held_said(self.known[name])]
            for name in self.marginals.names
            if name in self.known
        ]
        bare = replace(self.session.state, variable=None, own={})
        links = {view: self.session.url(f"/{view.lower()}", bare) for view in ("Network", "Node")}
        told = held, links, self.asking
        if told != self._told and self._told != (held, links, True):  # an answer ends the asking by itself
            known = {
                "held": held,
                "links": links,
                "evidence": bool(self.known or self.versus),
                "asking": self.asking,
            }
            self.marginals.run_method("know", known)
        self._told = told

    def _tell_numbers(self) -> None:
        answer, numbers = self.answer, []
        if answer is not None:
            of = {shift.name: shift for shift in answer.shifts}
            held = {name for name, known in self.known.items() if is_clamped(known)}
            names = self.marginals.names
            numbers = [[name, self._card(name).numbers(of[name], held=name in held)] for name in names]
        told = {"numbers": numbers, "method": "" if answer is None else answer.result.method}
        self.marginals.run_method("answered", told | {"serial": self.answered, "evidence": self.evidence})
