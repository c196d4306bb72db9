"""The law of a mixture of ordered networks, by loops: Q(x) = sum over k of w_k Q_k(x)."""

import numpy as np

from depnet import ConditionalTable, ConstantSource, LosslessSource, Mixture, Network, TableNode
from depnet.arrays import FloatArray
from tests.reference import ordered


def law(mixture: Mixture) -> FloatArray:
    """Q as a tensor over the joint domain."""
    q = np.zeros(mixture.domain.cardinalities)
    for state in np.ndindex(q.shape):
        for weight, network in zip(mixture.weights, mixture.components, strict=True):
            q[state] += weight * ordered.density(network, state)
    return q


def as_network(mixture: Mixture) -> Network:
    """One ordered network of the same law: every variable given all before it, by the chain rule."""
    p, cards = law(mixture), mixture.domain.cardinalities
    order = tuple(range(len(cards))) if mixture.within is None else mixture.within.order
    nodes = {}
    for at, i in enumerate(order):
        before = tuple(sorted(order[:at]))
        others = tuple(j for j in range(len(cards)) if j not in (*before, i))
        kept = sorted((*before, i))
        rows = np.moveaxis(p.sum(axis=others), kept.index(i), -1).reshape(-1, cards[i])
        total = rows.sum(axis=1, keepdims=True)
        theta = np.divide(rows, total, out=np.full_like(rows, 1 / cards[i]), where=total > 0)
        source = LosslessSource(before, tuple(cards[j] for j in before)) if before else ConstantSource()
        nodes[i] = TableNode(i, source, ConditionalTable.from_probabilities(theta))
    inside = tuple(nodes[i] for i in range(len(cards)))
    return Network(mixture.domain, inside, order=order, within=mixture.within)
