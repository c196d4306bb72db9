"""A result in a notebook: bars, numbers, how it was found, and warnings (`depnet.notebook` has the elements)."""

from typing import TYPE_CHECKING

import numpy as np

from depnet.inference.answer.text import (
    INTERVAL,
    PLUS_MINUS,
    SURE,
    ShownTable,
    error_note,
    how_of,
    is_seen,
    known_lines,
    number_table,
    question_of,
    tables_of,
)
from depnet.notebook import Bar, Cell, beside, card, folded, note, table, warning
from depnet.wording import counted

if TYPE_CHECKING:  # a result shows itself
    from depnet.inference.answer.result import QueryResult

SHOWN = 24
"""States listed of a table."""


def html_of(result: "QueryResult") -> str:
    """The answer as HTML: its tables, how it was found, and its warnings."""
    notes = [
        SURE,
        *known_lines(result),
        f"{how_of(result)}, {counted(len(result.closure), 'relevant variable')}",
    ]
    tables = [_table(result, each) for each in tables_of(result)]
    if any(PLUS_MINUS in each for each in tables):
        notes.append(error_note(result))
    if result.matching:
        notes.append(
            f"the answer joins {result.rows_said} and the model, which counts as {result.worth:,.3g} rows"
        )
    if result.evidence_ignored:
        notes.append(f"evidence without effect: {', '.join(result.evidence_ignored)}")
    if result.support is not None and result.evidence:
        notes.append(str(result.support))
    warnings = (warning(said) for said in result.warnings)
    return card(question_of(result), beside(*tables), note("; ".join(notes)), *warnings)


def _table(result: "QueryResult", found: ShownTable) -> str:
    """What is said of numbers, and then of states; those of one number are folded."""
    numbers = "".join(table(*number_table(result, name)) for name in found.numbers)
    return numbers + (folded("bins", _states(found)) if found.on_request else _states(found))


def _states(found: ShownTable) -> str:
    """A row a state: its label, a bar, the answer, its interval, and the two that it joins."""
    columns = {"probability": found.answer}
    if found.observed is not None:
        columns = {"answer": found.answer, "model": found.law, "table": found.observed}
    sampled = any(map(is_seen, found.errors))
    order = found.order(SHOWN)
    top = max((found.answer[at] for at in order), default=1.0) or 1.0
    rows = []
    for at in order:
        row: list[Cell] = [*map(str, found.labels[at]), Bar(float(found.answer[at] / top))]
        first, *others = (_number(values[at]) for values in columns.values())
        row += [first, found.said_interval(at), *others]
        rows.append(row + ([f"{found.errors[at]:.2g}"] if sampled else []))
    shown, *joined = columns
    heads = [*found.names, "", shown, INTERVAL, *joined, *([f"{PLUS_MINUS} computing"] if sampled else [])]
    left = len(found.labels) - len(order)
    more = note(f"... and {left:,} less probable") if left else ""
    return table(heads, rows, left=len(found.names)) + more


def _number(value: float) -> str:
    return "hidden" if np.isnan(value) else f"{value:.4f}"
