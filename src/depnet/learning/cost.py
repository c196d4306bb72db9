r"""The cost of an information source (Sec. 4.3 and 4.5), from counts N_yx.

With T(x) = x log x, the entropy of a leaf in nats times its rows is E(L_y) = T(N_y) - sum over x of T(N_yx), and

.. math:: cost'(Y) &= H(p^D(X_i \mid Y)) + R(k, N) = \frac1N \sum_y E(L_y) + R(k, N)
              \quad\text{(cost\_prime)} \\
          Lcost(L_y) &= \frac1N E(L_y) + R(|X_i| - 1, N), \qquad
          cost'(Y) = \sum_y Lcost(L_y) \quad\text{(sum\_of\_Lcost, R linear in k)} \\
          \Delta &= cost'(Y^{new}) - cost'(Y) \quad\text{(evaluating\_Delta)}

The floats are fixed (sums over states and over leaves ascend, T is the native one), so that the native
learner and these functions agree to the last bit; `conditional_entropy` alone is summed as numpy does.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet._native.learner import xlogx
from depnet.arrays import FloatArray, IntArray, xlogy
from depnet.learning.penalty import Penalty, penalty_value, per_parameter


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
