"""A table's file with its empty cells filled: what was there stays as it was written, other columns and order too.

Text is filled as text, cell by cell. Parquet and JSON are filled by DuckDB, so that their types stay.
"""

import csv
import datetime as dt
import io
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.binning.bins import Numbers
from depnet.data.binning.forms import texts_in
from depnet.data.binning.times import cell_of_duration, duration_of
from depnet.data.files.arrow import number_sql, schema_option, text_sql, units_of, written_schema
from depnet.data.files.source import Csv, Dialect, Format, Source, find_source, open_csv
from depnet.data.files.table import identifier, text_literal
from depnet.data.files.write import format_of, table_file, text_file
from depnet.data.frames.decode import column_of_codes
from depnet.data.table.columns import Layout
from depnet.data.table.variable import Domain
from depnet.errors import DataError
from depnet.files import scratch_folder

TEXT = "sample_size = -1, auto_type_candidates = ['BIGINT', 'DOUBLE', 'DATE', 'TIMESTAMP', 'VARCHAR']"
"""How CSV is read on its way to another format: No and Yes stay words."""

WRITERS = {
    "csv": "FORMAT csv, HEADER",
    "tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    "json": "FORMAT json",
    "parquet": "FORMAT parquet",
}


def reader_sql(source: Source, dialect: Dialect, scratch: Path) -> str:
    """A file as a relation of SQL, with its own types: cells such as NA are missing."""
    if source.format in ("json", "parquet"):
        return f"read_{source.format}({text_literal(str(source.path))})"
    opened = open_csv(source, dialect, scratch)
    columns = "header = true" if dialect.header else f"header = false, names = {list(opened.names)}"
    place, delimiter = (text_literal(text) for text in (str(opened.source.path), opened.delimiter))
    null = ", ".join(map(text_literal, dialect.missing_values))
    return f"read_csv({place}, delim = {delimiter}, {columns}, nullstr = [{null}], {TEXT})"


def filled_cells(
    rows: IntArray,
    codes: NDArray[np.integer],
    empty: NDArray[np.bool_],
    domain: Domain,
    *,
    laws: Mapping[str, FloatArray] | None = None,
    rng: np.random.Generator | None = None,
    numbers: Mapping[int, Numbers] | None = None,
) -> dict[int, dict[int, str]]:
    """By the numbers of some `rows`, which ascend, the columns of each that are `empty`, with the texts of filled-in codes.

    `numbers` are those of the rows of some columns. Others are their mean or median by the `laws`, or drawn in their bins.
    """
    columns = Layout.of(domain).columns
    filled: dict[int, dict[int, str]] = {row: {} for row in rows.tolist()}
    for i, variable in enumerate(domain.variables):
        own = np.flatnonzero(empty[:, i])
        law = None if laws is None else laws[variable.name][own]
        given = None if numbers is None or i not in numbers else numbers[i][own]
        made = column_of_codes(codes[own, i], variable, columns[i], rng, law=law, numbers=given)
        form = made.layout.form
        found = made.objects() if form is None or made.numbers is None else texts_in(made.numbers, form)
        for row, value in zip(rows[own].tolist(), found, strict=True):
            filled[row][i] = _text(value, rounded=laws is not None and given is None)
    return filled


@dataclass(frozen=True, slots=True, eq=False)
class Fillings:
    """What the columns `names` of a table of that many `rows` get, `filled_cells` of a chunk after the other."""

    names: tuple[str, ...]
    rows: int
    chunks: Iterable[Mapping[int, dict[int, str]]]

    def cells(self) -> Iterator[dict[int, str]]:
        """For each row of the table, the columns that are filled, with their texts."""
        done = 0
        for chunk in self.chunks:
            for row, cells in chunk.items():
                yield from ({} for _ in range(done, row))
                yield cells
                done = row + 1
        yield from ({} for _ in range(done, self.rows))


