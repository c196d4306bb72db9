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
from depnet.inference.answer.result import Answer, QueryResult, by_target

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
    kept: Answer | None = None
    few = hidden = False
    if result.observed is not None and result.matching is not None:
        few = hidden = max(map(result.rows_of, result.targets)) < least
        if not hidden:
            kept = _without_small(result, least)
            hidden = any(bool(np.isnan(table).any()) for table in by_target(result, kept).values())
    few = few or (result.support is not None and result.support.rows < least)
    dropped = {"rare"} if few else set()
    said = [
        remark
        for remark in result.warnings
        if remark.kind not in dropped | ({"difference"} if hidden else set())
    ]
    if few:
        said.append(Remark(f"fewer than {least} rows match the evidence: how many is hidden.", "rare"))
    matching = result.matching
    if isinstance(matching, dict):
        matching = {name: rows if rows >= least else 0 for name, rows in matching.items()}
    return replace(
        result,
        observed=kept,
        matching=None if kept is None else matching,
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


def _without_small(result: QueryResult, least: int) -> Answer:
    """`observed` with nan where it is hidden."""
    assert result.observed is not None
    tables = {}
    for name, table in by_target(result, result.observed).items():
        rows = result.rows_of(name)
        hidden = hidden_cells(table * rows, least) if rows >= least else np.ones(table.shape, dtype=bool)
        tables[name] = read_only(np.where(hidden, np.nan, table))
    return tables if isinstance(result.observed, dict) else tables[result.targets[0]]
