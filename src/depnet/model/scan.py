"""Scans: which node is updated next (Sec. 2.2).

The random scan and the sequential scan are different chains with different stationary laws, so a scan
is part of every call and every result. Evidence clamps variables; a node whose variable is clamped leaves
the scan, and the weights of the others are divided by their sum (Sec. 5).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from depnet.arrays import FloatArray
from depnet.errors import ScanError, brief, is_whole

WEIGHT_SUM_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class RandomScan:
    """Node i is chosen with probability c_i (Eq. c_i).

    Args:
        weights: the c_i, whose sum is 1; None: all alike, the paper's default.

    >>> from depnet import Network, sample
    >>> sample(Network.from_joint([[0.4, 0.1], [0.1, 0.4]]), 100, scan=RandomScan((0.25, 0.75))).rows
    100
    """

    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.weights is None:
            return
        try:
            weights = tuple(float(c) for c in self.weights)
        except (TypeError, ValueError, OverflowError):
            raise ScanError(
                f"the weights of a random scan are numbers, one a node; got {brief(self.weights)}."
            ) from None
        object.__setattr__(self, "weights", weights)
        if not all(math.isfinite(c) and c >= 0 for c in weights):
            wrong = next(i for i, c in enumerate(weights) if not (math.isfinite(c) and c >= 0))
            raise ScanError(
                f"the weights of a random scan are finite and not negative; that of node {wrong} is {weights[wrong]}."
            )
        if abs(math.fsum(weights) - 1) > WEIGHT_SUM_TOLERANCE:
            raise ScanError(
                f"the weights c_i of a random scan sum to 1; these sum to {math.fsum(weights):.12g}. "
                "Divide them by their sum."
            )

    def weights_of(self, nodes: int, free: Sequence[int] | None = None) -> FloatArray:
        """c_i of each of the `free` nodes (all, if None) of a network with `nodes` nodes, summing to one."""
        free = range(nodes) if free is None else free
        if self.weights is None:
            return np.full(len(free), 1.0 / max(len(free), 1))
        if len(self.weights) != nodes:
            raise ScanError(f"the random scan has {len(self.weights)} weights, the network {nodes} nodes.")
        chosen = np.array([self.weights[i] for i in free], dtype=np.float64)
        if (chosen == 0).any():
            idle = free[int(np.flatnonzero(chosen == 0)[0])]
            raise ScanError(
                f"node {idle} has the weight 0 and would never be updated; give it a positive weight or clamp it."
            )
        return np.asarray(chosen / chosen.sum())


@dataclass(frozen=True, slots=True)
class SequentialScan:
    """Nodes are updated in a fixed order, over and over.

    Args:
        order: the numbers of all nodes; None: 0, 1, ..., n-1.

    >>> from depnet import Network, stationary
    >>> stationary(Network.from_joint([[0.4, 0.1], [0.1, 0.4]]), SequentialScan((1, 0))).round(3).tolist()
    [[0.4, 0.1], [0.1, 0.4]]
    """

    order: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.order is None:
            return
        order = tuple(self.order) if isinstance(self.order, Iterable) else (None,)
        if not all(map(is_whole, order)) or sorted(order) != list(range(len(order))):
            raise ScanError(
                f"the order of a sequential scan names every node 0..n-1 once; got {brief(self.order)}."
            )
        object.__setattr__(self, "order", tuple(int(i) for i in order))

    def order_of(self, nodes: int, free: Sequence[int] | None = None) -> tuple[int, ...]:
        """The order of the `free` nodes (all, if None) of a network with `nodes` nodes."""
        order = tuple(range(nodes)) if self.order is None else self.order
        if len(order) != nodes:
            raise ScanError(f"the sequential scan orders {len(order)} nodes, the network has {nodes}.")
        if free is None:
            return order
        kept = set(free)
        return tuple(i for i in order if i in kept)


Scan: TypeAlias = RandomScan | SequentialScan


def checked_scan(scan: object) -> Scan:
    if not isinstance(scan, (RandomScan, SequentialScan)):
        raise ScanError(f"a scan is RandomScan(weights) or SequentialScan(order); got {brief(scan)}.")
    return scan
