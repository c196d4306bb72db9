"""Rows out: CSV, TSV, JSON lines or Parquet, by the name; gzip where it ends in .gz; "-" is CSV on standard output.

Columns come as arrays of Python values, None where one is missing: an empty cell, null. A date is as ISO 8601 has it.
"""

import contextlib
import csv
import datetime as dt
import gzip
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from depnet.cli.files import written, written_path

if TYPE_CHECKING:
    import numpy as np

    from depnet.data import Dataset, Domain

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_SQL = {"boolean": "BOOLEAN", "integer": "BIGINT", "float": "DOUBLE", "date": "DATE", "datetime": "TIMESTAMP"}

Write = Callable[[Sequence[Sequence[Any]]], None]
"""write(columns): as many rows as the columns have."""


def format_of(path: str) -> str:
    """By the name; a name that says nothing is an error that says what would."""
    if path == "-" or not Path(path).suffix or _is_device(path):
        return "csv"
    suffix = Path(path.removesuffix(".gz")).suffix.lower()
    if suffix in FORMATS and not (FORMATS[suffix] == "parquet" and path.endswith(".gz")):
        return FORMATS[suffix]
    raise click.ClickException(
        f"{path}: a table is written as .csv, .tsv, .jsonl (each also with .gz) or .parquet. Name the file so."
    )


def write_blocks(
    blocks: "Iterable[Dataset]",
    domain: "Domain",
    path: str,
    *,
    force: bool,
    rng: "np.random.Generator | None",
) -> None:
    """Rows of codes as they come, decoded; numbers and dates drawn within their bins with `rng`."""
    import numpy as np

    kinds = _kinds(domain)
    with _writer(path, domain.names, kinds, force) as write:
        for block in blocks:
            write(_columns(np.asarray(block.codes), domain, rng))


def write_codes(
    codes: "np.ndarray", hidden: "np.ndarray", domain: "Domain", path: str, *, force: bool
) -> None:
    """Rows of codes, with empty cells where they are hidden."""
    import numpy as np

    with _writer(path, domain.names, _kinds(domain), force) as write:
        write(_columns(np.where(hidden, -1, codes.astype(np.int64)), domain, None))


def write_columns(columns: "dict[str, np.ndarray]", path: str, *, force: bool) -> None:
    """Columns of numbers."""
    with _writer(path, tuple(columns), ["float"] * len(columns), force) as write:
        write([values.tolist() for values in columns.values()])


def _columns(codes: "np.ndarray", domain: "Domain", rng: "np.random.Generator | None") -> list[Any]:
    from depnet.data.decode import piece_of
    from depnet.data.layout import Layout

    layout = Layout.of(domain)
    return [
        piece_of(codes[:, i], variable, layout.columns[i], rng).objects()
        for i, variable in enumerate(domain.variables)
    ]


def _kinds(domain: "Domain") -> list[str]:
    from depnet.data.layout import Layout

    return [column.kind for column in Layout.of(domain).columns]


@contextlib.contextmanager
def _writer(path: str, names: Sequence[str], kinds: Sequence[str], force: bool) -> Iterator[Write]:
    form = format_of(path)
    if form == "parquet":
        with written_path(path, force) as target, _parquet(target, names, kinds) as write:
            yield write
        return
    with written(path, force) as file, packed(file, path) as out, text_of(out) as text:
        yield _json_rows(text, names) if form == "jsonl" else _csv_rows(text, names, form)


@contextlib.contextmanager
def packed(file: BinaryIO, path: str) -> Iterator[BinaryIO]:
    """The file, through gzip where the name says so."""
    if not path.endswith(".gz"):
        yield file
        return
    with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
        yield packed  # type: ignore[misc]  # writes as any binary file does


@contextlib.contextmanager
def text_of(file: BinaryIO) -> Iterator[io.TextIOWrapper]:
    """Text into a file that stays open."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=False)
    try:
        yield text
        text.flush()
    finally:
        with contextlib.suppress(OSError, ValueError):
            text.detach()


def _csv_rows(text: io.TextIOWrapper, names: Sequence[str], form: str) -> Write:
    out = csv.writer(text, delimiter="\t" if form == "tsv" else ",", lineterminator="\n")
    out.writerow(names)

    def write(columns: Sequence[Sequence[Any]]) -> None:
        out.writerows(zip(*(list(map(cell, column)) for column in columns), strict=True))

    return write


def _json_rows(text: io.TextIOWrapper, names: Sequence[str]) -> Write:
    def write(columns: Sequence[Sequence[Any]]) -> None:
        for row in zip(*columns, strict=True):
            text.write(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False, default=str) + "\n")

    return write


@contextlib.contextmanager
def _parquet(target: Path, names: Sequence[str], kinds: Sequence[str]) -> Iterator[Write]:
    """Rows kept as CSV beside the target until all are there, then turned into Parquet by DuckDB."""
    import duckdb

    rows = target.with_name(f"{target.name}.csv")
    try:
        with rows.open("xb") as file, text_of(file) as text:
            yield _csv_rows(text, [f"c{i}" for i in range(len(names))], "csv")
        types = ", ".join(f"'c{i}': '{_SQL.get(kind, 'VARCHAR')}'" for i, kind in enumerate(kinds))
        quoted = [name.replace('"', '""') for name in names]
        chosen = ", ".join(f'c{i} AS "{name}"' for i, name in enumerate(quoted))
        with duckdb.connect() as connection:
            connection.execute(
                f"COPY (SELECT {chosen} FROM read_csv({sql_text(rows)}, header = true, auto_detect = false, delim = ',', "
                f"quote = '\"', escape = '\"', columns = {{{types}}})) TO {sql_text(target)} (FORMAT parquet)"
            )
    finally:
        rows.unlink(missing_ok=True)


def sql_text(path: Path) -> str:
    """A path as SQL writes text."""
    return "'" + str(path).replace("'", "''") + "'"


def cell(value: Any) -> Any:
    """A value as CSV has it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return value


def _is_device(path: str) -> bool:
    return Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()
