"""The frame around every view: skip link, name of the model, navigation, light or dark; views take turns in it."""

import html
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from nicegui import events, ui
from nicegui.page_arguments import RouteMatch

from depnet.errors import DepnetError, EvidenceError
from depnet.explorer import (
    explore_view,
    fit_view,
    network_view,
    pair_view,
    rows_view,
    rules_view,
    target_view,
)
from depnet.explorer.cards import read_typed, with_held
from depnet.explorer.known import describe_held
from depnet.explorer.parts import button, chip, heading, note, show_table, warning
from depnet.explorer.session import Session, root_of
from depnet.explorer.share import Share
from depnet.explorer.state import State
from depnet.fitting.summary import plain_figures
from depnet.model.given_text import cut_at_sign
from depnet.wording import percent, plural


class View(Protocol):
    """What a module `..._view` has."""

    TITLE: str
    PATH: str
    NEEDS_MODEL: bool

    @property
    def build(self) -> Callable[[Session], object]:
        """What shows the view inside the frame's main part, in the state that the address says; may be a coroutine."""


VIEWS: tuple[View, ...] = (explore_view, target_view, pair_view, rules_view, rows_view)
"""In the order of the navigation."""

ASIDE: tuple[View, ...] = (fit_view,)
"""At the right of it."""

TABS: tuple[View, ...] = (network_view,)
"""Second tabs, whose addresses go on from that of their view."""

EVERY = (*VIEWS, *ASIDE, *TABS)

STYLES = ("/depnet/style.css", "/depnet/views.css")
"""Styles of every page, and of single views."""

SCRIPT = "/depnet/history.js"

DARK_COOKIE = "depnet_dark"

# The choice is the browser's to keep: a cookie, so that the next page is drawn right from the start.
_TURN = f"""() => {{
    const dark = !document.body.classList.contains("body--dark");
    document.cookie = "{DARK_COOKIE}=" + (dark ? 1 : 0) + "; path=/; max-age=31536000; samesite=strict";
    emit(dark);
}}"""


class _Views(ui.sub_pages):
    """The place of the open view: another one is built here, without loading the page anew."""

    def _handle_scrolling(self, match: RouteMatch, *, behavior: str) -> None:
        """Up where another view opens; Back within a view leaves the page where it is."""
        if behavior == "instant":
            super()._handle_scrolling(match, behavior=behavior)


def frame(session: Session, chosen: bool | None) -> None:
    """Header, navigation, what is given and the open view. `chosen`: dark, light, or as the system is."""
    has_model = session.model is not None
    views = {view.PATH: view for view in EVERY if has_model or not view.NEEDS_MODEL}
    ui.colors(primary="#0067a3", accent="#0067a3", positive="#00805c", negative="#b34a00", warning="#8a4b00")
    dark = ui.dark_mode(chosen)

    def set_dark(event: events.GenericEventArguments) -> None:
        dark.value = bool(event.args)

    session.client.sub_pages_router.on_path_changed(session.went_to)  # before the view is built
    with ui.element("header").classes("depnet-header"):
        with ui.element("div").classes("depnet-brand"):
            ui.label("depnet").classes("depnet-name")
            ui.label(_describe_model(session)).classes("depnet-model")
            _show_prediction(session)
        _navigation(session, views)
        if has_model:
            Share(session)
        _help()
        turn = ui.button(icon="contrast").props('flat round dense aria-label="Light or dark"')
        turn.classes("depnet-turn").on("click", set_dark, js_handler=_TURN)
    main = ui.element("div").classes("depnet-main").props('tabindex="-1"')
    ui.skip_link("Skip to the view", target=main)
    with main:
        with ui.element("h1").classes("depnet-unseen"):
            title = ui.label()
        if has_model:
            evidence_bar(session)
        if session.model is not None and session.model.limit:
            warning(session.model.limit)
        if session.model is not None and session.model.is_stale:
            warning(
                f"{session.model.name} has changed on disk: this page shows what was read before. Start depnet explore "
                "again to see the new one."
            )

        def open_view(view: View) -> object:
            session.finding = None
            text = view.TITLE + ("" if session.model is None else f" · {session.model.name}")
            title.text = text
            ui.page_title(f"{text} · depnet")
            for problem in session.problems:
                warning(f"In the address: {problem}")
            return view.build(session)

        # without a parameter, so that none can be taken for one of the address
        routes: dict[str, Callable[..., Any]] = {
            path: partial(open_view, view) for path, view in views.items()
        }
        _Views(routes, root_path=root_of(session.key), show_404=False).classes("depnet-view")


