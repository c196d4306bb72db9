"""Models and tables in and out: the options that say what is read, and files.

"-" is a standard stream; what is written is written whole, and over nothing unasked.
"""

import contextlib
import gzip
import operator
import os
import re
import stat
import sys
import warnings
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import click

from depnet.cli.command import choice, flag, names_in, option, progress, this_run
from depnet.files import Stamp, advice, checked_place, named_stream, new_file
from depnet.wording import plural

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from depnet.arrays import IntArray
    from depnet.data import Dataset, Domain, Holed
    from depnet.data.files.source import Dialect
    from depnet.inference.answer.result import QueryResult
    from depnet.inference.ask.by import GroupAnswers
    from depnet.inference.judge.compare import Comparison
    from depnet.model.mixture import AnyNetwork
    from depnet.model.model import Model


class OutputError(click.ClickException):
    """A file that cannot be written, or must not be."""


def load_models(path: str, *, layout: bool = False) -> "Model":
    """What is in a model file, or on standard input: the paper's network, the law, and if asked for the layout."""
    from depnet.errors import ModelFileError
    from depnet.model.file import load_model

    try:
        return load_model("/dev/stdin" if path == "-" else path, layout=layout)
    except ModelFileError as error:
        if isinstance(error, OSError) or path == "-" or not Path(path).is_file() or is_model(path):
            raise
        raise click.ClickException(
            f"{path} is not a model file. If it is a table, learn a model from it first: depnet fit {path} -o model.json"
        ) from error


def load_network(path: str, *, chains: bool) -> "AnyNetwork":
    """Load the network that answers: the law, or with `chains` the dependency network."""
    found = load_models(path)
    return found.network if chains else found.ask()


def is_model(path: str) -> bool:
    """Does the file begin as a model does? (What cannot be read does not.)"""
    if named_stream(path) is not None:
        return False
    if path.lower().removesuffix(".gz").endswith(".bif"):
        return True
    with contextlib.suppress(OSError, EOFError, zlib.error), Path(path).open("rb") as file:
        head = file.read(2)
        file.seek(0)
        content = gzip.GzipFile(fileobj=file) if head == b"\x1f\x8b" else file
        return re.match(rb'\s*\{\s*"format":\s*"depnet network"', content.read(64)) is not None
    return False


def check_table(path: str) -> None:
    """Refuse a model where a table is asked for."""
    if path != "-" and is_model(path):
        raise click.ClickException(f"{path} is a model, not a table. Look into it with depnet show {path}")


def dialect() -> "Dialect":
    """How text files are read, by the options of the command."""
    from depnet.data.files.source import Dialect

    return Dialect(
        **{name: value for name, value in this_run().dialect.items() if name not in ("text", "weights")}
    )


def read_holed(path: str, domain: "Domain", **options: Any) -> "Holed":
    """A table's columns in the model's states and bins, holes staying holes; `options` are those of `read_for`."""
    from depnet.data.files.read import read_for

    check_table(path)
    with progress("reading") as tell:
        weights = this_run().dialect.get("weights")
        return read_for(path, domain, dialect=dialect(), weights=weights, progress=tell, **options)[0]


def read_beside(path: str | None, network: "AnyNetwork") -> "Holed | None":
    """The table, if one is named, whose own answers stand beside those of a network."""
    if path is None:
        return None
    if network.surveyed and "weights" not in this_run().dialect:
        said = f"the model was learned with weights, {path} is read without: its rows count alike. Say --weights NAME."
        warnings.warn(said, UserWarning, stacklevel=2)
    return read_holed(path, network.domain)


def read_known(
    path: str, domain: "Domain", targets: Iterable[str], **options: Any
) -> "tuple[IntArray, list[str]]":
    """What each row knows, [row, variable], -1 where that is nothing; and the columns that the table lacks.

    The targets are not looked at.
    """
    import numpy as np

    from depnet.data import Domain

    known = tuple(variable for variable in domain.variables if variable.name not in targets)
    if not known:
        raise click.UsageError("every column is a target, so a row has nothing to predict from.")
    holed = read_holed(path, Domain(known), optional=True, **options)
    codes = np.full((holed.rows, len(domain)), -1)
    there = [domain.index(name) for name in holed.domain.names]
    codes[:, there] = np.where(holed.hidden, -1, holed.codes.astype(np.int64))
    return codes, [variable.name for variable in known if variable.name not in holed.domain.names]


def read_training(path: str | None, domain: "Domain") -> "tuple[Holed | None, Dataset | None]":
    """The training table, if one is named, and its rows without holes, where it has any."""
    if path is None:
        return None, None
    holed = read_holed(path, domain)
    whole = holed.whole_rows()
    left = holed.rows - whole.rows
    if left:
        holes = f"{plural(left, 'row')} that {'has' if left == 1 else 'have'} missing values"
        said = f"{path}: strengths of links and proven bounds are without the {holes}."
        warnings.warn(said, UserWarning, stacklevel=2)
    return holed, whole if whole.rows or not left else None


def format_of(path: str) -> 'Literal["csv"] | None':
    """The format of a table that is written: by the file's name, CSV where that says nothing."""
    return "csv" if path != "-" and not Path(path).suffix else None


