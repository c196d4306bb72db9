"""A result in a notebook: bars, numbers, how it was found, and warnings (`depnet.notebook` has the elements)."""

from typing import TYPE_CHECKING

import numpy as np

from depnet.inference.answer.numbers import NumberSummary, shown, with_error
from depnet.inference.answer.text import SURE, ShownTable, question_of, tables_of
from depnet.notebook import Bar, Cell, beside, card, note, table, warning
from depnet.wording import counted

if TYPE_CHECKING:  # a result shows itself
    from depnet.inference.answer.result import QueryResult

SHOWN = 24
"""States listed of a table."""


def html_of(result: "QueryResult") -> str:
    """The whole of it."""
    how = f"{result.method}, {result.scan_name}, {counted(len(result.closure), 'relevant variable')}"
    notes = [how, SURE]
    if result.diagnostics is not None:
        notes.append(f"standard errors up to {result.diagnostics.largest_error:.2g}")
    if result.matching:
        notes.append(
            f"the answer joins {result.rows_said} and the model, which counts as {result.worth:,.3g} rows"
        )
    if result.evidence_ignored:
        notes.append(f"evidence without effect: {', '.join(result.evidence_ignored)}")
    if result.support is not None and result.evidence:
        notes.append(str(result.support))
    tables = (_states(each) + _numbers(each.numbers) for each in tables_of(result))
    warnings = (warning(said) for said in result.warnings)
    return card(question_of(result), beside(*tables), note("; ".join(notes)), *warnings)


def _states(found: ShownTable) -> str:
    """A row a state: its label, a bar, the answer, and the two that it joins."""
    columns = {"probability": found.answer}
    if found.observed is not None:
        columns = {"answer": found.answer, "model": found.law, "table": found.observed}
    sampled = bool((found.errors > 0).any())
    order = found.order(SHOWN)
    top = max((found.answer[at] for at in order), default=1.0) or 1.0
    rows = []
    for at in order:
        row: list[Cell] = [*map(str, found.labels[at]), Bar(float(found.answer[at] / top))]
        row += [_number(values[at]) for values in columns.values()]
        row.insert(len(found.names) + 2, found.said_interval(at))
        rows.append(row + ([f"{found.errors[at]:.2g}"] if sampled else []))
    first, *others = columns
    heads = [*found.names, "", first, "90 % sure", *others, *(["± s.e."] if sampled else [])]
    left = len(found.labels) - len(order)
    more = note(f"... and {left:,} less probable") if left else ""
    return table(heads, rows, left=len(found.names)) + more


def _numbers(numbers: tuple[NumberSummary, ...]) -> str:
    """Mean, standard deviation and quantiles, a row a number."""
    if not numbers:
        return ""
    levels = list(numbers[0].quantiles)
    heads = [
        "",
        "mean",
        "90 % sure",
        "s.d.",
        *("median" if level == 0.5 else f"{level:.0%}" for level in levels),
    ]
    rows = []
    for number in numbers:
        mean = with_error(number.mean, number.mean_error)
        values = [mean, number.said_interval, shown(number.standard_deviation)]
        rows.append([number.name, *values, *(shown(number.quantiles[level]) for level in levels)])
    return table(heads, rows)


def _number(value: float) -> str:
    return "hidden" if np.isnan(value) else f"{value:.4f}"
