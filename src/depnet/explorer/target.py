"""What the Target view asks: what moves the target, and how often what is known comes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from depnet.data import Holed, Variable
from depnet.errors import EvidenceError
from depnet.explorer.ask import how_often
from depnet.explorer.histogram import group_digits
from depnet.explorer.known import Known, given
from depnet.explorer.loaded import Loaded
from depnet.explorer.session import Stop
from depnet.inference.answer.intervals import ends
from depnet.inference.answer.numbers import shown
from depnet.inference.answer.observed import Support
from depnet.inference.answer.question import over_after
from depnet.inference.answer.table import AnswerTable
from depnet.inference.ask.query import log_probability
from depnet.inference.judge.influence import MAX_SECONDS, Effect, Influence, influence, reach
from depnet.inference.judge.measure import MEAN, Measure, SeenEffect, seen_effects, seen_measure
from depnet.inference.judge.shifts import Missing
from depnet.model.conditions import MISSING
from depnet.model.evidence import Evidence
from depnet.model.mixture import AnyNetwork
from depnet.wording import plural

SHARPER_SECONDS = 10.0
"""Sampling time where the reader wants sharper results."""
ANSWER_SECONDS = 0.5
"""Sampling time for the answer about the target, where it is not exact."""
MEDIAN_SECONDS = 0.2
OFTEN_ERROR = 0.02
"""The error of the log-probability of the evidence, where it is sampled."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What is answered of the target, as in Ask, and what moves it; the rows that match what is known; its median."""

    influence: Influence
    value: float
    """The measure by the model and the table together."""
    interval: tuple[float, float]
    """Where it lies, 90 % sure, in the population that the rows come from."""
    share: float
    """What the model has of it; the rest is the table's."""
    worth: float
    """The rows that the model is worth."""
    missing: Missing
    evidence: Evidence
    log_evidence: float
    """The log of the probability of what is known, in nats, and its standard error."""
    log_evidence_error: float
    support: Support | None
    median: str | None
    seen: str | None
    """What the rows themselves say of the target, as text."""
    warnings: tuple[str, ...]


def find(
    loaded: Loaded, target: str, known: Known, text: str | None, stop: Stop, seconds: float | None = None
) -> Found:
    """All that is shown of the target; `text` says what of it (`Measure`)."""
    law = loaded.asked
    evidence = Evidence.parse(law.domain, given(known))
    if known.get(target) == MISSING:
        raise EvidenceError(f"{target!r} is given as missing: undo that, or choose another target.")
    asked = loaded.answer(target, given(known), max_seconds=ANSWER_SECONDS)
    matching = asked.support
    seconds = MAX_SECONDS if seconds is None else seconds
    found = influence(
        law, target, given(known), of=text, levels=asked.levels.get(target), max_seconds=seconds, stop=stop
    )
    often = log_probability(law, evidence, tolerance=OFTEN_ERROR, stop=over_after(seconds, stop))
    rows, mean = (
        (0.0, math.nan)
        if loaded.data is None
        else seen_measure(loaded.data, evidence, law.domain.index(target), found.measure)
    )
    table = asked.table(target)
    share = table.share
    value = _join_mean(table, found, mean)
    warnings = [*evidence.notes]
    if known and matching is not None and matching.warning is not None:
        warnings.append(matching.warning)
    return Found(
        found,
        value,
        _interval(table, found, value),
        share,
        asked.worth,
        Missing.of(asked, target),
        evidence,
        float(often.values[0]) + _log_known(law, evidence),
        float(often.standard_errors[0]),
        matching,
        _median(loaded, target),
        None if loaded.data is None else _seen(found, rows, mean),
        tuple(warnings),
    )


def _join_mean(table: AnswerTable, found: Influence, mean: float) -> float:
    number = table.number if found.measure.kind is not None else None
    if number is not None:
        return number.law.centre[0]
    if _of_all_rows(table, found):
        return Missing.of(table.result, table.names[0]).joined
    counts, share = found.measure.counts[: len(table.law)], table.share
    by_law = (
        float(found.measure.values[: len(table.law)] @ (table.law * counts)) if counts.any() else math.nan
    )
    return by_law if share == 1.0 or math.isnan(mean) else share * by_law + (1 - share) * mean


