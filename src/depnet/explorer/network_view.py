"""The network: who tells whom how much, in the browser's own hands.

The page gets every tie once, strongest first, with a place for each variable; sliding, finding and choosing then happen
in `static/network.js`, without asking the server.
"""

import asyncio
from typing import Any

from nicegui import events, ui
from nicegui.elements.echart import EChart as EChart  # registers ECharts, which network.js imports

from depnet.explorer import parts
from depnet.explorer.loaded import Loaded
from depnet.explorer.session import Session
from depnet.explorer.state import State
from depnet.pictures import colours

TITLE = "Network"
PATH = "/network"
NEEDS_MODEL = True

MOST_TIES = 5000
"""So many of the strongest ties are sent; the page says how many are left."""

OPENS_WITH = 150
"""Ties that are drawn at first, of a network with more variables than `SMALL`."""

SMALL = 30

PATIENCE = 1.0
"""Seconds that the page waits for its network before it says that it is being laid out."""


class NetworkPicture(ui.element, component="static/network.js"):
    """The graph, the matrix, the links, and all that is done with them."""

    def __init__(self, properties: dict[str, Any]) -> None:
        super().__init__()
        for name, value in properties.items():
            self._props[name] = value


async def build(session: Session) -> None:
    """Show the network; of a very wide one, as soon as it is laid out."""
    ready = asyncio.ensure_future(session.work(picture, session.loaded))
    done, _ = await asyncio.wait([ready], timeout=PATIENCE)
    if done:
        _show(session, ready.result())
        return
    with ui.element("div") as place, parts.card(), parts.bar():
        ui.spinner()
        ui.label(f"Laying out {len(session.loaded.network.domain):,} variables …").props('role="status"')

    async def later() -> None:
        properties = await ready
        place.clear()
        with place:
            _show(session, properties)

    session.spawn(later())


def _show(session: Session, properties: dict[str, Any]) -> None:
    """The network in the state that the address asks for; the address is kept up to date."""
    names = session.loaded.network.domain.names
    opens_with = properties.pop("shown")

    def start(state: State) -> dict[str, Any]:
        return {
            "shown": _whole(state.own.get("shown", ""), opens_with),
            "chosen": None if state.variable is None else names.index(state.variable),
            "steps": min(_whole(state.own.get("steps", ""), 0), 2),
            "mode": "matrix" if state.own.get("mode") == "matrix" else "graph",
            "nodeUrl": session.url("/node"),
        }

    shown = NetworkPicture(properties | {"start": start(session.state)})

    def changed(event: events.GenericEventArguments) -> None:
        now = event.args
        own = {name: str(now[name]) for name in ("shown", "steps", "mode") if now[name] not in (0, "graph")}
        slid = {
            **session.state.own,
            "shown": own["shown"],
        } == own  # a slider's way is no row of states to go back to
        variable = None if now["chosen"] is None else names[now["chosen"]]
        session.change(push=not slid or variable != session.state.variable, variable=variable, own=own)

    def follow(state: State) -> None:
        shown.props["start"] = start(state)

    shown.on("state", changed)
    session.on_change(follow)


def picture(loaded: Loaded) -> dict[str, Any]:
    """What the page needs of a model: names, places, communities, ties."""
    graph = loaded.graph
    ties = graph.ties
    sent = ties[:MOST_TIES]
    return {
        "names": list(graph.names),
        "places": loaded.places.round(3).tolist(),
        "groups": list(loaded.communities),
        "ties": [[t.first, t.second, _bits(t.forward), _bits(t.backward)] for t in sent],
        "colours": list(colours.CYCLE),
        "rest": colours.REST,
        "measured": f"Bits a row, {graph.measured}.",
        "left": len(ties) - len(sent),
        "shown": len(sent) if len(graph) <= SMALL else OPENS_WITH,
    }


def _bits(strength: float | None) -> float | None:
    return None if strength is None else float(f"{strength:.6g}")


def _whole(text: str, default: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else default
