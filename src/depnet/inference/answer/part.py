r"""What is asked for, and what was found of it, whoever found it, with its errors and what a person should know of it.

Asked for is a variable by its name, or whether a condition holds ("income > 50000"). An answer is about the value where it
is known, as a group-by has it: of a variable with a state for missing values, p(x) = P(x) / sum over the other states x' of
P(x'). A condition is a target with the states False and True, in this order: P(True) = sum over states x of its variable of
w(x) p(x), w(x) being the share of state x inside (`depnet.model.conditions`). "income is missing" and "income is known" are
asked of all rows. Where the evidence is a range of the same variable, shares and numbers are those of the values inside.

How far a sum of sampled probabilities may be wrong (a mean, a share, a quantile) is what a `Spread` says. The errors of a
variable's states hang together (they sum to 0), so the standard error of sum over k of g_k p_k does not
follow from theirs. What is sampled therefore keeps its answer in batches that are independent: rows of passes, moved
batches, or chains. With what batch b of B adds to the error of state k, d_bk, the squared errors of all sums are

.. math:: \widehat{Var}\Big(\sum_k g_k \hat p_k\Big) = \sum_b \Big(\sum_k g_k d_{bk}\Big)^2, \qquad
          d_{bk} = \sqrt{\tfrac{B}{B-1}}\, \frac{S_{bk} - \hat p_k W_b}{\sum_b W_b},

S_bk being the weight of state k and W_b all weight in batch b. The errors that are told of states are larger (by caution,
by what no draw has met), so each d_.k is stretched until its sum of squares is what is told of state k; a state in which no
batch differs stands apart, its error being nobody else's. Where there are no batches the bound sum_k |g_k| s_k holds
whatever hangs together: it is too large by about the root of the number of states.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray, read_only
from depnet.data.binning.bins import Numbers
from depnet.data.table.dataset import Holed
from depnet.data.table.variable import Domain, Variable
from depnet.errors import EvidenceError
from depnet.model.conditions import KNOWN, Allowed, beyond_data, empty_condition
from depnet.model.event import Event, On
from depnet.model.evidence import check_states
from depnet.model.given_text import is_event, read_event
from depnet.wording import plural

RemarkKind: TypeAlias = Literal["note", "rare", "difference", "stopped"]
"""About the question; the evidence matches few rows; model and table differ; the answer is not as sharp as was asked."""

ROUNDING = 1e-12
"""Errors and deviations below this are those of sums of floats: no batch differs."""


class Remark(str):
    """A warning of an answer. It is the sentence itself; who hides or orders warnings asks for its `kind`."""

    __slots__ = ("kind",)
    kind: RemarkKind

    def __new__(cls, text: str, kind: RemarkKind = "note") -> "Remark":
        """A sentence of a kind; one that has a kind keeps it."""
        made = super().__new__(cls, text)
        made.kind = text.kind if isinstance(text, Remark) else kind
        return made

    def __reduce__(self) -> tuple[type["Remark"], tuple[str, RemarkKind]]:
        return Remark, (str(self), self.kind)


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The standard `errors` of a variable's states, and `deviations` [batch, state], or None where there are no batches."""

    errors: FloatArray
    deviations: FloatArray | None = None

    @classmethod
    def of(cls, errors: FloatArray, deviations: FloatArray | None) -> "Spread":
        """Deviations stretched to the errors."""
        if deviations is None or not errors.any():
            return cls(read_only(np.array(errors)))
        norms = np.sqrt((deviations**2).sum(axis=0))
        stretch = np.divide(errors, norms, out=np.zeros_like(errors), where=norms > ROUNDING)
        return cls(read_only(np.array(errors)), read_only(deviations * stretch))

    def error(self, g: FloatArray) -> float:
        """The standard error of sum_k g_k p_k; g is best centred, so that sum_k g_k p_k is 0."""
        if self.deviations is None:
            return float(np.abs(g) @ self.errors)
        apart = ~self.deviations.any(axis=0)
        alone = float(((g * self.errors)[apart] ** 2).sum())
        return float(np.sqrt(((self.deviations @ g) ** 2).sum() + alone))

    def times(self, share: float) -> "Spread":
        """Of an answer in which these probabilities have a share, and the rest has no error."""
        shrunk = None if self.deviations is None else read_only(share * self.deviations)
        return Spread(read_only(share * self.errors), shrunk)


@dataclass(frozen=True, slots=True, eq=False)
class LevelLaw:
    """Where in their bins a law's numbers lie: `weights` of the levels (`depnet.data.binning.levels`), 1 in all.

    `values` are those of the levels, `sizes` says how many each bin has, and `spread` has the weights' errors.
    """

    values: Numbers
    sizes: IntArray
    weights: FloatArray
    spread: Spread

    @property
    def bins(self) -> IntArray:
        """Of each level, its bin."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def margins(deviations: FloatArray) -> list[FloatArray]:
    """Of the deviations [batch, axis, axis, ...] of a joint table, those of each axis alone, [batch, state]."""
    axes = range(1, deviations.ndim)
    return [deviations.sum(axis=tuple(a for a in axes if a != axis)) for axis in axes]


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How a sampled answer was found.

    `r_hat` is the largest split R-hat of any probability reported; `effective_sample_size` the smallest
    number of independent draws of the targets that would have the same standard error (infinite where no probability
    varies from chain to chain); `updates` are site
    updates in all, burn-in included.
    """

    r_hat: float
    effective_sample_size: float
    chains: int
    sweeps: int
    burn_in: int
    updates: int
    largest_error: float

    def __str__(self) -> str:
        chains = f"{self.chains} chains of {plural(self.sweeps, 'sweep')}"
        return f"R-hat {self.r_hat:.3f}, effective sample size {_whole(self.effective_sample_size)}, {chains}"


