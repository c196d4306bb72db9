"""What is asked for: a variable by its name, or whether a condition holds ("income > 50000").

An answer is about the value where it is known, as a group-by has it: of a variable with a state for missing values,
p(x) = P(x) / sum over the other states x' of P(x'). A condition is a target with the states False and True, in this order:
P(True) = sum over states x of its variable of w(x) p(x), w(x) being the share of state x inside (`depnet.model.conditions`).
"income is missing" and "income is known" are asked of all rows. Where the evidence is a range of the same variable, shares
and numbers are those of the values inside.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.binning.bins import Numbers
from depnet.data.table.dataset import Holed
from depnet.data.table.variable import Domain, Variable
from depnet.errors import EvidenceError
from depnet.inference.answer.part import LevelLaw, Spread
from depnet.model.conditions import KNOWN, Allowed, beyond_data, empty_condition
from depnet.model.event import Event, On
from depnet.model.evidence import check_states
from depnet.model.given_text import is_event, read_event


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Variable `index` of a domain, as it is answered: `variable` has its known states, or True and False of a condition."""

    index: int
    variable: Variable
    states: int
    """The known states of the variable, which come first."""
    inside: FloatArray | None = None
    """w(x) of each state of the variable that a condition is on; None: no condition, the variable itself."""
    condition: Allowed | None = None
    given_known: bool = True
    """Is it asked of the rows that know the variable? Not whether it is missing."""
    rate: float | None = None
    """How often the variable is missing, where it has no state for that."""
    note: str | None = None
    """What to know of how it was read: values beyond the data."""
    event: tuple[Event, Event] | None = None
    """Of an event over several variables, whose index is beyond the domain's: that it is so, and that it is not."""

    def known(self, law: FloatArray) -> float:
        """The probability that the variable is known, from those of its states."""
        if self.rate is not None:
            return 1.0 - self.rate
        return float(law[: self.states].sum())

    def probabilities(self, law: FloatArray) -> FloatArray:
        """Of the target's states, from those of all states of its variable."""
        return np.asarray(self.shares(law[None])[0])

    def shares(self, laws: FloatArray) -> FloatArray:
        """Of many laws [row, state] of its variable: `probabilities` of each, [row, state of the target]."""
        there = np.asarray(laws[:, : self.states])
        total = there.sum(axis=1, keepdims=True)
        if not self.given_known:
            assert self.condition is not None
            known = total[:, 0] if self.rate is None else np.full(len(laws), 1.0 - self.rate)
            met = 1.0 - known if self.condition.missing else known
            return np.stack([1.0 - met, met], axis=1)
        # Where the known states have no mass at all, nothing is known of them: uniform.
        there = np.where(total > 0, there / np.where(total > 0, total, 1.0), 1 / self.states)
        if self.inside is None:
            return there
        met = np.clip(there @ self.inside[: self.states], 0.0, 1.0)
        return np.stack([1.0 - met, met], axis=1)

    def errors(self, law: FloatArray, spread: Spread) -> FloatArray:
        """Their standard errors, to first order where the law is divided by the probability that it is known."""
        if self.inside is None and len(law) == self.states:
            return spread.errors
        if not spread.errors.any():
            return np.zeros(self.variable.cardinality)
        known = law[: self.states].sum()
        if not known > 0:
            return np.ones(self.variable.cardinality)
        if not self.given_known:
            g = (np.arange(len(law)) < self.states).astype(np.float64)
            return np.full(2, 0.0 if self.rate is not None else spread.error(g - g @ law))
        of_target = self.probabilities(law)
        if self.inside is not None:
            g = np.where(np.arange(len(law)) < self.states, self.inside - of_target[1], 0.0) / known
            return np.full(2, spread.error(g))
        each = np.empty(self.states)
        for x in range(self.states):
            g = np.zeros(len(law))
            g[: self.states] = -of_target[x] / known
            g[x] += 1 / known
            each[x] = spread.error(g)
        return each

    def answer(
        self, law: FloatArray, spread: Spread, levels: LevelLaw | None
    ) -> tuple[FloatArray, FloatArray]:
        """Probabilities and errors; of a condition on a number by the law of its levels, where that is known."""
        if levels is None or not self.by_levels:
            return self.probabilities(law), self.errors(law, spread)
        met = self.met(levels.values, levels.bins)
        share = float(np.clip(met @ levels.weights, 0.0, 1.0))
        return np.array([1.0 - share, share]), np.full(2, levels.spread.error(met - share))

    @property
    def by_levels(self) -> bool:
        """Is it a condition on a number, which its levels meet or do not?"""
        return self.condition is not None and self.inside is not None and self.given_known

    def met(self, values: Numbers, bins: IntArray) -> FloatArray:
        """Of each level of a number: does it meet the condition? Of bins with none that does, the share of the bin."""
        assert self.condition is not None
        assert self.inside is not None
        met = self.condition.rows(bins, None, values).astype(np.float64)
        none = np.bincount(bins, met) == 0  # what it wants lies between the values that the bin keeps
        return np.where(none[bins], self.inside[bins], met)

    def known_rows(self, data: Holed) -> NDArray[np.bool_] | None:
        """The rows of a table that have a part in the answer; None: all."""
        if self.event is not None:
            return self.event[0].rows(data) | self.event[1].rows(data)
        return data.known(self.index) if self.given_known else None

    def seen(self, data: Holed, rows: IntArray) -> IntArray:
        """The target's states in some rows of a table, by their values."""
        if self.event is not None:
            return self.event[0].rows(data)[rows].astype(np.int64)
        codes = data.column(self.index)[rows]
        if self.condition is None:
            return codes.astype(np.int64)
        known, numbers = data.known(self.index), data.numbers(self.index)
        met = self.condition.rows(
            codes, None if known is None else known[rows], None if numbers is None else numbers[rows]
        )
        return met.astype(np.int64)


