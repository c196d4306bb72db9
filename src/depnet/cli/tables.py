"""Tables in and out, by the library's own reader and writer; "-" is a standard stream."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from depnet.cli.command import this_run
from depnet.cli.render import progress
from depnet.wording import counted, some_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from depnet.arrays import IntArray
    from depnet.data import Dataset, Domain, Holed
    from depnet.data.files.source import Source
    from depnet.data.files.text import Dialect


def check_table(path: str) -> None:
    """Refuse a model where a table is asked for."""
    from depnet.cli.files import is_model

    if path != "-" and is_model(path):
        raise click.ClickException(f"{path} is a model, not a table. Look into it with depnet show {path}")


def dialect() -> "Dialect":
    """How the command was told to read text files."""
    from depnet.data.files.text import Dialect

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


def read_some(path: str, domain: "Domain") -> "Holed":
    """The same of a table that may lack columns, which is said: those that it has, in the model's order."""
    rows, _ = read_for_model(path, domain, optional=True)
    lacking = [name for name in domain.names if name not in rows.domain.names]
    if lacking:
        said = f"{path}: unknown in all rows, since there is no such column: {some_of(lacking)}."
        warnings.warn(said, UserWarning, stacklevel=2)
    return rows


def whole_rows(path: str, holed: "Holed", what: str) -> "Dataset | None":
    """The rows without holes, which is said of `what` needs all cells of a row; None where every row has a hole."""
    whole = holed.whole_rows()
    left = holed.rows - whole.rows
    if left:
        holes = f"{counted(left, 'row')} that {'has' if left == 1 else 'have'} holes"
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
