"""One node: its decision graph, or what it sums; what is proven about it."""

from typing import Any

from nicegui import events

from depnet.explorer import parts
from depnet.explorer.boosted_view import BoostedView
from depnet.explorer.node_graph import NodeGraph
from depnet.explorer.session import Session
from depnet.explorer.state import State
from depnet.pictures.labels import line
from depnet.pictures.node.decision import node_name, node_of

TITLE = "Node"
PATH = "/node"
NEEDS_MODEL = True


async def build(session: Session) -> None:
    network = session.loaded.network

    def wanted(state: State) -> int:
        name = state.variable or state.target
        return 0 if name is None else node_of(network, name)

    def changed(event: events.ValueChangeEventArguments[Any]) -> None:
        if event.value is not None and int(event.value) != wanted(session.state):
            name = network.domain.names[network.nodes[int(event.value)].variable]
            session.change(variable=name, own={})

    with parts.bar():
        options = {k: line(node_name(network, k)) for k in range(len(network))}
        chosen = parts.select(options, "Node", changed, value=wanted(session.state), with_input=True)
    place = parts.stack()
    shown: list[NodeGraph | BoostedView] = []

    async def fill() -> None:
        number = wanted(session.state)
        place.clear()
        shown[:] = [(BoostedView if network.nodes[number].boosted else NodeGraph)(session, number)]
        with place:
            await shown[0].build()

    def follow(state: State) -> None:
        number = wanted(state)
        chosen.set_value(number)
        session.spawn(fill() if shown[0].number != number else shown[0].follow(state))

    await fill()
    session.on_change(follow)
