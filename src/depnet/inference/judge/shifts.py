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
from depnet.data.binning.bins import Kind
from depnet.data.table.variable import Label, Variable
from depnet.geometry import total_variation
from depnet.inference.answer.numbers import Length, NumberLaw, Value, length_of, value_of
from depnet.inference.answer.result import Answer, QueryResult
from depnet.inference.answer.spread import Spread


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """A variable's marginal before and after the evidence; `change` is their total variation distance.

    `posterior` joins the two parts beside it: what the model says, and the frequencies `observed` among the `rows` of the
    table that match (None without a table, or where none matches; nan where counts are hidden). `error` is the standard
    error of the model's part in it. All are given that the variable is known; `missing` is how probable it is that it is
    not, given the evidence.
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
    number: tuple[Value, Length] | None = None
    """Mean and standard deviation of a number by the posterior, the table's part of them from its own numbers."""
    missing: "Missing | None" = None


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
                name,
                states,
                before[name],
                after[name],
                error,
                change,
                model[name],
                observed,
                rows,
                variable,
                mean_and_deviation(posterior, variable),
                Missing.of(posterior, name),
            )
        )
    return largest_first(found)


def mean_and_deviation(result: QueryResult, variable: Variable) -> tuple[Value, Length] | None:
    """Those of `QueryResult.numbers`, without its quantiles, which take longer; None where it is no number, or not there.

    >>> import depnet
    >>> table = depnet.Dataset.from_frame([{"rooms": k % 5, "town": k % 2 == 0} for k in range(100)])
    >>> found = depnet.query(depnet.learn(table, order="auto"), "rooms", {"town": True}, data=table)
    >>> mean_and_deviation(found, found.variables[0])[0], round(found.numbers["rooms"].mean, 9)
    (2.0, 2.0)
    """
    found = moments(result, variable)
    if found is None:
        return None
    mean, deviation, kind = found
    return value_of(mean, kind), length_of(deviation, kind)


def moments(result: QueryResult, variable: Variable) -> tuple[float, float, Kind] | None:
    """The same in plain numbers, days or microseconds, and what kind of number it is."""
    name = variable.name
    share, seen = result.law_share(name), result.seen.get(name)
    joined = seen is not None and share < 1.0
    table = result.margin(result.probabilities if joined else result.combined, name)
    law = NumberLaw.of(variable, table, Spread(np.zeros(len(table))))
    if law is None:
        return None
    if name in result.levels:
        law = NumberLaw.of_levels(law.kind, result.levels[name])
    (mean, _), (deviation, _) = law.moments()
    if joined and seen is not None:
        weights, values = seen.weights / seen.weights.sum(), seen.numbers.astype(np.float64)
        own = float(weights @ values)
        spread = float(weights @ (values - own) ** 2)
        both = share * mean + (1 - share) * own
        variance = share * (deviation**2 + (mean - both) ** 2) + (1 - share) * (spread + (own - both) ** 2)
        mean, deviation = both, math.sqrt(variance)
    return mean, deviation, law.kind


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
