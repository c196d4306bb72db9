"""The `depnet` command. Commands parse, call one library function and show; they do not compute.

Nothing but click is imported until a command runs, so that `--help` is quick.
"""

from depnet.cli.main import main

__all__ = ["main"]
