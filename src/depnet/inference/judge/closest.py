r"""What rows that were made tell of those they were made from: how near they come, and what an attacker guesses by them.

The distance of two rows is the mean over columns of 1 where categories differ, of numbers |a - b| as a share of their range
in the reference, at most 1, and of a hole 1 to all but a hole (SDMetrics's distance to the closest record).

The attacker knows all columns of a row but one and looks for the rows that were made which differ in the fewest of them,
numbers in ten bins; the guess is right as often as these have the row's own value (SDMetrics's generalised CAP).
"""

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray

CELLS = 2_000_000
"""Pairs of rows that are looked at together."""
HOLE, SAME = -1e9, 1e-200
"""Farther than 1 from every scaled value, and 0 from another hole; the range where all numbers are the same."""


def closest(rows: FloatArray, reference: FloatArray, numeric: NDArray[np.bool_]) -> FloatArray:
    """[row]: the distance to the closest of the reference."""
    scaled = []
    for i in range(rows.shape[1]):
        ours, theirs = rows[:, i], reference[:, i]
        known = theirs[~np.isnan(theirs)]
        if numeric[i] and len(known):
            width = float(np.ptp(known)) or SAME
            ours, theirs = (ours - known.min()) / width, (theirs - known.min()) / width
        scaled.append((np.where(np.isnan(ours), HOLE, ours), np.where(np.isnan(theirs), HOLE, theirs)))
    found = np.empty(len(rows))
    step = max(1, CELLS // max(len(reference), 1))
    for begin in range(0, len(rows), step):
        here = slice(begin, begin + step)
        total = np.zeros((len(found[here]), len(reference)))
        for ours, theirs in scaled:
            apart = np.abs(ours[here, None] - theirs)
            total += np.minimum(apart, 1.0, out=apart)
        found[here] = total.min(axis=1)
    return np.asarray(found / rows.shape[1])


def nearer(ours: FloatArray, theirs: FloatArray) -> float:
    """How often one of our distances is below one of theirs, equal ones as half: .5 where they are of one law."""
    order = np.sort(theirs)
    above = [len(order) - np.searchsorted(order, ours, side=side) for side in ("left", "right")]
    return float(np.mean(above[0] + above[1])) / 2 / len(order)


def guessed(rows: IntArray, known: IntArray, asked: list[int]) -> FloatArray:
    """[column asked]: how often an attacker who has `known` rows guesses that column of the `rows` of states."""
    right = np.zeros(len(asked))
    step = max(1, CELLS // max(known.size, 1))
    for begin in range(0, len(rows), step):
        unequal = rows[begin : begin + step, None, :] != known
        counts = unequal.sum(axis=2, dtype=np.int32)
        for k, j in enumerate(asked):
            others = counts - unequal[:, :, j]
            nearest = others == others.min(axis=1, keepdims=True)
            right[k] += ((nearest & ~unequal[:, :, j]).sum(axis=1) / nearest.sum(axis=1)).sum()
    return right / max(len(rows), 1)
