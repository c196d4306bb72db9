"""Networks whose file is small and whose variables have very many states, and what a call takes of memory."""

import tracemalloc
from collections.abc import Callable, Sequence

import numpy as np

from depnet import (
    ConditionalTable,
    ConstantSource,
    Domain,
    LosslessSource,
    Network,
    TableNode,
    Variable,
)


def of_constants(cardinalities: Sequence[int], *, ordered: bool = False) -> Network:
    """Independent variables, each of one leaf, whose counts are 1."""
    nodes = tuple(
        TableNode(i, ConstantSource(), ConditionalTable.from_counts(np.ones((1, k), dtype=np.int64), 0.5))
        for i, k in enumerate(cardinalities)
    )
    return Network(_domain(cardinalities), nodes, None, tuple(range(len(nodes))) if ordered else None)


def of_two_blocks(states: int, *, leave: float) -> Network:
    """Two variables that read each other: each is in the half in which the other is, but for a share `leave`."""
    half = np.arange(states) < states // 2
    theta = np.where(half[:, None] == half, 1 - leave, leave)
    theta /= theta.sum(axis=1, keepdims=True)
    table = ConditionalTable.from_probabilities(theta)
    nodes = tuple(TableNode(i, LosslessSource((1 - i,), (states,)), table) for i in range(2))
    return Network(_domain([states] * 2), nodes)


def most_memory(call: Callable[[], object]) -> int:
    """The most bytes that a call had in use at once, by Python's and numpy's own account."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _domain(cardinalities: Sequence[int]) -> Domain:
    return Domain(tuple(Variable(f"X{i}", tuple(map(str, range(k)))) for i, k in enumerate(cardinalities)))