def _of_all_rows(table: AnswerTable, found: Influence) -> bool:
    """Whether it is missing is asked of all rows, and all else of those that know it."""
    return bool(found.measure.counts.all()) and len(found.measure.counts) > len(table.law)


def _interval(table: AnswerTable, found: Influence, value: float) -> tuple[float, float]:
    number = table.number if found.measure.kind is not None else None
    if number is not None and number.plain_interval is not None:
        return number.plain_interval
    result = table.result
    rows = result.rows_known(table.names[0], table.share)
    if _of_all_rows(table, found) and table.share < 1.0 and result.support is not None:
        rows = result.support.rows
    low, high = ends(np.array(value), np.array(table.share * found.error), rows + result.sure_shares)
    return float(low), float(high)


def _log_known(law: AnyNetwork, evidence: Evidence) -> float:
    """What the holes of columns without a state for them add: evidence says that a cell is known, or missing."""
    if law.counts is None or not law.counts.total:
        return 0.0
    rates, added = law.counts.missing_rates, 0.0
    for i, condition in evidence.allowed.items():
        if condition.variable.missing is None:
            added += math.log(max(rates[i] if condition.missing else 1 - rates[i], 1e-12))
    return added


def _median(loaded: Loaded, target: str) -> str | None:
    """With nothing known, as text that a condition takes; None of what is no number."""
    law = loaded.asked
    levels = law.domain.variables[law.domain.index(target)].levels()
    if levels is None or len(levels) < 3:
        return None
    found = loaded.answer(target, max_seconds=MEDIAN_SECONDS)
    summary = found.numbers.get(target)
    return None if summary is None else shown(summary.median)


def _seen(found: Influence, rows: float, mean: float) -> str:
    if rows == 0:
        return "no row matches"
    return f"{said_value(found.measure, mean)} in {plural(round(rows), 'row')}"


def said_value(measure: Measure, value: float) -> str:
    return group_digits(measure.shown(value))


def join(effect: Effect, seen: SeenEffect, worth: float) -> Effect:
    """Combine model and table for each state: the model counts as `worth` rows, as in answers."""
    there = (np.nan_to_num(seen.rows) > 0) & ~np.isnan(seen.values)
    rows = np.where(there, np.nan_to_num(seen.rows), 0.0)
    share = np.where(
        np.isnan(effect.values), 0.0, worth / (rows + worth)
    )  # what no draw met, the table may know
    both = share * np.nan_to_num(effect.values) + (1 - share) * np.nan_to_num(seen.values)
    values = np.where(there, both, effect.values)
    errors = np.where(there, np.nan_to_num(share * effect.errors), effect.errors)
    low, high = reach(effect.probabilities, values)
    return replace(effect, values=values, errors=errors, low=low, high=high)


def seen_of(data: Holed, found: Found, effects: Sequence[Effect]) -> tuple[SeenEffect, ...]:
    index, influence = data.domain.index, found.influence
    variables = [index(effect.variable.name) for effect in effects]
    return seen_effects(data, found.evidence, index(influence.target.name), influence.measure, variables)


def rarity(found: Found) -> str:
    """How often what is known comes, and how many rows of the table match it."""
    often = how_often(found.log_evidence)
    rough = " (roughly)" if found.log_evidence_error > 0.3 else ""
    if found.support is None:
        return f"{often}{rough}"
    rows = found.support.rows
    bound = "" if found.support.exact else "at most "
    verb = "matches" if rows == 1 else "match"
    return f"{often}{rough}; {bound}{plural(rows, 'row')} of the table {verb}"


def measures(variable: Variable, median: str | None) -> dict[str, str]:
    """What can be asked of a target, by the text that says it; a state of that text comes first."""
    found = {}
    if variable.scale == "number":
        found[MEAN] = "its mean"
    if median is not None:
        found[f">{median}"] = f"above {median}, its median with nothing given"
    gone = {} if variable.missing is None else {str(variable.missing): "missing"}
    return {**found, **{str(state): str(state) for state in variable.present_states}, **gone}
