"""Full conditional divergence, the FC-limit, the pseudo-log-likelihood; KL and FC as Bregman divergences (Sec. 3.2).

The first three are sums over nodes with the weights c_i of the random scan (Eq. c_i; uniform by default).

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
from depnet.geometry.joint import (
    checked_joint,
    checked_pair,
    checked_weights,
    marginal,
    mean_log,
    weighted_sum,
)
from depnet.geometry.manifold import FullConditionalManifold, conditional_of, kl_to_manifold
from depnet.model.network import Network


def full_conditional_divergence(p: ArrayLike, q: ArrayLike, weights: ArrayLike | None = None) -> float:
    r"""The full conditional divergence (Eq. FC), in nats.

    .. math:: FC(p\|q) = \sum_i c_i\,KL(p\|E_i(q)), \quad
              E_i(q) = \{r \mid r(X_i \mid X_{-i}) = q(X_i \mid X_{-i})\}

    Never more than KL(p||q). Zero between positive laws only where they are equal; infinite where `p` has
    mass and q(X_i | X_-i) is 0 or unsaid.

    Args:
        p, q: joint distributions.
        weights: c_i; None: all alike.

    Returns:
        FC(p||q).

    >>> p, q = [[0.1, 0.4], [0.4, 0.1]], [[0.25, 0.25], [0.25, 0.25]]
    >>> round(full_conditional_divergence(p, q), 6)
    0.192745
    """
    first, second = checked_pair(p, q)
    c = checked_weights(weights, first.ndim)
    terms = (kl_to_manifold(first, FullConditionalManifold.of_joint(second, i)) for i in range(first.ndim))
    return weighted_sum(c, terms)


def fc_limit(p: ArrayLike, network: Network, weights: ArrayLike | None = None) -> float:
    r"""The FC-limit of a network (Theorem 3, Eq. FC-limit), in nats.

    .. math:: FC(p\|\pi) \le FC_{\lim}(p) = \sum_i c_i\,KL(p\|E(\theta_i))

    It confines the stationary law pi of the random scan with the weights c_i to a neighbourhood of `p`,
    for any `p`, without computing pi. It is a sum over nodes, so each can be learned alone.

    Args:
        p: a joint distribution, such as that of the data.
        network: the network.
        weights: c_i; None: all alike.

    Returns:
        The bound.

    >>> p = [[0.1, 0.4], [0.4, 0.1]]
    >>> fc_limit(p, Network.from_joint(p))
    0.0
    """
    joint = checked_joint(p)
    cardinalities = network.domain.cardinalities
    if joint.shape != cardinalities:
        raise DistributionError(
            f"p has the shape {joint.shape}; the network's domain has the cardinalities {cardinalities}."
        )
    c = checked_weights(weights, len(network))
    terms = (
        kl_to_manifold(joint, FullConditionalManifold.of_node(node, cardinalities)) for node in network.nodes
    )
    return weighted_sum(c, terms)


def pseudo_log_likelihood(p: ArrayLike, q: ArrayLike, weights: ArrayLike | None = None) -> float:
    r"""Besag's pseudo-log-likelihood of the law `q` for data with the law `p` (Eq. FC_rewrite), in nats.

    .. math:: \left\langle \sum_i c_i \log q(X_i \mid X_{-i}) \right\rangle_p

    Weighted by c_i as in the paper (uniform: a mean over variables). FC(p||q) is what `q` lacks to the
    most likely law, `p` itself.

    Args:
        p, q: joint distributions.
        weights: c_i; None: all alike.

    Returns:
        Nats a row.

    >>> round(pseudo_log_likelihood([[0.1, 0.4], [0.4, 0.1]], [[0.25, 0.25], [0.25, 0.25]]), 6)
    -0.693147
    """
    first, second = checked_pair(p, q)
    c = checked_weights(weights, first.ndim)
    return weighted_sum(c, (mean_log(first, conditional_of(second, i)) for i in range(first.ndim)))


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
