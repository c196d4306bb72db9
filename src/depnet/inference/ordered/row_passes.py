"""Passes through the holes of rows: drawn in the order, each weighted by what the row's observed cells say of it."""

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.inference.ordered.items import Holes, log_own, theta_of


def row_passes(
    holes: Holes, moved: NDArray[np.bool_], each: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint16], FloatArray]:
    """[rows x each, n]: the moved holes drawn in the order, and the logs of the weights: of each active node that
    reads one of them and is none, its theta.
    """
    network = holes.network
    assert network.order is not None
    states = np.repeat(holes.codes, each, axis=0).astype(np.uint16, copy=False)
    logs = np.zeros(len(states))
    upstream = moved & holes.upstream
    for j in network.order:
        inputs = network.nodes[j].inputs
        own = np.flatnonzero(np.repeat(moved[:, j], each))
        if len(own):
            theta = theta_of(network, j, [states[own, c] for c in inputs], len(own))
            states[own, j] = drawn_states(theta, rng)
        reads = upstream[:, list(inputs)].any(axis=1) & holes.active[:, j] & ~moved[:, j]
        weighed = np.flatnonzero(np.repeat(reads, each))
        if len(weighed):
            logs[weighed] += log_own(network, j, [states[weighed, c] for c in (*inputs, j)])
    return states, logs


def drawn_states(shares: FloatArray, rng: np.random.Generator) -> IntArray:
    """A state of each row, in proportion to its shares."""
    ends = np.cumsum(shares, axis=1)
    until = rng.random(len(shares)) * ends[:, -1]
    return np.asarray(np.minimum((until[:, None] >= ends).sum(axis=1), shares.shape[1] - 1))
