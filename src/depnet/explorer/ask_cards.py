"""The cards of Explore: the target's, and those of all others; which are shown, in which order, and what stands on them."""

from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from depnet.explorer.ask import REST, Answer, Versus
from depnet.explorer.cards import Cards, in_order
from depnet.explorer.known import Known, describe_held
from depnet.explorer.loaded import Loaded
from depnet.explorer.parts import Component, LongList, bar, button, key, note
from depnet.explorer.session import Session
from depnet.explorer.state import State

BY_MODEL = "model"
BEFORE = "everything"

LINKS = {"Rules": "/rules", "Network": "/rules/network"}
"""Other views of a column."""

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

    def __init__(self, names: Container[str], large: bool, **told: Callable[..., None]) -> None:
        super().__init__(cards=[], several=False, measure=MEASURE, large=large)

        def tell(event: str, name: str, *said: Any) -> None:
            if name in names:
                told[event](name, *said)

        for event, kinds in EVENTS.items():
            self.tell(event, *kinds, to=partial(tell, event))


class AskCards:
    """The target has a card of its own. Cards keep their places: these change when a reader sorts, or looks for some."""

    def __init__(self, session: Session, loaded: Loaded, **told: Callable[..., None]) -> None:
        self.session, self.loaded = session, loaded
        self.made = Cards(loaded)
        self.variables = self.made.variables
        self.known: Known = {}
        self.versus: Versus = {}
        self.chosen: str | None = None
        self.front: str | None = None
        self.by_change = session.own("sort") != BY_MODEL
        self.order: tuple[str, ...] = tuple(self.variables)
        self.unsorted = self.by_change
        """Is the order by change still to come, with the next answer?"""
        self.listed = LongList(self._show)
        self.opened: set[str] = set()
        self.kept: dict[str, set[int]] = {}
        """Codes whose bars stay, once they were known."""
        self.answer: Answer | None = None
        self.answered, self.evidence = 0, False
        """How many answers were shown, and whether the last one was given any evidence."""
        self.asking = False
        self.told = {**told, "expand": self._expand, "log": self._log}
        self.made.compare_with()

    def build_target(self) -> None:
        self.large = Marginals(self.variables, True, **self.told)

    def build(self) -> None:
        self._controls()
        self.marginals = Marginals(self.variables, False, **self.told)
        self.listed.more_button()

    def place_of(self, name: str) -> Marginals:
        """Where the card of a variable is."""
        return self.large if name == self.target else self.marginals

    @property
    def target(self) -> str | None:
        """The target of the page, or the one that is guessed."""
        return self.session.state.target or self.loaded.guessed_target

    def _controls(self) -> None:
        with bar():
            self.listed.search_box()
            with ui.element("div").classes("depnet-switch").props('role="group" aria-label="Order"'):
                self.sorted = {
                    True: button("Most changed first", lambda: self._sort(by_change=True), "flat dense"),
                    False: button("Table's order", lambda: self._sort(by_change=False), "flat dense"),
                }
            several = ui.switch("Allow several values", on_change=lambda e: self._allow_several(e.value))
            several.props("dense").props["title"] = (
                "A click then adds a value, or takes it away; so does Ctrl with a click"
            )
        with bar("depnet-keys") as self.controls:
            key("posterior", "probability, and a range that is 90 % sure to hold the population's")
            self.outline = key("prior", BEFORE)
            if self.loaded.data is not None:
                key("observed", "the table's own frequency")
            note(
                "Click a bar to take it as given, and again to undo; drag over a number's bars for a range."
                + (
                    " Bars are among the rows that have a value; missing is the share of those that have none."
                    if any(map(self.loaded.has_holes, range(len(self.variables))))
                    else ""
                )
            )

    # what the reader does

    def _allow_several(self, several: bool) -> None:
        for cards in (self.large, self.marginals):
            cards.put(several=several)

    def _sort(self, *, by_change: bool) -> None:
        if by_change == self.by_change:
            self._order()
            self._show()
        else:
            self.session.set_own(sort=None if by_change else BY_MODEL)

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
        self.place_of(name).run_method("look", name, True)

    def _look(self, name: str) -> None:
        """A card that is far down comes after the target, until another one is looked for."""
        if name not in in_order(self.order, self._first)[: self.listed.shown]:
            self.front = name

    # what follows from it

    def follow(self, state: State, versus: Versus) -> None:
        """Another state of the page: what is known stands on the cards at once."""
        self.asking |= (state.known, versus) != (self.known, self.versus)
        self.known, self.versus = state.known, versus
        self.outline.text = describe_versus(versus)
        for name, held in self.known.items():
            if not isinstance(held, str):
                self.kept.setdefault(name, set()).update(map(self.variables[name].code, held))
        by_change = self.session.own("sort") != BY_MODEL
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
        if other and self.chosen is not None:
            self.place_of(self.chosen).run_method("look", self.chosen, False)

    def show(self, answer: Answer | None) -> None:
        self.answer = answer
        self.answered += 1
        self.asking = answer is not None and not answer.last  # pale until it is sharp
        self.evidence = bool(self.known or self.versus)
        self.made.compare_with(None if answer is None else answer.before)
        if self.unsorted:
            self._order()
        self.unsorted = False  # where there is no answer, the table's order has to do
        self._show()

    def _order(self) -> None:
        self.unsorted = self.by_change and self.answer is None
        if not self.by_change or not (self.known or self.versus):
            self.order = tuple(self.variables)
        elif self.answer is not None:
            self.order = tuple(shift.name for shift in self.answer.shifts)

    @property
    def _first(self) -> list[str]:
        return [name for name in (self.front,) if name is not None]

    def _show(self) -> None:
        answer, state = self.answer, self.session.state
        given = bool(self.known or self.versus)
        ready = bool(self.made.base) and not self.unsorted
        others = [name for name in in_order(self.order, self._first) if name != self.target]
        names = self.listed.part(others if ready else [], str)
        # where nothing is known any more, outlines say it all; else numbers stay until better ones come
        of = {shift.name: shift for shift in answer.shifts} if answer is not None and given else {}
        bare = replace(state, variable=None, own={})
        large = [self.target] if self.made.base and self.target is not None else []
        for place, shown in ((self.large, large), (self.marginals, names)):
            place.put(
                cards=[
                    self.made.show(
                        name,
                        of.get(name),
                        self.known.get(name),
                        given=self.evidence,
                        opened=name in self.opened,
                        kept=self.kept.get(name, ()),
                    )
                    for name in shown
                ],
                target=self.target,
                chosen=state.variable,
                versus=bool(self.versus),
                evidence=given,
                asking=self.asking,
                links={name: self.session.url(path, bare) for name, path in LINKS.items()},
                answer=self.answered,
                method="" if answer is None else answer.result.method,
            )


def describe_versus(versus: Versus) -> str:
    if versus == REST:
        return "the rest"
    return ", ".join(describe_held(name, held) for name, held in versus.items()) or BEFORE
