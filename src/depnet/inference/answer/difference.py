r"""Where the law and the table differ: what a person is told who reads only the answer that joins both.

Of a share, the rows' count is binomial under the law, of a mean the rows' own mean is normal. There are two reasons for a
warning, and the law is first taken nearer to the table by four of its own standard errors:

- *The table is outside the interval*: what the rows say themselves, a share or a mean, does not lie in the interval of the
  answer, though this has it in 9 of 10 cases, and it is not chance: a law that is right is that far from so many rows in one
  question of 20 at most. Of a number it is the mean that is looked at, of all else each state, and the states share the
  alarm (Bonferroni). A mean that the rows place so far from the *answer* is told of even where the interval is wide because
  the law knows little.
- *No chance at all*: some state differs as it would in one question of 1,000, whatever the interval.

Means need rows whose spread is known: of fewer than 30 it is warned in any case.
"""

import math
from dataclasses import replace

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.variable import Variable
from depnet.inference.answer.numbers import shown, value_of
from depnet.inference.answer.observed import RARE_ROWS
from depnet.inference.answer.part import Remark
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.table import AnswerTable
from depnet.wording import plural

FALSE_ALARM = 1e-3
"""How often a true law is said to differ from its own rows, at most, but for the error of the law's own estimate."""

OUTSIDE_ALARM, OUTSIDE_ERRORS = 0.05, 2.0
"""The same where the rows' own answer is outside the interval; of means, the standard errors of the rows that this is."""

OFTEN = f"(one answer in {1 / OUTSIDE_ALARM:,.0f})"

LAW_ERRORS = 4.0
"""The standard errors by which the law is taken nearer to the table before the two are compared."""

LEAST_DIFFERENCE = 0.01
"""With very many rows any model differs by more than chance allows: less than this is not worth a warning."""


def compared(result: QueryResult) -> QueryResult:
    """The result, which warns where law and table differ, too."""
    said = _differences(result)
    return replace(result, warnings=(*result.warnings, *said)) if said else result


def _differences(result: QueryResult) -> list[Remark]:
    """What a person reads where law and table differ; nothing elsewhere."""
    found = []
    for table in result.tables:
        if table.observed is None or np.isnan(table.observed).any():
            continue
        by_name = {variable.name: variable for variable in result.variables}
        means = [text for name in table.numbers for text in _difference_of_means(table, by_name[name])]
        found += means or _difference_of_states(table.flat)
    return found


def chances(law: FloatArray, errors: FloatArray, frequencies: FloatArray, rows: float) -> FloatArray:
    """[state]: how seldom a law that is right has a state's frequency so low, or so high, in so many rows."""
    from scipy import special  # slow to import

    gap = frequencies - law
    nearer = np.clip(
        law + np.sign(gap) * np.minimum(np.abs(gap), LAW_ERRORS * np.nan_to_num(errors)), 0.0, 1.0
    )
    hits = rows * frequencies
    tail = np.where(
        gap > 0,
        special.betainc(np.maximum(hits, 1e-9), rows - hits + 1, nearer),
        special.betaincc(hits + 1, np.maximum(rows - hits, 1e-9), nearer),  # hits may be a fraction of a row
    )
    return np.where(np.abs(gap) > LEAST_DIFFERENCE, tail, 1.0)


def _difference_of_states(table: AnswerTable) -> list[Remark]:
    """The state that differs most, if any does."""
    assert table.observed is not None
    rows = table.result.effective_rows(table.names[0])
    tails = chances(table.law, table.errors, table.observed, rows)
    order = np.argsort(tails, kind="stable")
    worst = int(order[0])
    if tails[worst] < FALSE_ALARM / 2 / len(tails):
        return [
            _said_of_state(table, worst, f"more than chance allows (one answer in {1 / FALSE_ALARM:,.0f})")
        ]
    if table.is_number:  # its mean is what is read
        return []
    seldom = [int(at) for at in order if tails[at] < OUTSIDE_ALARM / 2 / max(len(tails) - 1, 1)]
    for at, (low, high) in zip(seldom, table.interval(seldom) if seldom else (), strict=True):
        if not low <= table.observed[at] <= high:
            return [_said_of_state(table, at, _outside(f"{low:.3g} to {high:.3g}"))]
    return []


def _difference_of_means(table: AnswerTable, variable: Variable) -> list[Remark]:
    result, n = table.result, table.result.effective_rows(variable.name)
    own, law = result.number_law(variable, "observed"), result.number_law(variable, "probabilities")
    if own is None or law is None or n < RARE_ROWS:
        return []
    mean, deviation = own.centre
    of_law, error = law.centre[0], law.mean_error
    chance = OUTSIDE_ERRORS * deviation / math.sqrt(n)
    if abs(mean - of_law) <= chance:
        return []
    summary = result.numbers_of(variable, "combined")
    assert summary is not None  # both of its parts are there
    assert summary.plain_interval is not None
    low, high = summary.plain_interval
    if abs(mean - summary.law.centre[0]) > chance:
        why = f"further from the answer, {shown(summary.mean)}, than chance allows {OFTEN}"
    elif not low <= mean <= high and abs(mean - of_law) > chance + LAW_ERRORS * error:
        why = _outside(summary.said_interval)
    else:
        return []
    said, seen = (shown(value_of(value, law.kind)) for value in (of_law, mean))
    return [_said(f"mean {variable.name}", said, seen, table, why)]


def _outside(interval: str) -> str:
    return f"outside the interval of the answer, {interval}, and more than chance allows {OFTEN}"


def _said_of_state(table: AnswerTable, at: int, why: str) -> Remark:
    labels = ", ".join(f"{name} = {label}" for name, label in zip(table.names, table.labels[at], strict=True))
    assert table.observed is not None
    return _said(labels, f"{table.law[at]:.3g}", f"{table.observed[at]:.3g}", table, why)


def _said(what: str, law: str, seen: str, table: AnswerTable, why: str) -> Remark:
    rows = plural(table.rows, "matching row")
    return Remark(
        f"the model says {law} for {what} where the table has {seen} of {rows}: {why}.", "difference"
    )
