"""What the network's page shows that depends on evidence: how far variables moved, bars of one, the joint table of two.

All of it is asked for once the page is there, and told by calls of the page's script (`static/network.js`).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from depnet.arrays import FloatArray
from depnet.errors import DepnetError
from depnet.explorer.ask import Answer, answers
from depnet.explorer.known import Known, given, is_clamped
from depnet.explorer.loaded import TOLERANCE
from depnet.explorer.network_cards import bars, joint_table
from depnet.explorer.session import Latest, Session, Stop
from depnet.inference.answer.small_counts import without_small_counts
from depnet.inference.judge.pair import pair
from depnet.inference.judge.shifts import Shift, by_target

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
        self.peeked: str | None = None
        """The variable whose bars the page waits for."""
        self.pair: tuple[tuple[str, str], Known] | None = None
        self.asking, self.joining = Latest(session), Latest(session)

    def ask(self) -> None:
        """How far each variable is moved by what is known."""
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
                self.shifts = {shift.name: shift for shift in answer.moved(known)}
                self.tell("answered", self._changes(known, answer))
                self._tell_bars()
        except DepnetError as error:  # such as: all of them are known
            self.shifts = {}
            self.tell("answered", {"problem": str(error)})
            self._tell_bars()

    def _changes(self, known: Known, answer: Answer) -> dict[str, Any]:
        """None where nothing is known; None for a variable that is known itself."""
        moved = {shift.name: round(shift.change, 4) for shift in answer.moved(known)}
        changes = [moved.get(name) for name in self.domain.names] if known else None
        return {"changes": changes, "sharp": answer.result.converged}

    def peek(self, name: str) -> None:
        """The bars of a variable: at once, or as soon as there is an answer."""
        self.peeked = name
        if self.known is None:
            self.ask()
        self._tell_bars()

    def _tell_bars(self) -> None:
        if self.peeked is None or self.shifts is None:
            return
        name, state = self.peeked, self.session.state
        v = self.domain.index(name)
        card = bars(self.domain.variables[v], self.shifts.get(name), self._prior(name), state.known.get(name))
        of_it = replace(state, variable=name, own={})
        links = {view: self.session.url(f"/{view}", of_it) for view in ("ask", "node")}
        self.tell("peeked", v, card | links)

    def _prior(self, name: str) -> FloatArray | None:
        """What was likely of a variable before it was known."""
        found = self.loaded.priors.get(self.domain.names)
        if found is None:
            return None
        found = without_small_counts(found) if self.session.hides else found
        return by_target(found, found.combined)[name]

    def join(self, names: tuple[str, str] | None) -> None:
        """The joint table of two variables, given what is known."""
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
