"""`depnet mcp`: a model as tools of an assistant."""

import asyncio
import contextlib
import warnings
from pathlib import Path
from typing import Any

import click

from depnet.cli.command import Run, command, flag, option
from depnet.cli.files import text_options
from depnet.cli.serve import Files, check_extra, open_door, server_options


@command("depnet mcp model.json --data table.csv", "depnet mcp model.json --http")
@click.argument("model")
@option(
    "--data",
    "The training table: its own shares are combined with the answers, and odd rows are found in it.",
    metavar="TABLE",
)
@flag("--http", "Answer over HTTP, not on the standard streams.")
@server_options(8423, "With --http: ")
@text_options
def mcp(run: Run, model: str, data: str | None, http: bool, where: dict[str, Any]) -> None:
    """Let an assistant ask a model, as an MCP server (docs/mcp.md).

    Its tools: describe_table, ask, compare_groups, what_moves, odd_rows and sample_rows; the model card is a resource.
    Without --http it speaks on its standard streams, as assistants start it.
    """
    check_extra("mcp", "mcp", "the Model Context Protocol's SDK")
    from depnet.doors.server import run_app
    from depnet.doors.tools import tools_of

    name = Path(model).name.split(".")[0]
    if not http:
        tools = tools_of(Files(model, data, run.dialect, shared=False).load(), name)
        warnings.simplefilter("ignore")
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(tools.run_stdio_async())
        return
    from mcp.server.transport_security import TransportSecuritySettings

    with open_door(run, model, data, "mcp", "tools", usual=8423, where=where) as door:
        served = door.files.load()
        warnings.simplefilter("ignore")
        # The guard is in front: hosts, origins and sizes are its.
        trusted = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        app = tools_of(served, name).streamable_http_app(
            stateless_http=True, json_response=True, transport_security=trusted
        )
        run_app(door.place.guard(app, programs="/"), door.listener, door.announce)