def targets_of(
    domain: Domain, targets: str | Sequence[str], rates: Sequence[float] | None = None
) -> tuple[Target, ...]:
    """The targets by their names, each once; a variable that is called like a condition comes first.

    `rates` are how often each variable is missing, where it has no state for that.
    """
    if isinstance(targets, (str, bytes)) or not isinstance(targets, Iterable):
        targets = [targets]  # what is no name is the domain's error
    names = list(targets)
    if not names:
        raise EvidenceError("a query needs at least one target; got none.")
    found = tuple(_target(domain, name, rates) for name in names)
    once = [target.variable.name for target in found]
    event = next((name for name, target in zip(once, found, strict=True) if target.event is not None), None)
    if event is not None and len(found) > 1:
        raise EvidenceError(
            f"{event!r} is about several columns together: ask for it alone, not with other targets."
        )
    if len(set(once)) < len(once):
        twice = next(name for at, name in enumerate(once) if name in once[:at])
        raise EvidenceError(f"the target {twice!r} is given twice.")
    return found


def _target(domain: Domain, name: str, rates: Sequence[float] | None) -> Target:
    if not is_event(domain, name):
        i = domain.index(name)  # an unknown name is its error
        states, rate = _of_variable(domain, i, rates)
        return Target(i, _known(domain.variables[i]), states, rate=rate)
    event = read_event(domain, name)
    if not isinstance(event, On):
        false = read_event(domain, name, true=False)
        check_states(domain, event, false)
        return Target(len(domain), Variable(name, (False, True)), 2, event=(event, false))
    i, met, condition = event.column, event.allowed, event.condition
    variable = domain.variables[i]
    inside = met.weights()
    note = beyond_data(variable, condition) if event.plain else None
    about_holes = met.missing or condition == KNOWN
    if met.missing and inside[: len(variable.present_states)].any():
        raise EvidenceError(f"{name!r} asks for values and for missing ones. Ask for one of the two.")
    if not inside.any() and not about_holes:
        note = empty_condition(variable, condition if event.plain else str(event))
    states, rate = _of_variable(domain, i, rates)
    answered = Variable(name, (False, True))
    return Target(i, answered, states, inside, met, not about_holes, rate, note)


def _of_variable(domain: Domain, i: int, rates: Sequence[float] | None) -> tuple[int, float | None]:
    """How many known states it has, and how often it is missing, where it has no state for that."""
    variable = domain.variables[i]
    rate = None if variable.missing is not None else 0.0 if rates is None else rates[i]
    return len(variable.present_states), rate


def _known(variable: Variable) -> Variable:
    """The variable without its state for missing values."""
    if variable.missing is None:
        return variable
    return Variable(
        variable.name, variable.present_states, variable.bins, ordered=variable.ordered, other=variable.other
    )
