"""What a result says of one target, or of all targets of a joint: its states, the answer, its two parts, how sure it is."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from depnet.arrays import FloatArray, read_only
from depnet.data.table.variable import Label, Variable
from depnet.inference.answer.intervals import ends
from depnet.inference.answer.numbers import NumberSummary

if TYPE_CHECKING:
    from depnet.inference.answer.result import QueryResult

Answer: TypeAlias = FloatArray | dict[str, FloatArray]

FEWEST_STATES = 3
"""A number with fewer states is shown by these alone: the mean of 0 and 1 is the probability of 1."""


@dataclass(frozen=True, slots=True, eq=False)
class AnswerTable:
    """What a result says of one target, or of all targets of a joint, `names`."""

    result: "QueryResult"
    names: tuple[str, ...]
    answer: FloatArray
    """`QueryResult.combined`: the law's probabilities and the observed frequencies, joined."""
    law: FloatArray
    errors: FloatArray
    """The errors of computing the law's probabilities."""
    observed: FloatArray | None
    """None where no rows take part; nan where they are hidden."""
    share: float
    """The law's share s / (n + s) in the answer."""

    @classmethod
    def of(cls, result: "QueryResult", names: tuple[str, ...]) -> "AnswerTable":
        """The table of these targets: one of them, or all of a joint."""
        law, errors = (
            by_target(result, each)[names[0]] for each in (result.probabilities, result.standard_errors)
        )
        observed = None
        if result.observed is not None and result.matching:
            observed = by_target(result, result.observed)[names[0]]
        n, s = result.effective_rows(names[0]), result.worth
        if observed is None or np.isnan(observed).any():  # there are no rows, or some are hidden
            return cls(result, names, law, law, errors, observed, 1.0)
        joined = read_only((n * observed + s * law) / (n + s))
        return cls(result, names, joined, law, errors, observed, s / (n + s))

    @property
    def flat(self) -> "AnswerTable":
        """The same with flat arrays, in the order of `labels`."""
        return replace(
            self,
            answer=self.answer.ravel(),
            law=self.law.ravel(),
            errors=self.errors.ravel(),
            observed=None if self.observed is None else self.observed.ravel(),
        )

    @property
    def variable(self) -> Variable:
        """The first target."""
        return self.result.variables[self.result.targets.index(self.names[0])]

    @property
    def labels(self) -> list[tuple[Label, ...]]:
        """The states of the targets, or their joint states."""
        states = dict(zip(self.result.targets, self.result.states, strict=True))
        return list(itertools.product(*(states[name] for name in self.names)))

    @property
    def rows(self) -> int:
        return self.result.rows_of(self.names[0])

    @property
    def error(self) -> FloatArray:
        """The error of computing the answer, of which the law has its share."""
        return self.share * self.errors

    @property
    def sure_rows(self) -> float:
        """How many rows the intervals of shares rest on."""
        return self.result.rows_known(self.names[0], self.share) + self.result.sure_shares

    def interval(self, some: slice | Sequence[int] = slice(None)) -> FloatArray:
        """[..., 2]: where the shares of the population lie, around the answer; of all states, or some."""
        at = some if isinstance(some, slice) else list(some)
        return ends(self.answer[at], self.error[at], self.sure_rows)

    @property
    def number(self) -> "NumberSummary | None":
        """What is said of a single target that is a number."""
        return self.result.numbers_of(self.variable, "combined")

    @property
    def numbers(self) -> tuple[str, ...]:
        """The targets that are numbers of several states."""
        return tuple(
            v.name
            for v in self.result.variables
            if v.name in self.names
            and len(v.present_states) >= FEWEST_STATES
            and v.scale == "number"
            and v.name in self.result.spreads
        )

    @property
    def is_number(self) -> bool:
        """Are the states bins, or values, of one number, of which its mean and quantiles say more?"""
        return self.names == self.numbers

    def order(self, most: int) -> Sequence[int]:
        """The states to list: all, or the most probable; those that have an order of their own in that."""
        if self.answer.size <= most:
            return range(self.answer.size)
        chosen = np.argsort(-self.answer, kind="stable")[:most]
        ordered = len(self.names) == 1 and self.variable.has_order
        return [int(at) for at in (np.sort(chosen) if ordered else chosen)]


def by_target(result: "QueryResult", arrays: Answer) -> dict[str, FloatArray]:
    """Arrays of an answer about one or several targets, by their names; those of a joint by the first."""
    return arrays if isinstance(arrays, dict) else {result.targets[0]: arrays}
