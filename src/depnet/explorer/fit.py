"""A table that a reader drops: read, and a model learned from some of its columns.

The bytes are never written but by `depnet.read`, into a temporary directory of its own that only this user can open
and that is gone when it returns.
"""

import io
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet.arrays import CodeArray, code_type
from depnet.data import Domain
from depnet.data.files.read import read
from depnet.data.table.cells import cell_values, known_cells, value_text
from depnet.data.table.dataset import Holed, holed_table
from depnet.data.table.kinds import word_of
from depnet.data.table.left_out import LeftOut
from depnet.data.table.mixed import Mixed
from depnet.data.table.variable import OTHER_LABEL
from depnet.data.table.variables import MAX_STATES
from depnet.errors import STEADY_SEED, DataError, Hint
from depnet.explorer.loaded import Loaded
from depnet.explorer.rows import StoppedError
from depnet.fitting.fit import FitOptions, fit
from depnet.model.file import encode

MAX_BYTES = 50 * 10**6
"""The largest table that is taken; larger ones are for `depnet fit`."""

MAX_CELLS = 100 * 10**6
"""Rows times columns: a packed file of a few bytes may hold very many."""

MAX_SECONDS = 120.0
"""Learning ends after this: nodes stay as they have grown by then."""

PENALTIES = {
    "auto": "auto: chosen on rows held out",
    "mdl": "MDL: the paper's",
    "structural-mdl": "structural MDL",
    "aic": "AIC",
    "none": "none",
}
MISSING = {
    "auto": "auto: as other columns predict them",
    "complete": "filled in while learning",
    "state": "a value of their own",
}
ENCODINGS = {"utf-8": "UTF-8", "cp1252": "Windows (cp1252)", "latin-1": "Latin-1"}
ENDINGS = (".csv", ".txt", ".tsv", ".tab", ".jsonl", ".ndjson", ".json", ".parquet", ".pq", ".xlsx", ".xlsm")


KINDS = {
    "number": "number",
    "category": "category",
    "ordered": "category, in order",
    "date": "date",
    "time": "time or duration",
}
"""What a column can be said to be, by the library's words."""

BARS = 24
FIRST = 4
"""Of a column, the bars of its histogram, and the different values that are shown."""


@dataclass(frozen=True, slots=True, eq=False)
class UploadedTable:
    """A table that was read: its file's name and its rows. `unlikely` are columns that look like identifiers.

    `content` and `encoding` are what it is read from again when a column is said to be of another kind, one of `kinds`.
    """

    name: str
    rows: Holed
    unlikely: tuple[str, ...]
    content: bytes
    encoding: str
    kinds: Mapping[str, str]
    mixed: Mapping[str, str]
    """Of columns that are text because of a few values, why."""


@dataclass(frozen=True, slots=True)
class ColumnSheet:
    """What is said of a column before it is learned from: its kind, first values, share of holes and histogram."""

    name: str
    kind: str
    values: str
    missing: float
    bars: tuple[float, ...]
    limit: str = ""


def sheet_of(table: UploadedTable, i: int) -> ColumnSheet:
    """A column of a dropped table. Bars are shares of its known cells: of a number by equal widths, else of its states."""
    rows, variable = table.rows, table.rows.domain.variables[i]
    known, numbers = known_cells(rows, i, np.arange(rows.rows)), rows.numbers(i)
    first = dict.fromkeys(value_text(variable, v) for v in cell_values(rows, i, np.flatnonzero(known)[:100]))
    if numbers is not None and variable.bins is not None:
        counts = np.histogram(numbers[known], bins=BARS)[0]
    else:
        counts = np.bincount(rows.column(i)[known], minlength=len(variable.present_states))[:BARS]
    merged = len(variable.present_states) >= MAX_STATES and OTHER_LABEL in variable.states
    limit = table.mixed.get(variable.name) or (
        f"more than {MAX_STATES:,} different texts: all but the most frequent are {OTHER_LABEL!r}"
        if merged
        else ""
    )
    shares = tuple((counts / max(int(counts.sum()), 1)).round(4).tolist())
    return ColumnSheet(
        variable.name, word_of(variable), ", ".join([*first][:FIRST]), float(1 - known.mean()), shares, limit
    )


