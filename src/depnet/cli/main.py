"""The command and its manners: errors are one line on stderr; exit codes are 0, 1 (failed), 2 (misused)."""

import sys
from collections.abc import Sequence

import click

from depnet.cli.paper import paper


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="depnet")
def depnet() -> None:
    """Dependency networks: learn a table's joint distribution, ask it anything."""


depnet.add_command(paper)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit.

    0: done. 1: the library refused, a file could not be written, or a claim of the theory did not hold. 2: the
    command line is wrong.
    """
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    from depnet.errors import DepnetError

    try:
        code = depnet.main(args=arguments, prog_name="depnet", standalone_mode=False)
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "depnet"
        return _failed(f"{error.format_message()} See {where} --help.", code=error.exit_code)
    except click.ClickException as error:
        return _failed(error.format_message(), code=error.exit_code)
    except click.exceptions.Abort:
        return _failed("interrupted.")
    except DepnetError as error:
        return _failed(str(error))
    except OSError as error:
        return _failed(f"{error.filename or 'a file'}: {error.strerror or error}.")
    return code if isinstance(code, int) else 0


def _failed(message: str, code: int = 1) -> int:
    click.echo(f"depnet: {' '.join(message.split())}", err=True)
    return code
