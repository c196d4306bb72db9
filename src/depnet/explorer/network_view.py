"""The network: how well each variable predicts others, drawn by the browser, and how far evidence moves each variable.

The page gets every tie once, strongest first, with a place for each variable; sliding, finding and choosing then happen
in `static/network.js`, without asking the server. What depends on evidence comes after it: how far each variable moved, the
bars of one variable, the joint table of two.
"""

import math
import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from nicegui import events, ui
from nicegui.elements.echart import EChart as EChart  # registers ECharts, which network.js imports

from depnet.arrays import FloatArray
from depnet.errors import DepnetError
from depnet.explorer import parts
from depnet.explorer.ask import Answer, answers
from depnet.explorer.cards import Cards, with_held
from depnet.explorer.histogram import state_label
from depnet.explorer.known import Known, describe_held, given, is_clamped
from depnet.explorer.loaded import TOLERANCE, Loaded
from depnet.explorer.parts import Component
from depnet.explorer.rules_view import NETWORK, tabs
from depnet.explorer.session import Latest, Session, Stop
from depnet.explorer.share import Finding
from depnet.explorer.state import State
from depnet.inference.judge.shifts import Pair, Shift, pair
from depnet.pictures import colours, links_csv, to_graphml
from depnet.pictures.graph.svg import to_svg

TITLE = "Network"
PATH = NETWORK
NEEDS_MODEL = True

MOST_TIES = 5000
"""The strongest ties that are sent; the page says how many are left."""

OPENS_WITH = 150
"""Ties that are drawn at first, of a network with more variables than `SMALL`."""

SMALL = 30

WIDE = 80
"""With more variables, communities are shown at first."""

PAIR = ("first", "second")
"""The page's own parameters that name two variables."""

MAX_SECONDS = 6.0
"""Sampling time for colours and small bars; the Ask view samples longer."""

PAIR_SECONDS = 6.0
"""Sampling time for a joint table."""

Tell = Callable[..., Any]
"""Calls a method of the page's script: `tell("answered", {...})`."""


class NetworkAnswers:
    """Answers of one open page; a newer question ends the older one."""

    def __init__(self, session: Session, tell: Tell) -> None:
        self.session, self.loaded, self.tell = session, session.loaded, tell
        self.domain = self.loaded.domain
        self.known: Known | None = None
        """What was asked about last; None before anything was."""
        self.shifts: dict[str, Shift] | None = None
        """The shifts under the current evidence; None while they are computed."""
        self.peeked: tuple[str, bool] | None = None
        """The variable whose bars the page waits for, and whether all of them."""
        self.cards = Cards(self.loaded)
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
        found = answers(self.loaded, known, self.session.work, stop, max_seconds=MAX_SECONDS)
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
        moved: dict[str, float | None] = {shift.name: round(shift.change, 4) for shift in answer.shifts}
        moved |= {name: None for name, held in known.items() if is_clamped(held)}
        changes = [moved[name] for name in self.domain.names] if known else None
        return {"changes": changes, "sharp": answer.result.converged}

    def peek(self, name: str, opened: bool) -> None:
        self.peeked = name, opened
        if self.known is None:
            self.ask()
        self._tell_bars()

    def _tell_bars(self) -> None:
        self.cards.compare_with()
        if self.peeked is None or self.shifts is None or not self.cards.base:
            return
        (name, opened), state = self.peeked, self.session.state
        held = state.known.get(name)
        kept = () if held is None or isinstance(held, str) else map(self.loaded.variable(name).code, held)
        of_it = replace(state, variable=name, own={})
        links = {"explore": self.session.url("/", of_it), "rules": self.session.url("/rules", of_it)}
        answered = bool(state.known)
        told = self.cards.show(name, self.shifts.get(name), held, given=answered, opened=opened, kept=kept)
        self.tell("peeked", self.domain.index(name), told | links)

    def join(self, names: tuple[str, str] | None) -> None:
        wanted = None if names is None else (names, self.session.state.known)
        if wanted == self.pair:
            return
        self.pair = wanted
        if wanted is not None:
            self.joining.begin(lambda _: self._joint(*wanted))

    async def _joint(self, names: tuple[str, str], known: Known) -> None:
        ask = partial(pair, self.loaded.asked, *names, given(known))
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
    rows, columns = (_likely_states(joint.sum(axis=1 - axis)) for axis in (0, 1))
    at = np.ix_(rows, columns)
    first, second = found.result.variables
    hidden = sum(len(states) for states in found.result.states) - len(rows) - len(columns)
    return {
        "rows": [state_label(first, code) for code in rows],
        "columns": [state_label(second, code) for code in columns],
        "tables": {
            "joint": _cells(joint[at]),
            "second": _cells(found.given_first[at]),
            "first": _cells(found.given_second[at]),
        },
        "counts": None if counts is None else _cells(np.round(counts[at])),
        "left": hidden,
        "uncertainty": [_round(bits) for bits in found.uncertainty],
        "information": _round(found.information),
        "exact": found.result.diagnostics is None,
        "sharp": found.result.converged,
    }


