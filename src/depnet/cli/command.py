"""What all commands share: options, and the one way in which they show their answer.

Names and labels are whatever a table held: what would move a terminal's cursor, or turn its text around, is escaped here.
"""

import functools
import inspect
import json
import os
import secrets
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.given import complete_given
from depnet.threads import Tell, show_progress
from depnet.wording import UNPRINTABLE, Grid, Line, Part, json_value, printable

if TYPE_CHECKING:
    import numpy as np

    from depnet.model import Scan

Option = Callable[[Any], Any]
"""What adds an option to a command."""

WIDEST = 60
"""Places that a column takes at most; a longer cell moves the rest of its own row only."""


@dataclass
class Run:
    """One run of the command: the options that commands have in common, and the answer that they give.

    Every command gets it first. Options that a command does not have keep these defaults.
    """

    debug: bool = False
    dialect: dict[str, Any] = field(default_factory=dict)
    """How text files are read, as `depnet.read` calls it."""
    as_json: bool = False
    theory: bool = False
    seed: int | None = None
    jobs: int = -1
    scan: str | None = None
    output: str | None = None
    force: bool = False
    fresh: bool = False
    """Was the seed drawn, since none was given?"""

    @functools.cached_property
    def rng(self) -> "np.random.Generator":
        """A generator, of a fresh seed where none was given; the answer then says which."""
        import numpy as np

        self.fresh = self.seed is None
        self.seed = secrets.randbits(32) if self.seed is None else self.seed
        return np.random.default_rng(self.seed)

    @property
    def steady_rng(self) -> "np.random.Generator":
        """A generator for what is not asked to be drawn: without a seed it is always the same.

        So a model is a function of its table, and an answer of its model and the question, also where it is estimated.
        """
        from depnet.errors import STEADY_SEED

        self.seed = STEADY_SEED if self.seed is None else self.seed
        return self.rng

    def say_seed(self) -> None:
        """Say on standard error how to repeat draws that had a fresh seed. JSON answers have the seed anyway."""
        if self.fresh and not self.as_json:
            click.echo(f"depnet: drawn with --seed {self.seed}", err=True)

    @property
    def threads(self) -> int | None:
        """--jobs where the library counts threads: None is all cores."""
        return None if self.jobs <= 0 else self.jobs

    @property
    def asked_scan(self) -> "Scan | None":
        """The scan that --scan names; None, where none is named: the ordered law."""
        if self.scan is None:
            return None
        from depnet.model import RandomScan, SequentialScan

        return RandomScan() if self.scan == "random" else SequentialScan()

    @property
    def place(self) -> str:
        """Where the output goes, of commands that have one in any case."""
        assert self.output is not None
        return self.output

    def answer(self, document: dict[str, Any], *parts: Part) -> None:
        """Give the answer, as JSON or for people; JSON says where the output is and what was the seed.

        Where standard output has what was written, JSON goes to standard error, and the rest nowhere.
        """
        if self.as_json:
            where = {} if self.output is None else {"output": self.output}
            seed = {"seed": self.seed} if "rng" in vars(self) else {}
            emit({**document, **where, **seed}, err=self.output == "-")
        elif self.output != "-":
            show(*parts)


SHARED = ("as_json", "theory", "seed", "jobs", "scan", "output", "force")
INPUTS = ("model", "other", "table", "data", "each", "learned", "new_rows", "held_out")
"""Arguments and options that name a file to read."""


def this_run() -> Run:
    context = click.get_current_context(silent=True)
    found = None if context is None else context.find_object(Run)
    return Run() if found is None else found


def _set_debug(_: click.Context, __: click.Parameter, value: bool) -> None:
    if value:
        this_run().debug = True


def _jobs(_: click.Context, __: click.Parameter, value: int) -> int:
    if value == 0:
        raise click.BadParameter("threads are 1, 2, ..., or -1 for all cores; got 0.")
    return value


def option(names: str, text: str, **settings: Any) -> Option:
    return click.option(
        *names.split(), help=text, show_default=settings.get("default") is not None, **settings
    )


def flag(names: str, text: str, **settings: Any) -> Option:
    return click.option(*names.split(), help=text, is_flag=True, **settings)


DEBUG = flag(
    "--debug", "Show the traceback of an error.", is_eager=True, expose_value=False, callback=_set_debug
)
JSON = flag("--json as_json", "Answer in JSON (docs/command-line.md).")
THEORY = flag("--theory", "Also say how it was computed, in the words of the theory.")
SEED = option("--seed", "A seed makes random draws repeatable.", type=click.IntRange(min=0))
JOBS = option(
    "-j --jobs", "Threads; -1: all cores. The result is the same.", type=int, default=-1, callback=_jobs
)
SCAN = option(
    "--scan",
    "Use the paper's simulation, in this order, instead of the joint model (docs/theory.md).",
    type=click.Choice(["random", "sequential"]),
)
GIVEN = option(
    "-g --given",
    "What is known: sex=female,class=1st|2nd,age>30,income=20..50; may be repeated.",
    multiple=True,
    metavar="EVIDENCE",
    shell_complete=complete_given,
)
TABLES = ".csv, .tsv, .parquet, .jsonl; .gz"
"""How a table that is written may be called."""


