"""`depnet mcp`: a model as tools of an assistant."""

import asyncio
import contextlib
import warnings
from pathlib import Path

import click

from depnet.cli.command import Run, command, flag, option
from depnet.cli.files import text_options
from depnet.cli.serve import Files, cannot_listen, check_extra


@command("depnet mcp model.json --data table.csv", "depnet mcp model.json --http")
@click.argument("model")
@option(
    "--data",
    "The training table: its own frequencies join the answers, and odd rows are its.",
    metavar="TABLE",
)
@flag("--http", "Answer over HTTP, not on the standard streams.")
@option(
    "--port",
    "With --http: where to listen; 0: any free port.  [default: 8423, or a free one]",
    type=click.IntRange(0, 65535),
)
@option(
    "--host",
    "With --http: listen on this address; any but this machine's own asks for a token.",
    default="127.0.0.1",
)
@flag("--show-table", "With --host: let the rows of the table join answers.")
@text_options
def mcp(
    run: Run, model: str, data: str | None, http: bool, port: int | None, host: str, show_table: bool
) -> None:
    """Let an assistant ask a model, as an MCP server (docs/mcp.md).

    Its tools: describe_table, ask, compare_groups, what_moves, odd_rows and sample_rows; the model card is a resource.
    Without --http it speaks on its standard streams, as assistants start it.
    """
    check_extra("mcp", "mcp", "the Model Context Protocol's SDK")
    from depnet.doors.server import Place, listen, run_app
    from depnet.doors.tools import tools_of

    name = Path(model).name.split(".")[0]
    if not http:
        tools = tools_of(Files(model, data, run.dialect, shared=False).load(), name)
        warnings.simplefilter("ignore")
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(tools.run_stdio_async())
        return
    from mcp.server.transport_security import TransportSecuritySettings

    try:
        listener = listen(host, port, 8423)
    except OSError as error:
        raise cannot_listen(host, port, error) from error
    with contextlib.closing(listener):
        place = Place.of(host, listener)
        shared = place.token is not None
        served = Files(model, None if shared and not show_table else data, run.dialect, shared).load()
        warnings.simplefilter("ignore")
        # The guard is in front: hosts, origins and sizes are its.
        trusted = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        app = tools_of(served, name).streamable_http_app(
            stateless_http=True, json_response=True, transport_security=trusted
        )
        said = [f"depnet: tools at {place.url}mcp (Ctrl+C stops)"]
        said += [] if place.token is None else [f"depnet: the token is {place.token}"]
        token = {} if place.token is None else {"token": place.token}
        run_app(
            place.guard(app, programs="/"),
            listener,
            lambda: run.answer({"url": f"{place.url}mcp", **token}, *said),
        )
