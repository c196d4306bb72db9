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
from depnet.data import Variable
from depnet.errors import DepnetError
from depnet.explorer.ask import Answer, answers
from depnet.explorer.known import Held, Known, given, is_clamped, weights
from depnet.explorer.loaded import TOLERANCE
from depnet.explorer.session import Latest, Session, Stop
from depnet.inference.answer.result import QueryResult, by_target
from depnet.inference.answer.small_counts import without_small_counts
from depnet.inference.judge.shifts import Missing, Pair, Shift, pair
from depnet.model.conditions import MISSING

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
        shift, held, prior = self.shifts.get(name), state.known.get(name), self._prior()
        before = None if prior is None else by_target(prior, prior.combined)[name]
        missing = None
        if self.loaded.has_holes(v):
            missing = 0.0 if prior is None else Missing.of(prior, name).joined
        card = bars(self.domain.variables[v], shift, before, held, missing)
        of_it = replace(state, variable=name, own={})
        links = {view: self.session.url(f"/{view}", of_it) for view in ("ask", "node")}
        self.tell("peeked", v, card | links)

    def _prior(self) -> QueryResult | None:
        """What is likely with nothing known."""
        found = self.loaded.priors.get(self.domain.names)
        return without_small_counts(found) if found is not None and self.session.hides else found

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


BARS = 16
"""States of a variable that have a bar; with more, the most probable ones and the rest together."""

MOST_CHOICES = 500
"""States that a reader may choose from; of a variable with more, the most probable ones."""

MOST_STATES = 24
"""Rows and columns of a joint table; with more states, the most probable ones."""


def bars(
    variable: Variable,
    shift: Shift | None,
    prior: FloatArray | None,
    held: Held | None,
    missing: float | None = None,
) -> dict[str, Any]:
    """Prior and posterior of each state. Of a variable that is known there is no shift: it is as what is known says.

    `missing`: how probable it is, with nothing known, that it is missing, where that can be; it has the last bar, and the
    others are given that it is known.
    """
    states = len(variable.present_states)
    allowed = np.ones(states) if held is None else weights(variable, held)[:states]
    if shift is None:
        posterior = allowed / max(float(allowed.sum()), 1e-300)
        before = posterior if prior is None else prior
    else:
        before, posterior = shift.prior, shift.posterior
    order = np.argsort(-np.maximum(before, posterior), kind="stable")
    shown = np.sort(order) if len(order) <= BARS else np.sort(order[: BARS - 1])
    rest = order[len(shown) :]
    made = [
        {
            "code": code,
            "label": str(variable.states[code]),
            "prior": _rounded(before[code]),
            "posterior": _rounded(posterior[code]),
            "held": held is not None and bool(allowed[code] > 0),
        }
        for code in shown.tolist()
    ]
    if len(rest):
        others = {"code": -1, "label": f"{len(rest):,} others", "held": False}
        sums = {"prior": _rounded(before[rest].sum()), "posterior": _rounded(posterior[rest].sum())}
        made.append(others | sums)
    if missing is not None:
        now = float(held == MISSING) if shift is None else shift.missing.joined
        gone = {"code": states, "label": "missing", "held": held == MISSING, "missing": True}
        made.append(gone | {"prior": _rounded(missing), "posterior": _rounded(now)})
    choices = np.sort(order[:MOST_CHOICES]).tolist() if len(rest) else []
    return {
        "bars": made,
        "moved": None if shift is None else round(shift.change, 4),
        "choices": [[code, str(variable.states[code])] for code in choices],
    }


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
