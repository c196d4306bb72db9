"""The command: errors are one line on standard error; exit codes are 0, 1 (failed) and 2 (misused)."""

import contextlib
import importlib
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Sequence

import click

from depnet.cli.command import DEBUG, Run
from depnet.errors import Hint, Message
from depnet.wording import printable

LONGEST = 2_000
"""Characters of a message."""

LEAST_MEMORY = 10**9
"""Bytes of address space: with a fifth less, a small table's fit crashed or hung now and then."""
NO_MEMORY = ("can't start new thread", "failed to map segment")
"""What errors say that come of too little memory, whatever their type is."""

COMMANDS = (
    "fit", "explore", "show", "query", "explain", "information", "sample", "impute", "predict", "odd", "nearest", "score",
    "sql", "serve", "mcp", "card", "update", "export", "compare", "example", "paper",
)  # fmt: skip
"""Each is a function of that name in a module of that name, imported when it is asked for: an answer must come at once."""

OPTIONS = {name: f"--{name}" for name in ("delimiter", "encoding", "keep", "missing", "text", "where")}
OPTIONS |= {
    "columns": "--columns or --without",
    "handle_unknown": "--unknown",
    "header": "--no-header",
    "kinds": "--kind",
    "missing_values": "--missing-value",
}
"""How the command calls the arguments that the library's messages name."""


class _InOrder(click.Group):
    """Commands listed in the order in which they are used, not by the alphabet."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = getattr(importlib.import_module(f"depnet.cli.{cmd_name}"), cmd_name)
        return found


@click.group(cls=_InOrder, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="depnet")
@DEBUG
def depnet() -> None:
    """Learn how the columns of a table depend on each other, then ask questions.

    A table is a CSV, TSV, Parquet, JSON lines or Excel file, gzipped or not; a model is a JSON file. "-" stands for
    standard input or output.
    """
    _check_memory()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit.

    0: done. 1: the library refused, a file could not be read or written, or a claim of the theory did not hold. 2: the
    command line is wrong.
    """
    _stand_in_for_closed_streams()
    code = run(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python would complain at its end
        if code == 0 and not isinstance(error, BrokenPipeError):  # a reader, such as head, has seen enough
            code = _fail(f"standard output: {error.strerror}.")
    sys.exit(code)


def _check_memory() -> None:
    """Refuse to begin where this process may have too little memory for the libraries.

    Where address space is short, OpenBLAS and DuckDB crash or never come to an end when they are loaded and start threads.
    So they are not loaded at all where it is, and elsewhere under a limit OpenBLAS starts no threads.
    """
    try:
        import resource
    except ImportError:  # a system without such limits
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if limit < LEAST_MEMORY:
        raise click.ClickException(
            f"this process may have {limit // 10**6:,} MB of address space (ulimit -v). With less than "
            f"{LEAST_MEMORY // 10**6:,} MB the libraries that depnet loads may crash. Allow more: ulimit -v 2000000."
        )


def _stand_in_for_closed_streams() -> None:
    """Where a standard stream was closed at the start, open an empty input, an output that fails, or a deaf error stream.

    Else Python has no such stream, and the next file that is opened takes its number. What writes to the output fails as
    with any file (Bad file descriptor); what has another output is none the worse.
    """
    modes = {"stdin": os.O_RDONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}
    for number, (name, mode) in enumerate(modes.items()):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, mode)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115


def run(arguments: Sequence[str] | None = None) -> int:
    this = Run()
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = _warn_once()
        try:
            code = depnet.main(args=arguments, prog_name="depnet", standalone_mode=False, obj=this)
        except click.UsageError as error:
            where = error.ctx.command_path if error.ctx else "depnet"
            return _fail(f"{error.format_message()} See {where} --help.", code=error.exit_code)
        except click.exceptions.Abort:
            return _fail("interrupted.")
        except Exception as error:
            if this.debug:
                raise
            return _fail(_message(error), code=getattr(error, "exit_code", 1))
    return code if isinstance(code, int) else 0


def _message(error: Exception) -> str:
    """What is said of an error: the library's own message, in the command's words."""
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OSError):
        return f"{error.filename or 'standard output'}: {(error.strerror or str(error)).rstrip('.')}."
    if isinstance(error, Message):
        return error.render(as_option)
    if isinstance(error, MemoryError) or any(part in str(error) for part in NO_MEMORY):
        return "out of memory. Take fewer columns or rows (--columns, --where), or allow more memory (ulimit -v)."
    return f"{type(error).__name__}: {error}. depnet did not expect this: run it again with --debug and report what it says."


def as_option(hint: Hint) -> str | None:
    """An argument of the library as an option of the command; None where it has no such option.

    >>> as_option(Hint("encoding", "latin-1")), as_option(Hint("columns", [...])), as_option(Hint("kinds", {"a b": "date"}))
    ('--encoding latin-1', '--columns or --without', "--kind 'a b=date'")
    """
    option, value = OPTIONS.get(hint.argument), hint.value
    if option is not None and isinstance(value, dict):
        said = (
            f"{name}={kind if isinstance(kind, str) else ','.join(map(str, kind))}"
            for name, kind in value.items()
        )
        return " ".join(f"{option} {shlex.quote(each)}" for each in said)
    values = [
        str(each) for each in (value if isinstance(value, list) else [value]) if each not in (..., False)
    ]
    return option if option is None or not values else f"{option} {shlex.quote(','.join(values))}"


def _fail(message: str, code: int = 1) -> int:
    _say(message)
    return code


def _say(message: str) -> None:
    with contextlib.suppress(OSError):  # nobody listens, or the disk is full: the exit code says it
        text = printable(" ".join(message.split()))
        if len(text) > LONGEST:  # whatever it quotes, the beginning and the end say most
            text = f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"
        click.echo(f"depnet: {text}", err=True)


def _warn_once() -> Callable[..., None]:
    """What shows a warning as one line on standard error, the same one once."""
    shown: set[str] = set()

    def warn(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        text = message.render(as_option) if isinstance(message, Message) else str(message)
        if issubclass(category, UserWarning) and text not in shown:
            shown.add(text)
            _say(f"warning: {text}")

    return warn
