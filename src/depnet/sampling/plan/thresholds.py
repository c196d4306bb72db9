"""Distributions as 32-bit thresholds: state s is drawn when a random word falls into its interval.

A uniform word w of 32 bits draws the state #{s : T_s <= w}, where T_s is the cumulative probability of
the states 0..s times 2^32. T_s = 2^32 does not fit into 32 bits, so the largest word is read as the one
below it, and T_s = 2^32 - 1 means "beyond every word". A cumulative probability is then off by at most
2^-32; 0 and 1 stay exact.
"""

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray

ALWAYS = 2**32 - 1
"""The threshold that no word reaches: the probability up to here is 1."""


def thresholds_of(weights: FloatArray) -> NDArray[np.uint32]:
    """Thresholds [rows, states - 1] of rows of non-negative weights [rows, states] with a positive sum.

    >>> thresholds_of(np.array([[0.25, 0.75], [1.0, 0.0]])).tolist()
    [[1073741824], [4294967295]]
    """
    cumulative = np.cumsum(weights, axis=1)
    share = cumulative[:, :-1] / cumulative[:, -1:]
    ends = np.clip(np.floor(share * 2.0**32 + 0.5), 1, ALWAYS - 1)
    ends[share >= 1 - 2.0**-32] = ALWAYS
    ends[cumulative[:, :-1] == 0] = 0
    return ends.astype(np.uint32)


def uniform_thresholds(states: int) -> NDArray[np.uint32]:
    """Thresholds of the uniform distribution: the state drawn is then word * states >> 32."""
    return np.array([-(-k * 2**32 // states) for k in range(1, states)], dtype=np.uint32)