def read_table(
    name: str, content: bytes, encoding: str, kinds: Mapping[str, str] | None = None
) -> UploadedTable:
    """The table in these bytes, or the one-line error of what is wrong with it; `kinds` is what columns are said to be."""
    if len(content) > MAX_BYTES:
        raise DataError(
            f"{name} has {len(content):,} bytes; the page takes {MAX_BYTES:,} at most. Use depnet fit for it."
        )
    if content.startswith(b"\x1f\x8b"):  # text that is packed has no bound
        raise DataError(f"{name} is compressed. Drop it uncompressed, or use depnet fit.")
    file = io.BytesIO(content)
    file.name = name  # for the messages
    try:
        rows, unlikely, mixed = _all_columns(file, encoding, kinds or {})
    except DataError as error:
        raise DataError(error.render(_as_choice)) from error
    if len(rows.domain) < 2:
        raise DataError(
            f"{name} has one column, {rows.domain.names[0]!r}; a network is learned from two or more. If it has more, "
            "they are not separated by commas, semicolons or tabs."
        )
    return UploadedTable(name, rows, unlikely, content, encoding, kinds or {}, mixed)


def _all_columns(
    file: io.BytesIO, encoding: str, kinds: Mapping[str, str]
) -> tuple[Holed, tuple[str, ...], dict[str, str]]:
    """The table with all columns that have a value, those that would be left out, and why some are text."""
    left: list[LeftOut] = []
    mixed: list[Mixed] = []
    options: Any = {"encoding": encoding, "max_cells": MAX_CELLS, "kinds": kinds}
    rows = read(file, left_out=left.extend, mixed=mixed.extend, **options)
    unlikely = tuple(column.name for column in left if not column.empty)
    if unlikely:
        file.seek(0)
        rows = read(file, keep=unlikely, left_out=lambda _: None, mixed=lambda _: None, **options)
    return rows, unlikely, {column.name: column.said for column in mixed}


def _as_choice(hint: Hint) -> str | None:
    """What the library calls an argument, as the page offers it."""
    if hint.argument == "kinds":
        return "the menu of its column"
    offered = hint.argument == "encoding" and hint.value in ENCODINGS
    return f"{hint.value} under Text encoding above" if offered else None


def some_columns(rows: Holed, names: Sequence[str]) -> Holed:
    chosen = [i for i, name in enumerate(rows.domain.names) if name in set(names)]
    if len(chosen) < 2:
        raise DataError("choose two columns or more.")
    domain = Domain(tuple(rows.domain.variables[i] for i in chosen))
    codes: CodeArray = np.empty((rows.rows, len(chosen)), dtype=code_type(domain.cardinalities), order="F")
    codes[:] = rows.codes[:, chosen]
    hidden = None if rows.complete else np.asfortranarray(rows.hidden[:, chosen])
    values = None if rows.values is None else rows.values.renumber({i: k for k, i in enumerate(chosen)})
    return holed_table(domain, codes, hidden, rows.weights, values)


def learn_model(
    table: UploadedTable,
    names: Sequence[str],
    penalty: str,
    progress: Callable[[int, int], object],
    stop: Callable[[], bool],
    *,
    boost: bool = False,
    missing: str = "auto",
) -> Loaded:
    """The model that `depnet fit` would learn, its network and its law.

    `progress(done, all)` counts the nodes of both, and rounds of completion before.
    """
    rows = some_columns(table.rows, names)
    options = FitOptions(
        penalty=penalty, missing=missing, max_seconds=MAX_SECONDS, boost="auto" if boost else None
    )
    total = options.steps(rows)

    def tell(done: int) -> None:
        if stop():
            raise StoppedError("stopped; the model is as it was before.")
        progress(done, total)

    tell(0)
    began = time.monotonic()
    found = fit(rows, options, np.random.default_rng(STEADY_SEED), tell)
    name = table.name.rsplit(".", 1)[0] or "model"
    late = time.monotonic() - began > MAX_SECONDS
    limit = f"Learning ended at its limit of {MAX_SECONDS:.0f} s: depnet fit has none." if late else ""
    return Loaded(found.network, found.law, data=found.table, completed=found.dataset, name=name, limit=limit)


def model_file(loaded: Loaded) -> bytes:
    return encode(loaded, "model.json")
