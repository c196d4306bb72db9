"""Entropy, conditional entropy and Kullback-Leibler divergence, in nats (Sec. 2 and 3); total variation.

Zeros follow the paper's conventions: 0 log 0 = 0, and a divergence is infinite where the support of
its first argument is not covered by its second.
"""

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import FloatArray, xlogy
from depnet.geometry.joint import (
    Variables,
    checked_joint,
    checked_pair,
    checked_variables,
    leaf_tensor,
    mean_log,
)
from depnet.model.sources.source import InformationSource


def entropy(p: ArrayLike) -> float:
    r"""The entropy of a joint distribution, in nats.

    .. math:: H(p(X)) = -\langle \log p(X) \rangle_p

    Args:
        p: a joint distribution.

    Returns:
        H(p).

    >>> round(entropy([[0.5, 0.0], [0.0, 0.5]]), 6)      # log 2
    0.693147
    """
    joint = checked_joint(p)
    return max(0.0, -mean_log(joint, joint))


def conditional_entropy(
    p: ArrayLike, variables: Variables, given: Variables | InformationSource | None = None
) -> float:
    r"""The conditional entropy of some variables given others, in nats.

    .. math:: H(p(X_B \mid Y)) = -\langle \log p(X_B \mid Y) \rangle_p

    Args:
        p: a joint distribution.
        variables: the number of a variable, or of several.
        given: what Y is: variables, or an information source; None: all the other variables, X_-B.

    Returns:
        H(X_B | Y).

    >>> conditional_entropy([[0.5, 0.0], [0.0, 0.5]], 0)
    0.0
    """
    joint = checked_joint(p)
    targets = checked_variables(variables, joint.ndim)
    if isinstance(given, InformationSource):
        p_xy = _with_leaves(joint, targets, given)
        p_y = p_xy.sum(axis=1)
        return max(0.0, mean_log(p_y, p_y) - mean_log(p_xy, p_xy))
    known = (
        tuple(j for j in range(joint.ndim) if j not in targets)
        if given is None
        else checked_variables(given, joint.ndim, "given")
    )
    others = tuple(j for j in range(joint.ndim) if j not in targets and j not in known)
    p_xy = joint.sum(axis=others, keepdims=True)
    p_y = joint.sum(axis=tuple(j for j in range(joint.ndim) if j not in known), keepdims=True)
    return max(0.0, mean_log(p_y, p_y) - mean_log(p_xy, p_xy))


def _with_leaves(p: FloatArray, targets: tuple[int, ...], source: InformationSource) -> FloatArray:
    """p(Y, X_B) as a table [leaf, joint state of X_B]."""
    source.check_domain(p.shape)
    leaves = np.broadcast_to(leaf_tensor(source, p.shape), p.shape)
    last = range(p.ndim - len(targets), p.ndim)
    rows = np.moveaxis(p, targets, last)
    states = int(np.prod([p.shape[i] for i in targets], dtype=np.int64))
    leaf_of_row = np.moveaxis(leaves, targets, last).reshape(-1, states).astype(np.int64)
    cells = leaf_of_row * states + np.arange(states)
    counted = np.bincount(cells.ravel(), weights=rows.reshape(-1), minlength=source.size * states)
    return np.asarray(counted, dtype=np.float64).reshape(source.size, states)


def kl(p: ArrayLike, q: ArrayLike) -> float:
    r"""The Kullback-Leibler divergence (Eq. KL), in nats.

    .. math:: KL(p\|q) = \left\langle \log\frac{p(X)}{q(X)} \right\rangle_p

    Args:
        p, q: joint distributions.

    Returns:
        KL(p||q); infinite where `q` is 0 and `p` is not.

    >>> round(kl([1.0, 0.0], [0.5, 0.5]), 6), kl([0.5, 0.5], [1.0, 0.0])
    (0.693147, inf)
    """
    first, second = checked_pair(p, q)
    # one difference a state: log p - log q is small where p is near q, and the large parts cancel there
    return max(0.0, float((xlogy(first, first) - xlogy(first, second)).sum()))


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    r"""The total variation distance: the largest difference in the probability of any event.

    .. math:: TV(p, q) = \frac12 \sum_x |p(x) - q(x)|

    Args:
        p, q: joint distributions.

    Returns:
        From 0 to 1.

    >>> total_variation([0.5, 0.5], [0.75, 0.25])
    0.25
    """
    first, second = checked_pair(p, q)
    return float(np.abs(first - second).sum() / 2)
