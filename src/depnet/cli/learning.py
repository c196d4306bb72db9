"""Options of the command that say what is learned from and how, as the library's arguments."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import Option, choice, gather, number, option, progress, this_run
from depnet.cli.files import WHERE, check_table
from depnet.cli.given import names_in, names_of

if TYPE_CHECKING:
    from depnet.data import Holed
    from depnet.data.table.left_out import LeftOut


def read_new(path: str, options: dict[str, Any]) -> "tuple[Holed, list[LeftOut]]":
    """A table to learn from, and the columns that nothing can be learned from; `options` are those of `depnet.read`."""
    from depnet.data.files.read import read
    from depnet.data.table.left_out import warn_left_out

    left: list[LeftOut] = []
    check_table(path)
    with progress("reading") as tell:
        table = read(path, progress=tell, left_out=left.extend, **this_run().dialect, **options)
    warn_left_out(left)
    return table, left


def _repeatable(name: str, read: Callable[[tuple[str, ...]], Any], metavar: str, text: str) -> Option:
    """An option that may be repeated; `read` turns its texts into one value."""

    def callback(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> Any:
        return read(texts)

    return option(name, text, multiple=True, metavar=metavar, callback=callback)


def _pairs(
    texts: tuple[str, ...], sign: str, cut: Callable[[str, str], Any], how: str
) -> list[tuple[str, str]]:
    """What stands before and after a sign, in each text."""
    pairs = [cut(text, sign) for text in texts]
    for text, pair in zip(texts, pairs, strict=True):
        if not all(pair):
            raise click.BadParameter(f"{text!r}: write {how}.")
    return [(first, second) for first, _, second in pairs]


def roles_of(texts: tuple[str, ...]) -> dict[str, str]:
    how = "NAME=target or NAME=input"
    roles = dict(_pairs(texts, "=", str.rpartition, how))
    for name, role in roles.items():
        if role not in ("target", "input"):
            raise click.BadParameter(f"'{name}={role}': write {how}.")
    return roles


def kinds_of(texts: tuple[str, ...]) -> dict[str, Any]:
    """What `read` takes as kinds: a word, or values in their order, by column."""
    how = "NAME=number, or another kind, or NAME=low,medium,high"
    pairs = _pairs(texts, "=", str.rpartition, how)
    return {name: names_of(kind) if "," in kind else kind for name, kind in pairs}


def bins_of(texts: tuple[str, ...]) -> Any:
    """What `read` takes as bins: one choice for all numeric columns, or one a column."""
    named = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        if not sign and len(texts) > 1:
            raise click.BadParameter(f"{text!r} is for all columns: give it alone, or write NAME={value}.")
        if not sign:
            return _bins(value, text)
        named[name] = _bins(value, text)
    return named or "quantile"


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


KINDS = _repeatable(
    "--kind kinds", kinds_of, "NAME=KIND",
    "What the column NAME is: number, category, ordered (or its values in order: low,medium,high), date, time, or skip; may "
    "be repeated.  [default: found in the table]",
)  # fmt: skip

new_table_options = gather(
    "chosen",
    choice(
        "--missing", "auto", "complete", "state", "error",
        text="Missing values: fill them in while learning (complete), make them a value of their own (state), or stop with "
        "an error; auto: a value of their own in columns whose gaps other columns predict, else filled in.",
    ),
    _repeatable(
        "--columns", lambda texts: names_in(texts) or None, "A,B,...", "Only these columns; may be repeated.  [default: all]"
    ),
    _repeatable("--without", names_in, "A,B,...", "All columns but these; may be repeated."),
    WHERE,
    _repeatable(
        "--bins", bins_of, "[NAME=]BINS",
        "Bins of numeric columns: how many (quantiles), or edges 0|18|65; for the column NAME, or for all.",
    ),
    KINDS,
    _repeatable("--keep", names_in, "A,B,...", "Also learn from these names, identifiers or row numbers."),
    number("--max-states", 1000, "Most values of a text column; the rarest become one, other.", least=2),
)  # fmt: skip
"""Which table is learned from: the command gets `chosen`, the arguments of `depnet.read`, but that `missing` is a fit's."""

learning_options = gather(
    "learning",
    option("--max-leaves", "At most this many groups of rows in the rules for a column.", type=click.IntRange(min=1)),
    number("--min-leaf-rows", 0, "At least this many rows in each group.", least=0),
    _repeatable(
        "--role roles", roles_of, "NAME=target|input",
        "A column that is only predicted (target), or never predicted (input); may be repeated.",
    ),
    _repeatable(
        "--forbid forbidden", lambda texts: _pairs(texts, ":", str.partition, "SOURCE:TARGET"), "SOURCE:TARGET",
        "TARGET must not be predicted from SOURCE; may be repeated.",
    ),
    option("--max-seconds", "Stop learning after this many seconds; keep what there is.", type=click.FloatRange(min=0)),
)  # fmt: skip
"""What learning may do: the command gets `learning`, the arguments of `depnet.learn`."""
