"""`depnet serve`: a model as an HTTP API."""

import contextlib
import multiprocessing
import signal
import socket
import warnings
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import Run, command, flag, number, option, this_run
from depnet.cli.files import load_models, read_holed, text_options

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
        rows = None if self.data is None else read_holed(self.data, found.domain)
        return Served(found, rows, self.shared)


@command(
    "depnet serve model.json",
    "depnet serve model.json --data table.parquet --processes 2",
)
@click.argument("model")
@option("--data", "The training table: its own frequencies join the answers.", metavar="TABLE")
@option(
    "--port",
    "Where to listen; 0: any free port.  [default: 8422, or a free one]",
    type=click.IntRange(0, 65535),
)
@option(
    "--host",
    "Listen on this address; any but this machine's own asks for a token, which is printed (or that of DEPNET_TOKEN).",
    default="127.0.0.1",
)
@flag("--show-table", "With --host: let the rows of the table join answers.")
@number("--processes", 1, "How many processes answer; each loads the model.")
@text_options
def serve(
    run: Run,
    model: str,
    data: str | None,
    port: int | None,
    host: str,
    show_table: bool,
    processes: int,
) -> None:
    """Answer other programs over HTTP (docs/serve.md).

    Describe, query, query_rows, sample, impute, score and influence are under /api, with OpenAPI's description at
    /api/openapi.json. Only this machine can reach it unless --host says otherwise. Ctrl+C stops it.
    """
    check_extra("serve", "fastapi", "FastAPI, uvicorn")
    from depnet.doors.server import Place, listen

    try:
        listener = listen(host, port, 8422)
    except OSError as error:
        raise cannot_listen(host, port, error) from error
    with contextlib.closing(listener):
        place = Place.of(host, listener)
        shared = place.token is not None
        files = Files(model, None if shared and not show_table else data, run.dialect, shared)
        served = files.load()  # also where others do: what is wrong with a file is said here

        def announce() -> None:
            token = {} if place.token is None else {"token": place.token}
            said = [f"depnet: serving at {place.url}api (Ctrl+C stops)"]
            said += [f"depnet: the token is {place.token}"] if token else []
            run.answer({"url": f"{place.url}api", **token}, *said)

        if processes == 1:
            _answer(served, place, listener, announce)
        else:
            del served
            announce()
            _share(listener, place, files, processes)


def check_extra(extra: str, package: str, names: str) -> None:
    """Say how to install what a command needs."""
    import importlib.util

    if importlib.util.find_spec(package) is None:
        raise click.ClickException(
            f"depnet {extra} needs the extra `{extra}` ({names}). Install it: pip install 'depnet[{extra}]'"
        )


def cannot_listen(host: str, port: int | None, error: OSError) -> click.ClickException:
    """The error of an address that cannot be listened on."""
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


def _share(listener: socket.socket, place: "Place", files: Files, processes: int) -> None:
    """Several processes that answer what comes to one socket, until one of them ends."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    start = multiprocessing.get_context("spawn").Process
    others = [
        start(target=_answer_files, args=(files, place, listener), daemon=True) for _ in range(processes)
    ]
    try:
        for other in others:
            other.start()
        with contextlib.suppress(KeyboardInterrupt):
            wait([other.sentinel for other in others])
            raise click.ClickException(
                "a process that answered ended by itself; the others are stopped, too."
            )
    finally:
        for other in others:
            other.terminate()
        for other in others:
            other.join()
