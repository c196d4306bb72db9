r"""The cost of an information source (Sec. 4.3 and 4.5): what complexity costs, and what counts N_yx say.

.. math:: cost_i = KL(p^D \| E(\theta_i)) + R(k_i, N), \qquad k_i = |Y_i| (|X_i| - 1)

A penalty is called as `penalty(parameters, rows)` and gives R(k, N) in nats per row; any function of
this shape is one. Those that are linear in k also tell the price of one parameter, `per_parameter(rows)`.

`StructuralMdl` charges something more: the nats of naming each operation, as in a two-part code. That
cost belongs to the path of operations, not to Y alone, so it stands beside R and is no part of it.

With T(x) = x log x, the entropy of a leaf in nats times its rows is E(L_y) = T(N_y) - sum over x of T(N_yx), and

.. math:: cost'(Y) &= H(p^D(X_i \mid Y)) + R(k, N) = \frac1N \sum_y E(L_y) + R(k, N)
              \quad\text{(cost\_prime)} \\
          Lcost(L_y) &= \frac1N E(L_y) + R(|X_i| - 1, N), \qquad
          cost'(Y) = \sum_y Lcost(L_y) \quad\text{(sum\_of\_Lcost, R linear in k)} \\
          \Delta &= cost'(Y^{new}) - cost'(Y) \quad\text{(evaluating\_Delta)}

The floats are fixed (sums over states and over leaves ascend, T is the native one), so that the native
learner and these functions agree to the last bit; `conditional_entropy` alone is summed as numpy does.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from depnet._native.learner import xlogx
from depnet.arrays import FloatArray, IntArray, xlogy
from depnet.errors import LearningError


@runtime_checkable
class Penalty(Protocol):
    """R(k, N), in nats per row: finite, and not negative."""

    def __call__(self, parameters: int, rows: int, /) -> float:
        """R(k, N) for k = `parameters` free parameters and N = `rows`."""


PenaltyLike: TypeAlias = "Penalty | StructuralMdl | Callable[[int, int], float] | str"
"""What `checked_penalty` understands: a penalty, a function R(k, N), or a name."""


class _Linear:
    """R(k, N) = k * per_parameter(N); `scale * penalty` is one, too."""

    __slots__ = ()

    def __call__(self, parameters: int, rows: int, /) -> float:
        """R(k, N)."""
        return parameters * self.per_parameter(rows)

    def per_parameter(self, rows: int) -> float:
        """R(1, N)."""
        raise NotImplementedError

    def __rmul__(self, scale: float) -> "Scaled":
        return Scaled(scale, self)


@dataclass(frozen=True, slots=True)
class Mdl(_Linear):
    r"""The paper's penalty, after the minimum description length: half a log N for each parameter.

    .. math:: R(k, N) = \frac{k \log N}{2N}

    >>> round(Mdl()(4, 1000), 6)
    0.013816
    """

    def per_parameter(self, rows: int) -> float:
        """Log N / 2N."""
        return math.log(rows) / (2 * rows)


@dataclass(frozen=True, slots=True)
class Aic(_Linear):
    """Akaike's criterion, R(k, N) = k / N: one nat for each parameter of the table's whole code.

    >>> Aic()(4, 1000)
    0.004
    """

    def per_parameter(self, rows: int) -> float:
        """1 / N."""
        return 1 / rows


@dataclass(frozen=True, slots=True)
class NoPenalty(_Linear):
    """R = 0: every split that says anything about X_i is made.

    >>> NoPenalty()(4, 1000)
    0.0
    """

    def per_parameter(self, rows: int) -> float:
        """0."""
        return 0.0


@dataclass(frozen=True, slots=True, repr=False)
class Scaled:
    """A penalty times a constant; written `scale * penalty`.

    >>> 0.5 * (0.5 * Mdl())
    0.25 * Mdl()
    """

    scale: float
    penalty: Penalty

    def __post_init__(self) -> None:
        scale = _checked_factor("the scale of a penalty", self.scale)
        inner = checked_penalty(self.penalty)
        if isinstance(inner, StructuralMdl):
            raise LearningError("StructuralMdl is not scaled by Scaled; write scale * StructuralMdl(...).")
        if isinstance(inner, Scaled):
            scale, inner = scale * inner.scale, inner.penalty
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "penalty", inner)

    def __call__(self, parameters: int, rows: int, /) -> float:
        """Scale times the penalty's R(k, N)."""
        return self.scale * self.penalty(parameters, rows)

    def __rmul__(self, scale: float) -> "Scaled":
        return Scaled(scale, self)

    def __repr__(self) -> str:
        return f"{self.scale!r} * {self.penalty!r}"


