"""Which joint states the random scan leads to from which: the support of tables, as sets of states.

A set of joint states is a tensor of booleans over the joint domain. From x, an update of node i leads to every state
that differs from x in X_i alone and that theta_i gives a positive probability there. Sets grow until they are closed.
Numbers play no part, nor do the weights c_i: they are positive.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray
from depnet.geometry.dense import theta_tensor
from depnet.geometry.size import check_dense
from depnet.model.network import Network

StateSet = NDArray[np.bool_]


class Moves(NamedTuple):
    """What one node's update leads to: theta_i(x_i | x_-i) > 0, broadcastable over the joint domain."""

    axis: int
    possible: StateSet


def moves_of(network: Network) -> list[Moves]:
    """The moves of every node; guarded by the size of the joint domain."""
    cardinalities = network.domain.cardinalities
    check_dense(cardinalities, bytes_per_state=8 + len(network), what="the search for recurrent classes")
    return [Moves(node.variable, theta_tensor(node, cardinalities) > 0) for node in network.nodes]


def at(codes: CodeArray, cardinalities: Sequence[int]) -> StateSet:
    """The set of the joint states with these codes [m, n]."""
    states = np.zeros(tuple(cardinalities), dtype=bool)
    states[tuple(codes.T)] = True
    return states


def reached_from(states: StateSet, moves: Sequence[Moves]) -> StateSet:
    """Every state that a chain which starts in `states` can come to, `states` included."""
    found = states.copy()
    size = -1
    while size != (size := int(np.count_nonzero(found))):
        for axis, possible in moves:
            found |= found.any(axis=axis, keepdims=True) & possible
    return found


def leading_to(states: StateSet, moves: Sequence[Moves]) -> StateSet:
    """Every state from which a chain can come to `states`, those included."""
    found = states.copy()
    size = -1
    while size != (size := int(np.count_nonzero(found))):
        for axis, possible in moves:
            found |= (found & possible).any(axis=axis, keepdims=True)
    return found
