"""Sources and tables as tensors over the joint domain, axis i being variable i.

Axes that a tensor does not depend on have length 1, so that numpy broadcasts them: a node with few
inputs stays small however large the domain.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, strides_of
from depnet.model.node import Node
from depnet.model.sources.source import InformationSource

CHUNK = 1 << 18


def leaf_tensor(source: InformationSource, cardinalities: Sequence[int]) -> NDArray[np.unsignedinteger]:
    """Y(x) for every joint state of the source's inputs, in the smallest dtype that holds a leaf."""
    shape = tuple(k if j in source.inputs else 1 for j, k in enumerate(cardinalities))
    return input_leaves(source, cardinalities).reshape(shape)


def input_leaves(source: InformationSource, cardinalities: Sequence[int]) -> NDArray[np.unsignedinteger]:
    """The same in one row, the last input fastest: numpy's tensors have no more than 64 axes (32 before 2.0)."""
    inputs = sorted(source.inputs)
    sizes = [cardinalities[j] for j in inputs]
    size = math.prod(sizes)
    leaves = np.empty(size, dtype=np.min_scalar_type(source.size - 1))
    narrow = (
        max(cardinalities, default=1) <= 256
    )  # codes as a decision graph reads them, so that it need not copy
    codes = np.zeros(
        (min(size, CHUNK), len(cardinalities)), dtype=np.uint8 if narrow else np.uint16, order="F"
    )
    for start in range(0, size, CHUNK):
        states = np.arange(start, min(start + CHUNK, size))
        for j, k, stride in zip(inputs, sizes, strides_of(sizes), strict=True):
            codes[: len(states), j] = states // stride % k
        leaves[start : start + len(states)] = source(codes[: len(states)])
    return leaves


def theta_tensor(node: Node, cardinalities: Sequence[int]) -> FloatArray:
    """theta(X_B | X_-B) of a node that updates the variables B, broadcastable over the joint domain."""
    leaves = leaf_tensor(node.source, cardinalities)
    known = leaves.squeeze(axis=node.variables)  # the targets are never inputs: their axes have length 1
    targets = tuple(cardinalities[i] for i in node.variables)
    theta = node.table.probabilities[known].reshape(known.shape + targets)
    return np.moveaxis(theta, range(known.ndim, theta.ndim), node.variables)
