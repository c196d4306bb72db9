"""Rows with holes under an ordered law, by its tensor Q over all variables (`tests.reference.ordered.law`)."""

from collections.abc import Sequence

import numpy as np

from depnet.arrays import FloatArray


def of_row(q: FloatArray, codes: Sequence[int], hidden: Sequence[bool]) -> FloatArray:
    """Q(x) where x agrees with the observed cells, else 0: its sum is Q(o)."""
    found = np.zeros_like(q)
    for state in np.ndindex(q.shape):
        if all(hole or state[i] == codes[i] for i, hole in enumerate(hidden)):
            found[state] = q[state]
    return found


def hole_laws(q: FloatArray, codes: Sequence[int], hidden: Sequence[bool]) -> dict[int, FloatArray]:
    """Q(x_i | o) of every hole i."""
    joint = of_row(q, codes, hidden)
    laws = {}
    for i in (i for i, hole in enumerate(hidden) if hole):
        laws[i] = np.zeros(joint.shape[i])
        for state in np.ndindex(joint.shape):
            laws[i][state[i]] += joint[state] / joint.sum()
    return laws


def log_observed(q: FloatArray, codes: Sequence[int], hidden: Sequence[bool]) -> float:
    """Log Q(o)."""
    return float(np.log(of_row(q, codes, hidden).sum()))
