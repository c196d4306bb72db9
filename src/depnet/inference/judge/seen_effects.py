"""What the rows of a table say of a target's measure, beside every variable's state: the effects, as they were seen.

Among the rows that match what is known, those with X_j = x have some mean of the measure (`measure`), by their own values
and where both are known. Rows are few soon, so the number of rows stands beside each; on a shared page counts of few rows
are hidden, as in answers (`small_counts`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset, Holed
from depnet.inference.answer.observed import MatchingRows
from depnet.inference.answer.small_counts import LEAST, hidden_cells
from depnet.inference.judge.measure import Measure
from depnet.model.evidence import Evidence


@dataclass(frozen=True, slots=True, eq=False)
class SeenEffect:
    """Of each state: the rows that match what is known, have it and know the target, and the measure's mean among them.

    Both are nan where they are hidden, the mean also where there is no row.
    """

    rows: FloatArray
    values: FloatArray


def seen_effects(
    data: Dataset | Holed,
    evidence: Evidence,
    target: int,
    measure: Measure,
    variables: Sequence[int],
    *,
    hide: bool = False,
) -> tuple[SeenEffect, ...]:
    """One for each of the variables. `hide`: without what counts of few rows say.

    >>> from depnet import titanic
    >>> people = titanic()
    >>> sex, survived = people.domain.index("sex"), people.domain.index("survived")
    >>> measure = Measure.of(people.domain.variables[survived])
    >>> (seen,) = seen_effects(people, Evidence({}, {}), survived, measure, [sex])
    >>> seen.rows.tolist(), seen.values.round(3).tolist()
    ([470.0, 1731.0], [0.732, 0.212])
    """
    everything, all_counted, all_summed = _of_rows(data, evidence, target, measure)
    found = []
    for i in variables:
        states = data.domain.cardinalities[i]
        rows, counted, summed = everything, all_counted, all_summed
        if (
            isinstance(data, Holed) and not data.complete
        ):  # a state that stands for holes is a state of its own
            there = ~data.hidden[rows, i]
            rows, counted, summed = rows[there], counted[there], summed[there]
        column = data.column(i)[rows]
        below: FloatArray = np.asarray(np.bincount(column, counted, minlength=states), dtype=np.float64)
        above: FloatArray = np.asarray(np.bincount(column, summed, minlength=states), dtype=np.float64)
        values = np.full(states, np.nan)
        np.divide(above, below, out=values, where=below > 0)
        if hide:
            few = _hidden(above, below, measure)
            below, values = np.where(few, np.nan, below), np.where(few, np.nan, values)
        found.append(SeenEffect(below, values))
    return tuple(found)


def seen_measure(
    data: Dataset | Holed, evidence: Evidence, target: int, measure: Measure
) -> tuple[float, float]:
    """In how many matching rows the target is known, and the measure's mean there; nan where there is none."""
    _, counted, summed = _of_rows(data, evidence, target, measure)
    rows = float(counted.sum())
    return rows, float(summed.sum()) / rows if rows > 0 else np.nan


def _of_rows(
    data: Dataset | Holed, evidence: Evidence, target: int, measure: Measure
) -> tuple[IntArray, FloatArray, FloatArray]:
    """The rows that match, how much each counts, and the measure times that."""
    matching = MatchingRows.of(data.domain, evidence, data)
    rows, weights = matching.rows, matching.times * matching.soft
    known, numbers = data.known(target), data.numbers(target)
    values, counts = measure.of_rows(
        data.column(target)[rows].astype(np.int64),
        None if known is None else known[rows],
        None if numbers is None else numbers[rows],
    )
    return rows, weights * counts, weights * counts * values


def _hidden(above: FloatArray, below: FloatArray, measure: Measure) -> NDArray[np.bool_]:
    """The states of which something would be said about few rows.

    Of a probability, rows that are in and rows that are not are counted, and both sums over all states are known: so states
    are hidden, the smallest first, until those that are have enough of both together.
    """
    if measure.kind is not None:
        return hidden_cells(below)
    counts = np.stack([above, below - above], axis=1)
    hidden: NDArray[np.bool_] = np.asarray((counts < LEAST - 0.5).any(axis=1))
    if hidden.any():
        for x in np.argsort(below, kind="stable").tolist():
            if hidden.sum() >= 2 and (counts[hidden].sum(axis=0) > LEAST - 0.5).all():
                break
            hidden[x] = True
    return hidden
