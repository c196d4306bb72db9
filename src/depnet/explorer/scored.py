"""The scores of the rows of a table with holes: whole rows by the law, others by what they know; equal rows together."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data import Dataset, Holed
from depnet.inference.judge.row_scores import RowScores
from depnet.inference.rows.holed_score import score_holed
from depnet.model.network import Network
from depnet.model.score import score_samples

CHUNK = 200_000
"""Cells that are scored between two reports of progress."""


def scored(
    network: Network, data: Holed, max_cells: int, progress: Callable[[float], object] = lambda share: None
) -> RowScores:
    """The scores of the rows of `data`, of the first rows where they have more than `max_cells` cells.

    `progress(share)` is called before the first and after every chunk; what it raises ends the work.
    """
    rows = min(data.rows, max(1, max_cells // len(network)))
    size = max(1, CHUNK // len(network))
    each = np.empty(rows)
    rng = np.random.default_rng(0)  # the same rows have the same scores
    progress(0.0)
    for first in range(0, rows, size):
        at = slice(first, min(first + size, rows))
        each[at] = _scores(network, data, at, rng)
        progress(at.stop / rows)
    columns = _columns(data, rows)
    order = np.lexsort((_mixed(columns, rows), each))
    new = np.ones(rows + 1, dtype=bool)
    new[1:-1] = False
    for column in columns:
        ordered = column[order]
        new[1:-1] |= ordered[1:] != ordered[:-1]
    return RowScores(each, order, np.flatnonzero(new), data.rows)


def _scores(network: Network, data: Holed, at: slice, rng: np.random.Generator) -> FloatArray:
    codes, hidden = data.codes[at], np.asarray(data.hidden[at])
    holed = hidden.any(axis=1)
    found = np.empty(len(codes))
    if not holed.all():
        found[~holed] = score_samples(network, Dataset.from_codes(codes[~holed], domain=data.domain))
    if holed.any():
        found[holed] = score_holed(network, codes[holed], hidden[holed], rng=rng)
    return found


def _columns(data: Holed, rows: int) -> list[IntArray]:
    """Of each variable, whole numbers that are equal where its values are, holes included."""
    found = []
    for i in range(len(data.domain)):
        numbers, known = data.numbers(i), data.known(i)
        own = np.asarray(data.column(i)[:rows] if numbers is None else numbers[:rows])
        own = (own + 0.0).view(np.int64) if own.dtype.kind == "f" else own.astype(np.int64)  # -0.0 is 0
        found.append(own if known is None else np.where(known[:rows], own, 0))
        if known is not None:
            found.append(known[:rows].astype(np.int64))
    return found


def _mixed(columns: list[IntArray], rows: int) -> NDArray[np.uint64]:
    """A number for each row, the same of equal rows: by it they are brought together."""
    mixed = np.zeros(rows, dtype=np.uint64)
    for column in columns:
        mixed = (mixed ^ column.view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed
