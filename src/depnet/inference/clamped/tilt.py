"""theta of a node under evidence on its own variables: tilted by weights, conditioned on clamped ones."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.model.evidence import Evidence
from depnet.model.node import Node


def tilted_rows(
    node: Node, cardinalities: Sequence[int], evidence: Evidence
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """theta(x_B | y) w(x_B), normalised, for every leaf; and the leaves where nothing of it is left.

    w is 1 on the clamped state of a clamped variable and 0 elsewhere. A row of an impossible leaf is zero.
    """
    theta = node.table.probabilities
    known = [i for i in node.variables if i in evidence.clamped or i in evidence.tilts]
    if not known:
        return theta, np.zeros(len(theta), dtype=bool)
    cells = theta.reshape(len(theta), *(cardinalities[i] for i in node.variables))
    for axis, i in enumerate(node.variables, start=1):
        weights = evidence.tilts.get(i)
        if i in evidence.clamped:
            weights = np.eye(cardinalities[i])[evidence.clamped[i]]
        if weights is not None:
            cells = cells * weights.reshape([-1] + [1] * (cells.ndim - 1 - axis))
    rows = cells.reshape(len(theta), -1)
    totals = rows.sum(axis=1, keepdims=True)
    normalised = np.divide(rows, totals, out=np.zeros_like(rows), where=totals > 0)
    return normalised, totals[:, 0] == 0