def fill_file(
    path: str | Source,
    fillings: Fillings,
    output: str,
    *,
    force: bool = False,
    format: Format | None = None,  # noqa: A002
    dialect: Dialect | None = None,
) -> None:
    """Write the table at `path` to `output` ("-": standard output), its empty cells filled; see `depnet.write`.

    Text is read and written row by row as the chunks come. Other formats wait for the last chunk, their cells on disk.
    """
    form, zipped = format_of(output, format)
    with scratch_folder() as scratch:
        source = find_source(path, scratch)
        dialect = Dialect() if dialect is None else dialect
        if {source.format, form} <= {"csv", "tsv"}:
            table = open_csv(source, dialect, scratch)
            if output == "-":
                _fill_text(table, fillings, sys.stdout, form)
                return
            with table_file(output, force=force) as place, text_file(place, zipped=zipped) as file:
                _fill_text(table, fillings, file, form)
            return
        done = scratch / "filled"
        _fill_typed(
            source, reader_sql(source, dialect, scratch), fillings, scratch, form, done, zipped=zipped
        )
        if output == "-":
            with done.open(encoding="utf-8", newline="") as file:
                shutil.copyfileobj(file, sys.stdout)
            return
        with table_file(output, force=force) as place:
            shutil.copyfile(done, place)


def _fill_text(table: Csv, fillings: Fillings, file: IO[str], form: Format) -> None:
    source = table.source
    places = [table.names.index(name) for name in fillings.names]
    write = csv.writer(file, delimiter="\t" if form == "tsv" else ",", lineterminator="\n").writerow
    number = 0
    with source.open() as raw:
        lines = io.TextIOWrapper(raw, "utf-8-sig", newline="")
        for _ in range(table.skip):
            lines.readline()
        rows = csv.reader(lines, delimiter=table.delimiter)
        if table.dialect.header:
            write(next(rows))
        ahead = fillings.cells()
        for row in rows:
            if not row and len(table.names) > 1:  # an empty line is no row
                continue
            cells = next(ahead, {})
            row = row or [""] if cells else row
            for i, text in cells.items():
                row[places[i]] = text
            write(row)
            number += 1
    if number != fillings.rows:
        raise DataError(
            f"{source.name} had {fillings.rows:,} rows when it was read, and {number:,} when it was filled: it has "
            "changed."
        )


def _fill_typed(
    source: Source, table: str, fillings: Fillings, scratch: Path, form: Format, target: Path, *, zipped: bool
) -> None:
    """The file's own columns, but for the cells that a table of fillings, with a row for each row, has."""
    import duckdb

    cells = scratch / "fillings.csv"
    number = range(len(fillings.names))
    with cells.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([f"f{i}" for i in number])
        out.writerows([row.get(i, "") for i in number] for row in fillings.cells())
    filled = {name: f"f.f{i}" for i, name in enumerate(fillings.names)}
    columns = ", ".join(f"'f{i}': 'VARCHAR'" for i in number)
    reader = (
        f"read_csv({text_literal(str(cells))}, header = true, auto_detect = false, delim = ',', "
        f"columns = {{{columns}}})"
    )
    written = [WRITERS[form], *(["COMPRESSION gzip"] if zipped else [])]
    schema = written_schema(source.path) if source.format == "parquet" else None
    units = {} if schema is None else units_of(schema)
    if units and form == "parquet":
        written.append(schema_option(schema))
    with duckdb.connect() as connection:
        chosen = []
        for name, kind, *_ in connection.execute(f"DESCRIBE SELECT * FROM {table}").fetchall():
            own, cell = f"t.{identifier(name)}", filled.get(name, "NULL")
            value = f"CAST({cell} AS {kind})"
            if name in units and form == "parquet":
                value = number_sql(cell, units[name])
            elif name in units:
                own, value = text_sql(own, units[name]), cell
            chosen.append(f"CASE WHEN {cell} IS NULL THEN {own} ELSE {value} END AS {identifier(name)}")
        connection.execute(
            f"COPY (SELECT {', '.join(chosen)} FROM {table} t POSITIONAL JOIN {reader} f) "
            f"TO {text_literal(str(target))} ({', '.join(written)})"
        )


def _text(value: Any, *, rounded: bool) -> str:
    """An expected number to six digits, more than it is worth; what was drawn is a value of the table, and stays."""
    if isinstance(value, float):
        return repr(float(f"{value:.6g}" if rounded else value)).removesuffix(".0")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dt.timedelta):
        return cell_of_duration(duration_of(value))
    return value.isoformat(sep=" ") if isinstance(value, dt.datetime) else str(value)
