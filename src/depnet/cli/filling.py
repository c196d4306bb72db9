"""A table's file with its holes filled: what was observed stays as it was written, other columns and order too.

Text is filled as text, cell by cell. Parquet and JSON are filled by DuckDB, so that their types stay.
"""

import contextlib
import csv
import datetime as dt
import gzip
import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from depnet.cli.command import run_options
from depnet.cli.files import written, written_path

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from depnet.data import Domain
    from depnet.data.files.source import Source
    from depnet.inference import Imputation


_TEXT = (
    "header = true, sample_size = -1, auto_type_candidates = ['BIGINT', 'DOUBLE', 'DATE', 'TIMESTAMP', 'VARCHAR'], "
    "nullstr = ['', 'NA', 'N/A', 'n/a', 'NaN', 'nan', 'null', 'NULL']"
)
"""How CSV is read on its way to another format: No and Yes stay words."""


@contextlib.contextmanager
def as_file(path: str) -> Iterator[str]:
    """A path that can be read twice: standard input is kept in a temporary file meanwhile."""
    if path != "-":
        yield path
        return
    with tempfile.NamedTemporaryFile(prefix="depnet-") as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.flush()
        yield kept.name


def write_filled(
    path: str,
    found: "Imputation",
    empty: "NDArray[np.bool_]",
    domain: "Domain",
    output: str,
    *,
    force: bool,
    rng: "np.random.Generator | None",
) -> None:
    """Write the table at `path` with the cells that are `empty` filled as `found` says.

    Numbers are drawn within their bins with `rng`; without one they are the mean (floats) or median given the row.
    """
    from depnet.data.files.source import find_source

    values = _values(found, empty, domain, rng)
    with tempfile.TemporaryDirectory(prefix="depnet-") as scratch:
        source = find_source(path, Path(scratch))
        fillings = _Fillings(source, values, empty, domain, Path(scratch))
        if source.format in ("csv", "tsv") and _format(output) in ("csv", "tsv"):
            _fill_text(fillings, output, force)
        else:
            _fill_typed(fillings, output, force)


@dataclass(frozen=True, slots=True)
class _Fillings:
    """A table's file, and what its empty cells get: for each variable the `values` of its holes, in order."""

    source: "Source"
    values: list[Any]
    empty: "NDArray[np.bool_]"
    domain: "Domain"
    scratch: Path


def _values(
    found: "Imputation", empty: "NDArray[np.bool_]", domain: "Domain", rng: "np.random.Generator | None"
) -> list[Any]:
    """For each variable the values of its holes, in order; None where it has none."""
    import numpy as np

    from depnet.data.binning.expected import expected_piece
    from depnet.data.frames.decode import piece_of
    from depnet.data.table.layout import Layout

    columns = Layout.of(domain).columns
    values: list[Any] = []
    for i, variable in enumerate(domain.variables):
        rows = np.flatnonzero(empty[:, i])
        codes = np.asarray(found.codes)[rows, i]
        if rng is None:
            law = found.cells.probabilities[variable.name][rows]
            expected = expected_piece(codes, law, variable, columns[i]).objects()
            values.append([_rounded(value) for value in expected])
        else:
            values.append(piece_of(codes, variable, columns[i], rng).objects())
    return values


def _fill_text(fillings: _Fillings, output: str, force: bool) -> None:
    from depnet.data.files.text import Dialect, csv_names, in_utf8

    known = {
        name: value
        for name, value in run_options().dialect.items()
        if name in ("header", "delimiter", "encoding")
    }
    dialect, source, empty = Dialect(**known), fillings.source, fillings.empty
    if not dialect.is_utf8:
        source = in_utf8(source, dialect.encoding, fillings.scratch)
    names, delimiter, skip = csv_names(source, dialect)
    places = [names.index(name) for name in fillings.domain.names]
    ahead = [iter(column) for column in fillings.values]
    with (
        source.open() as raw,
        written(output, force) as file,
        _text_into(file, zipped=output.endswith(".gz")) as text,
    ):
        lines = io.TextIOWrapper(raw, "utf-8-sig", newline="")
        for _ in range(skip):
            lines.readline()
        rows = csv.reader(lines, delimiter=delimiter)
        write = csv.writer(
            text, delimiter="\t" if _format(output) == "tsv" else ",", lineterminator="\n"
        ).writerow
        if dialect.header:
            write(next(rows))
        number = 0
        for row in rows:
            if not row and len(names) > 1:  # an empty line is no row
                continue
            if number < len(empty) and empty[number].any():
                row = row or [""]
                for i, place in enumerate(places):
                    if empty[number, i]:
                        row[place] = _text(next(ahead[i]))
            write(row)
            number += 1
    if number != len(empty):
        raise click.ClickException(
            f"{source.name} had {len(empty):,} rows when it was read, and {number:,} when it was filled: it has changed."
        )


