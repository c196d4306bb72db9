"""Tables in and out, by the library's own reader and writer; "-" is a standard stream."""

import contextlib
from collections.abc import Iterator, Mapping
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
    from depnet.data.files.fill import Fillings
    from depnet.data.files.source import Source
    from depnet.data.files.text import Dialect
    from depnet.data.files.write import Holes
    from depnet.data.frames.within import Within


def read_table(path: "str | Source", **options: Any) -> "Dataset | Holed":
    """A table, in the dialect that the command was given; `options` are those of `depnet.read`."""
    from depnet.data.files.read import read

    if isinstance(path, str):
        _check_no_model(path)
    with progress("reading") as told:
        return read(path, progress=told, **{**this_run().dialect, **options})  # type: ignore[arg-type]  # or a source


def _check_no_model(path: str) -> None:
    from depnet.cli.files import is_model

    if path != "-" and is_model(path):
        raise click.ClickException(f"{path} is a model, not a table. Look into it with depnet show {path}")


def read_holed(
    path: "str | Source", domain: "Domain", *, where: str | None = None, unknown: str = "error"
) -> "Holed":
    """A table for a model: its columns, in the model's states and bins; holes stay holes."""
    return _read_for(path, domain, where=where, handle_unknown=unknown)[0]


def read_some(path: str, domain: "Domain") -> "Holed":
    """The same of a table that may lack columns, which is said: those that it has, in the model's order."""
    import warnings

    rows, _ = _read_for(path, domain, optional=True)
    lacking = [name for name in domain.names if name not in rows.domain.names]
    if lacking:
        warnings.warn(
            f"{path}: unknown in all rows, since there is no such column: {some_of(lacking)}.",
            UserWarning,
            stacklevel=2,
        )
    return rows


def read_to_fill(
    source: "Source", domain: "Domain", *, unknown: str = "error"
) -> "tuple[Holed, NDArray[np.bool_], NDArray[np.bool_]]":
    """The same, the cells that the model does not know, and those that are empty in the file.

    With --unknown missing, a state that the model does not have is a hole to it, but the file's cell is not empty. Holes
    that are states of the model are holes here, too.
    """
    from depnet.inference.rows.to_fill import open_holes

    holed, strange = _read_for(source, domain, handle_unknown=unknown)
    holes = open_holes(holed)
    empty = holes.copy()
    for i, rows in strange.items():
        empty[rows, i] = False
    return holed, holes, empty


def _read_for(
    path: "str | Source", domain: "Domain", **options: Any
) -> "tuple[Holed, Mapping[int, IntArray]]":
    from depnet.data.files.read import read_for

    if isinstance(path, str):
        _check_no_model(path)
    with progress("reading") as told:
        return read_for(path, domain, dialect=_dialect(), progress=told, **options)


def whole_rows(path: str, holed: "Holed", what: str) -> "Dataset | None":
    """The rows without holes, which is said of `what` needs all cells of a row; None where every row has a hole."""
    import warnings

    whole = holed.whole_rows()
    left = holed.rows - whole.rows
    if left:
        holes = f"{counted(left, 'row')} that {'has' if left == 1 else 'have'} holes"
        warnings.warn(f"{path}: {what} without the {holes}.", UserWarning, stacklevel=2)
    return whole if whole.rows or not left else None


@contextlib.contextmanager
def source_of(path: str) -> Iterator["Source"]:
    """A table that is read for a model and then copied: standard input is kept, and a workbook read, once for both."""
    from depnet.data.files.source import find_source
    from depnet.files import scratch_folder

    _check_no_model(path)
    with scratch_folder() as scratch:
        yield find_source(path, scratch)


def write_filled(path: "Source", fillings: "Fillings", output: str, *, force: bool) -> None:
    """The table with its empty cells filled, to a file."""
    from depnet.data.files.fill import fill_file

    fill_file(path, fillings, output, force=force, format=_format(output), dialect=_dialect())


def _dialect() -> "Dialect":
    from depnet.data.files.text import Dialect

    return Dialect(**{name: value for name, value in this_run().dialect.items() if name != "text"})


def write_table(
    table: Any,
    path: str,
    *,
    force: bool,
    rng: "np.random.Generator | None" = None,
    within: "Within | None" = None,
    holes: "Holes | None" = None,
) -> None:
    """A frame or codes to a file."""
    from depnet.data.files.write import write

    write(table, path, force=force, rng=rng, within=within, holes=holes, format=_format(path))


def _format(path: str) -> 'Literal["csv"] | None':
    """By the file's name; CSV where that says nothing."""
    return "csv" if path != "-" and not Path(path).suffix else None


def write_numbers(columns: "dict[str, NDArray[np.float64]]", path: str, *, force: bool) -> None:
    """Columns of numbers, all as long."""
    import numpy as np

    rows = np.empty(len(next(iter(columns.values()))), dtype=[(name, np.float64) for name in columns])
    for name, values in columns.items():
        rows[name] = values
    write_table(rows, path, force=force)
