"""A plan's rules handed to the native kernels."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from depnet._native import sampler as native
from depnet.arrays import FloatArray
from depnet.sampling.plan.plan import ChainPlan
from depnet.sampling.plan.row_finder import RowFinder
from depnet.sampling.plan.thresholds import thresholds_of, uniform_thresholds


def choice_thresholds(weights: FloatArray | None, nodes: int) -> NDArray[np.uint32]:
    """The thresholds by which the random scan chooses a node; without weights all are alike."""
    return uniform_thresholds(nodes) if weights is None else thresholds_of(weights[None, :])[0]


def node_choice(plan: ChainPlan) -> native.NodeChoice:
    """How the plan's scan chooses its nodes."""
    choice = None if plan.weights is None else choice_thresholds(plan.weights, len(plan.rules))
    return native.NodeChoice(nodes=len(plan.rules), random=plan.random, choice=choice)


def native_nodes(plan: ChainPlan, finders: Sequence[RowFinder], choice: native.NodeChoice) -> native.Nodes:
    """The plan's rules for the native kernels, in the order of the scan, each finding its row as `finders` say."""
    nodes = native.Nodes(plan.variables, choice)
    for rule, finder in zip(plan.rules, finders, strict=True):
        if finder.graph is not None:
            nodes.add_graph(rule.number, finder.thresholds, rule.limit, *finder.graph.compiled)
        else:
            inputs = np.array(finder.inputs, dtype=np.int32).reshape(-1, 2)
            nodes.add_table(rule.number, finder.thresholds, rule.limit, inputs, finder.base, finder.leaf_map)
        if finder.boosted is not None:
            nodes.add_stages(*finder.boosted.node.stages.arrays, finder.boosted.tilt)
    return nodes
