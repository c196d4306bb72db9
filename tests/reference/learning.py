"""Algorithm 3 with the candidates of Sec. 4.5, by brute force: every candidate from scratch, each step.

The floats are fixed, so that the fast learner can be *equal* and not only near. With T(x) = x log x,

    E(leaf)          =  T(N_y) - (sum over states, ascending, of T(N_yx))                nats * rows
    Split(y, j)      :  change = (sum over new leaves, ascending, of E(leaf)) - E(L_y)
    Merge(y0, y1)    :  change = E(L_y01) - (E(L_y0) + E(L_y1))
    Delta            =  change / N + (R(k', N) - R(k, N))      (linear R: (k' - k) * R(1, N))

Among the splits of a step the least Delta wins, ties by the lowest (leaf, variable). All merges of a step
share one penalty change, so among them the least entropy change wins, ties by the lowest (first, second).
The best split and the best merge are then compared with what naming them costs (StructuralMdl) added; equal:
the split. The winner is applied if it lowers the cost by more than 1e-12.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from depnet import Dataset, Merge, Split
from depnet._native.learner import xlogx
from depnet.learning.cost import Penalty, StructuralMdl, penalty_value, per_parameter

Row = tuple[int, ...]
Leaf = list[tuple[Row, int]]
"""Rows with their weights."""

STEP = 1e-12
"""By how much an operation must lower the cost."""


def entropy_term(leaf: Leaf, state: Callable[[Row], int]) -> float:
    """E(leaf) = T(N_y) - sum over states of T(N_yx), ascending."""
    counts: Counter[int] = Counter()
    for row, weight in leaf:
        counts[state(row)] += weight
    total = 0.0
    for x in sorted(counts):
        total += xlogx(counts[x])
    return xlogx(sum(counts.values())) - total


def split_leaf(leaf: Leaf, j: int, cardinality: int) -> list[Leaf]:
    """The |X_j| new leaves of Split(y, j), the empty ones among them."""
    return [[(row, weight) for row, weight in leaf if row[j] == z] for z in range(cardinality)]


def learn_ordered(
    dataset: Dataset,
    order: Sequence[int],
    penalty: Penalty,
    *,
    barred: Sequence[tuple[int, int]] = (),
    **limits: Any,
) -> list[list[Split | Merge]]:
    """The operations of every node where sources read earlier variables only, and not by the links (j, i) `barred`."""
    found: list[list[Split | Merge]] = [[]] * len(order)
    for at, i in enumerate(order):
        inputs = sorted(j for j in order[:at] if (j, i) not in barred)
        found[i] = learn_operations(dataset, (i,), penalty, inputs=inputs, **limits)
    return found


def learn_operations(
    dataset: Dataset,
    targets: Sequence[int],
    penalty: Penalty,
    *,
    inputs: Sequence[int] | None = None,
    max_leaves: int | None = None,
    min_leaf_rows: int = 0,
) -> list[Split | Merge]:
    """The operations that grow the information source of the node that updates `targets`."""
    cards = dataset.domain.cardinalities
    inputs = [j for j in range(len(cards)) if j not in set(targets)] if inputs is None else inputs
    rows = [tuple(row) for row in dataset.codes.tolist()]
    weights = [1] * len(rows) if dataset.weights is None else dataset.weights.tolist()
    N = sum(weights)
    states = math.prod(cards[i] for i in targets)

    def state(row: Row) -> int:
        code = 0
        for i in targets:
            code = code * cards[i] + row[i]
        return code

    def penalty_change(before: int, after: int) -> float:
        """R(k', N) - R(k, N) when the number of leaves goes from `before` to `after`."""
        one = per_parameter(penalty, N)
        if one is not None:
            return (after - before) * (states - 1) * one
        return penalty_value(penalty, after * (states - 1), N) - penalty_value(
            penalty, before * (states - 1), N
        )

    leaves: list[Leaf] = [list(zip(rows, weights, strict=True))]
    operations: list[Split | Merge] = []
    while True:
        size = len(leaves)
        best_split: tuple[float, Split] | None = None
        for y, leaf in enumerate(leaves):
            for j in inputs:
                if max_leaves is not None and size + cards[j] - 1 > max_leaves:
                    continue
                children = split_leaf(leaf, j, cards[j])
                filled = [sum(w for _, w in child) for child in children if any(w for _, w in child)]
                if any(n < min_leaf_rows for n in filled):
                    continue
                entropy = 0.0
                for child in children:
                    entropy += entropy_term(child, state)
                change = entropy - entropy_term(leaf, state)
                delta = change / N + penalty_change(size, size + cards[j] - 1)
                if best_split is None or delta < best_split[0]:
                    best_split = delta, Split(y, j)

        best_merge: tuple[float, Merge] | None = None
        for y0, y1 in itertools.combinations(range(size), 2):
            merged = entropy_term(leaves[y0] + leaves[y1], state)
            change = merged - (entropy_term(leaves[y0], state) + entropy_term(leaves[y1], state))
            if best_merge is None or change < best_merge[0]:
                best_merge = change, Merge(y0, y1)

        candidates: list[tuple[float, Split | Merge]] = []
        if best_split is not None:
            delta, split = best_split
            if isinstance(penalty, StructuralMdl):
                delta += penalty.split_name(size, len(inputs), N)
            candidates.append((delta, split))
        if best_merge is not None:
            change, merge = best_merge
            delta = change / N + penalty_change(size, size - 1)
            if isinstance(penalty, StructuralMdl):
                delta += penalty.merge_name(size, N)
            candidates.append((delta, merge))
        if not candidates:
            return operations
        delta, operation = min(candidates, key=lambda candidate: candidate[0])  # the first of equals
        if not delta < -STEP:
            return operations

        if isinstance(operation, Split):
            leaf = leaves.pop(operation.leaf)
            leaves += split_leaf(leaf, operation.variable, cards[operation.variable])
        else:
            leaves[operation.first] = leaves[operation.first] + leaves[operation.second]
            del leaves[operation.second]
        operations.append(operation)