def write_table(table: Any, path: str, *, force: bool, **options: Any) -> None:
    """A frame or codes to a file; `options` are those of `depnet.write`."""
    from depnet.data.files.write import write

    write(table, path, force=force, format=format_of(path), **options)


def write_numbers(columns: "dict[str, NDArray[np.float64]]", path: str, *, force: bool) -> None:
    import numpy as np

    rows = np.empty(len(next(iter(columns.values()))), dtype=[(name, np.float64) for name in columns])
    for name, values in columns.items():
        rows[name] = values
    write_table(rows, path, force=force)


def check_output(path: str | None, force: bool, inputs: Iterable[str | None] = ()) -> None:
    """Can this be written, and may it? Asked before the work begins.

    It must not be one of the `inputs`, under whatever name: what is replaced is lost.
    """
    if path is None or path == "-":
        return
    for name in inputs:
        with contextlib.suppress(OSError, ValueError):  # what is not there is said where it is used
            read = os.fstat(0) if name == "-" else None if name is None else Path(name).stat()
            if read is not None and stat.S_ISREG(read.st_mode) and os.path.samestat(read, Path(path).stat()):
                raise OutputError(
                    f"{path} is an input of this command and would be lost. Choose another name for the output."
                )
    with _explain_errors(path):
        checked_place(path, force=force)


@contextlib.contextmanager
def write_file(path: str, force: bool, since: Stamp | None = None) -> Iterator[BinaryIO]:
    """A binary file to write to: standard output, a pipe or a device as it is, a file whole or not at all."""
    if path == "-":
        with _explain_errors("standard output"):
            sys.stdout.flush()
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    with _explain_errors(path), new_file(path, force=force, since=since) as place, place.open("wb") as file:
        yield file


def save_model(model: "Model", path: str, force: bool, since: Stamp | None = None) -> None:
    """Write a model file, or the law as BIF, by the name. With `since`, only over the file that had this stamp."""
    from depnet.model.file import encode

    data = encode(model, path)
    with write_file(path, force, since) as file:
        file.write(data)


def save_text(text: str | bytes, path: str, force: bool) -> None:
    with write_file(path, force) as file:
        file.write(text.encode() if isinstance(text, str) else text)


def _checked_plot(_: click.Context, __: click.Parameter, path: str | None) -> str | None:
    if path is not None:
        from depnet.plots import FORMATS, matplotlib

        if Path(path).suffix[1:].lower() not in FORMATS:
            raise click.BadParameter(
                f"{path!r}: a picture's name ends in {', '.join(f'.{f}' for f in FORMATS)}."
            )
        matplotlib("figure")
    return path


PLOT = option(
    "--plot",
    "A picture of the answer: .png, .pdf or .svg (needs matplotlib).",
    metavar="FILE",
    callback=_checked_plot,
)


def save_plot(found: "QueryResult | GroupAnswers | Comparison", path: str | None) -> None:
    """Draw what was found, where a picture is asked for."""
    if path is not None:
        import numpy as np

        from depnet.plots import image, matplotlib

        matplotlib("pyplot").switch_backend("agg")  # there may be no display
        figure = np.ravel(found.plot())[0].figure
        save_text(image(figure, Path(path).suffix[1:].lower()), path, this_run().force)


@contextlib.contextmanager
def _explain_errors(path: str) -> Iterator[None]:
    """Turn errors of the system into messages that say what to do."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        other = None if error.filename is None else Path(error.filename)
        if other is not None and other != Path(path) and not other.name.startswith(".depnet-"):
            raise
        reason = error.strerror or str(error)
        if isinstance(error, FileExistsError):
            said = f"{path} exists. Give another name, or --force to replace it."
        elif isinstance(error, (IsADirectoryError, FileNotFoundError)):  # which say what to do
            said = f"{path}: {reason}."
        else:
            said = f"{path} was not written ({reason}). {advice(error)}"
        raise OutputError(said) from error


WHERE = option("--where", 'Use only rows that meet this condition, such as "age > 17".', metavar="SQL")
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
        read = {"text": names_in, "header": operator.not_, "missing_values": _with_missing}.get(name, str)
        this_run().dialect[name] = read(value)


def _with_missing(words: tuple[str, ...]) -> tuple[str, ...]:
    from depnet.data.files.source import MISSING_VALUES

    return *MISSING_VALUES, *words


def text_options(command: Any) -> Any:
    how: dict[str, Any] = {"expose_value": False, "callback": _keep}
    for add in (
        option("--delimiter", "The delimiter of CSV files.  [default: , ; tab or |]", **how),
        option("--encoding", "The encoding of text files.  [default: utf-8]", **how),
        flag("--no-header header", "There is no header: columns are called X0, X1, ...", **how),
        option(
            "--weights",
            "The column of survey weights: how many people, households, ... a row stands for.",
            metavar="NAME",
            **how,
        ),
        option(
            "--missing-value missing_values",
            "What stands for a missing value, beside NA, null and the like.",
            multiple=True,
            metavar="TEXT",
            **how,
        ),
        option("--text", "Columns to read as text, numbers too.", multiple=True, metavar="A,B,...", **how),
    ):
        command = add(command)
    return command