@dataclass(frozen=True, slots=True)
class PassDiagnostics:
    """How an answer of an ordered law was found where it is not exact: from weighted passes, which are independent.

    `effective_sample_size` is the number of passes without weights that would be as good. Where a few had most of the
    weight, they were `moved`, and standard errors are between independent batches.
    """

    passes: int
    effective_sample_size: float
    moved: bool
    largest_error: float

    def __str__(self) -> str:
        return f"effective sample size {_whole(self.effective_sample_size)}, {plural(self.passes, 'pass', 'passes')}"


def _whole(size: float) -> str:
    return f"{size:,.0f}" if math.isfinite(size) else "unlimited"


def effective_sample_size(values: FloatArray, errors: FloatArray) -> float:
    """The smallest p (1 - p) / error^2 of the probabilities that vary; infinite where none does."""
    vary = errors > ROUNDING
    return float(((values * (1 - values))[vary] / errors[vary] ** 2).min(initial=math.inf))


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The answers of some of the tables asked for: their values and standard errors, and how they were found.

    `deviations` has, of each table, of each of its variables, [batch, state]: what each batch adds to the errors of its
    states; it is empty of what is exact. `levels` has, of some numbers, the weights of
    their levels (`depnet.data.binning.levels`), 1 in all where the number is there, and `level_spreads` their errors; of a
    number without, all levels of a bin are as likely.
    """

    values: list[FloatArray]
    errors: list[FloatArray]
    method: str
    converged: bool = True
    diagnostics: Diagnostics | PassDiagnostics | None = None
    warnings: tuple[Remark, ...] = ()
    deviations: Sequence[Sequence[FloatArray]] = ()
    levels: Mapping[int, FloatArray] = field(default_factory=dict)
    level_spreads: Mapping[int, Spread] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The joint law of some `variables`, with the spread of each one's own."""

    variables: tuple[int, ...]
    values: FloatArray
    errors: FloatArray
    spreads: Mapping[int, Spread]

    def margin(self, i: int) -> FloatArray:
        axis = self.variables.index(i)
        return np.asarray(self.values.sum(axis=tuple(a for a in range(self.values.ndim) if a != axis)))


def tables_of(
    asked: Sequence[tuple[int, ...]],
    parts: Sequence[tuple[tuple[int, ...], Part]],
    cards: Sequence[int],
    clamped: Mapping[int, int],
) -> list[Table]:
    """The tables asked for; each part has the variables that it answers, those of one table, or of a table each.

    A variable whose state is known has it with certainty.
    """
    found: dict[tuple[int, ...], tuple[FloatArray, FloatArray, Sequence[FloatArray]]] = {}
    for variables, part in parts:
        names = [variables] if len(part.values) < len(variables) else [(i,) for i in variables]
        deviations = part.deviations or [()] * len(names)
        found |= dict(zip(names, zip(part.values, part.errors, deviations, strict=True), strict=True))
    tables = []
    for variables in asked:
        free = tuple(i for i in variables if i not in clamped)
        values, errors = np.zeros((2, *(cards[i] for i in variables)))
        where = tuple(clamped[i] if i in clamped else slice(None) for i in variables)
        spreads = {i: Spread(np.zeros(cards[i])) for i in variables if i in clamped}
        values[where] = 1.0
        if free in found:
            values[where], errors[where], of_batches = found[free]
            for at, i in enumerate(free):
                spreads[i] = _margin(found[free][1], at, of_batches[at] if of_batches else None)
        tables.append(Table(variables, values, errors, spreads))
    return tables


def _margin(errors: FloatArray, axis: int, deviations: FloatArray | None) -> Spread:
    """The spread of one variable of a table: a state's error is that of a sum of cells."""
    if errors.ndim == 1 or deviations is None:
        return Spread.of(errors.sum(axis=tuple(a for a in range(errors.ndim) if a != axis)), deviations)
    # No smaller than that of the surest cell: what no draw has met counts there.
    return Spread.of(np.maximum(np.sqrt((deviations**2).sum(axis=0)), errors.min()), deviations)


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
        if self.condition is None or self.inside is None or levels is None or not self.given_known:
            return self.probabilities(law), self.errors(law, spread)
        bins = levels.bins
        met = self.condition.rows(bins, None, levels.values).astype(np.float64)
        # What lies between the values that a bin keeps counts as it does without levels.
        none = np.bincount(bins, met, len(levels.sizes)) == 0
        met = np.where(none[bins], self.inside[bins], met)
        share = float(np.clip(met @ levels.weights, 0.0, 1.0))
        return np.array([1.0 - share, share]), np.full(2, levels.spread.error(met - share))

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
            f"{event!r} speaks of several columns together, and is asked alone, not beside other targets."
        )
    if len(set(once)) < len(once):
        twice = next(name for at, name in enumerate(once) if name in once[:at])
        raise EvidenceError(f"the target {twice!r} stands twice.")
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
