"""Statistical assertions that state how often they cry wolf and what they would catch."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import IntArray


def joint_counts(codes: NDArray[np.integer], cardinalities: Sequence[int]) -> IntArray:
    """How many rows have each joint state, as a tensor."""
    states = np.ravel_multi_index(tuple(codes.T.astype(np.int64)), tuple(cardinalities))
    return np.bincount(states, minlength=math.prod(cardinalities)).reshape(cardinalities)


def assert_same_law(
    counts: ArrayLike, expected: ArrayLike, *, detects_l1: float, false_alarm: float = 1e-9
) -> None:
    """Independent draws, counted by state, follow the law `expected`.

    By the Bretagnolle-Huber-Carol inequality, P(L1 distance >= r) <= 2^states exp(-n r^2 / 2), so a right
    law fails with probability `false_alarm` at most; a law `detects_l1` away passes no more often.
    """
    observed = np.asarray(counts, dtype=np.float64).ravel()
    law = np.asarray(expected, dtype=np.float64).ravel()
    draws = observed.sum()
    radius = math.sqrt(2 * (law.size * math.log(2) - math.log(false_alarm)) / draws)
    assert 2 * radius <= detects_l1, f"{draws:.0f} draws only resolve an L1 error of {2 * radius:.3g}"
    distance = np.abs(observed / draws - law).sum()
    assert distance < radius, f"L1 distance {distance:.3g}, expected below {radius:.3g}"
