"""Small counts hidden: what an answer says of fewer than five rows of a table says something of persons.

Of the table's part of an answer, the smallest cells are hidden until every count under `least` is, and, so that none can
be had by subtraction, until at least two are hidden that have at least `least` rows together. Fewer matching rows than
that are hidden altogether, their number too. Where something of a table is hidden, its answer is the model's alone. This
is no guarantee: two questions whose evidence differs by a person still differ by that person (docs/privacy.md).
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, read_only
from depnet.inference.answer.part import Remark
from depnet.inference.answer.result import Answer, QueryResult

LEAST = 5


def hidden_cells(counts: FloatArray, least: int = LEAST) -> NDArray[np.bool_]:
    """Which cells of a table of counts are hidden; see the module.

    >>> hidden_cells(np.array([40.0, 3.0, 20.0])).tolist()
    [False, True, True]
    >>> hidden_cells(np.array([40.0, 6.0])).tolist()
    [False, False]
    """
    flat = counts.ravel()
    small = int((flat < least - 0.5).sum())
    hidden = np.zeros(flat.size, dtype=bool)
    if small:
        order = np.argsort(flat, kind="stable")
        sums = np.cumsum(flat[order])
        enough = int(np.searchsorted(sums, least - 0.5)) + 1  # cells have `least` rows together
        hidden[order[: max(small, enough, 2)]] = True
    return hidden.reshape(counts.shape)


def without_small_counts(result: QueryResult, least: int = LEAST) -> QueryResult:
    """The result without counts of fewer than `least` rows: `observed` is nan in cells that are hidden."""
    kept, hidden = _kept(result, least)
    few = (result.support is not None and result.support.rows < least) or (kept is None and hidden)
    said = list(result.warnings)
    if few:
        said = [remark for remark in said if remark.kind != "rare"]
        said.append(Remark(f"fewer than {least} rows match the evidence: how many is hidden.", "rare"))
    if hidden:
        said = [remark for remark in said if remark.kind != "difference"]
    return replace(
        result,
        observed=kept,
        matching=None if kept is None else _shown_rows(result, least),
        missing_observed=None if hidden else _many_missing(result, least),
        support=None if few else result.support,
        learned=0 if few else result.learned,
        warnings=tuple(said),
    )


def _many_missing(result: QueryResult, least: int) -> dict[str, float] | None:
    """In which shares of the rows targets are holes; nan where these are few."""
    if result.missing_observed is None or result.support is None:
        return None
    rows = result.support.rows
    return {
        name: np.nan if 0 < share * rows < least - 0.5 else share
        for name, share in result.missing_observed.items()
    }


def _shown_rows(result: QueryResult, least: int) -> int | dict[str, int] | None:
    """How many rows took part; 0 where they are too few to be told."""
    if not isinstance(result.matching, dict):
        return result.matching
    return {name: rows if rows >= least else 0 for name, rows in result.matching.items()}


def _kept(result: QueryResult, least: int) -> tuple[Answer | None, bool]:
    """`observed` with nan where it is hidden (None: all of it), and whether anything is."""
    if result.observed is None or result.matching is None:
        return None, False
    if max(map(result.rows_of, result.targets)) < least:
        return None, True
    if not isinstance(result.observed, dict):
        kept = _without_small(result.observed, result.rows_of(result.targets[0]), least)
        return kept, bool(np.isnan(kept).any())
    tables = {
        name: _without_small(seen, result.rows_of(name), least) for name, seen in result.observed.items()
    }
    return tables, any(bool(np.isnan(table).any()) for table in tables.values())


def _without_small(table: FloatArray, rows: int, least: int) -> FloatArray:
    if rows < least:
        return read_only(np.full(table.shape, np.nan))
    return read_only(np.where(hidden_cells(table * rows, least), np.nan, table))
