"""The network: who tells whom how much."""

from nicegui import ui

from depnet.explorer import parts
from depnet.explorer.session import Session

TITLE = "Network"
PATH = "/"
NEEDS_MODEL = True


async def build(session: Session) -> None:
    """Links, the strongest first."""
    graph = await session.work(lambda: session.loaded.graph)
    with parts.card("Links"):
        for arrow in graph.arrows[:50]:
            ui.label(f"{graph.names[arrow.source]} → {graph.names[arrow.target]}  {arrow.strength:.4f} bits")