def evidence_bar(session: Session) -> None:
    """It has one line, whatever is in it, so that nothing below moves when something becomes known."""
    with ui.element("div").classes("depnet-known").props('role="region" aria-label="What is given"'):
        note("Given").classes("depnet-known-title")
        chips = ui.element("div").classes("depnet-known-chips").props('role="list" aria-label="Evidence"')
        typed = ui.input(placeholder="add: price > 5000").classes("depnet-add")
        typed.props(
            'dense borderless hide-bottom-space aria-label="Add a condition" spellcheck=false autocomplete=off'
        )
        clear = button("Clear all", lambda: session.change(known={}), "flat dense")
        for icon, name in (("undo", "back"), ("redo", "forward")):
            step = (
                ui.button(icon=icon)
                .props("flat round dense size=sm")
                .on("click", js_handler=f"() => history.{name}()")
            )
            step.props["aria-label"] = icon.capitalize()
        target = ui.element("div").classes("depnet-known-target")
    problem = ui.element("div").props('aria-live="polite"')

    def add() -> None:
        """What was typed becomes known, as `--given` has it; what is wrong with it is said."""
        domain = session.loaded.domain
        try:
            name, sign, rest = cut_at_sign(domain, typed.value or "")
            if not sign:
                raise EvidenceError(
                    "write a column, a sign and a value: price > 5000, cut = Ideal, depth is missing."
                )
            variable = domain.variables[domain.index(name)]
            held = read_typed(variable, f"is {rest}" if sign == "is" else sign + rest)
        except DepnetError as error:
            problem.clear()
            with problem:
                warning(str(error))
            return
        problem.clear()
        typed.value = ""
        session.change(known=with_held(session.state.known, name, held))

    typed.on("keydown.enter", add)

    def take_back(name: str) -> None:
        session.change(known={key: held for key, held in session.state.known.items() if key != name})

    def show(state: State) -> None:
        clear.set_enabled(bool(state.known))
        chips.clear()
        with chips:
            if not state.known:
                with ui.element("span").props('role="listitem"'):
                    note("nothing yet")
            for name, held in state.known.items():
                chip(
                    describe_held(name, held, session.loaded.variable(name)),
                    "listitem",
                    partial(take_back, name),
                )
        target.clear()
        if state.target is not None:
            with target:
                chip(f"target: {state.target}", "group", lambda: session.change(target=None))

    show(session.state)
    session.on_change(show, always=True)


KEYS = (
    ("/", "add a condition to what is given"),
    ("u", "undo: what was given before (Back does the same)"),
    ("f", "find a column"),
    ("Tab, arrows", "from card to card, from bar to bar; Shift with arrows: a range"),
    ("Enter, Space", "take a bar as given, or take it back; with Ctrl, one more"),
    ("?", "these keys"),
)


def _help() -> None:
    """The keys, in a dialog that "?" opens (`history.js`)."""
    with ui.dialog() as dialog, ui.element("section").classes("depnet-card").props('aria-label="Keys"'):
        heading("Keys")
        with show_table(("key", "what it does")) as table:
            for key, what in KEYS:
                with table.row():
                    table.cell(key)
                    table.cell(what)
        button("Close", dialog.close, "outline dense")
    open_it = ui.button(icon="help_outline", on_click=dialog.open).props('flat round dense aria-label="Keys"')
    open_it.classes("depnet-turn depnet-help")


def _navigation(session: Session, views: Mapping[str, View]) -> None:
    """The views in a row; at the right what is about the table."""
    links = {}
    with ui.element("nav").classes("depnet-nav").props('aria-label="Views"'):
        for path, view in views.items():
            if view in TABS:
                continue
            links[path] = ui.link(view.TITLE, path).classes("depnet-tab")
            if view in ASIDE:
                links[path].classes("depnet-aside")

    def follow(_: State) -> None:
        for path, link in links.items():
            link.props["href"] = session.url(path)
            own = session.path == path or (path != "/" and session.path.startswith(f"{path}/"))
            link.props["aria-current"] = "page" if own else None

    follow(session.state)
    session.on_change(follow, always=True)


def _describe_model(session: Session) -> str:
    if session.model is None:
        return "no model yet"
    loaded = session.model
    n, rows = len(loaded.domain), loaded.rows
    learned_from = "" if rows is None else f", {plural(rows, 'row')}"
    return f"{loaded.name}: {plural(n, 'column')}{learned_from}"


def _show_prediction(session: Session) -> None:
    """Show how much the model predicts, where it was measured on held-out rows; the whole sentence on hovering."""
    loaded = session.model
    held_out = None if loaded is None else loaded.asked.held_out
    if loaded is None or held_out is None:
        return
    share = percent(max(held_out.predicted, 0.0))
    shown = ui.label(f"removes {share} of the uncertainty").classes("depnet-explained")
    shown.props["title"] = plain_figures(loaded.asked)[0]


def head(version: str) -> str:
    styles = "".join(f'<link rel="stylesheet" href="{style}?{html.escape(version)}">' for style in STYLES)
    bars = '<link rel="modulepreload" href="/depnet/bars.js">'  # asked for beside the scripts that import it
    return f'{styles}{bars}<script defer src="{SCRIPT}?{html.escape(version)}"></script>'
