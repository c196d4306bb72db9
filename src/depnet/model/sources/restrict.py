"""Information sources where some variables are fixed: theta_i(X_i | X_B; X_C = x_C) of Sec. 5.

A recorded list of operations is replayed on the leaves that the fixed variables still allow. A split by
a fixed variable keeps one child, so it is no operation any more; a leaf that became impossible takes
its operations with it. What is left is again a decision graph, on fewer variables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import IntArray, read_only
from depnet.errors import ModelError
from depnet.model.sources.decision_graph import DecisionGraph, Merge, Operation, Split
from depnet.model.sources.source import ConstantSource, FunctionSource, InformationSource, LosslessSource

SPLIT = 0
"""The kind of a split among a graph's operations as arrays."""


def find_reached(
    source: InformationSource, allowed: Mapping[int, Sequence[int]]
) -> tuple[frozenset[int], IntArray | None]:
    """The inputs that still matter, and the leaves that can occur (None: perhaps all of them).

    `allowed[j]` are the codes that X_j may have; variables not named may have any. Both answers may be
    larger than need be where a path tests a variable twice.
    """
    if isinstance(source, DecisionGraph):
        return _find_reached_in_graph(source, allowed)
    inputs = frozenset(j for j in source.inputs if len(allowed.get(j, (0, 0))) > 1)
    if isinstance(source, LosslessSource):
        leaves = np.zeros(1, dtype=np.int64)
        for j, k in zip(source.inputs, source.input_cardinalities, strict=True):
            codes = np.asarray(allowed.get(j, range(k)), dtype=np.int64)
            leaves = (leaves[:, None] * k + codes).reshape(-1)
        return inputs, np.sort(leaves)
    return inputs, None


def _find_reached_in_graph(
    graph: DecisionGraph, allowed: Mapping[int, Sequence[int]]
) -> tuple[frozenset[int], IntArray]:
    if allowed.keys().isdisjoint(graph.inputs):  # everything: a test that decides nothing is not in the graph
        compiled = graph.compiled
        return frozenset(graph.inputs), np.sort(compiled.begin[compiled.variable < 0]).astype(np.int64)
    variable, begin, children = (part.tolist() for part in graph.compiled)
    inputs, leaves, seen, stack = set(), [], {0}, [0]
    while stack:
        v = stack.pop()
        j = variable[v]
        if j < 0:
            leaves.append(begin[v])
            continue
        codes = allowed.get(j, range(graph.cardinalities[j]))
        following = {children[begin[v] + code] for code in codes}
        if len(following) > 1:
            inputs.add(j)
        stack.extend(following - seen)
        seen |= following
    return frozenset(inputs), np.array(sorted(leaves), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class KeptVariables:
    """The variables that are kept, renumbered 0, 1, ...: made once, and shared by all nodes of a wide network."""

    number: IntArray
    """The new number of each variable; -1 where it is not kept."""
    cardinalities: tuple[int, ...]
    """In the new numbering."""

    @classmethod
    def of(cls, variables: Sequence[int], cardinalities: Sequence[int]) -> "KeptVariables":
        """Keep `variables` out of all that have these cardinalities."""
        number = np.full(len(cardinalities), -1)
        number[list(variables)] = np.arange(len(variables))
        return cls(read_only(number), tuple(cardinalities[j] for j in variables))


def restrict(
    source: InformationSource, fixed: Mapping[int, int], kept: KeptVariables
) -> tuple[InformationSource, IntArray]:
    """The source with the variables `fixed` at their codes, over the variables that are kept.

    Every variable is fixed or kept. Also returns the leaf of the old source that each new leaf is.
    """
    number = kept.number
    if isinstance(source, ConstantSource):
        return source, np.zeros(1, dtype=np.int64)
    if isinstance(source, DecisionGraph):
        kinds, first, second = source.arrays
        splits = kinds == SPLIT
        if fixed.keys().isdisjoint(second[splits].tolist()):  # no test is decided: only the numbers change
            renamed = second.copy()
            renamed[splits] = number[second[splits]]
            graph = DecisionGraph.from_record((kinds, first, renamed), kept.cardinalities, source.size)
            return graph if len(kinds) else ConstantSource(), np.arange(source.size)
        operations, leaves = _restrict_operations(source, fixed, number)
        if not operations:
            return ConstantSource(), leaves
        return DecisionGraph(operations, kept.cardinalities), leaves
    if isinstance(source, LosslessSource):
        only = {j: (code,) for j, code in fixed.items()}
        left = [place for place, j in enumerate(source.inputs) if j not in fixed]
        _, lossless_leaves = find_reached(source, only)
        assert lossless_leaves is not None
        # Ascending old leaves are the remaining inputs in row-major order, and so are the new leaves.
        renumbered = [int(number[source.inputs[place]]) for place in left]
        if renumbered != sorted(renumbered):
            raise ModelError("the variables kept must be in ascending order.")
        sizes = tuple(source.input_cardinalities[place] for place in left)
        return LosslessSource(tuple(renumbered), sizes), lossless_leaves
    return _restrict_function(source, fixed, number), np.arange(source.size)


def _restrict_operations(
    graph: DecisionGraph, fixed: Mapping[int, int], number: IntArray
) -> tuple[tuple[Operation, ...], IntArray]:
    """Replay the operations on old leaves, each of which stands for a living new leaf or for none (-1)."""
    names = iter(range(1, 1 << 62))
    old = [0]  # old leaf -> name of the new leaf, or -1
    new = [0]  # new leaf -> its name
    operations: list[Operation] = []
    for operation in graph.operations:
        if isinstance(operation, Split):
            name = old.pop(operation.leaf)
            cardinality = graph.cardinalities[operation.variable]
            if name < 0:
                old.extend([-1] * cardinality)
            elif operation.variable in fixed:
                children = [-1] * cardinality
                children[fixed[operation.variable]] = name
                old.extend(children)
            else:
                operations.append(Split(new.index(name), int(number[operation.variable])))
                new.remove(name)
                children = [next(names) for _ in range(cardinality)]
                old.extend(children)
                new.extend(children)
        else:
            name = old.pop(operation.second)
            kept = old[operation.first]
            if kept < 0:
                old[operation.first] = name
            elif name >= 0:
                first, second = sorted((new.index(kept), new.index(name)))
                operations.append(Merge(first, second))
                old[operation.first] = new[first]
                del new[second]
    leaf_of = {name: leaf for leaf, name in enumerate(old) if name >= 0}
    return tuple(operations), np.array([leaf_of[name] for name in new], dtype=np.int64)


def _restrict_function(
    source: InformationSource, fixed: Mapping[int, int], number: IntArray
) -> FunctionSource:
    left = [j for j in source.inputs if j not in fixed]
    template = np.zeros(len(number), dtype=np.uint16)
    for j in source.inputs:
        template[j] = fixed.get(j, 0)

    def function(codes: NDArray[np.int64]) -> NDArray[np.int32]:
        rows = np.tile(template, (len(codes), 1))
        rows[:, left] = codes
        return source(rows)

    return FunctionSource(function, tuple(number[left].tolist()), source.size)
