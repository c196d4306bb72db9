"""What the network's page shows that depends on evidence: how far variables moved, bars of one, the joint table of two.

All of it is asked for once the page is there, and told by calls of the page's script (`static/network.js`).
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.errors import DepnetError
from depnet.explorer.ask import Answer, answers
from depnet.explorer.cards import Cards
from depnet.explorer.known import Known, given, is_clamped
from depnet.explorer.loaded import TOLERANCE
from depnet.explorer.session import Latest, Session, Stop
from depnet.inference.judge.pair import Pair, pair
from depnet.inference.judge.shifts import Shift

MAX_SECONDS = 6.0
"""Of sampling for colours and small bars; the Ask view goes on for longer."""

PAIR_SECONDS = 6.0
"""Of sampling for a joint table."""

Tell = Callable[..., Any]
"""Calls a method of the page's script: `tell("answered", {...})`."""


class NetworkAnswers:
    """Answers of one open page; a newer question ends the older one."""

    def __init__(self, session: Session, tell: Tell) -> None:
        self.session, self.loaded, self.tell = session, session.loaded, tell
        self.domain = self.loaded.network.domain
        self.known: Known | None = None
        """What was asked about last; None before anything was."""
        self.shifts: dict[str, Shift] | None = None
        """Of what is known; None while it is being asked."""
        self.peeked: tuple[str, bool] | None = None
        """The variable whose bars the page waits for, and whether all of them."""
        self.cards = Cards(self.loaded, session.hides)
        self.pair: tuple[tuple[str, str], Known] | None = None
        self.asking, self.joining = Latest(session), Latest(session)

    def ask(self) -> None:
        known = self.session.state.known
        if known == self.known:
            return
        self.known, self.shifts = known, None
        self.asking.begin(lambda stop: self._answers(known, stop))

    async def _answers(self, known: Known, stop: Stop) -> None:
        self.tell("answered", {"asking": bool(known)})
        hide = self.session.hides
        found = answers(self.loaded, known, self.session.work, stop, hide=hide, max_seconds=MAX_SECONDS)
        try:
            async for answer in found:
                self.shifts = {shift.name: shift for shift in answer.shifts}
                self.tell("answered", self._changes(known, answer))
                self._tell_bars()
        except DepnetError as error:  # such as: all of them are known
            self.shifts = {}
            self.tell("answered", {"problem": str(error)})
            self._tell_bars()

    def _changes(self, known: Known, answer: Answer) -> dict[str, Any]:
        """How far each variable moved: None where nothing is known; None for a variable that is known itself."""
        moved = {shift.name: round(shift.change, 4) for shift in answer.moved(known)}
        changes = [moved.get(name) for name in self.domain.names] if known else None
        return {"changes": changes, "sharp": answer.result.converged}

    def peek(self, name: str, opened: bool) -> None:
        self.peeked = name, opened
        if self.known is None:
            self.ask()
        self._tell_bars()

    def _tell_bars(self) -> None:
        self.cards.take_prior()
        if self.peeked is None or self.shifts is None or not self.cards.base:
            return
        (name, opened), state = self.peeked, self.session.state
        held = state.known.get(name)
        kept = () if held is None or isinstance(held, str) else map(self.loaded.variable(name).code, held)
        card, shift = self.cards.card(name, opened=opened, kept=kept), self.shifts.get(name)
        numbers = None if shift is None else card.numbers(shift, held=held is not None and is_clamped(held))
        of_it = replace(state, variable=name, own={})
        links = {view: self.session.url(f"/{view}", of_it) for view in ("ask", "node")}
        told = {
            "card": card.static(card.numbers(self.cards.base[name])),
            "now": None if numbers is None else numbers | {"given": bool(state.known)},
            "held": None if held is None else card.held_said(held),
        }
        self.tell("peeked", self.domain.index(name), told | links)

    def join(self, names: tuple[str, str] | None) -> None:
        wanted = None if names is None else (names, self.session.state.known)
        if wanted == self.pair:
            return
        self.pair = wanted
        if wanted is not None:
            self.joining.begin(lambda _: self._joint(*wanted))

    async def _joint(self, names: tuple[str, str], known: Known) -> None:
        ask = partial(pair, self.loaded.asked, *names, given(known), hide=self.session.hides)
        # A joint state is rarer than a state of one variable, and should be known as well.
        bounds = {"tolerance": TOLERANCE / 4, "max_seconds": PAIR_SECONDS, "data": self.loaded.data}
        try:
            found = joint_table(await self.session.work(ask, **bounds))
        except DepnetError as error:
            found = {"problem": str(error)}
        first, second = map(self.domain.index, names)
        told = {(a.source, a.target): a.strength for a in self.loaded.graph.arrows}
        strengths = {"forward": told.get((first, second)), "backward": told.get((second, first))}
        clamped = [name for name in names if name in known and is_clamped(known[name])]
        self.tell("joined", [first, second], found | strengths | {"known": len(known), "clamped": clamped})


MOST_STATES = 24
"""Rows and columns of a joint table; with more states, the most probable ones."""


def joint_table(found: Pair) -> dict[str, Any]:
    """The joint table and both conditional ones, the table's counts, and what the two tell of each other, in bits."""
    joint, counts = found.joint, found.counts
    rows, columns = (_kept(joint.sum(axis=1 - axis)) for axis in (0, 1))
    at = np.ix_(rows, columns)
    first, second = found.result.states
    hidden = sum(len(states) for states in (first, second)) - len(rows) - len(columns)
    return {
        "rows": [str(first[code]) for code in rows],
        "columns": [str(second[code]) for code in columns],
        "tables": {
            "joint": _cells(joint[at]),
            "second": _cells(found.given_first[at]),
            "first": _cells(found.given_second[at]),
        },
        "counts": None if counts is None else _cells(np.round(counts[at])),
        "left": hidden,
        "uncertainty": [_rounded(bits) for bits in found.uncertainty],
        "information": _rounded(found.information),
        "exact": found.result.diagnostics is None,
        "sharp": found.result.converged,
    }


def _kept(marginal: FloatArray) -> list[int]:
    likely = np.argsort(-marginal, kind="stable")[:MOST_STATES]
    return [int(code) for code in np.sort(likely)]


def _cells(table: FloatArray) -> list[list[float | None]]:
    return [[_rounded(value) for value in row] for row in table.tolist()]


def _rounded(value: float) -> float | None:
    """Six digits are more than a page shows; None where it is hidden, or not defined."""
    return None if math.isnan(value) else float(f"{value:.6g}")
