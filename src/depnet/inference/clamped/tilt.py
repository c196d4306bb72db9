"""theta of a node under evidence on its own variable: tilted by the weights of its states."""

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.model.evidence import Evidence
from depnet.model.node import Node


def tilted_rows(node: Node, theta: FloatArray, evidence: Evidence) -> tuple[FloatArray, NDArray[np.bool_]]:
    """theta(x | y) w(x), normalised, for every row of theta; and the rows where nothing of it is left, which are zero."""
    weights = evidence.tilts.get(node.variable)
    if weights is None:
        return theta, np.zeros(len(theta), dtype=bool)
    rows = theta * weights
    totals = rows.sum(axis=1, keepdims=True)
    return np.divide(rows, totals, out=np.zeros_like(rows), where=totals > 0), totals[:, 0] == 0