def _fill_typed(fillings: _Fillings, output: str, force: bool) -> None:
    """The file's own columns, but for the cells that a table of fillings, with a row for each row, has."""
    import duckdb

    from depnet.data.files.engine import identifier, text_literal

    form, source = _format(output), fillings.source
    cells = fillings.scratch / "fillings.csv"
    _write_fillings(cells, fillings.values, fillings.empty)
    table = {
        "csv": f"read_csv({text_literal(str(source.path))}, {_TEXT})",
        "tsv": f"read_csv({text_literal(str(source.path))}, delim = '\t', {_TEXT})",
        "json": f"read_json({text_literal(str(source.path))})",
        "parquet": f"read_parquet({text_literal(str(source.path))})",
    }[source.format]
    copied = {
        "csv": "FORMAT csv, HEADER",
        "tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
        "json": "FORMAT json",
        "parquet": "FORMAT parquet",
    }[form]
    zipped = ", COMPRESSION gzip" if output.endswith(".gz") else ""
    target = fillings.scratch / "filled"
    with duckdb.connect() as connection:
        types = {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()}
        filled = {name: i for i, name in enumerate(fillings.domain.names)}
        chosen = ", ".join(
            f"CASE WHEN f.f{filled[name]} IS NULL THEN t.{identifier(name)} "
            f"ELSE CAST(f.f{filled[name]} AS {kind}) END AS {identifier(name)}"
            if name in filled
            else f"t.{identifier(name)}"
            for name, kind in types.items()
        )
        columns = ", ".join(f"'f{i}': 'VARCHAR'" for i in range(len(filled)))
        reader = (
            f"read_csv({text_literal(str(cells))}, header = true, auto_detect = false, delim = ',', "
            f"columns = {{{columns}}})"
        )
        connection.execute(
            f"COPY (SELECT {chosen} FROM {table} t POSITIONAL JOIN {reader} f) "
            f"TO {text_literal(str(target))} ({copied}{zipped})"
        )
    if output == "-":
        with written(output, force) as file, target.open("rb") as done:
            shutil.copyfileobj(done, file)
        return
    with written_path(output, force) as place:
        shutil.copyfile(target, place)


def _write_fillings(path: Path, values: list[Any], empty: "NDArray[np.bool_]") -> None:
    ahead = [iter(column) for column in values]
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
        out.writerow([f"f{i}" for i in range(len(values))])
        for hidden in empty.tolist():
            row = [_text(next(ahead[i])) if gone else "" for i, gone in enumerate(hidden)]
            out.writerow(row)


def _rounded(value: Any) -> Any:
    """An expected number to six digits, more than it is worth; what was drawn is a value of the table, and stays."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _text(value: Any) -> str:
    if isinstance(value, float):
        return repr(float(value)).removesuffix(".0")
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat(sep=" ") if isinstance(value, dt.datetime) else str(value)


def _format(output: str) -> str:
    from depnet.data.files.write import ENDINGS

    suffix = Path(output.removesuffix(".gz")).suffix.lower()
    if output != "-" and suffix not in ("", *ENDINGS):
        raise click.ClickException(
            f"{output}: a table is written as {', '.join(ENDINGS)} (all but Parquet also .gz)."
        )
    return ENDINGS.get(suffix, "csv")


@contextlib.contextmanager
def _text_into(file: BinaryIO, *, zipped: bool) -> Iterator[io.TextIOWrapper]:
    """Text into a binary file that stays open."""
    with contextlib.ExitStack() as stack:
        out: Any = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0)) if zipped else file
        text = io.TextIOWrapper(out, encoding="utf-8", newline="")
        try:
            yield text
            text.flush()
        finally:
            with contextlib.suppress(OSError, ValueError):
                text.detach()