def number(names: str, default: float, text: str, *, least: float = 1) -> Option:
    """An option that is a number of at least `least`, whole where its default is."""
    kind: Any = click.IntRange if isinstance(default, int) else click.FloatRange
    return option(names, text, type=kind(min=least), default=default)


def choice(name: str, *values: str, text: str) -> Option:
    """An option that is one of a few words, the first by default."""
    return option(name, text, type=click.Choice(values), default=values[0])


def gather(name: str, *options: Option) -> Option:
    """Pass several options to the command as one dictionary, under `name`."""

    def decorate(command: Any) -> Any:
        @functools.wraps(command)
        def gathering(**given: Any) -> Any:
            return command(**{name: {key: given.pop(key) for key in keys}}, **given)

        decorated: Any = gathering
        for add in reversed(options):
            decorated = add(decorated)
        keys = [parameter.name for parameter in decorated.__click_params__[-len(options) :]]
        return decorated

    return decorate


def output(text: str, *, required: bool = False, default: str | None = None) -> Option:
    """The option -o, with what is written there, and --force."""

    def decorate(command: Any) -> Any:
        force = flag("--force", "Replace the output file if it exists.")
        # To click, a default of None is given, and then nothing that is required would be missed.
        must: dict[str, Any] = {"required": True} if required else {"default": default}
        return click.option("-o", "--output", metavar="FILE", help=text, **must)(force(command))

    return decorate


def command(*examples: str, renews: str | None = None) -> Callable[[Callable[..., Any]], click.Command]:
    """A command with --json and --debug, its docstring as help, and `examples` below it, one a line.

    Before it begins it is asked whether its output can be written, and may be: never over a file that it reads, but for
    the one that it `renews`.
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        @functools.wraps(function)
        def begin(**given: Any) -> Any:
            from depnet.cli.files import check_output

            run = this_run()
            for name in SHARED:
                if name in given:
                    setattr(run, name, given.pop(name))
            check_output(run.output, run.force, [given.get(name) for name in INPUTS if name != renews])
            return function(run=run, **given)

        text = inspect.cleandoc(function.__doc__ or "")
        shown = "\n\n\b\n" + "\n".join(examples)  # after \b, click leaves lines as they are
        return click.command(help=text + shown)(JSON(DEBUG(begin)))

    return decorate


def emit(document: dict[str, Any], *, err: bool = False) -> None:
    """An answer as JSON, two spaces deep; what would move a terminal's cursor, or turn its text around, is escaped."""
    text = json.dumps(json_value(document), indent=2, ensure_ascii=False, allow_nan=False)
    lines = [UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", line) for line in text.split("\n")]
    click.echo("\n".join(lines), err=err)


def show(*parts: Part) -> None:
    """Lines and tables on a terminal; in a pipe the same without colours."""
    for part in parts:
        if isinstance(part, Grid):
            _show_table(part)
        else:
            text, style = (part, "") if isinstance(part, str) else part
            click.echo(_style(printable(text).rstrip(), style))


def _show_table(table: Grid) -> None:
    if table.title is not None:
        show(Line(table.title, "bold"))
    if table.shares:
        rows = [[*row, bar(share)] for row, share in zip(table.rows, table.shares, strict=True)]
        left = (
            [at < table.left for at in range(len(table.head))] if isinstance(table.left, int) else table.left
        )
        table = Grid([*table.head, ""], rows, [*left, True])
    click.echo()
    for at, text in enumerate(table.lines(3, WIDEST, ruled=True)):
        click.echo(_style(text, "" if at else "bold"))
    click.echo()


def _style(text: str, style: str) -> str:
    """A text with a terminal's signs for bold, dim or a colour (`click.echo` leaves these out elsewhere)."""
    if not text or not style or os.environ.get("NO_COLOR"):
        return text
    return click.style(text, **({style: True} if style in ("bold", "dim") else {"fg": style}))


def names_of(text: str) -> list[str]:
    """Names in a list with commas; one that has a comma of its own is in quotes."""
    from depnet.model.given_text import names_of

    return names_of(text)


def names_in(texts: tuple[str, ...]) -> list[str]:
    """The names of an option that may be repeated; one with a comma is written in quotes."""
    return [name for text in texts for name in names_of(text)]


def bar(share: float, width: int = 24) -> str:
    """A share of one as a bar of blocks.

    >>> bar(0.5, width=4)
    '██'
    """
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]


def progress(what: str) -> AbstractContextManager[Tell | None]:
    """A bar on a terminal while the block runs; nothing without a terminal."""
    return show_progress(what, sys.stderr.isatty(), tqdm=False)