@dataclass(frozen=True, slots=True)
class StructuralMdl:
    r"""R(k, N) plus the nats of naming each operation: the two-part code of how Y was grown.

    .. math:: \frac{f_s}{N} \log(|Y| \cdot \text{admissible variables}) \text{ for a split}, \qquad
              \frac{f_m}{N} \log \tfrac{|Y|(|Y|-1)}{2} \text{ for a merge}

    A merge refunds its parameters, so with R alone split-merge-split goes on for free and nothing pays
    for having searched n variables and all leaves: on wide tables with few rows that overfits.

    Args:
        split_factor: f_s, what naming a split counts.
        merge_factor: f_m, what naming a merge counts.
        parameters: R(k, N), the penalty of the table's parameters.

    >>> from depnet import learn, titanic
    >>> [node.source.size for node in learn(titanic(), penalty=StructuralMdl(0.75, 1.0, 0.5 * Mdl())).nodes]
    [6, 9, 6, 10]
    """

    split_factor: float = 1.0
    merge_factor: float = 1.0
    parameters: Penalty = field(default_factory=Mdl)

    def __post_init__(self) -> None:
        for name in ("split_factor", "merge_factor"):
            factor = _checked_factor(f"{name} of StructuralMdl", getattr(self, name))
            object.__setattr__(self, name, factor)
        inner = checked_penalty(self.parameters)
        if isinstance(inner, StructuralMdl):
            raise LearningError(
                f"the parameters of StructuralMdl cost R(k, N), such as Mdl(); got {inner!r}."
            )
        object.__setattr__(self, "parameters", inner)

    def __call__(self, parameters: int, rows: int, /) -> float:
        """R(k, N) alone, without the names of operations."""
        return self.parameters(parameters, rows)

    def split_name(self, leaves: int, admissible: int, rows: int) -> float:
        """Nats per row for naming one split of `leaves` leaves by `admissible` variables."""
        return self.split_factor * math.log(leaves * admissible) / rows

    def merge_name(self, leaves: int, rows: int) -> float:
        """Nats per row for naming one of the pairs of `leaves` leaves."""
        return self.merge_factor * math.log(leaves * (leaves - 1) // 2) / rows

    def __rmul__(self, scale: float) -> "StructuralMdl":
        """Both R and the names, scaled."""
        scale = _checked_factor("the scale of a penalty", scale)
        return StructuralMdl(
            scale * self.split_factor, scale * self.merge_factor, Scaled(scale, self.parameters)
        )


def checked_penalty(penalty: PenaltyLike) -> Penalty:
    """A penalty from a penalty, a function R(k, N) or a name.

    >>> checked_penalty("aic")
    Aic()
    """
    if isinstance(penalty, str):
        if penalty in NAMED:
            return NAMED[penalty]
        names = ", ".join(map(repr, NAMED))
        raise LearningError(f"there is no penalty {penalty!r}. The names are {names} and 'auto'.")
    if isinstance(penalty, type) or not callable(penalty):
        hint = f" Did you mean {penalty.__name__}()?" if isinstance(penalty, type) else ""
        raise LearningError(
            f"a penalty is a name, a value such as Mdl(), or a function R(k, N); got {penalty!r}.{hint}"
        )
    return penalty


def per_parameter(penalty: Penalty, rows: int) -> float | None:
    """R(1, N) where R is known to be linear in k; None for a user's own function."""
    if isinstance(penalty, StructuralMdl):
        return per_parameter(penalty.parameters, rows)
    if isinstance(penalty, Scaled):
        one = per_parameter(penalty.penalty, rows)
        return None if one is None else penalty.scale * one
    price = getattr(penalty, "per_parameter", None)  # of any class that has one
    return None if price is None else checked_value(penalty, price(rows), 1, rows)


def penalty_value(penalty: Penalty, parameters: int, rows: int) -> float:
    """R(k, N), checked to be finite and not negative (condition 2 of Theorem 5)."""
    return checked_value(penalty, penalty(parameters, rows), parameters, rows)


def checked_value(penalty: Penalty, value: float, parameters: int, rows: int) -> float:
    """`value`, that `penalty` gave for R(k, N), as a finite float of at least 0."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise LearningError(
            f"the penalty {penalty!r} gave R({parameters}, {rows}) = {value!r}; expected a finite number of at "
            "least 0, in nats per row."
        )
    return number


def _checked_factor(what: str, factor: float) -> float:
    number = isinstance(factor, (int, float)) and not isinstance(factor, bool)
    if not (number and math.isfinite(factor) and factor >= 0):
        raise LearningError(f"{what} is a finite number of at least 0; got {factor!r}.")
    return float(factor)


NAMED: dict[str, Penalty] = {
    "mdl": Mdl(),
    "structural-mdl": StructuralMdl(),
    "aic": Aic(),
    "none": NoPenalty(),
}
"""The penalties that have a name ("auto" is not one penalty but a choice among several)."""


LADDER: tuple[Penalty, ...] = (
    StructuralMdl(1.0, 1.0, Mdl()),
    StructuralMdl(1.0, 1.0, 0.5 * Mdl()),
    StructuralMdl(0.5, 1.0, Mdl()),
    StructuralMdl(0.5, 1.0, 0.5 * Mdl()),
    StructuralMdl(0.5, 1.0, 0.25 * Mdl()),
    Mdl(),
    StructuralMdl(0.0, 1.0, Mdl()),
    StructuralMdl(0.25, 1.0, 0.5 * Mdl()),
    StructuralMdl(0.25, 1.0, 0.25 * Mdl()),
    StructuralMdl(0.0, 1.0, 0.5 * Mdl()),
    StructuralMdl(0.0, 1.0, 0.25 * Mdl()),
)
"""From strict to generous: what naming an operation costs, and what a parameter costs (docs/penalties.md)."""

SMOOTHINGS = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Smoothings tried, in units of the `smoothing` that was asked for."""


@dataclass(frozen=True, slots=True)
class Auto:
    """What `penalty="auto"` chooses from, and how sure a node must be to choose for itself."""

    penalties: tuple[Penalty, ...] = LADDER
    smoothings: tuple[float, ...] = SMOOTHINGS
    standard_errors: float = 3.0
    patience: int = 3
    """The ladder is left after this many rungs without a better pooled score."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "penalties", tuple(checked_penalty(p) for p in self.penalties))
        if not self.penalties or not self.smoothings or min(self.smoothings) <= 0:
            raise LearningError(
                "Auto needs at least one penalty and one smoothing, and smoothings above 0; got "
                f"{self.penalties} and {self.smoothings}."
            )


def leaf_entropy(counts: IntArray) -> float:
    """E(L_y) = T(N_y) - sum over x, ascending, of T(N_yx): nats times rows."""
    total = 0.0
    for n in counts.tolist():
        total += xlogx(n)
    return xlogx(int(counts.sum())) - total


def conditional_entropy(counts: NDArray[Any], rows: float) -> float:
    """H(p^D(X_i | Y_i)) = 1/N sum over y of (N_y log N_y - sum over x of N_yx log N_yx), in nats; weights serve, too."""
    totals = counts.sum(axis=1)
    each = xlogy(totals, totals) - xlogy(counts, counts).sum(axis=1)
    return max(float(each.sum()), 0.0) / rows


def misfit_of(counts: IntArray, theta: FloatArray, rows: int) -> float:
    """The sum over y of p(y) KL(p(X_i | y) || theta_i(X_i | y)), in nats; infinite where theta misses a row."""
    from scipy.special import rel_entr  # takes long to import

    totals = counts.sum(axis=1)
    filled = totals > 0
    p = counts[filled] / totals[filled, None]
    each = rel_entr(p, theta[filled]).sum(axis=1)
    return max(float(totals[filled] @ each), 0.0) / rows if np.isfinite(each).all() else float("inf")


def lcost(counts: IntArray, rows: int, penalty: Penalty) -> float:
    """Lcost(L_y) of the leaf with these counts of X_i's states, in nats per row."""
    return leaf_entropy(counts) / rows + penalty_value(penalty, len(counts) - 1, rows)


def cost_prime(counts: IntArray, rows: int, penalty: Penalty) -> float:
    """cost'(Y) of the source whose leaves have these `counts[leaf, state]` (Eq. cost_prime)."""
    leaves, states = counts.shape
    return _entropy(counts) / rows + penalty_value(penalty, leaves * (states - 1), rows)


def delta(removed: IntArray, added: IntArray, leaves: int, rows: int, penalty: Penalty) -> float:
    """Delta of replacing some of `leaves` leaves by others (Eq. evaluating_Delta), in nats per row.

    `removed` and `added` are the counts [leaf, state] of the leaves that go and that come: one and |X_j| for
    Split(y, j), two and one for Merge(y0, y1). Leaves that stay do not matter.
    """
    change = _entropy(added) - _entropy(removed)
    return change / rows + penalty_change(
        penalty, leaves, leaves + len(added) - len(removed), added.shape[1], rows
    )


def penalty_change(penalty: Penalty, before: int, after: int, states: int, rows: int) -> float:
    """R(k', N) - R(k, N) when the number of leaves goes from `before` to `after`."""
    one = per_parameter(penalty, rows)
    if one is not None:
        return (after - before) * (states - 1) * one
    after_, before_ = (penalty_value(penalty, leaves * (states - 1), rows) for leaves in (after, before))
    return after_ - before_


def _entropy(leaves: Iterable[IntArray]) -> float:
    total = 0.0
    for counts in leaves:
        total += leaf_entropy(np.asarray(counts))
    return total
