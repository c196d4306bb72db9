"""The options of commands that read a table, and of those that learn from one."""

import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import Option, choice, flag, number, option, this_run

if TYPE_CHECKING:
    from depnet.data import Holed
    from depnet.data.table.variables import LeftOut

WHERE = option("--where", 'Only rows for which this holds, such as "age > 17".', metavar="SQL")
UNKNOWN = choice(
    "--unknown",
    "error",
    "missing",
    text="Values that the model has never seen: an error, or taken as missing.",
)


def _keep(_: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Remember how text is read; every table of the command is read so."""
    name = str(parameter.name)
    if value not in (None, (), False):
        this_run().dialect[name] = {"text": names_in, "header": operator.not_}.get(name, str)(value)


def text_options(command: Any) -> Any:
    how: dict[str, Any] = {"expose_value": False, "callback": _keep}
    for add in (
        option("--delimiter", "Of CSV files.  [default: , ; tab or |]", **how),
        option("--encoding", "Of text files.  [default: utf-8]", **how),
        flag("--no-header header", "Columns are called X0, X1, ...", **how),
        option(
            "--text", "Columns of labels, even if all are numbers.", multiple=True, metavar="A,B,...", **how
        ),
    ):
        command = add(command)
    return command


def _gathered(name: str, make: Callable[..., Any], *options: Option) -> Option:
    """Options of which the command gets one value, `make` of them all, under `name`."""

    def decorate(command: Any) -> Any:
        @functools.wraps(command)
        def gathering(**given: Any) -> Any:
            own = {key: given.pop(key) for key in keys}
            return command(**given, **{name: make(**own)})

        decorated: Any = gathering
        for add in reversed(options):
            decorated = add(decorated)
        keys = [parameter.name for parameter in decorated.__click_params__[-len(options) :]]
        return decorated

    return decorate


def _repeated(name: str, read: Callable[[tuple[str, ...]], Any], metavar: str, text: str) -> Option:
    """An option that may be repeated, and what its texts mean together."""

    def callback(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> Any:
        return read(texts)

    return option(name, text, multiple=True, metavar=metavar, callback=callback)


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table to learn from, as the options say: which columns and rows, in which bins, and what is missing."""

    missing: str
    columns: list[str]
    without: list[str]
    where: str | None
    bins: Any
    keep: list[str]
    max_states: int

    def __post_init__(self) -> None:
        if self.columns and self.without:
            raise click.UsageError("--columns names what is read, --without what is not: give one of them.")

    def read(self, path: str, left_out: "list[LeftOut] | None" = None) -> "Holed":
        """Read it; what is missing is a state, an error, or stays a hole to be completed.

        Columns that nothing can be learned from are put in `left_out`, beside the warning that names them.
        """
        from depnet.cli.files import read_table
        from depnet.data.table.variables import warn_left_out

        def hear(left: "tuple[LeftOut, ...]") -> None:
            warn_left_out(left)
            if left_out is not None:
                left_out.extend(left)

        options = {
            "columns": self.columns or None,
            "missing": "keep" if self.missing in ("auto", "complete") else self.missing,
            **{name: getattr(self, name) for name in ("without", "where", "keep", "max_states")},
            **({} if self.bins is None else {"bins": self.bins}),
        }
        return read_table(path, left_out=hear, **options)


def names_in(texts: tuple[str, ...]) -> list[str]:
    """The names of an option that may be repeated; one with a comma is written in quotes."""
    from depnet.cli.given import names_of

    return [name for text in texts for name in names_of(text)]


def roles_of(texts: tuple[str, ...]) -> dict[str, Any]:
    pairs = [text.rpartition("=") for text in texts]
    for text, (_, sign, role) in zip(texts, pairs, strict=True):
        if not sign or role not in ("target", "input"):
            raise click.BadParameter(f"{text!r}: write NAME=target or NAME=input.")
    return {name: role for name, _, role in pairs}


def links_of(texts: tuple[str, ...]) -> list[tuple[str, str]]:
    pairs = [text.partition(":") for text in texts]
    for text, pair in zip(texts, pairs, strict=True):
        if not all(pair):
            raise click.BadParameter(f"{text!r}: write SOURCE:TARGET.")
    return [(source, target) for source, _, target in pairs]


def bins_of(texts: tuple[str, ...]) -> Any:
    """What `read` takes as bins: one choice for all numeric columns, or one a column; None: as it likes."""
    named = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        if not sign and len(texts) > 1:
            raise click.BadParameter(f"{text!r} is for all columns: give it alone, or write NAME={value}.")
        if not sign:
            return _bins(value, text)
        named[name] = _bins(value, text)
    return named or None


def _bins(value: str, text: str) -> Any:
    def edge(part: str) -> Any:
        try:
            return float(part)
        except ValueError:
            return part.strip()  # a date, which the column's own kind reads

    if value in ("quantile", "categories"):
        return value
    if value.isdigit():
        return int(value)
    if "|" in value:
        return [edge(part) for part in value.split("|")]
    raise click.BadParameter(f"{text!r}: bins are a number, edges such as 0|18|65, quantile or categories.")


new_table_options = _gathered(
    "chosen",
    NewTable,
    choice(
        "--missing", "auto", "complete", "state", "error",
        text="Missing values: filled in while learning (complete), a value of their own (state), or an error; auto: a value "
        "of their own in columns where other columns tell what is missing, else filled in.",
    ),
    _repeated("--columns", names_in, "A,B,...", "Only these columns; may be repeated.  [default: all]"),
    _repeated("--without", names_in, "A,B,...", "All columns but these; may be repeated."),
    WHERE,
    _repeated(
        "--bins", bins_of, "[NAME=]BINS",
        "Bins of numeric columns: how many (quantiles), or edges 0|18|65; for the column NAME, or for all.",
    ),
    _repeated("--keep", names_in, "A,B,...", "Also learn from these names, identifiers or row numbers."),
    number("--max-states", 1000, "Most values of a text column; the rarest are joined in one, other.", least=2),
)  # fmt: skip
"""Which table is learned from: the command gets it as `chosen`."""

learning_options = _gathered(
    "learning",
    dict,
    option("--max-leaves", "Most leaves of a column's decision graph.", type=click.IntRange(min=1)),
    number("--min-leaf-rows", 0, "Fewest rows of a new leaf.", least=0),
    _repeated(
        "--role roles", roles_of, "NAME=target|input",
        "A column that is only predicted (target), or never predicted (input); may be repeated.",
    ),
    _repeated(
        "--forbid forbidden", links_of, "SOURCE:TARGET", "TARGET must not be predicted from SOURCE; may be repeated."
    ),
    option("--max-seconds", "Stop learning after this time, with what is learned by then.", type=click.FloatRange(min=0)),
)  # fmt: skip
"""What learning may do: the command gets `learning`, the arguments of `depnet.learn`."""
