"""The cards of the Ask view: which are shown, in which order, and what stands on them."""

from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from depnet.explorer.ask import Answer
from depnet.explorer.cards import Cards, in_order
from depnet.explorer.known import Known, describe_held
from depnet.explorer.loaded import Loaded
from depnet.explorer.parts import Component, LongList, bar, button, key, note
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
    "log": (str,),
    "target": (str,),
}
"""What a reader does on a card: the variable's name, and what else is said."""


class Marginals(Component, component="marginals.js"):
    """Cards in an order; each event calls the function of its name (`EVENTS`).

    Its script has the methods `wrong` (with a condition that was written on a card) and `look` (bring a card into view).
    """

    def __init__(self, names: Container[str], **told: Callable[..., None]) -> None:
        super().__init__(cards=[], several=False, measure=MEASURE)

        def tell(event: str, name: str, *said: Any) -> None:
            if name in names:
                told[event](name, *said)

        for event, kinds in EVENTS.items():
            self.tell(event, *kinds, to=partial(tell, event))


class AskCards:
    """The target comes first, and cards keep their places: their order changes when a reader sorts or looks for some."""

    def __init__(self, session: Session, loaded: Loaded, **told: Callable[..., None]) -> None:
        self.session, self.loaded = session, loaded
        self.made = Cards(loaded)
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
        self.answer: Answer | None = None
        self.answered, self.evidence = 0, False
        """How many answers were shown, and whether the last one was given any evidence."""
        self.asking = False
        self._controls()
        self.marginals = Marginals(self.variables, **told, expand=self._expand, log=self._log)
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
                "Allow several states", on_change=lambda e: self.marginals.put(several=e.value)
            )
            several.props("dense").props["title"] = (
                "A click then adds a state, or takes it away; so does Ctrl with a click"
            )
        with bar("depnet-keys") as self.controls:
            key(
                "posterior", "probability, and where it lies, 90 % sure, in the population the rows come from"
            )
            self.outline = key("prior", BEFORE)
            if self.loaded.data is not None:
                key("observed", "the table's own frequency")
            note(
                "Click a bar to say that it is so, again to take it back; draw over a number's bars for a range."
                + (
                    " Bars are among the rows that have a value; missing is the share of those that have none."
                    if any(map(self.loaded.has_holes, range(len(self.variables))))
                    else ""
                )
            )

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

    def _log(self, name: str) -> None:
        self.made.logged ^= {name}
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
        said_of = (describe_held(name, held) for name, held in versus.items())
        self.outline.text = f"given {', '.join(said_of)}" if versus else BEFORE
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
        self.made.compare_with(None if answer is None else answer.before)
        if self.unsorted:
            self._order()
        self._show()

    def _order(self) -> None:
        self.unsorted = self.by_change and self.answer is None
        if not self.by_change:
            self.order = tuple(self.variables)
        elif self.answer is not None:
            self.order = tuple(shift.name for shift in self.answer.shifts)

    @property
    def _first(self) -> list[str]:
        return [name for name in (self.session.state.target, self.front) if name is not None]

    def _show(self) -> None:
        answer, state = self.answer, self.session.state
        given = bool(self.known or self.versus)
        ready = self.made.base and not self.unsorted
        names = self.listed.part(in_order(self.order, self._first) if ready else [], str)
        # where nothing is known any more, outlines say it all; else numbers stay until better ones come
        of = {shift.name: shift for shift in answer.shifts} if answer is not None and given else {}
        bare = replace(state, variable=None, own={})
        self.marginals.put(
            cards=[
                self.made.show(
                    name,
                    of.get(name),
                    self.known.get(name),
                    given=self.evidence,
                    opened=name in self.opened,
                    kept=self.kept.get(name, ()),
                )
                for name in names
            ],
            target=state.target,
            chosen=state.variable,
            versus=bool(self.versus),
            evidence=given,
            asking=self.asking,
            links={view: self.session.url(f"/{view.lower()}", bare) for view in ("Network", "Node")},
            answer=self.answered,
            method="" if answer is None else answer.result.method,
        )
