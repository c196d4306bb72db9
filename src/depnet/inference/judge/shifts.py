"""What evidence moves: the answer before it beside the one after it, variable by variable.

How much a variable's marginal is moved by evidence is measured by the total variation distance between its prior and its
posterior, TV = 1/2 sum over states of |posterior - prior|: the largest change in the probability of any event. With rows
at hand, both are what the model and the rows say together (`QueryResult.combined`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.variable import Label, Variable
from depnet.geometry import total_variation
from depnet.inference.answer.numbers import NumberSummary
from depnet.inference.answer.result import Answer, QueryResult
from depnet.inference.answer.spread import Spread


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """A variable's marginal before and after the evidence; `change` is their total variation distance.

    `posterior` joins the two parts beside it: what the model says, and the frequencies `observed` among the `rows` of the
    table that match (None without a table, or where none matches; nan where counts are hidden). `error` is the standard
    error of the model's part in it.
    """

    name: str
    states: tuple[Label, ...]
    prior: FloatArray
    posterior: FloatArray
    error: FloatArray
    change: float
    model: FloatArray
    observed: FloatArray | None = None
    rows: int = 0
    variable: Variable | None = None

    @property
    def numbers(self) -> tuple[NumberSummary, NumberSummary] | None:
        """What prior and posterior say of a number, without errors; None of any other variable."""
        if self.variable is None:
            return None
        exact = Spread(np.zeros(len(self.states)))
        before, after = (NumberSummary.of(self.variable, law, exact) for law in (self.prior, self.posterior))
        return None if before is None or after is None else (before, after)


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
    before, after = by_target(prior, prior.combined), by_target(posterior, posterior.combined)
    model, errors = (by_target(posterior, of) for of in (posterior.probabilities, posterior.standard_errors))
    seen = (
        {}
        if not posterior.matching or posterior.observed is None
        else by_target(posterior, posterior.observed)
    )
    found = []
    for variable in posterior.variables:
        name, states = variable.name, variable.states
        if name not in before:
            continue
        observed = seen.get(name)
        joined = observed is not None and not np.isnan(observed).any()
        # The model's part of the answer has s / (n + s) of it, and of its error.
        rows = posterior.rows_of(name)
        error = errors[name] * (posterior.law_share(name) if joined else 1.0)
        change = total_variation(before[name], after[name])
        found.append(
            Shift(
                name, states, before[name], after[name], error, change, model[name], observed, rows, variable
            )
        )
    return largest_first(found)


def largest_first(shifts: Iterable[Shift]) -> tuple[Shift, ...]:
    """The shifts, the largest change first."""
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
        if len(shift.states) <= cells or not chosen:
            chosen.add(shift.name)
            cells -= len(shift.states)
    return chosen


def by_target(result: QueryResult, arrays: Answer) -> dict[str, FloatArray]:
    """Arrays of an answer about one or several targets, by their names."""
    return arrays if isinstance(arrays, dict) else {result.targets[0]: arrays}


def largest_error(result: QueryResult) -> float:
    """The largest standard error of the model's part of an answer; infinite where it is not known."""
    errors = by_target(result, result.standard_errors).values()
    largest = max(float(np.max(error)) for error in errors)
    return float("inf") if np.isnan(largest) else largest
