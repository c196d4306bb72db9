"""Answers from the exact law of a reduced network: a look-up where one node is left, else the stationary law."""

from collections.abc import Sequence

import numpy as np

from depnet.arrays import FloatArray
from depnet.errors import EvidenceError
from depnet.exact import stationary, stationary_cycle
from depnet.inference.clamped.relevance import Reduced
from depnet.inference.clamped.tilt import tilted_rows
from depnet.model.scan import RandomScan


def is_look_up(reduced: Reduced) -> bool:
    """One node is left, and all that it reads is known: its law is a row of its table."""
    return len(reduced.nodes) == 1 and reduced.network.nodes[0].source.size == 1


def looked_up(reduced: Reduced) -> FloatArray:
    """The one row of theta, as a tensor over the reduced domain."""
    node, cards = reduced.network.nodes[0], reduced.network.domain.cardinalities
    rows, impossible = tilted_rows(node, cards, reduced.evidence)
    if impossible[0]:
        names = ", ".join(repr(reduced.network.domain.variables[i].name) for i in node.variables)
        raise EvidenceError(
            f"the evidence contradicts itself: the states that it allows for {names} have probability 0 given the rest. "
            "Smooth the tables (`smoothing=0.5`), or give other evidence."
        )
    row = rows[0].reshape([cards[i] for i in node.variables])
    return np.transpose(row, np.argsort(node.variables))


def exact_law(reduced: Reduced) -> FloatArray:
    """The stationary law of the reduced network, that of the full network on these variables.

    Under the sequential scan the centroid weighs each law of the cycle by the steps that the full order
    stays in it.
    """
    if isinstance(reduced.scan, RandomScan):
        return stationary(reduced.network, reduced.scan, reduced.evidence)
    assert reduced.phases is not None
    cycle = stationary_cycle(reduced.network, reduced.scan, reduced.evidence)
    law = np.zeros(reduced.network.domain.cardinalities)
    for share, phase in zip(reduced.phases, cycle, strict=True):
        law += share * phase
    return law


def marginal(law: FloatArray, axes: Sequence[int]) -> FloatArray:
    """The law of some variables, its axes in the order given."""
    others = tuple(a for a in range(law.ndim) if a not in axes)
    kept = sorted(axes)
    return np.transpose(law.sum(axis=others), [kept.index(a) for a in axes])
