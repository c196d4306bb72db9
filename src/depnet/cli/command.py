"""What all commands share: options, and the one way in which they show their answer."""

import functools
import inspect
import json
import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.completion import complete_given

if TYPE_CHECKING:
    import numpy as np

    from depnet.model import Scan

Option = Callable[[Any], Any]
"""What adds an option to a command."""


@dataclass
class RunOptions:
    """Options that hold for one run of the command, wherever it is."""

    debug: bool = False
    dialect: dict[str, Any] = field(default_factory=dict)
    """How text files are read, as `depnet.read` calls it."""


def run_options() -> RunOptions:
    """Those of the command that runs."""
    context = click.get_current_context(silent=True)
    found = None if context is None else context.find_object(RunOptions)
    return RunOptions() if found is None else found


def _set_debug(_: click.Context, __: click.Parameter, value: bool) -> None:
    if value:
        run_options().debug = True


DEBUG = click.option(
    "--debug",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_set_debug,
    help="Show the traceback of an error.",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Answer in JSON (docs/command-line.md).")
SEED = click.option("--seed", type=click.IntRange(min=0), help="Makes what is drawn repeatable.")
JOBS = click.option(
    "-j",
    "--jobs",
    type=int,
    default=-1,
    show_default=True,
    help="Threads; -1: all cores. The result does not depend on it.",
)
SCAN = click.option(
    "--scan",
    type=click.Choice(["random", "sequential"]),
    help="Ask the dependency network's chain under this scan, not the ordered law.",
)
GIVEN = click.option(
    "-g",
    "--given",
    multiple=True,
    metavar="EVIDENCE",
    shell_complete=complete_given,
    help="sex=female,class=1st|2nd; may be repeated. age~adult:3|child:1 gives weights.",
)
TABLES = ".csv, .tsv, .parquet, .jsonl; .gz"
"""How a table that is written may be called."""


def number(names: str, default: float, text: str, *, least: float = 1, open_ended: bool = False) -> Option:
    """An option that is a number of at least `least` (with `open_ended` above it), whole where its default is."""
    kind: Any = click.IntRange if isinstance(default, int) else click.FloatRange
    within = kind(min=least, min_open=open_ended)
    return click.option(*names.split(), type=within, default=default, show_default=True, help=text)


def choice(name: str, *values: str, text: str) -> Option:
    """An option that is one of a few words, the first by default."""
    return click.option(name, type=click.Choice(values), default=values[0], show_default=True, help=text)


def output(text: str, *, required: bool = False, default: str | None = None) -> Option:
    """The option -o, with what is written there, and --force."""

    def decorate(command: Any) -> Any:
        force = click.option("--force", is_flag=True, help="Replace the output file if it exists.")
        return click.option("-o", "--output", required=required, default=default, metavar="FILE", help=text)(
            force(command)
        )

    return decorate


def removed_option(name: str, instead: str, *, is_flag: bool = False) -> Option:
    """An option that is no more: not shown, and an error that says what there is instead."""

    def refuse(context: click.Context, parameter: click.Parameter, value: object) -> None:
        given = context.get_parameter_source(str(parameter.name)) is click.core.ParameterSource.COMMANDLINE
        if given and not context.resilient_parsing:
            raise click.UsageError(f"{name} was removed: {instead}.")

    return click.option(name, is_flag=is_flag, hidden=True, expose_value=False, callback=refuse)


def command(*examples: str) -> Callable[[Callable[..., Any]], click.Command]:
    """A command with --json and --debug, its docstring as help, and `examples` below it, one a line."""

    def decorate(function: Callable[..., Any]) -> click.Command:
        text = inspect.cleandoc(function.__doc__ or "")
        shown = "\n\n\b\n" + "\n".join(examples)  # after \b, click leaves lines as they are
        return click.command(help=text + shown)(JSON(DEBUG(function)))

    return decorate


def generator(seed: int | None) -> "tuple[np.random.Generator, int]":
    """A generator and the seed that it was made from, a fresh one where none was given."""
    import numpy as np

    used = secrets.randbits(32) if seed is None else seed
    return np.random.default_rng(used), used


def threads_of(jobs: int) -> int | None:
    """--jobs where the library counts threads: None is all cores."""
    return None if jobs <= 0 else jobs


def scan_of(name: str | None) -> "Scan | None":
    """The scan of that name; None, where none is named: the ordered law."""
    if name is None:
        return None
    from depnet.model import RandomScan, SequentialScan

    return RandomScan() if name == "random" else SequentialScan()


def answer(as_json: bool, document: dict[str, Any], *lines: str, output: str | None = None) -> None:
    """The answer, as JSON or in lines. Where standard output has what is written, JSON goes to standard error."""
    if as_json:
        emit(document, err=output == "-")
    elif lines and output != "-":
        from depnet.cli.render import show_lines

        show_lines(*lines)


def emit(document: dict[str, Any], *, err: bool = False) -> None:
    """An answer as JSON: one object, two spaces deep; what is not a finite number is null."""
    click.echo(json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False), err=err)


@functools.singledispatch
def plain(value: Any) -> Any:
    """A value as JSON knows it."""
    if hasattr(value, "tolist"):  # numpy's
        return plain(value.tolist())
    return value if value is None or isinstance(value, (str, int, bool)) else str(value)


@plain.register
def _(value: float) -> float | None:
    return value if math.isfinite(value) else None


@plain.register
def _(value: dict) -> dict[str, Any]:  # type: ignore[type-arg]  # singledispatch reads it
    return {str(key): plain(item) for key, item in value.items()}


@plain.register(list)
@plain.register(tuple)
@plain.register(frozenset)
@plain.register(set)
def _(value: Any) -> list[Any]:
    return [plain(item) for item in value]
