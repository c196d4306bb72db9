"""The bar at the top of every view: what is known, piece by piece, and the target. Each can be taken back."""

from collections.abc import Callable
from functools import partial

from nicegui import ui

from depnet.explorer.known import Known, said
from depnet.explorer.parts import button, note
from depnet.explorer.session import Session
from depnet.explorer.state import State


def evidence_bar(session: Session) -> None:
    """It has one line, whatever is in it, so that nothing below moves when something becomes known."""
    with ui.element("div").classes("depnet-known").props('role="region" aria-label="What is known"'):
        note("Known").classes("depnet-known-title")
        chips = ui.element("div").classes("depnet-known-chips").props('role="list" aria-label="Evidence"')
        clear = button("Clear all", lambda: session.change(known={}), "flat dense")
        target = ui.element("div").classes("depnet-known-target")

    def take_back(name: str) -> None:
        session.change(known={key: held for key, held in session.state.known.items() if key != name})

    def show(state: State) -> None:
        clear.set_enabled(bool(state.known))
        show_chips(chips, state.known, "nothing yet", take_back)
        target.clear()
        if state.target is not None:
            with target:
                _chip(f"target: {state.target}", "group", lambda: session.change(target=None))

    show(session.state)
    session.on_change(show)


def show_chips(
    place: ui.element, known: Known, nothing: str, take_back: Callable[[str], object], where: str = ""
) -> None:
    """What is known, piece by piece, in a list that is there; `nothing` where nothing is, `where` for screen readers."""
    place.clear()
    with place:
        if not known:
            with ui.element("span").props('role="listitem"'):
                note(nothing)
        for name, held in known.items():
            _chip(said(name, held), "listitem", partial(take_back, name), where)


def _chip(text: str, role: str, take_back: Callable[[], object], where: str = "") -> None:
    with ui.element("span").classes("depnet-chip").props(f'role="{role}"'):
        ui.label(text)
        take = ui.button(icon="close", on_click=take_back).props("flat round dense size=xs")
        take.props["aria-label"] = f"Take back {text}{where}"
