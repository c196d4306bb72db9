"""Answers from the exact law of a reduced network: a look-up where one node is left, else the stationary law."""

from collections.abc import Sequence

import numpy as np

from depnet.arrays import FloatArray
from depnet.errors import EvidenceError
from depnet.exact import stationary, stationary_cycle
from depnet.inference.clamped.relevance import Reduced
from depnet.model.scan import RandomScan
from depnet.model.sources.enumerate import JointStates


def looked_up(reduced: Reduced) -> FloatArray | None:
    """The one row of theta where one node is left and all that it reads is known; None elsewhere."""
    node = reduced.network.nodes[0]
    if len(reduced.variables) != 1 or node.inputs:
        return None
    own, theta = node.written_out(JointStates(reduced.network.domain.cardinalities, node.inputs))
    row = tilted(theta[own], reduced.evidence.tilts.get(0))[0]
    if not row.any():
        raise EvidenceError(
            "the evidence contradicts itself: the states that it allows for "
            f"{reduced.network.domain.names[0]!r} have probability 0 given the rest. "
            "Smooth the tables (learn with a smoothing of 0.5), or give other evidence."
        )
    return np.asarray(row)


def tilted(theta: FloatArray, weights: FloatArray | None) -> FloatArray:
    """theta(x | y) w(x), normalised, of every row of theta; a row of zeros where nothing is left of it."""
    if weights is None:
        return theta
    rows = theta * weights
    totals = rows.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(rows, totals, out=np.zeros_like(rows), where=totals > 0))


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
