"""A table that a reader drops: read, and a model learned from some of its columns.

The bytes are never written but by `depnet.read`, into a temporary directory of its own that only this user can open
and that is gone when it returns.
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet.arrays import CodeArray, code_type
from depnet.data import Domain, Variable
from depnet.data.files.read import read
from depnet.data.table.dataset import Holed, holed_table
from depnet.data.table.left_out import LeftOut
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
    "auto": "auto: a state where other columns tell of them",
    "complete": "unknown, and completed",
    "state": "a state of their own",
}
ENCODINGS = {"utf-8": "UTF-8", "cp1252": "Windows (cp1252)", "latin-1": "Latin-1"}
ENDINGS = (".csv", ".txt", ".tsv", ".tab", ".jsonl", ".ndjson", ".json", ".parquet", ".pq", ".xlsx", ".xlsm")


KINDS = {
    "integer": "whole number",
    "float": "number",
    "date": "date",
    "datetime": "moment",
    "duration": "duration",
}
SCALES = {"number": "number", "ordered": "category, in order", "category": "category"}


def describe_kind(variable: Variable) -> str:
    return KINDS[variable.bins.kind] if variable.bins is not None else SCALES[variable.scale]


@dataclass(frozen=True, slots=True, eq=False)
class UploadedTable:
    """A table that was read: its file's name and its rows. `unlikely` are columns that look like identifiers."""

    name: str
    rows: Holed
    unlikely: tuple[str, ...]


def read_table(name: str, content: bytes, encoding: str) -> UploadedTable:
    """The table in these bytes, or the one-line error of what is wrong with it."""
    if len(content) > MAX_BYTES:
        raise DataError(
            f"{name} has {len(content):,} bytes; the page takes {MAX_BYTES:,} at most. Use depnet fit for it."
        )
    if content.startswith(b"\x1f\x8b"):  # text that is packed has no bound
        raise DataError(f"{name} is compressed. Drop it uncompressed, or use depnet fit.")
    file = io.BytesIO(content)
    file.name = name  # for the messages
    try:
        rows, unlikely = _all_columns(file, encoding)
    except DataError as error:
        raise DataError(error.render(_as_choice)) from error
    if len(rows.domain) < 2:
        raise DataError(
            f"{name} has one column, {rows.domain.names[0]!r}; a network is learned from two or more. If it has more, "
            "they are not separated by commas, semicolons or tabs."
        )
    return UploadedTable(name, rows, unlikely)


def _all_columns(file: io.BytesIO, encoding: str) -> tuple[Holed, tuple[str, ...]]:
    """The table with all columns that have a value, and those of them that would be left out."""
    left: list[LeftOut] = []
    options: Any = {"encoding": encoding, "max_cells": MAX_CELLS}
    rows = read(file, left_out=left.extend, **options)
    unlikely = tuple(column.name for column in left if not column.empty)
    if unlikely:
        file.seek(0)
        rows = read(file, keep=unlikely, left_out=lambda _: None, **options)
    return rows, unlikely


def _as_choice(hint: Hint) -> str | None:
    """What the library calls an argument, as the page offers it."""
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
    found = fit(rows, options, np.random.default_rng(STEADY_SEED), tell)
    name = table.name.rsplit(".", 1)[0] or "model"
    return Loaded(found.network, found.law, data=found.table, completed=found.dataset, name=name)


def model_file(loaded: Loaded) -> bytes:
    return encode(loaded, "model.json")
