"""The law of a mixture of ordered networks, by loops: Q(x) = sum over k of w_k Q_k(x)."""

import numpy as np

from depnet import Mixture
from depnet.arrays import FloatArray
from tests.reference import ordered


def law(mixture: Mixture) -> FloatArray:
    """Q as a tensor over the joint domain."""
    q = np.zeros(mixture.domain.cardinalities)
    for state in np.ndindex(q.shape):
        for weight, network in zip(mixture.weights, mixture.components, strict=True):
            q[state] += weight * ordered.density(network, state)
    return q
