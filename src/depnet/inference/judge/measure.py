"""What is asked of a target, as one number: how probable a state or a condition is, or the mean of a number.

All are means of a function g of its states, over those that count: sum of g(t) h(t) P(t) / sum of h(t) P(t). Of a state or
a condition, g(t) is 1 or 0, or the share of the bin inside; of a mean, it is the mean value of the bin. A missing value does
not count, as in answers, unless it is what is asked for. Where in their bins numbers lie given what is known says what the
share and the mean of a bin are. A row of a table has a g of its own, by its value.

What the rows of a table say of a target's measure, beside every variable's state: the effects, as they were seen.

Among the rows that match what is known, those with X_j = x have some mean of the measure (`measure`), by their own values
and where both are known. Rows are few soon, so the number of rows stands beside each.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.binning.bins import Kind, Numbers
from depnet.data.table.dataset import Holed
from depnet.data.table.variable import Variable
from depnet.errors import EvidenceError, brief
from depnet.inference.answer.numbers import length_of, shown, value_of
from depnet.inference.answer.observed import MatchingRows
from depnet.inference.answer.part import LevelLaw
from depnet.model.conditions import KNOWN, Allowed, describe, empty_condition, interpret
from depnet.model.evidence import Evidence
from depnet.wording import nearest

MEAN = "mean"
FEWEST_VALUES = 3
"""A number of fewer states is asked about by a state, not by its mean, unless its mean is wanted."""


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """`text` is what was asked for (a state, a condition or "mean"), `said` how people read it."""

    text: str
    said: str
    values: FloatArray
    """g(t)."""
    counts: FloatArray
    """h(t)."""
    kind: Kind | None = None
    """Of the number whose mean it is; None: a probability."""
    condition: Allowed | None = None
    """Of a condition, which the values of rows meet or do not."""

    @classmethod
    def of(cls, variable: Variable, text: str | None = None, levels: LevelLaw | None = None) -> "Measure":
        """By a text, or as is natural: the mean of a number, of two states the last, of more the first.

        `levels` says where in their bins its numbers lie.

        >>> yes = Measure.of(Variable("survived", ("no", "yes")))
        >>> yes.said, yes.values.tolist()
        ('survived = yes', [0.0, 1.0])
        >>> Measure.of(Variable("rooms", (1, 2, 5))).said, Measure.of(Variable("rooms", (1, 2, 5)), ">1").values.tolist()
        ('mean of rooms', [0.0, 1.0, 1.0])
        """
        kept = variable.levels()
        labels = {str(state): code for code, state in reversed(tuple(enumerate(variable.states)))}
        if text is None:
            number = kept is not None and len(kept) >= FEWEST_VALUES
            states = variable.present_states
            text = (
                MEAN
                if number and MEAN not in labels
                else str(states[-1] if len(states) == 2 else variable.states[0])
            )
        if text in labels:
            values = np.zeros(variable.cardinality)
            values[labels[text]] = 1.0
            missing = variable.missing is not None and text == str(variable.missing)
            said = f"{variable.name} is missing" if missing else f"{variable.name} = {text}"
            return cls(text, said, values, _known(variable, everything=missing))
        if text == MEAN and kept is not None:
            values = np.zeros(variable.cardinality)
            values[: len(kept)] = _by_levels(kept.means(), levels)
            return cls(text, f"mean of {variable.name}", values, _known(variable), kept.kind)
        found = _condition(variable, text)
        values = found.weights()
        if levels is not None:
            met = found.rows(levels.bins, None, levels.values).astype(np.float64)
            values[: len(levels.sizes)] = _by_levels(values[: len(levels.sizes)], levels, met)
        about_holes = found.missing or text == KNOWN
        return cls(
            text, describe(variable.name, text), values, _known(variable, everything=about_holes), None, found
        )

    def of_rows(
        self, codes: IntArray, known: NDArray[np.bool_] | None, numbers: Numbers | None
    ) -> tuple[FloatArray, FloatArray]:
        """[row]: g and h of the values of some rows of a table, whose holes do not count unless they are asked for."""
        counts = self.counts[codes] if known is None or self.counts.all() else self.counts[codes] * known
        if self.condition is not None:
            return self.condition.rows(codes, known, numbers).astype(np.float64), counts
        if self.kind is not None and numbers is not None:
            return numbers.astype(np.float64), counts
        return self.values[codes], counts

    def shown(self, value: float) -> str:
        """A value for people."""
        return f"{value:.3f}" if self.kind is None else shown(value_of(value, self.kind))

    def shown_error(self, error: float) -> str:
        """A standard error, or a difference of two values, for people."""
        return f"{error:.1g}" if self.kind is None else shown(length_of(error, self.kind), 2)


def _known(variable: Variable, *, everything: bool = False) -> FloatArray:
    """h: a missing value does not count."""
    counts = np.ones(variable.cardinality)
    if variable.missing is not None and not everything:
        counts[-1] = 0.0
    return counts


def _by_levels(plain: FloatArray, levels: LevelLaw | None, of: FloatArray | None = None) -> FloatArray:
    """[bin]: the mean of the levels' values, or of what is said `of` them; `plain` where no level has any weight."""
    if levels is None:
        return plain
    values = levels.values.astype(np.float64) if of is None else of
    sums = np.bincount(levels.bins, levels.weights * values, len(levels.sizes))
    weights = np.bincount(levels.bins, levels.weights, len(levels.sizes))
    return np.asarray(np.divide(sums, weights, out=np.array(plain), where=weights > 1e-12))


def _condition(variable: Variable, text: str) -> Allowed:
    try:
        found = interpret(variable, text)
    except EvidenceError as error:
        states = [MEAN, *map(str, variable.states)] if variable.scale == "number" else variable.states
        raise EvidenceError(
            f"{brief(text)} is neither a state of {variable.name!r} nor a condition on it. {nearest(text, states)}"
        ) from error
    if not found.weights().any():
        raise EvidenceError(empty_condition(variable, text))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class SeenEffect:
    """Of each state: the rows that match what is known, have it and know the target, and the measure's mean among them.

    The mean is nan where there is no row.
    """

    rows: FloatArray
    values: FloatArray


def seen_effects(
    data: Holed, evidence: Evidence, target: int, measure: Measure, variables: Sequence[int]
) -> tuple[SeenEffect, ...]:
    """One for each of the variables."""
    everything, all_counted, all_summed = _of_rows(data, evidence, target, measure)
    found = []
    for i in variables:
        states = data.domain.cardinalities[i]
        rows, counted, summed = everything, all_counted, all_summed
        if not data.complete:  # a state that stands for holes is a state of its own
            there = ~data.hidden[rows, i]
            rows, counted, summed = rows[there], counted[there], summed[there]
        column = data.column(i)[rows]
        below: FloatArray = np.asarray(np.bincount(column, counted, minlength=states), dtype=np.float64)
        above: FloatArray = np.asarray(np.bincount(column, summed, minlength=states), dtype=np.float64)
        values = np.full(states, np.nan)
        np.divide(above, below, out=values, where=below > 0)
        found.append(SeenEffect(below, values))
    return tuple(found)


def seen_measure(data: Holed, evidence: Evidence, target: int, measure: Measure) -> tuple[float, float]:
    """In how many matching rows the target is known, and the measure's mean there; nan where there is none."""
    _, counted, summed = _of_rows(data, evidence, target, measure)
    rows = float(counted.sum())
    return rows, float(summed.sum()) / rows if rows > 0 else np.nan


def _of_rows(
    data: Holed, evidence: Evidence, target: int, measure: Measure
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
