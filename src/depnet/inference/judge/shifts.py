r"""What evidence moves: the answer before it beside the one after it, variable by variable.

How much a variable's marginal is moved by evidence is measured by the total variation distance between its prior and its
posterior, TV = 1/2 sum over states of |posterior - prior|: the largest change in the probability of any event. With rows
at hand, both are what the model and the rows say together (`QueryResult.combined`).

Two variables together have a joint table, and tell of each other. In the joint law of a pair (A, B), given what is known,
the mutual information

.. math:: I(A; B) = H(A) + H(B) - H(A, B)

is what knowing the one takes from the uncertainty of the other, in bits a row, whatever else is read: the same both ways.
A link's strength differs from it, since it is what a node gains by one input beside its other inputs.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.variable import Variable
from depnet.errors import InferenceError
from depnet.geometry import total_variation
from depnet.geometry.joint import entropy
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.table import AnswerTable, TargetAnswers, by_target
from depnet.inference.ask.query import query
from depnet.model.evidence import Given
from depnet.model.mixture import AnyNetwork


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
    def of(cls, result: TargetAnswers, name: str) -> "Missing":
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
    """The shift of every variable that both answers are about, the largest change first."""
    before = by_target(prior, prior.combined)
    shifts = [Shift(before[t.names[0]], t) for t in posterior.tables if t.names[0] in before]
    return tuple(sorted(shifts, key=lambda shift: -shift.change))


def largest_error(result: QueryResult) -> float:
    """The largest standard error of the model's part of an answer; infinite where it is not known."""
    largest = max(float(table.errors.max()) for table in result.tables)
    return math.inf if math.isnan(largest) else largest


BITS = 1 / math.log(2)


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """The joint answer about two variables; tables are [state of the first, state of the second]. Make one with `pair`."""

    result: QueryResult

    @property
    def joint(self) -> FloatArray:
        assert isinstance(self.result.probabilities, np.ndarray)  # it was asked for as a joint
        return self.result.probabilities

    @property
    def given_first(self) -> FloatArray:
        """P(second | first): rows sum to 1, nan where a state of the first has probability 0."""
        return _shares(self.joint, axis=1)

    @property
    def given_second(self) -> FloatArray:
        """P(first | second): columns sum to 1."""
        return _shares(self.joint, axis=0)

    @property
    def counts(self) -> FloatArray | None:
        """The matching rows of the table, nan where they are hidden; None without a table, or where no row matches."""
        observed = self.result.observed
        if not isinstance(observed, np.ndarray) or not self.result.matching:
            return None
        return np.asarray(observed * self.result.rows_of(self.result.targets[0]))

    @property
    def uncertainty(self) -> tuple[float, float]:
        """The entropy of the first and of the second, in bits."""
        return BITS * entropy(self.joint.sum(axis=1)), BITS * entropy(self.joint.sum(axis=0))

    @property
    def information(self) -> float:
        """I(first; second), in bits."""
        return max(0.0, sum(self.uncertainty) - BITS * entropy(self.joint))


def pair(network: AnyNetwork, first: str, second: str, evidence: Given | None = None, **bounds: Any) -> Pair:
    """Two variables together, given what is known; `bounds` are those of `query`."""
    if first == second:
        raise InferenceError(f"a pair has two variables; got {first!r} twice.")
    return Pair(query(network, [first, second], evidence, joint=True, **bounds))


def _shares(joint: FloatArray, axis: int) -> FloatArray:
    total = joint.sum(axis=axis, keepdims=True)
    return np.asarray(np.divide(joint, total, out=np.full_like(joint, np.nan), where=total > 0))
