"""Sources and tables as tensors over the joint domain, axis i being variable i.

Axes that a tensor does not depend on have length 1, so that numpy broadcasts them: a node with few
inputs stays small however large the domain.
"""

from collections.abc import Sequence

import numpy as np

from depnet.arrays import FloatArray, LeafArray
from depnet.model.node import Node
from depnet.model.sources.source import InformationSource
from depnet.model.sources.tabulated import JointStates


def leaf_tensor(source: InformationSource, cardinalities: Sequence[int]) -> LeafArray:
    """Y(x) for every joint state of the source's inputs."""
    shape = tuple(k if j in source.inputs else 1 for j, k in enumerate(cardinalities))
    return JointStates(cardinalities, source.inputs).leaves(source).reshape(shape)


def theta_tensor(node: Node, cardinalities: Sequence[int]) -> FloatArray:
    """theta_i(X_i | X_-i) of a node, broadcastable over the joint domain."""
    rows, theta = node.written_out(JointStates(cardinalities, node.inputs))
    others = [k if j in node.inputs else 1 for j, k in enumerate(cardinalities) if j != node.variable]
    return np.moveaxis(theta[rows.reshape(others)], -1, node.variable)
