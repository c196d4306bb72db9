"""A result in a notebook: one self-contained `<div>` with bars, numbers, how it was found, and warnings.

It works in light and dark notebooks alike: text has the colour of the page. Every label is escaped.
"""

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from depnet.inference.answer.numbers import NumberSummary, shown, with_error
from depnet.inference.answer.text import ShownTable, question_of, tables_of
from depnet.wording import counted

if TYPE_CHECKING:  # a result shows itself
    from depnet.inference.answer.result import QueryResult

BAR = "#56B4E9"
"""The bars of an answer: sky blue of Okabe and Ito's colours, as in pictures."""

SHOWN = 24
"""States listed of a table."""

_LABEL = "text-align:left;padding:1px 8px 1px 0;white-space:nowrap"
_NUMBER = "text-align:right;padding:1px 0 1px 8px;white-space:nowrap;font-variant-numeric:tabular-nums"


def html_of(result: "QueryResult") -> str:
    """The whole of it."""
    how = f"{result.method}, {result.scan_name}, {counted(len(result.closure), 'relevant variable')}"
    notes = [how]
    if result.diagnostics is not None:
        notes.append(f"standard errors up to {result.diagnostics.largest_error:.2g}")
    if result.matching:
        rows = counted(result.matching, "matching row")
        notes.append(f"the answer joins {rows} and the model, which counts as {result.worth:,.3g} rows")
    if result.evidence_ignored:
        notes.append(f"evidence without effect: {', '.join(result.evidence_ignored)}")
    if result.support is not None and result.evidence:
        notes.append(str(result.support))
    tables = "".join(f"<div>{_table(table)}{_numbers(table.numbers)}</div>" for table in tables_of(result))
    return (
        "<div style='font-family:sans-serif;font-size:13px'>"
        f"<p><b>{escape(question_of(result))}</b></p>"
        f"<div style='display:flex;flex-wrap:wrap;gap:24px;align-items:flex-start'>{tables}</div>"
        f"<p style='opacity:.7'>{escape('; '.join(notes))}</p>"
        f"{''.join(f'<p>⚠ {escape(text)}</p>' for text in result.warnings)}</div>"
    )


def _table(table: ShownTable) -> str:
    """A row a state: its label, a bar, the answer, and the two that it joins."""
    joined = table.observed is not None
    sampled = bool((table.errors > 0).any())
    heads = ["answer", "model", "table"] if joined else ["probability"]
    heads += ["± s.e."] if sampled else []
    head = _cells("th", table.names, _LABEL) + "<th></th>" + _cells("th", heads, _NUMBER)
    order = table.order(SHOWN)
    top = max((table.answer[at] for at in order), default=1.0) or 1.0
    body = []
    for at in order:
        values = [table.answer, table.law, table.observed] if table.observed is not None else [table.answer]
        numbers = [_number(values[at]) for values in values] + (
            [f"{table.errors[at]:.2g}"] if sampled else []
        )
        body.append(
            f"<tr>{_cells('td', map(str, table.labels[at]), _LABEL)}<td><div style='width:120px'>"
            f"<div style='height:10px;background:{BAR};width:{100 * table.answer[at] / top:.1f}%'></div></div></td>"
            f"{_cells('td', numbers, _NUMBER)}</tr>"
        )
    left = len(table.labels) - len(order)
    more = f"<p style='opacity:.7'>... and {left:,} less probable</p>" if left else ""
    return f"<table style='font-size:inherit'><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>{more}"


def _numbers(numbers: tuple[NumberSummary, ...]) -> str:
    """Mean, standard deviation and quantiles, a row a number."""
    if not numbers:
        return ""
    levels = list(numbers[0].quantiles)
    heads = ["mean", "s.d.", *("median" if level == 0.5 else f"{level:.0%}" for level in levels)]
    rows = []
    for number in numbers:
        values = [with_error(number.mean, number.mean_error), shown(number.standard_deviation)]
        values += [shown(number.quantiles[level]) for level in levels]
        rows.append(f"<tr>{_cells('th', [number.name], _LABEL)}{_cells('td', values, _NUMBER)}</tr>")
    return (
        f"<table style='font-size:inherit'><thead><tr><th></th>{_cells('th', heads, _NUMBER)}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _cells(tag: str, texts: Iterable[str], style: str) -> str:
    return "".join(f"<{tag} style='{style}'>{escape(text)}</{tag}>" for text in texts)


def _number(value: float) -> str:
    return "hidden" if np.isnan(value) else f"{value:.4f}"
