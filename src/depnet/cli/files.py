"""Models and tables in and out: "-" is a standard stream; what is written is written whole, and over nothing unasked."""

import contextlib
import gzip
import os
import re
import stat
import sys
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import click

from depnet.cli.command import this_run
from depnet.cli.render import progress
from depnet.files import Stamp, advice, check_place, named_stream, new_file
from depnet.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from depnet.arrays import IntArray
    from depnet.data import Dataset, Domain, Holed
    from depnet.data.files.source import Dialect, Source
    from depnet.model import Network
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


def load_asked(path: str, *, chains: bool) -> "Network":
    """The network of a model file that is asked: the law, or with `chains` the paper's."""
    found = load_models(path)
    return found.network if chains else found.ask()


def is_model(path: str) -> bool:
    """Does the file begin as a model does? (What cannot be read does not.)"""
    if named_stream(path) is not None:
        return False
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
    """How the command was told to read text files."""
    from depnet.data.files.source import Dialect

    return Dialect(**{name: value for name, value in this_run().dialect.items() if name != "text"})


def read_table(path: str, **options: Any) -> "Holed":
    """A table to learn from; `options` are those of `depnet.read`."""
    from depnet.data.files.read import read

    check_table(path)
    with progress("reading") as told:
        return read(path, progress=told, **this_run().dialect, **options)


def read_for_model(
    path: "str | Source", domain: "Domain", **options: Any
) -> "tuple[Holed, Mapping[int, IntArray]]":
    """A table's columns in the model's states and bins, holes staying holes; and where values are no states of it."""
    from depnet.data.files.read import read_for

    if isinstance(path, str):
        check_table(path)
    with progress("reading") as told:
        return read_for(path, domain, dialect=dialect(), progress=told, **options)


def read_holed(path: str, domain: "Domain", *, where: str | None = None, unknown: str = "error") -> "Holed":
    """The first of these, of the rows that are asked for."""
    return read_for_model(path, domain, where=where, handle_unknown=unknown)[0]


def whole_rows(path: str, holed: "Holed", what: str) -> "Dataset | None":
    """The rows without holes, which is said of `what` needs all cells of a row; None where every row has a hole."""
    whole = holed.whole_rows()
    left = holed.rows - whole.rows
    if left:
        holes = f"{counted(left, 'row')} that {'has' if left == 1 else 'have'} missing values"
        warnings.warn(f"{path}: {what} without the {holes}.", UserWarning, stacklevel=2)
    return whole if whole.rows or not left else None


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
                    f"{path} is a file that this command reads, and would be lost. Choose another name for the output."
                )
    with _explained(path):
        check_place(path, force=force)


@contextlib.contextmanager
def written_path(path: str, force: bool, since: Stamp | None = None) -> Iterator[Path]:
    """A file to be filled: a pipe or a device as it is, else one that takes the name `path` when all went well."""
    with _explained(path), new_file(path, force=force, since=since) as place:
        yield place


@contextlib.contextmanager
def written(path: str, force: bool, since: Stamp | None = None) -> Iterator[BinaryIO]:
    """A binary file to write to: standard output, a pipe or a device as it is, a file whole or not at all."""
    if path == "-":
        with _explained("standard output"):
            sys.stdout.flush()
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    with written_path(path, force, since) as place, place.open("wb") as file:
        yield file


def save_model(model: "Model", path: str, force: bool, since: Stamp | None = None) -> None:
    """Write a model file, gzip where the name ends in .gz. With `since`, only over the file that had this stamp."""
    from depnet.model.file import encode

    data = encode(model, compressed=path.endswith(".gz"))
    with written(path, force, since) as file:
        file.write(data)


def save_text(text: str, path: str, force: bool) -> None:
    with written(path, force) as file:
        file.write(text.encode())


@contextlib.contextmanager
def _explained(path: str) -> Iterator[None]:
    """Errors of the system, with what to do."""
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
