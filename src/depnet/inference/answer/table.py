"""What a result says of one target, or of all targets of a joint: its states, the answer, its two parts, how sure it is."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from depnet.arrays import FloatArray, read_only
from depnet.data.table.variable import Label, Variable
from depnet.errors import InferenceError, brief
from depnet.inference.answer.intervals import SURE_MEANS, SURE_SHARES, ends
from depnet.inference.answer.numbers import LAW_ROWS, NumberLaw, NumberSummary
from depnet.inference.answer.observed import Support
from depnet.inference.answer.part import LevelLaw, Spread
from depnet.wording import nearest, some_of

Answer: TypeAlias = FloatArray | dict[str, FloatArray]

Of: TypeAlias = Literal["probabilities", "combined", "observed"]
"""Which probabilities of a result."""

WORTH = 50.0
"""s of `QueryResult.combined` where held-out rows did not choose it."""

FEWEST_STATES = 3
"""A number with fewer states is shown by these alone: the mean of 0 and 1 is the probability of 1."""


@dataclass(frozen=True, slots=True, eq=False)
class AnswerTable:
    """What a result says of one target, or of all targets of a joint, `names`."""

    result: "TargetAnswers"
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
    def of(cls, result: "TargetAnswers", names: tuple[str, ...]) -> "AnswerTable":
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

    @property
    def sure_rows_of_mean(self) -> float:
        """The same of means."""
        return self.result.rows_known(self.names[0], self.share) + self.result.sure_means

    def interval(self, some: slice | Sequence[int] = slice(None)) -> FloatArray:
        """[..., 2]: where the shares of the population lie, around the answer; of all states, or some."""
        at = some if isinstance(some, slice) else list(some)
        return ends(self.answer[at], self.error[at], self.sure_rows)

    @property
    def number(self) -> NumberSummary | None:
        """What is said of a single target that is a number."""
        return self.summary(self.variable, "combined")

    def summary(self, variable: Variable, of: Of) -> NumberSummary | None:
        """What is said of a target; None where it is no number, or there are no such probabilities."""
        law = self.number_law(variable, of)
        if law is None:
            return None
        return NumberSummary(variable, law, self.sure_rows_of_mean if of == "combined" else None)

    def number_law(self, variable: Variable, of: Of) -> NumberLaw | None:
        """The law of a target that is a number; None where it is none, or there are no such probabilities."""
        result, name = self.result, variable.name
        probabilities = {"combined": self.answer, "probabilities": self.law, "observed": self.observed}[of]
        if probabilities is None or name not in result.spreads or np.isnan(probabilities).any():
            return None
        spread, seen, share = result.spreads[name], result.seen.get(name), self.share
        with_rows = seen is not None and share < 1.0
        if of == "observed":
            if with_rows:
                return seen
            spread = spread.times(0.0)
        elif with_rows:
            probabilities = self.law
        elif of == "combined":
            spread = spread.times(share)
        law: NumberLaw | None
        if name in result.levels and of != "observed" and variable.bins is not None:
            law = NumberLaw.of_levels(variable.bins.kind, result.levels[name])
        else:
            axis = result.targets.index(name) if result.joint else 0
            others = tuple(a for a in range(probabilities.ndim) if a != axis)
            margin = np.asarray(probabilities.sum(axis=others))
            law = NumberLaw.of(variable, margin, spread, 1.0 - result.missing.get(name, 0.0))
        if law is None or seen is None or not (with_rows and of == "combined"):
            return law
        n = result.effective_rows(name)
        s = law.worth_beside(seen, n, result.worth)
        return law.joined(seen, s / (n + s))

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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TargetAnswers:
    """What is said of targets by a model, and by a table: the part of a `QueryResult`, whose attributes these are, that
    a group has, too.
    """

    targets: tuple[str, ...]
    states: tuple[tuple[Label, ...], ...]
    joint: bool
    probabilities: Answer
    standard_errors: Answer
    support: Support | None = None
    observed: Answer | None = None
    matching: int | dict[str, int] | None = None
    missing: Mapping[str, float] = field(default_factory=dict)
    missing_observed: Mapping[str, float] | None = None
    worth: float = WORTH
    learned: int = 0
    effective: Mapping[str, float] = field(default_factory=dict)
    sure_shares: float = SURE_SHARES
    sure_means: float = SURE_MEANS
    variables: tuple[Variable, ...] = field(default=(), repr=False)
    spreads: Mapping[str, Spread] = field(default_factory=dict, repr=False)
    levels: Mapping[str, LevelLaw] = field(default_factory=dict, repr=False)
    seen: Mapping[str, NumberLaw] = field(default_factory=dict, repr=False)

    @property
    def combined(self) -> Answer:
        """(n observed + s probabilities) / (n + s), n rows matching: `probabilities` where there are no such rows.

        With many matching rows it is the table's answer, with few the model's. It is no joint law: answers to several
        questions need not fit together, as those of `probabilities` do.
        """
        return self._each(lambda table: table.answer)

    @property
    def interval(self) -> Answer:
        """[..., 2]: where the shares of the population lie that the rows come from, 90 % sure: around `combined`.

        An array [state, 2] for one target, {name: [state, 2]} for several, a tensor with one axis more for a joint. It
        speaks of chance and of the model's error as held-out rows know it (`depnet.inference.answer.numbers`), each
        share taken alone, not of rows that were chosen in another way than those to come. `numbers[name].interval` is
        that of a mean.
        """
        return self._each(lambda table: table.interval())

    def table(self, name: str) -> AnswerTable:
        """What is said of a target; of a joint, of all of them together."""
        return AnswerTable.of(self, self.targets if self.joint else (name,))

    @property
    def tables(self) -> list[AnswerTable]:
        """Those of the targets, in their order; of a joint, the only one."""
        return [self.table(name) for name in (self.targets[:1] if self.joint else self.targets)]

    def _each(self, part: Callable[[AnswerTable], FloatArray]) -> Answer:
        """A part of every table, as the probabilities are."""
        if not isinstance(self.probabilities, dict):
            return part(self.table(self.targets[0]))
        return {table.names[0]: part(table) for table in self.tables}

    def rows_known(self, name: str, law_share: float) -> float:
        """The matching rows that an interval rests on, of a target: none where something of them is hidden."""
        if law_share < 1.0:
            return self.effective_rows(name)
        return self.learned * LAW_ROWS / (self.learned + LAW_ROWS)

    def rows_of(self, name: str) -> int:
        """In how many rows that match the evidence a target is known; 0 where there are no rows at hand."""
        if isinstance(self.matching, dict):
            return self.matching.get(name, 0)
        return self.matching or 0

    def effective_rows(self, name: str) -> float:
        """How many equal rows those that match count as: as many as match, unless they have survey weights."""
        return self.effective.get(name, self.rows_of(name)) if self.rows_of(name) else 0

    @property
    def numbers(self) -> dict[str, NumberSummary]:
        """Mean, standard deviation and quantiles of each target that is a number, by `combined`; of a joint, of each alone.

        Not of a target that is missing with certainty. `summary` has the same by `probabilities` or `observed`.
        """
        found = ((variable.name, self.numbers_of(variable, "combined")) for variable in self.variables)
        return {name: summary for name, summary in found if summary is not None}

    def summary(self, name: str | None = None, of: Of = "combined") -> NumberSummary | None:
        """Mean, standard deviation and quantiles of a target that is a number.

        Standard errors are Monte Carlo errors: those of "combined" are the law's share in it, "observed" has none.

        Args:
            name: the target; that of an only target may be left out.
            of: by which probabilities: "combined", "probabilities" or "observed".

        Returns:
            A summary with `mean`, `standard_deviation`, `median`, `quantiles`; None where there are no such
            probabilities: no rows match, or counts are hidden.
        """
        if name is None and len(self.targets) > 1:
            raise InferenceError(f"there are several targets; name one of them: {', '.join(self.targets)}.")
        wanted = self.targets[0] if name is None else name
        if wanted not in self.targets:
            raise InferenceError(f"the target {wanted!r} was not asked for. {nearest(wanted, self.targets)}")
        if of not in get_args(Of):
            raise InferenceError(f"`of` is one of {', '.join(map(repr, get_args(Of)))}; got {brief(of)}.")
        variable = self.variables[self.targets.index(wanted)]
        if variable.scale != "number":
            raise InferenceError(
                f"{wanted!r} is not a number: it has the values {some_of([*map(str, variable.states)])}."
            )
        return self.numbers_of(variable, of)

    def numbers_of(self, variable: Variable, of: Of) -> NumberSummary | None:
        """What is said of a target; None where it is no number, or there are no such probabilities."""
        return self.table(variable.name).summary(variable, of)

    def number_law(self, variable: Variable, of: Of) -> NumberLaw | None:
        """The law of a target that is a number; None where it is none, or there are no such probabilities."""
        return self.table(variable.name).number_law(variable, of)


def by_target(result: TargetAnswers, arrays: Answer) -> dict[str, FloatArray]:
    """Arrays of an answer about one or several targets, by their names; those of a joint by the first."""
    return arrays if isinstance(arrays, dict) else {result.targets[0]: arrays}
