"""Compare: two sets of evidence side by side, A (what is known on this page) and B, the largest differences first."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
from nicegui import ui

from depnet.data import Domain
from depnet.errors import DepnetError
from depnet.explorer.ask import Answer, answers, sharpness
from depnet.explorer.cards import Card, with_bar_turned, with_bars, with_held
from depnet.explorer.copyable import Copies
from depnet.explorer.known import Held, Known, Opened, is_clamped, opened, pairs
from depnet.explorer.parts import (
    Component,
    LongList,
    bar,
    button,
    card,
    note,
    show_chips,
    stack,
    warning,
    without_law,
)
from depnet.explorer.session import Latest, Session, Stop
from depnet.explorer.state import State
from depnet.inference.judge.shifts import Difference, differences_between

TITLE = "Compare"
PATH = "/compare"
NEEDS_MODEL = True

MEASURE = "total variation between A and B: the largest difference in the probability of any event"
COPIED = 4
"""Targets of the questions to copy: those that differ most."""
OTHER = "b"
"""The parameter of the address that has B."""


def other_text(known: Known) -> str:
    """What is known in B as one parameter of the address: it has the names and states of any table in it.

    >>> other_text({"sex": ("male",), "a&b=c": ">3"})
    'sex=male&a%26b%3Dc=%3E3'
    """
    return urlencode(pairs(known))


def other_known(domain: Domain, text: str) -> Opened:
    """What that parameter says, and what of it was not understood."""
    return opened(domain, parse_qsl(text, keep_blank_values=True))


class Differences(Component, component="differences.js"):
    """Cards with the bars of A and B; "choose" says a side, what was done, a name, the first bar and the last."""


def card_of(
    difference: Difference, known: Mapping[str, Held | None], *, holes: bool, opened: bool = False
) -> dict[str, Any]:
    """What a card shows, as plain values: the bars of both sides, and what is `known` of it there."""
    of = {"a": difference.first, "b": difference.second}
    variable = difference.first.variable
    made = Card.of(variable, np.maximum(of["a"].posterior, of["b"].posterior), opened=opened, holes=holes)
    return {
        "card": made.static({}),
        "note": f"differ by {difference.change:.3f}",
        "numbers": {
            side: made.numbers(of[side], held=is_clamped(held or "")) for side, held in known.items()
        },
        "held": {side: None if held is None else made.held_said(held) for side, held in known.items()},
    }


class _Side:
    """One set of evidence: its chips, and the answer to it."""

    def __init__(self, session: Session, letter: str, title: str) -> None:
        self.letter = letter
        self.known: Known = {}
        self.asked: Known | None = None
        self.answer: Answer | None = None
        self.question = Latest(session)
        with ui.element("div").classes(f"depnet-side {letter.lower()}").props('role="group"') as group:
            group.props["aria-label"] = f"Evidence {letter}"
            ui.label(f"{letter}: {title}").classes("depnet-side-title")
            self.chips = ui.element("div").classes("depnet-side-chips").props('role="list"')
            self.said = note("").props('role="status"')


class _Compare:
    """The two questions of one open page."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.loaded = session.loaded  # held, even if it leaves the shelf meanwhile
        self.domain = self.loaded.domain
        self.listed = LongList(self._show_cards)
        self.found: tuple[Difference, ...] = ()
        self.opened: set[str] = set()
        with card("Two sets of evidence"):
            without_law(self.loaded)
            with ui.element("div").classes("depnet-sides"):
                self.a = _Side(session, "A", "what is known")
                self.b = _Side(session, "B", "to compare with")
            with bar():
                button("Swap A and B", self._swap, "outline")
                button("Make B what A is now", lambda: self._set(self.b, self.a.known), "outline")
                button("Nothing known in B", lambda: self._set(self.b, {}), "outline")
            self.notes = stack("depnet-tight").props('aria-live="polite"')
        with card("What differs"):
            note(
                f"The largest differences first: {MEASURE}. Filled is the side itself, the outline the other one. Click a "
                "bar to make its state known in A or in B."
            )
            if self.loaded.data is not None:
                with ui.element("span").classes("depnet-mark"):
                    ui.element("span").classes("depnet-key-observed")
                    note(
                        "the table's own frequency among the rows that match; answers join it with the model's"
                    )
            self.listed.search_box()
            self.same = note("A and B are the same: change one of them.")
            self.cards = Differences(variables=[], measure=MEASURE)
            self.cards.tell("choose", str, str, str, int, int, to=self.choose)
            self.listed.more_button()
        with card("The same questions elsewhere"):
            note("Their targets are the variables that differ most.")
            self.copies = {letter: Copies(f", {letter}") for letter in ("A", "B")}
        self._changed(session.state)
        session.on_change(self._changed)

    # what the reader does

    def choose(self, side: str, event: str, name: str, first: int, last: int) -> None:
        """Bars were chosen: their states become known on that side, or are taken back."""
        if side not in ("a", "b") or name not in self.domain.names:
            return
        of, variable = self.a if side == "a" else self.b, self.loaded.variable(name)
        if event == "expand":
            self.opened ^= {name}
            self._show_cards()
        elif event == "toggle":
            self._set(of, with_bar_turned(of.known, variable, first))
        else:
            self._set(of, with_bars(of.known, variable, first, last))

    def _take_back(self, side: _Side, name: str) -> None:
        self._set(side, with_held(side.known, name, None))

    def _set(self, side: _Side, known: Known) -> None:
        if side is self.a:
            self.session.change(known=known)
        else:
            self.session.set_own(b=other_text(known) or None)

    def _swap(self) -> None:
        own = {name: value for name, value in self.session.state.own.items() if name != OTHER}
        text = other_text(self.a.known)
        self.session.change(known=self.b.known, own={**own, OTHER: text} if text else own)

    # what follows from it

    def _changed(self, state: State) -> None:
        other = other_known(self.domain, state.own.get(OTHER, ""))
        self.notes.clear()
        with self.notes:
            for problem in other.problems:
                warning(f"In B: {problem}")
        self.a.known, self.b.known = state.known, other.known
        for side in (self.a, self.b):
            take_back = partial(self._take_back, side)
            show_chips(side.chips, side.known, "nothing known", take_back, f" in {side.letter}")
            if side.asked != side.known:
                side.asked = side.known
                side.question.begin(partial(self._answer, side, side.known))

    async def _answer(self, side: _Side, known: Known, stop: Stop) -> None:
        side.said.text = "asking ..."
        try:
            async for answer in answers(self.loaded, known, self.session.work, stop, hide=self.session.hides):
                side.answer = answer
                support = f"; {answer.result.support}" if known and answer.result.support else ""
                side.said.text = sharpness(answer) + support
                self._show()
        except DepnetError as error:
            side.answer = None
            side.said.text = str(error)
            self._show()

    def _show(self) -> None:
        a, b = self.a.answer, self.b.answer
        self.found = () if a is None or b is None else differences_between(a.shifts, b.shifts)
        self.same.set_visibility(bool(self.found) and self.a.known == self.b.known)
        moved = [
            each.first.name for each in self.found if each.first.name not in {**self.a.known, **self.b.known}
        ]
        for side in (self.a, self.b):
            self.copies[side.letter].show(self.loaded, moved[:COPIED], side.known)
        self._show_cards()

    def _show_cards(self) -> None:
        cards = []
        for found in self.listed.part(self.found, lambda difference: difference.first.name):
            name = found.first.name
            holes = self.loaded.has_holes(self.domain.index(name))
            href = self.session.url("/node", replace(self.session.state, variable=name, own={}))
            known = {"a": self.a.known.get(name), "b": self.b.known.get(name)}
            shown = card_of(found, known, holes=holes, opened=name in self.opened)
            cards.append(shown | {"href": href})
        self.cards.put(variables=cards)


build = _Compare
