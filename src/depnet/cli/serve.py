"""`depnet serve`: a model as an HTTP API."""

import contextlib
import multiprocessing
import os
import signal
import socket
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import Option, Run, command, flag, gather, number, option, this_run
from depnet.cli.files import load_models, read_beside, text_options

if TYPE_CHECKING:
    from depnet.doors.served import Served
    from depnet.doors.server import Place


@dataclass(frozen=True)
class Files:
    """What a server reads before it answers; each process reads it for itself."""

    model: str
    data: str | None
    dialect: dict[str, Any]
    shared: bool

    def load(self) -> "Served":
        from depnet.doors.served import Served

        this_run().dialect = self.dialect
        found = load_models(self.model)
        rows = read_beside(self.data, found.network)
        return Served(found, rows, self.shared)


@dataclass(frozen=True)
class Door:
    """Where a server listens, and what it reads; `announce` says where it is."""

    listener: socket.socket
    place: "Place"
    files: Files
    announce: Callable[[], None]


def server_options(usual: int, lead: str = "") -> Option:
    """Where a server listens, as the dictionary `where` of a command; `lead` says when."""
    first = str.lower if lead else str
    return gather(
        "where",
        option(
            "--port",
            f"{lead}{first('W')}here to listen; 0: any free port.  [default: {usual}, or a free one]",
            type=click.IntRange(0, 65535),
        ),
        option(
            "--host",
            f"{lead}{first('L')}isten on this address. On any but this machine's own, callers need a token: that of "
            "DEPNET_TOKEN, or a new one, which is printed.",
            default="127.0.0.1",
        ),
        flag(
            "--show-table", "With --host: let others see the rows of the table, and what is counted in them."
        ),
    )


@contextlib.contextmanager
def open_door(
    run: Run, model: str, data: str | None, path: str, what: str, *, usual: int, where: dict[str, Any]
) -> Iterator[Door]:
    """Listen for questions to a model; others than this machine get no rows of its table unasked."""
    from depnet.doors.server import TOKEN, Place, listen

    host, port = where["host"], where["port"]
    try:
        listener = listen(host, port, usual)
    except OSError as error:
        raise cannot_listen(host, port, error) from error
    with contextlib.closing(listener):
        place = Place.of(host, listener)
        url, shared = f"{place.url}{path}", place.token is not None
        files = Files(model, None if shared and not where["show_table"] else data, run.dialect, shared)

        def announce() -> None:
            own = bool(os.environ.get(TOKEN))  # which nobody has to be told, and no log
            said = f"that of {TOKEN}" if own else place.token
            document = {"url": url, **({"token": place.token} if shared and not own else {})}
            first = f"depnet: {what} at {url} (Ctrl+C stops)"
            run.answer(document, first, *([f"depnet: the token is {said}"] if shared else []))

        yield Door(listener, place, files, announce)


@command(
    "depnet serve model.json",
    "depnet serve model.json --data table.parquet --processes 2",
)
@click.argument("model")
@option("--data", "The training table: its own shares are combined with the answers.", metavar="TABLE")
@server_options(8422)
@number("--processes", 1, "How many processes answer; each loads the model.")
@text_options
def serve(run: Run, model: str, data: str | None, where: dict[str, Any], processes: int) -> None:
    """Answer other programs over HTTP (docs/serve.md).

    Describe, query, query_rows, sample, impute, score and influence are under /api, with OpenAPI's description at
    /api/openapi.json. Only this machine can reach it unless --host says otherwise. Ctrl+C stops it.
    """
    check_extra("serve", "fastapi", "FastAPI, uvicorn")
    with open_door(run, model, data, "api", "serving", usual=8422, where=where) as door:
        served = door.files.load()  # also where others do: what is wrong with a file is said here
        if processes == 1:
            _answer(served, door.place, door.listener, door.announce)
        else:
            del served
            door.announce()
            _share(door, processes)


def check_extra(extra: str, package: str, names: str) -> None:
    """Say how to install what a command needs."""
    import importlib.util

    if importlib.util.find_spec(package) is None:
        raise click.ClickException(
            f"depnet {extra} needs the extra `{extra}` ({names}). Install it: pip install 'depnet[{extra}]'"
        )


def cannot_listen(host: str, port: int | None, error: OSError) -> click.ClickException:
    where = f"{host}{'' if port is None else f' port {port}'}"
    return click.ClickException(
        f"{where} cannot be listened on: {error.strerror or error}. Give another --port or --host."
    )


def _answer(served: "Served", place: "Place", listener: socket.socket, ready: Any = lambda: None) -> None:
    from depnet.doors.api import MOST_BODY, served_alone
    from depnet.doors.server import run_app

    warnings.simplefilter("ignore")  # what is to be known of an answer is in it
    run_app(place.guard(served_alone(served), most_body=MOST_BODY, programs="/"), listener, ready)


def _answer_files(files: Files, place: "Place", listener: socket.socket) -> None:
    _answer(files.load(), place, listener)


def _share(door: Door, processes: int) -> None:
    """Several processes that answer what comes to one socket, until one of them ends."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    start = multiprocessing.get_context("spawn").Process
    arguments = (door.files, door.place, door.listener)
    others = [start(target=_answer_files, args=arguments, daemon=True) for _ in range(processes)]
    try:
        for other in others:
            other.start()
        with contextlib.suppress(KeyboardInterrupt):
            wait([other.sentinel for other in others])
            raise click.ClickException(
                "one of the server's processes ended unexpectedly; the others are stopped, too."
            )
    finally:
        for other in others:
            other.terminate()
        for other in others:
            other.join()
