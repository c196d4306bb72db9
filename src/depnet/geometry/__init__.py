"""Information geometry on plain tensors: joints, manifolds, projections, divergences (Sec. 3).

A joint distribution is a float64 tensor, axis i being variable i; everything is in nats.

- `joint`: what every function asks of its arguments, p^D, sources and tables as tensors, entropies, KL, total variation;
  `size`: the guard in front of everything dense
- `manifold`: full conditional manifolds, the m-projection (Theorems 1 and 2), the terms of Eq. inference_KL
- `divergence`: FC, the FC-limit, the pseudo-log-likelihood; KL and FC as Bregman divergences
- `geodesic`: m- and e-geodesics, orthogonality
- `chain`: the chain that evidence leaves, and its recurrent classes
"""

from depnet.geometry.divergence import (
    NEGATIVE_ENTROPY,
    BregmanFunction,
    bregman_divergence,
    fc_limit,
    full_conditional_divergence,
    negative_conditional_entropy,
    pseudo_log_likelihood,
)
from depnet.geometry.geodesic import e_geodesic, m_geodesic, orthogonality
from depnet.geometry.joint import conditional_entropy, empirical, entropy, kl, total_variation
from depnet.geometry.manifold import (
    EvidenceTerms,
    FullConditionalManifold,
    full_conditional,
    kl_by_evidence,
    kl_to_manifold,
    m_projection,
    manifolds,
)

__all__ = [
    "NEGATIVE_ENTROPY",
    "BregmanFunction",
    "EvidenceTerms",
    "FullConditionalManifold",
    "bregman_divergence",
    "conditional_entropy",
    "e_geodesic",
    "empirical",
    "entropy",
    "fc_limit",
    "full_conditional",
    "full_conditional_divergence",
    "kl",
    "kl_by_evidence",
    "kl_to_manifold",
    "m_geodesic",
    "m_projection",
    "manifolds",
    "negative_conditional_entropy",
    "orthogonality",
    "pseudo_log_likelihood",
    "total_variation",
]
