"""What is asked of a target, as one number: how probable a state or a condition is, or the mean of a number.

All are means of a function g of its states, over those that count: sum of g(t) h(t) P(t) / sum of h(t) P(t). Of a state or
a condition, g(t) is 1 or 0, or the share of the bin inside, and every state counts; of a mean, g(t) is the mean value of the
bin, and a missing value does not count.
"""

from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.binning.bins import Kind
from depnet.data.binning.mixture import Mixture
from depnet.data.table.variable import Variable
from depnet.errors import EvidenceError, brief
from depnet.inference.answer.numbers import length_of, shown, value_of
from depnet.model.condition_words import empty_condition, said_of
from depnet.model.conditions import condition_weights
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

    @classmethod
    def of(cls, variable: Variable, text: str | None = None) -> "Measure":
        """By a text, or as is natural: the mean of a number, of two states the last, of more the first.

        >>> yes = Measure.of(Variable("survived", ("no", "yes")))
        >>> yes.said, yes.values.tolist()
        ('survived = yes', [0.0, 1.0])
        >>> Measure.of(Variable("rooms", (1, 2, 5))).said, Measure.of(Variable("rooms", (1, 2, 5)), ">1").values.tolist()
        ('mean of rooms', [0.0, 1.0, 1.0])
        """
        mixture = Mixture.of(variable)
        labels = {str(state): code for code, state in reversed(tuple(enumerate(variable.states)))}
        if text is None:
            number = mixture is not None and mixture.states >= FEWEST_VALUES
            states = variable.present_states
            text = (
                MEAN
                if number and MEAN not in labels
                else str(states[-1] if len(states) == 2 else variable.states[0])
            )
        if text in labels:
            values = np.zeros(variable.cardinality)
            values[labels[text]] = 1.0
            return cls(text, f"{variable.name} = {text}", values, np.ones(variable.cardinality))
        if text == MEAN and mixture is not None:
            values, counts = np.zeros(variable.cardinality), np.zeros(variable.cardinality)
            values[: mixture.states] = mixture.means()
            counts[: mixture.states] = 1.0
            return cls(text, f"mean of {variable.name}", values, counts, mixture.kind)
        values = _condition(variable, text)
        return cls(text, said_of(variable.name, text), values, np.ones(variable.cardinality))

    def shown(self, value: float) -> str:
        """A value for people."""
        return f"{value:.3f}" if self.kind is None else shown(value_of(value, self.kind))

    def shown_error(self, error: float) -> str:
        """A standard error, or a difference of two values, for people."""
        return f"{error:.1g}" if self.kind is None else shown(length_of(error, self.kind), 2)


def _condition(variable: Variable, text: str) -> FloatArray:
    try:
        values = condition_weights(variable, text)
    except EvidenceError as error:
        states = [MEAN, *map(str, variable.states)] if Mixture.of(variable) is not None else variable.states
        raise EvidenceError(
            f"{brief(text)} is neither a state of {variable.name!r} nor a condition on it. {nearest(text, states)}"
        ) from error
    if not values.any():
        raise EvidenceError(empty_condition(variable, text))
    return values
