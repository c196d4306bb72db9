"""KL and FC as Bregman divergences (Sec. 3.2).

A joint is a vector in R^|X| whose x-th component is p(x). Both Bregman functions are homogeneous of degree
one, so that f(q) = grad f(q) . q, and their gradients on positive vectors are

    f(p) = -H(p(X))                        grad f(p)(x) = log p(x) + 1
    f(p) = -sum_i c_i H(p(X_i | X_-i))     grad f(p)(x) = sum_i c_i log p(x_i | x_-i)

(on distributions the 1 drops out, since p - q sums to zero). At a zero of p the gradient is -infinity.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import FloatArray, xlogy
from depnet.errors import DistributionError
from depnet.geometry.joint import checked_weights, marginal


@dataclass(frozen=True, slots=True)
class BregmanFunction:
    """A convex differentiable function f of a tensor, and its gradient, a tensor of the same shape.

    Strictly convex along distributions, its divergence is 0 between equal ones only.

    Args:
        value: f.
        gradient: of f.

    >>> BregmanFunction(lambda p: float((p * p).sum()), lambda p: 2 * p).value(np.array([1.0, 2.0]))
    5.0
    """

    value: Callable[[FloatArray], float]
    gradient: Callable[[FloatArray], FloatArray]


def bregman_divergence(f: BregmanFunction, p: ArrayLike, q: ArrayLike) -> float:
    r"""The Bregman divergence induced by the Bregman function `f`.

    .. math:: B_f(p\|q) = f(p) - f(q) - \nabla f(q) \cdot (p - q)

    Args:
        f: the function.
        p, q: joint distributions.

    Returns:
        The divergence of `p` from `q`.

    >>> halves, thirds = [0.5, 0.5], [1 / 3, 2 / 3]
    >>> squares = BregmanFunction(lambda p: float((p * p).sum()), lambda p: 2 * p)
    >>> round(bregman_divergence(squares, halves, thirds), 6)        # the squared distance
    0.055556
    >>> round(bregman_divergence(NEGATIVE_ENTROPY, halves, thirds), 6)         # KL
    0.058892
    """
    first, second = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    if first.shape != second.shape:
        raise DistributionError(
            f"p has the shape {first.shape} and q {second.shape}; a Bregman divergence is between vectors of one space."
        )
    step = first - second
    moved = step != 0  # 0 times an infinite gradient is 0
    gradient = np.broadcast_to(f.gradient(second), second.shape)
    return f.value(first) - f.value(second) - float((gradient[moved] * step[moved]).sum())


def _checked_positive(p: FloatArray) -> FloatArray:
    if not (p >= 0).all():
        raise DistributionError(
            f"negative entropies are functions of non-negative numbers; the least given is {p.min():.6g}."
        )
    return p


def _log(p: FloatArray) -> FloatArray:
    return np.asarray(xlogy(1.0, p))  # log 0 = -infinity, and no warning


def _negative_entropy(p: FloatArray) -> float:
    return float(xlogy(_checked_positive(p), p).sum())


NEGATIVE_ENTROPY = BregmanFunction(_negative_entropy, lambda p: _log(_checked_positive(p)) + 1.0)
"""f(p) = -H(p(X)): its Bregman divergence is KL."""


def negative_conditional_entropy(weights: ArrayLike | None = None) -> BregmanFunction:
    r"""The Bregman function of FC.

    .. math:: f(p) = -\sum_i c_i H(p(X_i \mid X_{-i})) = \sum_i c_i \langle \log p(X_i \mid X_{-i}) \rangle_p

    Args:
        weights: c_i; None: all alike.

    Returns:
        The function.

    >>> p, q = [[0.1, 0.4], [0.4, 0.1]], [[0.25, 0.25], [0.25, 0.25]]
    >>> round(bregman_divergence(negative_conditional_entropy(), p, q), 6)     # FC
    0.192745
    """

    def terms(p: FloatArray) -> Iterable[tuple[float, FloatArray]]:
        _checked_positive(p)
        for i, weight in enumerate(checked_weights(weights, p.ndim).tolist()):
            if weight > 0:
                context = marginal(p, i)
                yield weight, np.divide(p, context, out=np.zeros_like(p), where=context > 0)

    def value(p: FloatArray) -> float:
        return sum(c * float(xlogy(p, conditional).sum()) for c, conditional in terms(p))

    def gradient(p: FloatArray) -> FloatArray:
        total = np.zeros_like(p)
        for c, conditional in terms(p):
            total += c * _log(conditional)
        return total

    return BregmanFunction(value, gradient)
