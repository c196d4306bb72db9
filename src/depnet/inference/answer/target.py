"""What is asked for: a variable by its name, or whether a condition holds ("income > 50000").

A condition is a target with the states False and True, in this order: P(True) = sum over states x of its variable of
w(x) P(x), w(x) being the share of state x inside (`depnet.model.conditions`). It is False where the variable is missing,
but for "!=". Where the evidence is a range of the same variable, shares and numbers are those of the values inside.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.domain import Domain
from depnet.data.table.variable import Variable
from depnet.errors import EvidenceError
from depnet.inference.answer.numbers import LevelLaw
from depnet.inference.answer.spread import Spread
from depnet.model.condition_text import cut_at_sign, named_condition
from depnet.model.conditions import beyond_data, condition_weights, empty_condition, met_by


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Variable `index` of a domain, as it is answered: `variable` is that one, or True and False of a condition."""

    index: int
    variable: Variable
    inside: FloatArray | None = None
    """w(x) of each state of the variable that a condition is on; None: no condition, the variable itself."""
    note: str | None = None
    """What to know of how it was read: values beyond the data."""
    condition: object = None

    def probabilities(self, law: FloatArray) -> FloatArray:
        """Of the target's states, from those of its variable."""
        if self.inside is None:
            return law
        share = float(np.clip(self.inside @ law, 0.0, 1.0)) if not np.isnan(law).any() else np.nan
        return np.array([1.0 - share, share])

    def errors(self, law: FloatArray, spread: Spread) -> FloatArray:
        """Their standard errors."""
        if self.inside is None:
            return spread.errors
        return np.full(2, spread.error(self.inside - float(self.inside @ law)))

    def by_levels(
        self, law: FloatArray, errors: FloatArray, variable: Variable, levels: LevelLaw
    ) -> tuple[FloatArray, FloatArray]:
        """Probabilities and errors of a condition on a number, by the law of its states, its errors, and its levels."""
        assert self.inside is not None
        bins = len(levels.sizes)
        met = np.array(met_by(variable, self.condition, levels.values, levels.sizes), dtype=np.float64)
        # What lies between kept values counts as it does without levels.
        of_bin = np.repeat(np.arange(bins), levels.sizes)
        none = np.bincount(of_bin, met, bins) == 0
        met = np.where(none[of_bin], self.inside[of_bin], met)
        present, share = float(law[:bins].sum()), float(met @ levels.weights)
        total = float(np.clip(share * present + self.inside[bins:] @ law[bins:], 0.0, 1.0))
        error = present * levels.spread.error(met - share)
        return np.array([1.0 - total, total]), np.full(2, np.hypot(error, share * errors[bins:].sum()))


def targets_of(domain: Domain, targets: str | Sequence[str]) -> tuple[Target, ...]:
    """The targets by their names, each once; a variable that is called like a condition comes first."""
    if isinstance(targets, (str, bytes)) or not isinstance(targets, Iterable):
        targets = [targets]  # what is no name is the domain's error
    names = list(targets)
    if not names:
        raise EvidenceError("a query needs at least one target; got none.")
    found = tuple(_target(domain, name) for name in names)
    once = [target.variable.name for target in found]
    if len(set(once)) < len(once):
        twice = next(name for at, name in enumerate(once) if name in once[:at])
        raise EvidenceError(f"the target {twice!r} stands twice.")
    return found


def _target(domain: Domain, name: str) -> Target:
    if name in domain.names or not isinstance(name, str) or cut_at_sign(domain, name)[1] in ("", "~"):
        i = domain.index(name)  # an unknown name is its error
        return Target(i, domain.variables[i])
    about, condition = named_condition(domain, name)
    i = domain.index(about)
    variable = domain.variables[i]
    inside = condition_weights(variable, condition)
    note = beyond_data(variable, condition)
    if not inside.any():
        note = empty_condition(variable, condition)
    return Target(i, Variable(name, (False, True)), inside, note, condition)
