"""Tables in and out, by the library's own reader and writer; "-" is a standard stream."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import manners
from depnet.cli.progress import progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from depnet.data import Dataset, Domain, Holed


_OPTIONS = {
    r'missing="state"': "--missing state",
    r"columns=\[\.\.\.\]": "--columns",
    r'encoding="([\w-]+)"': r"--encoding \1",
    r"delimiter=\.\.\.\.?": "--delimiter.",
    r"header=False": "--no-header",
    r"where=": "--where ",
    r"text=\[('[^']*')\]": r"--text \1",
}


def read_new(
    path: str,
    *,
    columns: list[str] | None = None,
    where: str | None = None,
    bins: Any = None,
    missing: str = "keep",
) -> "Holed":
    """A table to learn from: its states and bins are found in it."""
    from depnet.data.recode import with_holes

    options: dict[str, Any] = {} if bins is None else {"bins": bins}
    with progress("reading") as told:
        return with_holes(
            _read(path, columns=columns, where=where, missing=missing, progress=told, **options)
        )


def read_holed(path: str, domain: "Domain", *, where: str | None = None, unknown: str = "error") -> "Holed":
    """A table for a model: its columns, in the model's states and bins; holes stay holes."""
    return _recoded(path, _read_for(path, domain, where), domain, unknown)


def read_to_fill(path: str, domain: "Domain", *, unknown: str = "error") -> "tuple[Holed, NDArray[np.bool_]]":
    """The same, and the cells that are empty in the file: with --unknown missing, a state that the model does not
    have is a hole to it, but nothing to be filled.
    """
    from depnet.data.recode import missing_cells

    rows = _read_for(path, domain, None)
    return _recoded(path, rows, domain, unknown), missing_cells(rows, domain)


def _read_for(path: str, domain: "Domain", where: str | None) -> "Dataset | Holed":
    from depnet.data.recode import bins_for, labels_of

    with progress("reading") as told:
        return _read(
            path,
            columns=list(domain.names),
            where=where,
            bins=bins_for(domain),
            text=labels_of(domain),
            missing="state",  # which is made holes again: also a column without any value can be read so
            progress=told,
        )


def _recoded(path: str, rows: "Dataset | Holed", domain: "Domain", unknown: str) -> "Holed":
    from depnet.data.recode import recoded
    from depnet.errors import DataError

    try:
        return recoded(rows, domain, handle_unknown="missing" if unknown == "missing" else "error")
    except DataError as error:
        raise click.ClickException(
            f"{path}: {str(error).removesuffix(' Or take unknown states as missing.')}"
            + (" Or give --unknown missing." if "no state" in str(error) else "")
        ) from error


def read_complete(
    path: str, domain: "Domain", *, where: str | None = None, unknown: str = "error"
) -> "Dataset":
    """The same for what needs whole rows: those with holes are left out, and said."""
    import warnings

    import numpy as np

    from depnet.data import Dataset

    holed = read_holed(path, domain, where=where, unknown=unknown)
    whole = np.flatnonzero(~holed.hidden.any(axis=1))
    if len(whole) == holed.rows:
        return Dataset(holed.domain, holed.codes)
    if not len(whole):
        raise click.ClickException(f"{path}: every row has a hole; complete them first (depnet impute).")
    warnings.warn(
        f"{path}: {holed.rows - len(whole):,} rows with holes are left out.", UserWarning, stacklevel=2
    )
    return Dataset.from_codes(holed.codes[whole], domain=domain)


def write_table(table: Any, path: str, *, force: bool, rng: "np.random.Generator | None" = None) -> None:
    """A frame or codes to a file, in the format of its name; CSV where that says nothing."""
    from depnet.data.write import write

    plain = path != "-" and not Path(path).suffix
    write(table, path, force=force, rng=rng, format="csv" if plain else None)


def write_numbers(columns: "dict[str, NDArray[np.float64]]", path: str, *, force: bool) -> None:
    """Columns of numbers, all as long."""
    import numpy as np

    rows = np.empty(len(next(iter(columns.values()))), dtype=[(name, np.float64) for name in columns])
    for name, values in columns.items():
        rows[name] = values
    write_table(rows, path, force=force)


def _read(path: str, **options: Any) -> "Dataset | Holed":
    from depnet.cli.files import is_model
    from depnet.data.read import read
    from depnet.errors import DataError

    if path != "-" and is_model(path):
        raise click.ClickException(f"{path} is a model, not a table. Look into it with depnet show {path}")
    try:
        return read(path, **{**manners().dialect, **options})
    except OSError:
        raise
    except DataError as error:
        raise click.ClickException(_as_options(str(error))) from error


def _as_options(text: str) -> str:
    """What the library calls its arguments, as the command does."""
    for argument, option in _OPTIONS.items():
        text = re.sub(argument, option, text)
    return text
