"""Information geometry on plain tensors: joints, manifolds, projections, divergences (Sec. 3).

A joint distribution is a float64 tensor, axis i being variable i; everything is in nats.

- `joint`: what every function asks of its arguments, p^D, sources and tables as tensors, entropies, KL, total variation;
  `size`: the guard in front of everything dense
- `manifold`: full conditional manifolds, the m-projection (Theorems 1 and 2), the terms of Eq. inference_KL
- `divergence`: FC, the FC-limit, the pseudo-log-likelihood; KL and FC as Bregman divergences
- `geodesic`: m- and e-geodesics, orthogonality
- `chain`: the chain that evidence leaves, and its recurrent classes
"""

from depnet.geometry.divergence import NEGATIVE_ENTROPY as NEGATIVE_ENTROPY
from depnet.geometry.divergence import BregmanFunction as BregmanFunction
from depnet.geometry.divergence import bregman_divergence as bregman_divergence
from depnet.geometry.divergence import fc_limit as fc_limit
from depnet.geometry.divergence import full_conditional_divergence as full_conditional_divergence
from depnet.geometry.divergence import negative_conditional_entropy as negative_conditional_entropy
from depnet.geometry.divergence import pseudo_log_likelihood as pseudo_log_likelihood
from depnet.geometry.geodesic import e_geodesic as e_geodesic
from depnet.geometry.geodesic import m_geodesic as m_geodesic
from depnet.geometry.geodesic import orthogonality as orthogonality
from depnet.geometry.joint import conditional_entropy as conditional_entropy
from depnet.geometry.joint import empirical as empirical
from depnet.geometry.joint import entropy as entropy
from depnet.geometry.joint import kl as kl
from depnet.geometry.joint import total_variation as total_variation
from depnet.geometry.manifold import EvidenceTerms as EvidenceTerms
from depnet.geometry.manifold import FullConditionalManifold as FullConditionalManifold
from depnet.geometry.manifold import full_conditional as full_conditional
from depnet.geometry.manifold import kl_by_evidence as kl_by_evidence
from depnet.geometry.manifold import kl_to_manifold as kl_to_manifold
from depnet.geometry.manifold import m_projection as m_projection
from depnet.geometry.manifold import manifolds as manifolds
