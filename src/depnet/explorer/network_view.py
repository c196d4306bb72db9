"""The network: who tells whom how much, in the browser's own hands, and how far evidence moves each variable.

The page gets every tie once, strongest first, with a place for each variable; sliding, finding and choosing then happen
in `static/network.js`, without asking the server. What depends on evidence comes after it: how far each variable moved, the
bars of one variable, the joint table of two.
"""

import asyncio
from pathlib import Path
from typing import Any

from nicegui import events, ui
from nicegui.elements.echart import EChart as EChart  # registers ECharts, which network.js imports

from depnet.explorer import parts
from depnet.explorer.cards import with_bars, with_held
from depnet.explorer.known import said
from depnet.explorer.loaded import Loaded
from depnet.explorer.network_answers import NetworkAnswers
from depnet.explorer.parts import Component
from depnet.explorer.session import Session
from depnet.explorer.state import State
from depnet.pictures import colours, links_csv, to_graphml

TITLE = "Network"
PATH = "/network"
NEEDS_MODEL = True

MOST_TIES = 5000
"""The strongest ties that are sent; the page says how many are left."""

OPENS_WITH = 150
"""Ties that are drawn at first, of a network with more variables than `SMALL`."""

SMALL = 30

PATIENCE = 1.0
"""Seconds that the page waits for its network before it says that it is being laid out."""

PAIR = ("first", "second")
"""The page's own parameters that name two variables."""


class NetworkPicture(Component, component="static/network.js"):
    """The graph, the matrix, the links, and all that is done with them."""


async def build(session: Session) -> None:
    """Show the network; of a very wide one, as soon as it is laid out."""
    ready = asyncio.ensure_future(session.work(picture, session.loaded))
    done, _ = await asyncio.wait([ready], timeout=PATIENCE)
    if done:
        _Network(session, ready.result())
        return
    with ui.element("div") as place, parts.card(), parts.bar():
        ui.spinner()
        ui.label(f"Laying out {len(session.loaded.network.domain):,} variables …").props('role="status"')

    async def later() -> None:
        properties = await ready
        place.clear()
        with place:
            _Network(session, properties)

    session.spawn(later())


def picture(loaded: Loaded) -> dict[str, Any]:
    sent = loaded.graph.ties[:MOST_TIES]
    return {
        "names": list(loaded.graph.names),
        "places": loaded.places.round(3).tolist(),
        "groups": list(loaded.communities),
        "strongest": list(loaded.strongest),
        "ties": [[t.first, t.second, _bits(t.forward), _bits(t.backward)] for t in sent],
        "colours": list(colours.CYCLE),
        "rest": colours.REST,
        "measured": f"Bits a row, {loaded.graph.measured}.",
        "left": len(loaded.graph.ties) - len(sent),
        "opensWith": len(sent) if len(loaded.graph) <= SMALL else OPENS_WITH,
    }


class _Network:
    """One open page: it shows the state, and asks for another."""

    def __init__(self, session: Session, properties: dict[str, Any]) -> None:
        self.session, self.loaded = session, session.loaded
        self.domain = self.loaded.network.domain
        self.heard = False
        """Is what changes now what the page itself has said?"""
        self.shown = NetworkPicture(**properties, start=self.start(session.state))
        self.answers = NetworkAnswers(session, self.shown.run_method)
        for name, handler in (
            ("ready", self._ready),
            ("state", self._changed),
            ("peek", self._peek),
            ("hold", self._hold),
            ("target", self._target),
            ("save", self._save),
        ):
            self.shown.on(name, handler)
        session.on_change(self._follow)

    def start(self, state: State) -> dict[str, Any]:
        names, own = self.domain.names, state.own
        pair, community = self._pair(state), state.number("community")
        return {
            "shown": state.number("shown"),
            "chosen": None if state.variable is None else names.index(state.variable),
            "steps": min(state.number("steps") or 0, 2),
            "mode": "matrix" if own.get("mode") == "matrix" else "graph",
            "colour": "community" if own.get("colour") == "community" else "change",
            "community": None if community is None or community >= len(self.loaded.strongest) else community,
            "pair": None if pair is None else [names.index(name) for name in pair],
            "known": [[names.index(name), said(name, held)] for name, held in state.known.items()],
            "target": None if state.target is None else names.index(state.target),
        }

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

    def _changed(self, event: events.GenericEventArguments) -> None:
        now, names = event.args, self.domain.names
        pair = [None, None] if now["pair"] is None else [names[v] for v in now["pair"]]
        own = {
            "shown": None if now["shown"] is None else str(now["shown"]),
            "steps": str(now["steps"]) if now["steps"] else None,
            "mode": "matrix" if now["mode"] == "matrix" else None,
            "colour": "community" if now["colour"] == "community" else None,
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
        held = with_held(known, variable.name, None) if codes is None else with_bars(known, variable, *codes)
        self.session.change(known=held)

    def _target(self, event: events.GenericEventArguments) -> None:
        name = self.domain.names[event.args]
        self.session.change(target=None if self.session.state.target == name else name)

    async def _save(self, event: events.GenericEventArguments) -> None:
        kind = "csv" if event.args == "csv" else "graphml"
        text = await self.session.work(
            lambda: links_csv(self.loaded.links) if kind == "csv" else to_graphml(self.loaded.graph)
        )
        ui.download.content(text, f"{Path(self.loaded.name).stem}-links.{kind}")


def _bits(strength: float | None) -> float | None:
    return None if strength is None else float(f"{strength:.6g}")
