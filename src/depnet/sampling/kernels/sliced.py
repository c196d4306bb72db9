"""The bit-sliced kernel: binary networks under the sequential scan, 512 chains a vector, one bit each.

All chains take the same step at the same time. That is right for the sequential scan; under the random
scan chains would share one sequence of nodes, and would not be independent draws of the law.
"""

import numpy as np
from numpy.typing import NDArray

from depnet._native import sampler as native
from depnet.arrays import CodeArray
from depnet.model import DecisionGraph
from depnet.sampling.kernels.base import NativeKernel, State
from depnet.sampling.plan.plan import ChainPlan
from depnet.sampling.plan.row_finder import DIRECT, RowFinder
from depnet.sampling.plan.rule import UpdateRule
from depnet.sampling.plan.thresholds import ALWAYS

GROUP = 512
MOST_ROWS = 2**10
"""The most rows of a table over inputs that becomes a tree of tests."""


class SlicedKernel(NativeKernel):
    """Bit planes of 512 chains; binary variables, sequential scan."""

    name = "sliced"
    alignment = GROUP
    updates_a_call = 2**26

    def _native(self, plan: ChainPlan) -> native.SlicedNodes:
        heads, vertices, thresholds = [], [], []
        first_vertex = first_leaf = 0
        for rule, finder in plan.found:
            tests, leaves = _tests(rule, finder)
            heads.append((rule.number, first_vertex, len(tests), first_leaf, len(leaves), 0))
            vertices.append(tests)
            thresholds.append(leaves)
            first_vertex += len(tests)
            first_leaf += len(leaves)
        return native.SlicedNodes(
            variables=plan.variables,
            heads=np.array(heads, dtype=np.int64).ravel(),
            vertices=np.concatenate(vertices).ravel(),
            thresholds=np.concatenate(thresholds),
        )

    @staticmethod
    def fits(plan: ChainPlan) -> bool:
        """Binary, sequential, no row that evidence empties."""
        if plan.random or max(plan.network.domain.cardinalities) > 2 or len(plan.found) < len(plan.rules):
            return False
        return not any(
            rule.impossible
            or (
                not isinstance(rule.source, DecisionGraph)
                and (finder.kind != DIRECT or 2 ** len(finder.inputs) > MOST_ROWS)
            )
            for rule, finder in plan.found
        )

    def state(self, codes: CodeArray) -> State:
        """[variable][512 chains][8 words], flat."""
        variables, chains = codes.shape
        padded = np.zeros((variables, -(-chains // GROUP) * GROUP), dtype=np.uint8)
        padded[:, :chains] = codes
        return np.packbits(padded, axis=1, bitorder="little").view(np.uint64).ravel()


def _tests(rule: UpdateRule, finder: RowFinder) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    """A node's tests (variable, slot if 0, slot if 1), parents first, and its leaves' thresholds."""
    if isinstance(rule.source, DecisionGraph):
        return _graph_tests(rule, rule.source)
    thresholds = _first_thresholds(finder.thresholds)
    tests = []
    depth = len(finder.inputs)
    for level, (variable, _) in enumerate(finder.inputs):  # a complete tree, level by level
        first, following = 2**level - 1, 2 ** (level + 1) - 1
        tests += [(variable, following + 2 * k, following + 2 * k + 1) for k in range(first + 1)]
    paths = np.arange(2**depth)
    rows = np.full(2**depth, finder.base)
    for level, (_, stride) in enumerate(finder.inputs):
        rows += stride * (paths >> (depth - 1 - level) & 1)
    return np.array(tests, dtype=np.int32).reshape(-1, 3), np.ascontiguousarray(thresholds[rows])


def _graph_tests(rule: UpdateRule, graph: DecisionGraph) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    variable, begin, children = graph.compiled
    order: list[int] = []  # depth first, finished vertices last: reversed, parents come first
    seen: set[int] = set()
    stack = [(0, False)]
    while stack:
        v, finished = stack.pop()
        if finished:
            order.append(v)
        elif v not in seen and variable[v] >= 0:
            seen.add(v)
            stack.append((v, True))
            stack += [(int(children[begin[v] + s]), False) for s in (0, 1)]
    order.reverse()
    slot = {v: k for k, v in enumerate(order)}
    leaves = [v for v in range(len(variable)) if variable[v] < 0]
    slot |= {v: len(order) + k for k, v in enumerate(leaves)}
    tests = [
        (int(variable[v]), slot[int(children[begin[v]])], slot[int(children[begin[v] + 1])]) for v in order
    ]
    thresholds = _first_thresholds(rule.thresholds)[begin[leaves]]
    return np.array(tests, dtype=np.int32).reshape(-1, 3), thresholds


def _first_thresholds(thresholds: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The one threshold of each row; a variable with one state always has it."""
    if thresholds.shape[1] == 0:
        return np.full(len(thresholds), ALWAYS, dtype=np.uint32)
    return thresholds[:, 0]