def _likely_states(marginal: FloatArray) -> list[int]:
    likely = np.argsort(-marginal, kind="stable")[:MOST_STATES]
    return [int(code) for code in np.sort(likely)]


def _cells(table: FloatArray) -> list[list[float | None]]:
    return [[_round(value) for value in row] for row in table.tolist()]


def _round(value: float | None) -> float | None:
    """Six digits are more than a page shows; None where it is hidden, or not defined."""
    return None if value is None or math.isnan(value) else float(f"{value:.6g}")


class NetworkPicture(Component, component="static/network.js"):
    """The graph, the matrix, the links, and all that is done with them."""


def build(session: Session) -> None:
    """Show the network, in the page as it is sent where it is laid out; else as soon as it is."""
    with parts.bar():
        tabs(session, PATH)
    loaded = session.loaded
    if loaded.is_laid_out:
        _Network(session, picture(loaded))
        return
    with (
        ui.element("div") as place,
        parts.card(),
    ):  # nothing turns: that would take a third of a core from the work
        ui.label(f"Laying out {len(loaded.domain):,} columns …").props('role="status"')

    async def later() -> None:
        properties = await session.work(picture, loaded)
        place.clear()
        with place:
            _Network(session, properties)

    session.spawn(later())


def is_wide(loaded: Loaded) -> bool:
    return len(loaded.graph) > WIDE and len(set(loaded.communities)) > 1


def picture(loaded: Loaded) -> dict[str, Any]:
    sent = loaded.graph.ties[:MOST_TIES]
    return {
        "names": list(loaded.graph.names),
        "places": loaded.places.round(3).tolist(),
        "groups": list(loaded.communities),
        "strongest": list(loaded.strongest),
        "ties": [[t.first, t.second, _round(t.forward), _round(t.backward)] for t in sent],
        "colours": list(colours.CYCLE),
        "rest": colours.REST,
        "measured": f"Bits a row, {loaded.graph.measured}.",
        "left": len(loaded.graph.ties) - len(sent),
        "many": is_wide(loaded),
        "opensWith": len(sent) if len(loaded.graph) <= SMALL else OPENS_WITH,
    }


