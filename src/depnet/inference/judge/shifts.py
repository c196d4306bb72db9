"""What evidence moves: the answer before it beside the one after it, variable by variable.

How much a variable's marginal is moved by evidence is measured by the total variation distance between its prior and its
posterior, TV = 1/2 sum over states of |posterior - prior|: the largest change in the probability of any event. With rows
at hand, both are what the model and the rows say together (`QueryResult.combined`).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.variable import Variable
from depnet.geometry import total_variation
from depnet.inference.answer.result import Answer, QueryResult
from depnet.inference.answer.table import AnswerTable


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """A variable's marginal before and after the evidence; `change` is their total variation distance.

    All are given that the variable is known; `missing` is how probable it is that it is not, given the evidence.
    """

    prior: FloatArray
    now: AnswerTable
    """What is answered given the evidence: by the model, by the rows of the table that match, and by both."""

    @property
    def name(self) -> str:
        return self.now.names[0]

    @property
    def variable(self) -> Variable:
        return self.now.variable

    @property
    def posterior(self) -> FloatArray:
        return self.now.answer

    @property
    def change(self) -> float:
        return total_variation(self.prior, self.posterior)

    @property
    def missing(self) -> "Missing":
        return Missing.of(self.now.result, self.name)


@dataclass(frozen=True, slots=True)
class Missing:
    """How probable it is that a variable is missing: by the model, in the rows that match (nan: not known), by both."""

    model: float
    observed: float
    joined: float

    @classmethod
    def of(cls, result: QueryResult, name: str) -> "Missing":
        """By the answer to a question about the variable, or a condition on it."""
        model = result.missing.get(name, 0.0)
        observed = (
            math.nan if result.missing_observed is None else result.missing_observed.get(name, math.nan)
        )
        if math.isnan(observed) or result.support is None:
            return cls(model, math.nan, model)
        n, s = result.support.rows, result.worth
        return cls(model, observed, (n * observed + s * model) / (n + s))


def shifts_between(prior: QueryResult, posterior: QueryResult) -> tuple[Shift, ...]:
    """The shift of every variable that both answers are about, the largest change first.

    >>> import depnet
    >>> people = depnet.titanic()
    >>> law = depnet.learn(people, smoothing=0.5, order="auto")
    >>> asked = ["age", "survived"]
    >>> moved = shifts_between(depnet.query(law, asked), depnet.query(law, asked, {"sex": "female"}))
    >>> [(shift.name, round(shift.change, 2)) for shift in moved]
    [('survived', 0.41), ('age', 0.03)]
    """
    before = by_target(prior, prior.combined)
    return largest_first(
        Shift(before[table.names[0]], table) for table in posterior.tables if table.names[0] in before
    )


def largest_first(shifts: Iterable[Shift]) -> tuple[Shift, ...]:
    return tuple(sorted(shifts, key=lambda shift: -shift.change))


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """A variable under two sets of evidence: what each says of it, and the total variation distance between the two."""

    first: Shift
    second: Shift
    change: float


def differences_between(first: Iterable[Shift], second: Iterable[Shift]) -> tuple[Difference, ...]:
    """Of every variable that both are about, the largest difference first.

    >>> import depnet
    >>> law = depnet.learn(depnet.titanic(), smoothing=0.5, order="auto")
    >>> asked = ["age", "survived"]
    >>> prior = depnet.query(law, asked)
    >>> women, men = (shifts_between(prior, depnet.query(law, asked, {"sex": sex})) for sex in ("female", "male"))
    >>> [(each.first.name, round(each.change, 2)) for each in differences_between(women, men)]
    [('survived', 0.52), ('age', 0.03)]
    """
    others = {shift.name: shift for shift in second}
    found = [
        Difference(shift, others[shift.name], total_variation(shift.posterior, others[shift.name].posterior))
        for shift in first
        if shift.name in others
    ]
    return tuple(sorted(found, key=lambda difference: -difference.change))


def most_moved(shifts: Sequence[Shift], cells: int) -> set[str]:
    """The names of those that moved most, as many as have at most `cells` states together; at least one."""
    chosen: set[str] = set()
    for shift in largest_first(shifts):
        if len(shift.posterior) <= cells or not chosen:
            chosen.add(shift.name)
            cells -= len(shift.posterior)
    return chosen


def by_target(result: QueryResult, arrays: Answer) -> dict[str, FloatArray]:
    """Arrays of an answer about one or several targets, by their names."""
    return arrays if isinstance(arrays, dict) else {result.targets[0]: arrays}


def largest_error(result: QueryResult) -> float:
    """The largest standard error of the model's part of an answer; infinite where it is not known."""
    errors = by_target(result, result.standard_errors).values()
    largest = max(float(np.max(error)) for error in errors)
    return float("inf") if np.isnan(largest) else largest
