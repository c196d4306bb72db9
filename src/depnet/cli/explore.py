"""`depnet explore`: the model as a page in the browser."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import Run, command, flag, option
from depnet.cli.files import load_models, read_beside, text_options
from depnet.cli.serve import cannot_listen, check_extra, server_options
from depnet.files import stamp_of

if TYPE_CHECKING:
    from depnet.explorer.loaded import Loaded


@command(
    "depnet explore model.json --data table.csv",
    "depnet explore                                 # learn a model in the page",
)
@click.argument("model", required=False)
@option(
    "--data", "The training table: shows its rows and frequencies, and measures the links.", metavar="TABLE"
)
@server_options(8421)
@flag("--no-open", "Do not open the browser.")
@text_options
def explore(run: Run, model: str | None, data: str | None, where: dict[str, Any], no_open: bool) -> None:
    """Look at a model and ask it questions, in the browser.

    Without a MODEL, the page opens where you can drop a table and learn a model. Only this machine can reach the page
    unless --host says otherwise. Ctrl+C stops it. With --json, the address is printed as an object.
    """
    if data is not None and model is None:
        raise click.UsageError("--data needs a MODEL: name the model too, or drop the table in the page.")
    check_extra("explore", "nicegui", "NiceGUI")
    from depnet.explorer.app import serve

    loaded = None if model is None else _load(model, data)
    try:
        serve(
            loaded,
            **where,
            browse=not no_open,
            announce=lambda url: run.answer({"url": url}, f"depnet: exploring at {url} (Ctrl+C stops)"),
        )
    except OSError as error:
        if error.filename is not None:
            raise
        raise cannot_listen(where["host"], where["port"], error) from error


def _load(model: str, data: str | None) -> "Loaded":
    from depnet.explorer.loaded import Loaded

    stamp = stamp_of(model)  # before it is read: what comes meanwhile is another file
    found = load_models(model)
    rows = read_beside(data, found.network)
    loaded = Loaded(found.network, found.law, data=rows, table=data)
    return loaded if model == "-" else replace(loaded, name=Path(model).name, path=model, stamp=stamp)
