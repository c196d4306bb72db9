"""Completion of names and states from the model that the command line names."""

import os
import shlex
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from depnet.model import Network


def complete_given(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Of `--given`: names of variables, and after "=" their states."""
    from depnet.cli.given import complete

    network = _model(context)
    return [] if network is None else complete(network, incomplete)


def complete_variable(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    network = _model(context)
    return [] if network is None else [name for name in network.domain.names if name.startswith(incomplete)]


def _model(context: click.Context) -> "Network | None":
    """The first model file of the line: click itself gives up parsing at an option without its value."""
    from depnet.cli.files import is_model
    from depnet.model.file import load

    line = os.environ.get("COMP_WORDS", "")
    try:
        words = shlex.split(line)
    except ValueError:  # an open quotation
        words = line.split()
    path = next((word for word in [context.params.get("model"), *words] if word and is_model(word)), None)
    try:
        return None if path is None else load(path)
    except Exception:  # completion never complains
        return None
