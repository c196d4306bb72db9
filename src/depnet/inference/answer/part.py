r"""What was found of what is asked for, whoever found it, with its errors and what a person should know of it.

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from depnet.arrays import FloatArray, IntArray, read_only
from depnet.data.binning.bins import Numbers
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

    def stopped(self, error: float, tolerance: float, why: str = "") -> "Part":
        """The same, less sharp than was asked."""
        said = f"stopped{why} at a standard error of {error:.2g} where {tolerance:.2g} was asked."
        return replace(self, converged=False, warnings=(*self.warnings, Remark(said, "stopped")))


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
