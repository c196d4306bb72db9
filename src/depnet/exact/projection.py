"""m-projections on the free domain: one pseudo-Gibbs update of a law (Theorem 2)."""

import numpy as np

from depnet.arrays import FloatArray
from depnet.exact.free import Update


def project(p: FloatArray, update: Update, shape: tuple[int, ...]) -> FloatArray:
    r"""The m-projection of a flat law `p` onto the node's manifold, as a new flat law.

    .. math:: p\Pi_m(E(\theta_B)) = p(X_{-B})\,\theta_B(X_B \mid X_{-B})

    Contexts where the evidence leaves theta no mass keep what they have.
    """
    others = [a for a in range(len(shape)) if a not in update.axes]
    order = [*others, *update.axes]
    rows = p.reshape(shape).transpose(order).reshape(len(update.leaves), -1)
    moved = rows.sum(axis=1, keepdims=True) * update.theta[update.leaves]
    if update.impossible.any():
        stays = update.impossible[update.leaves]
        moved[stays] = rows[stays]
    tensor = moved.reshape([shape[a] for a in order]).transpose(np.argsort(order))
    return np.ascontiguousarray(tensor).reshape(-1)
