"""The pages of all views, and the server that shows them."""

import asyncio
import contextlib
import logging
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request
from nicegui import Client, core, ui
from nicegui import app as nicegui_app
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, RedirectResponse, Response

import depnet
from depnet.doors.api import PATH, api_of
from depnet.doors.served import Served
from depnet.doors.server import Place, listen, server_of
from depnet.explorer.frame import DARK_COOKIE, EVERY, STYLES, View, frame, head
from depnet.explorer.loaded import Loaded, Shelf
from depnet.explorer.session import Session
from depnet.files import scratch_folder

STATIC = Path(__file__).parent / "static"
MOST_MESSAGE = 4 * 2**20
"""Bytes of one message of a page to the server; tables come as requests."""

MOST_PAGES = 250
"""Pages in memory; with more, those that were sent and are not open after `UNOPENED_SECONDS` go before their time."""

UNOPENED_SECONDS = 10.0

BUSY_SECONDS = 60.0
"""A page that draws does not answer meanwhile; NiceGUI would hang up after two seconds, and the page be loaded again.

A browser that is gone is found sooner, by the websocket's own pings."""

BUILD_SECONDS = 120.0
"""A page of a very wide model is laid out when it is first asked for."""

FAVICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><g stroke="#56B4E9" stroke-width="3">'
    '<path d="M8 9l16 3M8 9l6 15M24 12L14 24"/></g><circle cx="8" cy="9" r="5" fill="#0072B2"/>'
    '<circle cx="24" cy="12" r="5" fill="#E69F00"/><circle cx="14" cy="24" r="5" fill="#009E73"/></svg>'
)


def build(first: Loaded | None, *, near: bool = True) -> FastAPI:
    """The application for one model (None: only what needs no model, until one is learned).

    `near`: read on this machine, where packing costs more time than it saves.
    """
    shelf = Shelf(first)
    outer = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    if first is not None:
        outer.mount(PATH, api_of(Served(first, first.data, first.shared)))
    nicegui_app.add_static_files("/depnet", STATIC, max_cache_age=0)  # asked for again, sent only if new
    ui.add_head_html(head(depnet.__version__), shared=True)
    # no bar without a name, of what takes no time
    nicegui_app.config.quasar_config["loadingBar"]["skipHijack"] = True
    nicegui_app.on_startup(lambda: setattr(core.sio.eio, "ping_timeout", BUSY_SECONDS))
    nicegui_app.timer(1.0, _make_room)
    for view in EVERY:
        _page(shelf, view)

    async def show_missing(request: Request, _: Exception) -> Response:
        return missing_page(UNKNOWN, request.cookies.get(DARK_COOKIE), has_model=shelf.first is not None)

    nicegui_app.add_exception_handler(404, show_missing)
    ui.run_with(
        outer,
        title="depnet",
        favicon=FAVICON,
        language="en-US",
        dark=None,
        tailwind=False,
        show_welcome_message=False,
        binding_refresh_interval=None,
        gzip_middleware_factory=None if near else GZipMiddleware,
    )
    return outer


def _make_room() -> None:
    """A page that is asked for and never opened would be kept, and worked for, a minute or two."""
    if len(Client.instances) > MOST_PAGES:
        Client.prune_instances(client_age_threshold=UNOPENED_SECONDS)


def _page(shelf: Shelf, view: View) -> None:
    """A view as it is first asked for; from there the others are opened in the same page (`frame`)."""

    async def show(request: Request) -> Response | None:
        key, kept = request.path_params.get("key"), request.cookies.get(DARK_COOKIE)
        if key is not None and shelf.get(key) is None:
            return missing_page(GONE, kept, has_model=shelf.first is not None)
        if view.NEEDS_MODEL and shelf.get(key) is None:
            return RedirectResponse("/fit")
        chosen = {"0": False, "1": True}.get(kept or "")
        said = request.query_params.multi_items()
        frame(Session(shelf, key, ui.context.client, said, view.PATH), chosen)
        return None

    for path in (view.PATH, "/m/{key}" + view.PATH):
        ui.page(path, response_timeout=BUILD_SECONDS)(show)


GONE = (
    "This model is gone",
    (
        "It was learned from a dropped table and kept in memory only: until depnet explore was ended, or until other tables "
        "had been learned after it. Drop the table again, or open a model file that you have downloaded: depnet explore "
        "model.json."
    ),
)
UNKNOWN = ("There is no such page", "The address may be misspelt, or of another version of depnet.")


def missing_page(said: tuple[str, str], dark: str | None, *, has_model: bool) -> HTMLResponse:
    """A page that says so, and where to go from it; `dark` is what the reader's cookie says."""
    title, text = said
    links = [("/", "The model that is open")] if has_model else []
    links.append(("/fit", "Drop a table"))
    listed = " · ".join(f'<a href="{path}">{escape(name)}</a>' for path, name in links)
    styles = "".join(f'<link rel="stylesheet" href="{style}">' for style in STYLES)
    return HTMLResponse(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)} · depnet</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{styles}</head>'
        f'<body class="{"body--dark" if dark == "1" else "body--light"}"><main class="depnet-main">'
        f'<section class="depnet-card"><h1 class="depnet-heading">{escape(title)}</h1><p>{escape(text)}</p>'
        f"<p>{listed}</p></section></main></body></html>",
        status_code=404,
    )


def serve(
    loaded: Loaded | None,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    announce: Callable[[str], None] = print,
    browse: bool = True,
    show_table: bool = False,
) -> None:
    """Serve until interrupted. `announce` gets the address, with its token where the host needs one.

    On a page that others than this machine can reach, nothing of the table is shown, unless `show_table`.
    """
    logging.getLogger("nicegui").setLevel(logging.ERROR)
    with contextlib.closing(listen(host, port)) as listener, _private_temporary_files():
        place = Place.of(host, listener)
        shared = place.token is not None
        loaded = loaded.share() if loaded is not None and shared and not show_table else loaded
        pages = build(loaded, near=not shared)
        url = place.url + ("" if place.token is None else f"?token={place.token}")
        server = server_of(place.guard(pages, programs=PATH), ws_max_size=MOST_MESSAGE)
        if loaded is not None:
            # While the browser opens, and not before: as it starts, NiceGUI looks at all objects that there are (for its
            # server), and CPython fails to finish a tuple of another thread that is being looked at.
            nicegui_app.on_startup(threading.Thread(target=loaded.warm, daemon=True).start)
        announce(url)
        if browse:
            threading.Thread(target=_browse, args=(server, url), daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(server.serve(sockets=[listener]))


def _browse(server: uvicorn.Server, url: str) -> None:
    while not (server.started or server.should_exit):
        threading.Event().wait(0.05)
    if server.started:
        webbrowser.open(url)


@contextlib.contextmanager
def _private_temporary_files() -> Iterator[None]:
    """What is put on disk meanwhile, an upload that is too large for memory, is put where only this user looks."""
    before = tempfile.tempdir
    with scratch_folder() as private:
        tempfile.tempdir = str(private)
        try:
            yield
        finally:
            tempfile.tempdir = before
