"""How well a node serves each evidence: the terms of Eq. inference_KL (Sec. 5)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import FloatArray
from depnet.geometry.joint import Variables, checked_variables
from depnet.geometry.manifold import FullConditionalManifold, check_unclamped, kl_terms


class EvidenceTerms(NamedTuple):
    """What `kl_by_evidence` found for every evidence x_C, the axes being those of `clamped` in the order given.

    Attributes:
        probabilities: p(x_C).
        divergences: KL(p(X_Cbar | x_C) || E(theta_i(. ; x_C))), in nats; 0 where p(x_C) = 0.
    """

    probabilities: FloatArray
    divergences: FloatArray


def kl_by_evidence(p: ArrayLike, manifold: FullConditionalManifold, clamped: Variables) -> EvidenceTerms:
    r"""The divergence of `p` from a manifold, told apart by evidence on the variables C = `clamped`.

    .. math:: KL(p\|E(\theta_i)) = \sum_{x_C} p(x_C)\,
              KL(p(X_{\bar C} \mid x_C)\|E(\theta_i(X_i \mid X_B;\, x_C)))

    Clamping X_C = x_C leaves pseudo-Gibbs sampling with the manifolds E(theta_i(. ; x_C)), so the term of
    x_C says how well the node serves that evidence. Rare evidence weighs little in the sum, and may be
    served poorly although the sum is small.

    Args:
        p: a joint distribution.
        manifold: of a node.
        clamped: the number of a variable, or of several.

    Returns:
        The terms.

    >>> p = np.array([[0.45, 0.45], [0.1, 0.0]])
    >>> terms = kl_by_evidence(p, FullConditionalManifold([[0.5, 0.5]], 1), clamped=0)
    >>> terms.probabilities.round(3).tolist(), terms.divergences.round(3).tolist()
    ([0.9, 0.1], [0.0, 0.693])
    """
    joint = manifold.checked(p)
    known = checked_variables(clamped, joint.ndim, "clamped")
    check_unclamped(manifold.variable, known)
    summed = tuple(j for j in range(joint.ndim) if j not in known)
    # given x_C, p(x) log(p(x_i | x_-i) / theta_i) is p(x_C) times the same of the conditional law
    axes = tuple(sorted(known).index(j) for j in known)
    weights = joint.sum(axis=summed).transpose(axes)
    parts = kl_terms(joint, manifold).sum(axis=summed).transpose(axes)
    divergences = np.divide(parts, weights, out=np.zeros_like(weights), where=weights > 0)
    return EvidenceTerms(weights, np.maximum(divergences, 0.0))