class _Network:
    """One open page: it shows the state, and asks for another."""

    def __init__(self, session: Session, properties: dict[str, Any]) -> None:
        self.session, self.loaded = session, session.loaded
        self.domain = self.loaded.domain
        self.heard = False
        """Is what changes now what the page itself has said?"""
        self.shown = NetworkPicture(**properties, start=self.start(session.state))
        self.answers = NetworkAnswers(session, self.shown.run_method)
        for name, handler in (
            ("ready", self._ready),
            ("state", self._update),
            ("peek", self._peek),
            ("hold", self._hold),
            ("target", self._target),
            ("save", self._save),
        ):
            self.shown.on(name, handler)
        session.on_change(self._follow)
        session.finding = self._finding

    def _finding(self) -> Finding:
        graph = self.loaded.graph
        rows = [(graph.names[a.source], graph.names[a.target], a.strength) for a in graph.arrows]
        command = shlex.join(["depnet", "export", self.loaded.path, "-o", "links.csv"])
        heads = ("predicts", "column", f"bits a row, {graph.measured}")
        return Finding("What predicts what", heads, rows, command, svg=to_svg(graph))

    def start(self, state: State) -> dict[str, Any]:
        names, own = self.domain.names, state.own
        pair, community = self._pair(state), state.number("community")
        return {
            "shown": state.number("shown"),
            "chosen": None if state.variable is None else names.index(state.variable),
            "mode": self._mode(own.get("mode")),
            "community": None if community is None or community >= len(self.loaded.strongest) else community,
            "pair": None if pair is None else [names.index(name) for name in pair],
            "known": [
                [names.index(name), describe_held(name, held, self.loaded.variable(name))]
                for name, held in state.known.items()
            ],
            "target": None if state.target is None else names.index(state.target),
        }

    def _mode(self, said: object) -> str:
        """What is shown: of many variables the communities, at first."""
        groups = ["groups"] if is_wide(self.loaded) else []
        return (
            said if isinstance(said, str) and said in ("graph", "matrix", *groups) else [*groups, "graph"][0]
        )

    def _pair(self, state: State) -> tuple[str, str] | None:
        first, second = (state.own.get(name, "") for name in PAIR)
        known = {first, second} <= set(self.domain.names)
        return (first, second) if known and first != second else None

    # what the reader does

    def _ready(self) -> None:
        """The page is there: now it is worth while to work for it."""
        if self.session.state.known:
            self.answers.ask()
        self.answers.join(self._pair(self.session.state))

    def _update(self, event: events.GenericEventArguments) -> None:
        now, names = event.args, self.domain.names
        pair = [None, None] if now["pair"] is None else [names[v] for v in now["pair"]]
        own = {
            "shown": None if now["shown"] is None else str(now["shown"]),
            "mode": None if now["mode"] == self._mode(None) else self._mode(now["mode"]),
            "community": None if now["community"] is None else str(now["community"]),
            **dict(zip(PAIR, pair, strict=True)),
        }
        self.heard = True
        self.session.change(
            push=not now["slid"],  # a slider's way is no row of states to go back to
            variable=None if now["chosen"] is None else names[now["chosen"]],
            own={name: value for name, value in own.items() if value is not None},
        )
        self.heard = False

    def _follow(self, state: State) -> None:
        if not self.heard:
            self.shown.run_method("follow", self.start(state))
        if self.answers.known is not None or state.known:
            self.answers.ask()
        self.answers.join(self._pair(state))

    def _peek(self, event: events.GenericEventArguments) -> None:
        v, opened = event.args
        self.answers.peek(self.domain.names[v], bool(opened))

    def _hold(self, event: events.GenericEventArguments) -> None:
        """Bars of a variable were chosen, from one to the other; without them, nothing is known of it."""
        v, codes = event.args
        variable, known = self.domain.variables[v], self.session.state.known
        if codes is None:
            self.session.change(known=with_held(known, variable.name, None))
        else:
            self.session.change(known=self.answers.cards.hold(known, variable.name, *codes))

    def _target(self, event: events.GenericEventArguments) -> None:
        name = self.domain.names[event.args]
        self.session.change(target=None if self.session.state.target == name else name)

    async def _save(self, event: events.GenericEventArguments) -> None:
        kind = "csv" if event.args == "csv" else "graphml"
        text = await self.session.work(
            lambda: links_csv(self.loaded.links) if kind == "csv" else to_graphml(self.loaded.graph)
        )
        ui.download.content(text, f"{Path(self.loaded.name).stem}-links.{kind}")
